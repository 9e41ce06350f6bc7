package demo

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// What is kept is bounded: a chat with the demo is no treasure.
const (
	maxEntry    = 64 << 10 // bytes of one kept update
	maxEntries  = 400      // of a session; the oldest go first
	maxRecord   = 1 << 20  // bytes of a session's updates
	maxSessions = 50       // in the folder; the oldest go first
)

// record is a session between processes.
type record struct {
	ID       string            `json:"id"`
	Cwd      string            `json:"cwd"`
	Title    string            `json:"title,omitempty"`
	Mode     string            `json:"mode,omitempty"`
	Model    string            `json:"model,omitempty"`
	Effort   string            `json:"effort,omitempty"`
	NoTitles bool              `json:"noTitles,omitempty"`
	Updated  time.Time         `json:"updated"`
	Prompts  []string          `json:"prompts,omitempty"` // the person's words, shortened
	Entries  []json.RawMessage `json:"entries,omitempty"`
}

func (r record) bounded() record {
	size := 0
	for i := len(r.Entries) - 1; i >= 0; i-- {
		size += len(r.Entries[i])
		if size > maxRecord || len(r.Entries)-i > maxEntries {
			r.Entries = append([]json.RawMessage(nil), r.Entries[i+1:]...)
			break
		}
	}
	if n := len(r.Prompts); n > maxEntries {
		r.Prompts = append([]string(nil), r.Prompts[n-maxEntries:]...)
	}
	return r
}

// isID reports demo- and 16 hex digits: nothing else becomes a file name.
func isID(id string) bool {
	hex, ok := strings.CutPrefix(id, "demo-")
	return ok && len(hex) == 16 && strings.Trim(hex, "0123456789abcdef") == ""
}

func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return "demo-" + hex.EncodeToString(b[:])
}

// store keeps sessions as one file each. What cannot be kept is not kept: the
// session then lives as long as the process.
type store struct {
	dir string
	now func() time.Time
}

func newStore(dir string, now func() time.Time) *store { return &store{dir: dir, now: now} }

func (s *store) path(id string) (string, bool) {
	if s.dir == "" || !isID(id) {
		return "", false
	}
	return filepath.Join(s.dir, id+".json"), true
}

func (s *store) load(id string) (record, bool) {
	path, ok := s.path(id)
	if !ok {
		return record{}, false
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return record{}, false
	}
	var r record
	if json.Unmarshal(raw, &r) != nil || r.ID != id {
		return record{}, false
	}
	return r, true
}

func (s *store) save(r record) {
	path, ok := s.path(r.ID)
	if !ok || os.MkdirAll(s.dir, 0o700) != nil {
		return
	}
	r.Updated = s.now()
	raw, err := json.Marshal(r)
	if err != nil {
		return
	}
	tmp, err := os.CreateTemp(s.dir, "new-*")
	if err != nil {
		return
	}
	_, err = tmp.Write(raw)
	if closeErr := tmp.Close(); err != nil || closeErr != nil || os.Rename(tmp.Name(), path) != nil {
		_ = os.Remove(tmp.Name()) // nothing more can be done
		return
	}
	s.tidy()
}

func (s *store) remove(id string) {
	if path, ok := s.path(id); ok {
		_ = os.Remove(path) // gone is gone
	}
}

// list gives what is kept, newest first.
func (s *store) list() []record {
	var all []record
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if r, ok := s.load(strings.TrimSuffix(e.Name(), ".json")); ok {
			all = append(all, r)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Updated.After(all[j].Updated) })
	return all
}

// tidy removes the oldest sessions over the limit, by the files' times.
func (s *store) tidy() {
	entries, err := os.ReadDir(s.dir)
	if err != nil || len(entries) <= maxSessions {
		return
	}
	type aged struct {
		path string
		at   time.Time
	}
	var files []aged
	for _, e := range entries {
		id, isSession := strings.CutSuffix(e.Name(), ".json")
		info, err := e.Info()
		if err == nil && isSession && isID(id) {
			files = append(files, aged{filepath.Join(s.dir, e.Name()), info.ModTime()})
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].at.After(files[j].at) })
	for _, f := range files[min(len(files), maxSessions):] {
		_ = os.Remove(f.path) // another process may have done it
	}
}
