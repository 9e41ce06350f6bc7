package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"conch/plain"
)

type jsonStore struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	There   bool   `json:"there"`
	Count   int    `json:"count"` // chats, or files
	Bytes   int64  `json:"bytes"`
	Problem string `json:"problem"`
	Next    string `json:"next"`
}

// stores says what is kept in the home, and whether it can be.
func (a *app) stores() []jsonStore {
	home := jsonStore{Name: "home", Path: a.home}
	info, err := os.Stat(a.home)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// It is made with the first chat.
	case err != nil:
		home.Problem, home.Next = "it cannot be read: "+err.Error(), "check who owns "+a.home
	case !info.IsDir():
		home.There = true
		home.Problem, home.Next = "it is no folder", "move it away, or set CONCH_HOME to another place"
	default:
		home.There = true
		home.Count, home.Bytes = weigh(a.home)
		if open := info.Mode().Perm() & 0o077; open != 0 && os.PathSeparator == '/' {
			home.Problem, home.Next = "others on this machine may look into it", "chmod 700 "+a.home
		} else if err := writable(a.home); err != nil {
			home.Problem, home.Next = "it cannot be written: "+err.Error(), "check who owns "+a.home
		}
	}
	kept := jsonStore{Name: "chats", Path: filepath.Join(a.home, "chats")}
	if list, err := a.store.List(); err != nil {
		kept.Problem, kept.Next = "the list cannot be read: "+plain.Line(err.Error(), 200), "check who owns "+kept.Path
	} else {
		kept.Count = len(list)
	}
	if _, err := os.Stat(kept.Path); err == nil {
		kept.There = true
		_, kept.Bytes = weigh(kept.Path)
	}
	return []jsonStore{home, kept}
}

// weigh counts the files of a folder and their bytes. Links are not followed.
func weigh(dir string) (files int, bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // what cannot be read weighs nothing
		}
		if info, err := d.Info(); err == nil {
			files++
			bytes += info.Size()
		}
		return nil
	})
	return files, bytes
}

func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".conch-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (s jsonStore) words() string {
	if !s.There {
		return "not there yet"
	}
	what := "files"
	if s.Name == "chats" {
		what = "chats"
	}
	if s.Count == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	return fmt.Sprintf("%s %s, %s", grouped(s.Count), what, sized(s.Bytes))
}

// grouped writes thousands apart: 1,284.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func sized(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	case n < 1000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1000_000)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1000_000_000)
}
