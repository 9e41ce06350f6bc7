package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"conch/handoff"
	"conch/plain"
	"conch/redact"
)

// Errors that callers act on.
var (
	ErrKnown      = errors.New("that is remembered already")
	ErrFull       = errors.New("there are as many memories as can be kept")
	ErrNoMemory   = errors.New("no such memory")
	ErrChanged    = errors.New("the memory was changed meanwhile")
	ErrBadMemory  = errors.New("the memory can't be read")
	ErrNoWords    = errors.New("there is nothing to remember")
	ErrMemoryBusy = errors.New("another conch is writing the memory")
)

// Limits of the memory.
const (
	maxMemory     = 400       // characters of one
	maxMemories   = 200       // of them
	maxMemoryFile = 256 << 10 // bytes
	maxTold       = 4000      // characters of Text
)

// Memory is memory.md: what the person let Conch remember, one bullet each, for
// every assistant to be told. A person may change it by hand; what Conch does not
// understand in it stays as it is. Methods may be called from several goroutines
// and several processes.
type Memory struct {
	path string
	mu   sync.Mutex
}

// Remembered is one memory.
type Remembered struct {
	ID    string    // m and eight hex digits; stays while its words do
	Words string    // one line, at most 400 characters
	At    time.Time // zero when it was written by hand
	Chat  string    // the chat it was saved in, "" when it was written by hand
}

// OpenMemory is the memory at a path. Nothing is made before something is saved.
func OpenMemory(path string) *Memory { return &Memory{path: path} }

// Path is where it is kept, for an editor.
func (m *Memory) Path() string { return m.path }

// List gives the memories in the file's order: the newest is last.
func (m *Memory) List() ([]Remembered, error) {
	text, err := m.Read()
	if err != nil {
		return nil, err
	}
	return parse(text).list(), nil
}

// Add saves words, on one line and cut at 400 characters. chat may be "". The
// error is ErrKnown for words that are there, ErrFull when there is no room.
func (m *Memory) Add(words, chat string, at time.Time) (Remembered, error) {
	var kept Remembered
	err := m.change(func(p *paper) error {
		words := fitting(words)
		if err := p.fits(words); err != nil {
			return err
		}
		kept = newRemembered(words, chat, at)
		p.add(kept)
		return nil
	})
	return kept, err
}

// Forget takes one out, by its id or its exact words; else ErrNoMemory.
func (m *Memory) Forget(idOrWords string) (Remembered, error) {
	var gone Remembered
	err := m.change(func(p *paper) error {
		found, ok := p.find(idOrWords)
		if !ok {
			return ErrNoMemory
		}
		gone = found
		p.remove(found.ID)
		return nil
	})
	return gone, err
}

// Change gives a memory other words. Its id changes with them.
func (m *Memory) Change(id, words string) (Remembered, error) {
	var kept Remembered
	err := m.change(func(p *paper) error {
		found, ok := p.find(id)
		if !ok {
			return ErrNoMemory
		}
		words := fitting(words)
		if known, ok := p.like(words); ok && known.ID != found.ID {
			return ErrKnown
		}
		if !strings.ContainsFunc(words, wordRune) {
			return ErrNoWords
		}
		kept = newRemembered(words, found.Chat, found.At)
		p.replace(found.ID, kept)
		return nil
	})
	return kept, err
}

// fits says why words could not be added now.
func (m *Memory) fits(words string) error {
	text, err := m.Read()
	if err != nil {
		return err
	}
	return parse(text).fits(fitting(words))
}

// find gives a memory by its id or exact words.
func (m *Memory) find(idOrWords string) (Remembered, error) {
	text, err := m.Read()
	if err != nil {
		return Remembered{}, err
	}
	if found, ok := parse(text).find(idOrWords); ok {
		return found, nil
	}
	return Remembered{}, ErrNoMemory
}

const toldHead = "What the person let you remember, in this and other chats. The id in brackets is for forget."

// Text is what the instructions say of the memories: "" when there are none, at
// most 4,000 characters, the newest kept. It stays the same as long as they do. A
// file that can't be read says nothing.
func (m *Memory) Text() string {
	list, err := m.List()
	if err != nil || len(list) == 0 {
		return ""
	}
	room := maxTold - utf8.RuneCountInString(toldHead) - len("\n(999 older ones are left out)")
	first := len(list)
	lines := make([]string, len(list))
	for first > 0 {
		each := list[first-1]
		words, _ := redact.Redact(each.Words)
		line := "\n- [" + each.ID + "] " + handoff.Defuse(words) // an editor may have written it
		if room -= utf8.RuneCountInString(line); room < 0 {
			break
		}
		first--
		lines[first] = line
	}
	head := toldHead
	if first > 0 {
		head += "\n(" + strconv.Itoa(first) + " older ones are left out)"
	}
	return head + strings.Join(lines[first:], "")
}

// fitting is words as one memory: one line, cut, nothing in it that a comment of
// the file could begin or end with, or a frame of what an assistant is told.
func fitting(words string) string {
	words = handoff.Defuse(plain.Line(words, maxMemory))
	for strings.Contains(words, "<!--") || strings.Contains(words, "-->") {
		words = plain.Line(strings.NewReplacer("<!--", "<!- -", "-->", "- ->").Replace(words), maxMemory)
	}
	return words
}

func newRemembered(words, chat string, at time.Time) Remembered {
	r := Remembered{Words: words, Chat: chat}
	if !at.IsZero() {
		r.At = at.UTC().Truncate(time.Second)
	}
	r.ID = r.id()
	return r
}

// id is made of all that is known of a memory.
func (r Remembered) id() string {
	var at int64
	if !r.At.IsZero() {
		at = r.At.Unix()
	}
	sum := sha256.Sum256([]byte(r.Words + "\x00" + strconv.FormatInt(at, 10) + "\x00" + r.Chat))
	return "m" + hex.EncodeToString(sum[:4])
}
