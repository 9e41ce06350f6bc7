package modelapi

import "strings"

// tags takes a model's thinking out of its words: some servers pass <think> on as
// it is. It counts only at the very beginning, where models put it.
type tags struct {
	held  string // what may be a part of a tag
	state int
}

const (
	atStart = iota
	inThought
	inWords
)

const (
	openTag  = "<think>"
	closeTag = "</think>"
)

// take gives what of a piece is words and what is thinking.
func (t *tags) take(piece string) (said, thought string) {
	if t.state == inWords {
		return piece, ""
	}
	text := t.held + piece
	t.held = ""
	if t.state == atStart {
		bare := strings.TrimLeft(text, " \n\t\r")
		switch {
		case strings.HasPrefix(bare, openTag):
			t.state, text = inThought, bare[len(openTag):]
		case strings.HasPrefix(openTag, bare):
			t.held = text
			return "", ""
		default:
			t.state = inWords
			return text, ""
		}
	}
	if before, after, ok := strings.Cut(text, closeTag); ok {
		t.state = inWords
		return strings.TrimLeft(after, " \n\t\r"), before
	}
	keep := partOf(text, closeTag)
	t.held = text[len(text)-keep:]
	return "", text[:len(text)-keep]
}

// rest is what was still held back.
func (t *tags) rest() (said, thought string) {
	held := t.held
	t.held = ""
	if t.state == inThought {
		return "", held
	}
	return held, ""
}

// partOf is how many bytes at the end of a text may begin a tag.
func partOf(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return n
		}
	}
	return 0
}
