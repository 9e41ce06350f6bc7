package chats

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Errors that callers act on.
var (
	ErrNotFound   = errors.New("no such chat")
	ErrReadOnly   = errors.New("chat is open in another conch")
	ErrBadID      = errors.New("not a chat id")
	ErrOpen       = errors.New("chat is open here")
	ErrFull       = errors.New("the disk is full")
	ErrUnwritable = errors.New("the chats folder cannot be written")
)

// Store is the folder of Conch's own chats. Its methods may be called from
// several goroutines and several processes.
type Store struct {
	dir string
	now func() time.Time
	ids entropy

	mu   sync.Mutex
	open map[string]*Log // for writing, in this process
	rows map[string]row  // the list as last read or made
	kept bool            // rows were read from the kept list once
}

// Open opens the store below home (CONCH_HOME), which is made with mode 0700
// when it is first written to, not before. now is the clock; nil is time.Now.
func Open(home string, now func() time.Time) (*Store, error) {
	if home == "" {
		return nil, errors.New("open the chats: no home folder")
	}
	dir, err := filepath.Abs(filepath.Join(home, "chats"))
	if err != nil {
		return nil, fmt.Errorf("open the chats: %w", err)
	}
	if now == nil {
		now = time.Now
	}
	return &Store{dir: dir, now: now, ids: newEntropy(), open: map[string]*Log{}}, nil
}

// Summary is a row of the list.
type Summary struct {
	ID          string
	Title       string
	Folder      string
	Branch      string
	Provider    string // chosen last; that answered last, where none was chosen
	Model       string // chosen for Provider; "" is its default
	Answered    string // the model of Provider's that answered last, as reported
	Effort      string
	Mode        string
	Started     time.Time
	Updated     time.Time
	Messages    int    // of the person and the assistant
	LastWords   string // of the newest message, one line of at most 200 characters
	Interrupted bool   // its last turn has no end and nobody is writing it
	Sessions    map[string]SessionRecord
	Cleared     []int64       // events behind which the chat begins anew, those that were taken back left out; the last one counts
	Held        []string      // every resume id that the chat ever had, the newest 2,000
	Taints      []TaintSource // where its outside words came from, each once
}

// SessionRecord is what an engine has of a chat: Seq is the last event it took in.
// With Owes it has taken in its own later turns too, and nothing else of them.
type SessionRecord struct {
	ResumeID string `json:"resumeId"`
	Seq      int64  `json:"seq"`
	Model    string `json:"model,omitempty"`
	Owes     bool   `json:"owes,omitempty"`
}

// Create makes a chat for a folder. Nothing is written before its first Append.
func (s *Store) Create(folder, branch string) *Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, err := s.ids.next(s.now())
	l := &Log{store: s, id: id, path: s.path(id), last: -1, ids: newEntropy(), err: err}
	l.start = &Start{Chat: id, Folder: folder, Branch: branch}
	l.fold = &fold{Seq: -1}
	s.open[id] = l
	return l
}

// path is where a chat's log lies. id has passed ParseID.
func (s *Store) path(id string) string { return filepath.Join(s.dir, id+".jsonl") }

// stat looks for a chat's log. A link or a folder in its place is none.
func (s *Store) stat(id string) (fs.FileInfo, error) {
	info, err := os.Lstat(s.path(id))
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w", id, ErrNotFound)
	case err != nil:
		return nil, fmt.Errorf("look for chat %s: %w", id, err)
	}
	return info, nil
}

// makeDir makes a folder of the store, for the person's eyes alone.
func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return plainly("make the chats folder", err)
	}
	return nil
}

// plainly wraps a failed write so that callers can tell a full disk and a
// folder that cannot be written from the rest.
func plainly(doing string, err error) error {
	switch {
	case IsFull(err):
		return fmt.Errorf("%s: %w: %w", doing, ErrFull, err)
	case errors.Is(err, fs.ErrPermission), IsReadOnlyDisk(err):
		return fmt.Errorf("%s: %w: %w", doing, ErrUnwritable, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func (s *Store) forget(id string, l *Log) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[id] == l {
		delete(s.open, id)
	}
}

func (s *Store) opened(id string) *Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id]
}
