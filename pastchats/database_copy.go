package pastchats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	copyTries  = 5
	copyPrefix = "database-" // of the private folders
	copyAge    = time.Hour   // a private folder that is older was left by a crash
)

// copyDatabase copies a database and the file beside it ("-wal" or "-journal")
// into a private folder and gives the copy's path. Never the -shm: SQLite makes
// it anew. The two must belong together, so they are copied again when they
// changed meanwhile; a write-ahead file that only grew at its end is as good.
func (h *Home) copyDatabase(ctx context.Context, real, beside string) (string, error) {
	h.sweep()
	if h.temp != "" {
		if err := os.MkdirAll(h.temp, 0o700); err != nil {
			return "", err
		}
	}
	dir, err := os.MkdirTemp(h.temp, copyPrefix) // 0700
	if err != nil {
		return "", err
	}
	copied := filepath.Join(dir, "copy.db")
	for range copyTries {
		if err = h.copyOnce(ctx, real, beside, copied); err == nil {
			return copied, nil
		}
		if ctx.Err() != nil || !errors.Is(err, errMoved) {
			break
		}
	}
	os.RemoveAll(dir)
	return "", fmt.Errorf("copy database %s: %w", real, err)
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
		if info, err := d.Info(); err == nil && time.Since(info.ModTime()) > copyAge {
			os.RemoveAll(filepath.Join(h.temp, d.Name()))
		}
	}
}
