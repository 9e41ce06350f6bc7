package pastchats

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	listName    = "index.json"
	listVersion = 1
	listClean   = 1         // no name in it holds a key; a list without that mark was written before names were cleaned
	maxList     = 256 << 20 // bytes: an entry takes well under a thousand
)

// list is what index.json says. It is never changed once it was handed out.
type list struct {
	version int
	entries []Entry
	byID    map[string]int
	last    *lastRun
	damaged bool // not all of it could be read
	clean   bool // has the mark listClean
}

// lastRun is the figures of the last run that changed something.
type lastRun struct {
	At       int64 `json:"at"` // milliseconds
	Added    int   `json:"added"`
	Updated  int   `json:"updated"`
	Skipped  int   `json:"skipped"`
	Redacted int   `json:"redacted"`
	Read     int   `json:"read"`
	Stopped  bool  `json:"stopped,omitempty"`
	TookMs   int64 `json:"tookMs"`
}

func newList() *list { return &list{version: listVersion, clean: true, byID: map[string]int{}} }

// find gives the entry of an id.
func (l *list) find(id string) (Entry, bool) {
	i, ok := l.byID[id]
	if !ok {
		return Entry{}, false
	}
	return l.entries[i], true
}

// put adds an entry or puts it in the place of the older one.
func (l *list) put(e Entry) {
	if i, ok := l.byID[e.ID]; ok {
		l.entries[i] = e
		return
	}
	l.byID[e.ID] = len(l.entries)
	l.entries = append(l.entries, e)
}

// copy gives a list that may be changed.
func (l *list) copy() *list {
	c := &list{version: l.version, clean: l.clean, last: l.last, entries: append([]Entry(nil), l.entries...), byID: make(map[string]int, len(l.byID))}
	for i, e := range c.entries {
		c.byID[e.ID] = i
	}
	return c
}

// brought is how many chats there are, without the empty ones.
func (l *list) brought() int {
	n := 0
	for _, e := range l.entries {
		if !e.Empty {
			n++
		}
	}
	return n
}

// readListFile reads the list's file. Anything else in its place, a link or a
// pipe, is no list and would be waited for.
func readListFile(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular() || info.Size() > maxList:
		return nil, info, errNoList
	}
	data, err := os.ReadFile(path)
	return data, info, err
}

var errNoList = errors.New("it is no list")

// replaceFile writes a file so that a reader has the old one or the new one.
func replaceFile(path string, data []byte, sync bool) error {
	dir, base := filepath.Split(path)
	temp := filepath.Join(dir, "."+base+".tmp")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		// Of a run that was killed: only one runs at a time.
		if err = os.RemoveAll(temp); err == nil {
			f, err = os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}
