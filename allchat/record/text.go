package record

// Text is words that may be committed: they went through a Cleaner, or were read
// from a log. The zero Text is none.
type Text struct{ s string }

func (t Text) String() string { return t.s }

// Len is its length in bytes.
func (t Text) Len() int { return len(t.s) }

// Digest is the digest of its bytes.
func (t Text) Digest() string { return Digest([]byte(t.s)) }
