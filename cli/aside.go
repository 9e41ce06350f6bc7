package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// heldFile is a file that Conch keeps in its home and can make anew.
type heldFile struct {
	name   string
	linked bool // a link to a file may stand for it
}

func heldFiles() []heldFile {
	return []heldFile{
		{"state.json", false}, {"state.json.lock", false},
		{"conch.db", true}, {"conch.db-wal", false}, {"conch.db-shm", false}, {"conch.db-journal", false}, {"conch.db.lock", true},
	}
}

// inTheWay says what stands in the place of a file and is none, "" for nothing.
func (f heldFile) inTheWay(home string) string {
	path := filepath.Join(home, f.name)
	info, err := os.Lstat(path)
	if err == nil && f.linked && info.Mode()&fs.ModeSymlink != 0 {
		if to, err := os.Stat(path); err == nil {
			info = to
		}
	}
	if err != nil {
		return ""
	}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "no file"
}

// standInTheWay says of each file that cannot be used what is in its place.
func (a *app) standInTheWay() (says []string) {
	for _, f := range heldFiles() {
		if what := f.inTheWay(a.home); what != "" {
			says = append(says, fmt.Sprintf("%s in Conch's home is %s, where a file of Conch's belongs.", f.name, what))
		}
	}
	return says
}

// moveAside gives what stands in the way another name; nothing is thrown away.
func (a *app) moveAside() (says []string, err error) {
	for _, f := range heldFiles() {
		what := f.inTheWay(a.home)
		if what == "" {
			continue
		}
		to, rerr := aside(filepath.Join(a.home, f.name), a.host.Now().UTC().Format("20060102-150405"))
		if rerr != nil {
			err = errors.Join(err, fmt.Errorf("move %s aside: %w", f.name, rerr))
			continue
		}
		says = append(says, fmt.Sprintf("%s was %s; it was moved aside and is called %s now.", f.name, what, filepath.Base(to)))
	}
	return says, err
}

// aside renames a path so that it takes no other's name.
func aside(path, stamp string) (string, error) {
	for n := range 100 {
		to := path + "." + stamp + ".aside"
		if n > 0 {
			to += fmt.Sprint(n)
		}
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, os.Rename(path, to)
		}
	}
	return "", fs.ErrExist
}
