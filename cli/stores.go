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
	list := []jsonStore{home, kept, a.pastStore(), indexStore(a.home)}
	if m := a.memoryStore(); m.There {
		list = append(list, m)
	}
	if c := codexStore(a.home); c.There {
		list = append(list, c)
	}
	if s := modelStore(a.home); s.There {
		list = append(list, s)
	}
	return list
}

// modelStore says what is kept of the histories of model APIs. It is derived: without
// one a model is told the whole chat again.
func modelStore(home string) jsonStore {
	s := jsonStore{Name: "model sessions", Path: filepath.Join(home, "model-sessions")}
	files, err := filepath.Glob(filepath.Join(s.Path, "*.jsonl"))
	s.There, s.Count = err == nil && len(files) > 0, len(files)
	_, s.Bytes = weigh(s.Path)
	return s
}

// codexStore says what is kept of Codex's threads between two of its runs. It is
// derived: without a thread Codex is told the whole chat again.
func codexStore(home string) jsonStore {
	s := jsonStore{Name: "codex threads", Path: filepath.Join(home, "codex-sessions")}
	threads, err := filepath.Glob(filepath.Join(s.Path, "*.jsonl"))
	s.There, s.Count = err == nil && len(threads) > 0, len(threads)
	_, s.Bytes = weigh(s.Path)
	return s
}

// memoryStore says what is remembered. A file that can't be read is told to nobody,
// so this is where a person learns of it.
func (a *app) memoryStore() jsonStore {
	s := jsonStore{Name: "memory", Path: filepath.Join(a.home, memoryName)}
	info, err := os.Stat(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return s
	}
	s.There = true
	if err == nil {
		s.Bytes = info.Size()
	}
	memory := a.memory()
	if memory == nil {
		return s
	}
	if why := memory.Problem(); why != "" {
		s.Problem, s.Next = plain.Line(why, 200)+"; nothing of it is told to an assistant", "mend it in an editor, or move it away"
		return s
	}
	if list, err := memory.List(); err == nil {
		s.Count = len(list)
	}
	return s
}

// pastStore says what is kept of other apps' chats.
func (a *app) pastStore() jsonStore {
	s := jsonStore{Name: "past chats", Path: filepath.Join(a.home, "past-chats")}
	if _, err := os.Stat(s.Path); err == nil {
		s.There = true
		_, s.Bytes = weigh(s.Path)
	}
	if list, err := a.past.store.List(); err != nil {
		s.Problem, s.Next = "the list cannot be read: "+plain.Line(err.Error(), 200), "conch doctor --repair makes it anew"
	} else {
		s.Count = len(list)
	}
	return s
}

// indexStore says what the search index takes. It is derived: deleting it loses
// nothing.
func indexStore(home string) jsonStore {
	s := jsonStore{Name: "search index", Path: filepath.Join(home, "conch.db")}
	for _, end := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(s.Path + end); err == nil && info.Mode().IsRegular() {
			s.There = true
			s.Count++
			s.Bytes += info.Size()
		}
	}
	return s
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
	if s.Name == "chats" || s.Name == "past chats" {
		what = "chats"
	}
	if s.Name == "memory" {
		what = "memories"
	}
	if s.Count == 1 {
		what = strings.TrimSuffix(strings.Replace(what, "memories", "memory", 1), "s")
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
