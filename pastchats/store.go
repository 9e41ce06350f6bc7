package pastchats

import (
	"errors"
	"time"

	"conch/chats"
)

// Errors that callers act on.
var (
	ErrNotFound = errors.New("no such past chat")
	ErrBadID    = errors.New("not a past chat's id")
	ErrRunning  = errors.New("chats are being brought in by another conch")
	ErrNewer    = errors.New("a newer conch wrote the list of past chats")
)

// Entry is a chat that was brought in.
type Entry struct {
	ID       string // pc_ and 16 hex digits
	Source   string // the app's id
	Label    string // the app's name
	Key      string // the app's own id
	File     string // where it was read from
	Title    string
	Project  string
	Model    string
	Created  time.Time
	Updated  time.Time
	Messages int
	Redacted int // keys taken out
	Size     int64
	MTime    int64
	Count    int
	Empty    bool // nothing was said in it: remembered, not counted, not listed
}

// From is where its words are from, as a person reads it: "Claude Code, in shop".
func (e Entry) From() string { return "" }

// Message is one thing said in a past chat, redacted again as it is read.
type Message struct {
	ID   string // <source>.<n>
	Role Role
	Text string
	At   time.Time
}

// Store is the folder past-chats/ under CONCH_HOME. The logs are its truth; the
// list is mended from them. Methods may be called from several goroutines and
// several processes.
type Store struct{}

// OpenStore opens the store below home (CONCH_HOME). Nothing is made before
// something is brought in. note gets what a person should know once, such as
// that the list was rebuilt; nil: nobody.
func OpenStore(home string, now func() time.Time, note func(string)) (*Store, error) {
	return &Store{}, nil
}

// List gives the entries, newest first, without the empty ones.
func (s *Store) List() ([]Entry, error) { return nil, nil }

// Stamp changes whenever the list does; it costs one stat.
func (s *Store) Stamp() (string, error) { return "", nil }

// Find gives the entry of an id. An id that has not the form is ErrBadID, before
// any path is made.
func (s *Store) Find(id string) (Entry, error) { return Entry{}, ErrNotFound }

// Events reads a chat's log as events (title, user.message, assistant.delta,
// assistant.done), redacted again. each returns false to stop.
func (s *Store) Events(id string, each func(chats.Event) bool) error { return ErrNotFound }

// Messages reads a chat's messages in order, redacted again. each returns false
// to stop.
func (s *Store) Messages(id string, each func(Message) bool) error { return ErrNotFound }
