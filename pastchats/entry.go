package pastchats

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"conch/chats"
)

// Entry is a chat that was brought in.
type Entry struct {
	ID           string // pc_ and 16 hex digits
	Source       string // the app's id
	Label        string // the app's name
	Key          string // the app's own id
	File         string // where it was read from
	Title        string
	Project      string
	Model        string
	Created      time.Time
	Updated      time.Time
	Messages     int
	UserMessages int // of them the person's
	Redacted     int // keys taken out
	Size         int64
	MTime        int64
	Count        int
	Empty        bool // nothing was said in it: remembered, not counted, not listed

	// skipped: nothing could be read of it. It is Empty too, and read again when it
	// changes or the store is mended.
	skipped bool
}

// From is where its words are from, as a person reads it: "Claude Code, in shop".
func (e Entry) From() string {
	from := e.Label
	if from == "" {
		from = e.Source
	}
	if e.Project != "" {
		from += ", in " + e.Project
	}
	return from
}

// unknown is the size of an entry of which nothing is known of the file: it is
// read again.
const unknown = -1

// fits reports that the file is still as it was read.
func (e Entry) fits(f chatFile) bool {
	return e.Size == f.Size && e.MTime == f.MTime && e.Count == f.Count
}

const (
	idPrefix = "pc_"
	idDigits = 16
)

// pastID is the id of an app's chat: the same every time.
func pastID(source, key string) string {
	room := make([]byte, 0, 128)
	room = append(append(append(room, source...), 0), key...)
	sum := sha256.Sum256(room)
	id := make([]byte, len(idPrefix)+idDigits)
	copy(id, idPrefix)
	hex.Encode(id[len(idPrefix):], sum[:idDigits/2])
	return string(id)
}

// isPastID reports that a text has the form of an id. Only what passed here ever
// becomes part of a path.
func isPastID(s string) bool {
	if len(s) != len(idPrefix)+idDigits || s[:len(idPrefix)] != idPrefix {
		return false
	}
	for i := len(idPrefix); i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func checkID(id string) error {
	if !isPastID(id) {
		return fmt.Errorf("%s: %w", chats.Quote(id), ErrBadID)
	}
	return nil
}
