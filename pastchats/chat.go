package pastchats

import (
	"hash/maphash"
	"slices"

	"conch/redact"
)

// Role is who said something.
type Role string

// The two voices of a chat. Nothing else of it is kept.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// talk is what a finder reads of one chat: words alone, as they were said. It is
// cleaned, redacted and cut when it is stored, never by the finder.
type talk struct {
	Title   string // the app's own title, "" when it has none
	Cwd     string // the folder it was about
	Project string // overrides the last part of Cwd
	Model   string // the last one that answered
	Started int64  // milliseconds: falls back to the first message, then the file
	Updated int64  // milliseconds: falls back to the last message, then the file
	// Damaged: a line or a row was passed over, or a bound was met. A chat without
	// words that is damaged counts as skipped, not as empty.
	Damaged bool

	keys  *redact.Redactor // those that Conch itself was given; nil: none
	words []message
	bytes int // of the texts that say was given, as far as they are kept
	gone  int // messages that say dropped from the front of words
}

// message is one thing said.
type message struct {
	role Role
	text string
	at   int64  // milliseconds, 0 unknown
	id   uint64 // short for the app's own id where the finder needs it to find the message again

	// A very long text is made ready for the store as soon as it is said, so that
	// it does not lie in memory whole.
	ready    bool
	redacted int    // keys taken out of it
	sum      uint64 // of the whole text: two that differ behind the cut are not equal
}

// What one chat may hold while it is read. No real chat comes near: beyond it
// the oldest messages, which would not be stored, go early.
const (
	mostWords = 128 << 20 // bytes
	mostSaid  = 1 << 18   // messages
)

// say adds a message. Finders that must change what was said (a rewind, a second
// version of the same id) work on c.words; their places in it hold until there
// are more words than any chat has.
func (c *talk) say(role Role, text string, at int64) {
	m := message{role: role, text: text, at: at}
	if len(text) > 4*maxWords {
		m.sum = maphash.String(textSeed, text)
		m.makeReady()
	}
	c.words = append(c.words, m)
	c.bytes += len(m.text)
	if n := len(c.words); n > mostSaid || n > maxKept+maxKept/8 && c.bytes > mostWords {
		c.words = slices.Delete(c.words, 0, n-maxKept)
		c.gone += n - maxKept
		c.bytes = 0
		for _, m := range c.words {
			c.bytes += len(m.text)
		}
	}
}

var textSeed = maphash.MakeSeed()
