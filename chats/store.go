package chats

import (
	"errors"
	"time"
)

// Errors that callers act on.
var (
	ErrNotFound = errors.New("no such chat")
	ErrReadOnly = errors.New("chat is open in another conch")
	ErrBadID    = errors.New("not a chat id")
)

// Store is the folder of Conch's own chats. Its methods may be called from
// several goroutines and several processes.
type Store struct {
	dir string
	now func() time.Time
}

// Open opens the store below home (CONCH_HOME), which is made with mode 0700
// when it is first written to, not before. now is the clock; nil is time.Now.
func Open(home string, now func() time.Time) (*Store, error) { panic("soon") }

// Summary is a row of the list.
type Summary struct {
	ID          string
	Title       string
	Folder      string
	Branch      string
	Provider    string
	Model       string
	Effort      string
	Mode        string
	Started     time.Time
	Updated     time.Time
	Messages    int    // of the person and the assistant
	LastWords   string // of the newest message, one line of at most 200 characters
	Interrupted bool   // its last turn has no end and nobody is writing it
	Sessions    map[string]SessionRecord
}

// SessionRecord is what an engine has of a chat: Seq is the last event it took in.
type SessionRecord struct {
	ResumeID string `json:"resumeId"`
	Seq      int64  `json:"seq"`
	Model    string `json:"model,omitempty"`
}

// List gives every chat, newest first. It is derived: logs that changed since
// the list was kept are read again, and a damaged list is made anew.
func (s *Store) List() ([]Summary, error) { panic("soon") }

// Find resolves what a person typed after --resume: an id, a unique prefix of
// one, or words of a title. With no single match the error wraps ErrNotFound and
// close holds the chats that come near.
func (s *Store) Find(words string) (found Summary, close []Summary, err error) { panic("soon") }

// Create makes a chat for a folder. Nothing is written before its first Append.
func (s *Store) Create(folder, branch string) *Log { panic("soon") }

// OpenLog opens a chat for writing. When another process writes it, the log is
// read-only and says so. A torn last line is cut off, kept aside and noted; a
// turn without an end is closed as interrupted.
func (s *Store) OpenLog(id string) (*Log, error) { panic("soon") }

// Rename gives a chat a title of the person's.
func (s *Store) Rename(id, title string) error { panic("soon") }

// Delete moves a chat out of the list; Undelete brings it back until Purge.
func (s *Store) Delete(id string) error   { panic("soon") }
func (s *Store) Undelete(id string) error { panic("soon") }

// Purge removes what was deleted longer than age ago.
func (s *Store) Purge(age time.Duration) error { panic("soon") }

// Log is one chat's events. One goroutine may append while others read.
type Log struct{}

// ID is the chat's id.
func (l *Log) ID() string { panic("soon") }

// ReadOnly reports that another process holds the chat.
func (l *Log) ReadOnly() bool { panic("soon") }

// Append writes an event and gives it back with its seq, id and time. It is in
// the file when Append returns, not yet on the disk (Sync).
func (l *Log) Append(turn string, body Body) (Event, error) { panic("soon") }

// Sync brings what was appended onto the disk.
func (l *Log) Sync() error { panic("soon") }

// Summary is the chat's row as of the last event. It reads the whole log once
// when the kept list does not have it.
func (l *Log) Summary() (Summary, error) { panic("soon") }

// Tail reads the newest events: at least the last whole turn, and up to about
// maxBytes of the log. more reports that there are older ones.
func (l *Log) Tail(maxBytes int64) (events []Event, more bool, err error) { panic("soon") }

// Before reads up to about maxBytes of events older than seq.
func (l *Log) Before(seq int64, maxBytes int64) (events []Event, more bool, err error) {
	panic("soon")
}

// Since reads every event after seq (-1: all), oldest first.
func (l *Log) Since(seq int64) ([]Event, error) { panic("soon") }

// LastSeq is the seq of the newest event, -1 for none.
func (l *Log) LastSeq() int64 { panic("soon") }

// Close lets the chat go. An empty chat leaves no file behind.
func (l *Log) Close() error { panic("soon") }
