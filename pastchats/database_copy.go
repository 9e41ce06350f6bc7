package pastchats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"conch/flock"
)

const (
	copyTries  = 5
	copyPrefix = "database-" // of the private folders
	copyHeld   = "held"      // the file in it that its owner has locked
	copyAge    = time.Hour   // one without that file that is older was left by a crash
)

// private is a folder for a private copy. What lies in it is another app's, with
// all its keys, so that it must not outlive its owner: a lock tells whether that
// one lives.
type private struct {
	dir  string
	held *os.File
}

// makePrivate makes one, 0700.
func makePrivate(within string) (*private, error) {
	dir, err := os.MkdirTemp(within, copyPrefix)
	if err != nil {
		return nil, err
	}
	p := &private{dir: dir}
	// It is there only once it is locked: one that another could lock is swept.
	name := filepath.Join(dir, copyHeld)
	if p.held, err = os.OpenFile(name+".new", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		if ok, lockErr := flock.Try(p.held); ok && lockErr == nil {
			err = os.Rename(name+".new", name)
		} // else its age has to do
	}
	if err != nil {
		return nil, errors.Join(err, p.remove())
	}
	return p, nil
}

func (p *private) database() string { return filepath.Join(p.dir, "copy.db") }

func (p *private) remove() error {
	if p.held != nil {
		p.held.Close() //nolint:errcheck // nothing was written to it
	}
	return os.RemoveAll(p.dir)
}

// orphaned reports that the owner of a private folder is dead.
func orphaned(dir string, info fs.FileInfo) bool {
	f, err := os.OpenFile(filepath.Join(dir, copyHeld), os.O_RDWR|noWait, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Since(info.ModTime()) > copyAge
	}
	if err != nil {
		return false
	}
	defer f.Close()
	mine, err := flock.Try(f)
	return mine && err == nil
}

// copyDatabase copies a database and the file beside it ("-wal" or "-journal")
// into a private folder. Never the -shm: SQLite makes it anew. The two must belong together, so they are copied again when they
// changed meanwhile; a write-ahead file that only grew at its end is as good.
func (h *Home) copyDatabase(ctx context.Context, real, beside string) (*private, error) {
	h.sweep()
	if h.temp != "" {
		if err := os.MkdirAll(h.temp, 0o700); err != nil {
			return nil, err
		}
	}
	p, err := makePrivate(h.temp)
	if err != nil {
		return nil, err
	}
	copied := p.database()
	for range copyTries {
		if err = h.copyOnce(ctx, real, beside, copied); err == nil {
			return p, nil
		}
		if ctx.Err() != nil || !errors.Is(err, errMoved) {
			break
		}
	}
	p.remove()
	return nil, fmt.Errorf("copy database %s: %w", real, err)
}

func (h *Home) copyOnce(ctx context.Context, real, beside, copied string) error {
	before, start := look(real), firstBytes(real+beside)
	left := int64(maxCopy)
	for _, part := range []string{"", beside} {
		if err := copyFile(ctx, real+part, copied+part, &left); err != nil {
			return err
		}
	}
	after := look(real)
	if before.main != after.main {
		return errMoved
	}
	if beside == "-wal" {
		// Its header changes when it is begun anew; frames at its end do no harm.
		if after.wal.size < before.wal.size || start != firstBytes(real+beside) {
			return errMoved
		}
		return nil
	}
	if before.journal != after.journal {
		return errMoved
	}
	return nil
}

// copyFile copies a regular file; left is how many bytes more may be copied.
func copyFile(ctx context.Context, from, to string, left *int64) error {
	if info, err := os.Lstat(from); err != nil || !info.Mode().IsRegular() {
		return errMoved // it went away
	}
	in, err := os.OpenFile(from, os.O_RDONLY|noWait, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || !info.Mode().IsRegular() {
		return errNotPlain
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(reading{ctx, in}, *left+1))
	if *left -= n; *left < 0 && err == nil {
		err = errTooBig
	}
	return errors.Join(err, out.Close())
}

func firstBytes(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, 32)
	n, _ := io.ReadFull(f, b)
	return string(b[:n])
}

// sweep removes private folders that a crash left behind.
func (h *Home) sweep() {
	if h.temp == "" {
		return
	}
	list, err := os.ReadDir(h.temp)
	if err != nil {
		return
	}
	for _, d := range list {
		if !d.IsDir() || !strings.HasPrefix(d.Name(), copyPrefix) {
			continue
		}
		if info, err := d.Info(); err == nil && orphaned(filepath.Join(h.temp, d.Name()), info) {
			os.RemoveAll(filepath.Join(h.temp, d.Name()))
		}
	}
}
