package chats

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// ParseID checks the form of a chat's id, a ULID, and gives it in upper case.
// Only what passed here ever becomes part of a path.
func ParseID(s string) (string, error) {
	id := strings.ToUpper(s)
	if _, err := ulid.ParseStrict(id); err != nil || len(s) != ulid.EncodedSize {
		return "", fmt.Errorf("%s: %w", Quote(s), ErrBadID)
	}
	return id, nil
}

// Quote gives a word from outside as it can be shown in a message: in quotes,
// bounded, nothing in it that a terminal obeys.
func Quote(s string) string {
	const most = 60
	if r := []rune(s[:min(len(s), 4*most)]); len(r) > most || len(s) > 4*most {
		s = string(r[:min(len(r), most)]) + "…"
	}
	return strconv.Quote(s)
}

// entropy gives ids that sort in the order in which they were made, also within
// a millisecond.
type entropy struct{ m *ulid.MonotonicEntropy }

func newEntropy() entropy { return entropy{ulid.Monotonic(rand.Reader, 0)} }

func (e entropy) next(at time.Time) (string, error) {
	id, err := ulid.New(ulid.Timestamp(at), e.m)
	if err != nil { // the last one of its millisecond: start anew
		id, err = ulid.New(ulid.Timestamp(at), rand.Reader)
	}
	if err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return id.String(), nil
}
