package redact

import (
	"io"
	"strings"
)

// Limits of a Stream, in bytes.
const (
	holdBack = 4096 // text that is held because a secret could begin in it
	context  = 512  // text that was given out and is kept for what stands before a key
	lastPart = 32   // the end of an unfinished line, where the text before a key could begin
	pemTail  = 512  // the end of what a private key has so far
)

// Stream takes secrets out of text that comes in pieces, and writes what is safe
// to another writer. It gives out a line as soon as nothing in it could belong to a
// secret that goes on, and holds back 4 KB at most; a private key is not held but
// left out until its end comes. What Redact makes of the whole text it makes of the
// pieces, apart from values longer than it holds back. It is for one goroutine. A
// Stream that is not closed has not given out everything.
type Stream struct {
	to    io.Writer
	known []string
	text  []byte // what is kept for context, and then what was not given out
	given int    // how much of text was given out
	mode  mode
	count int
	err   error
}

// mode is what a Stream is within.
type mode uint8

const (
	inText mode = iota
	inKey       // a private key, to its end mark
	inRun       // a key longer than what is held back, to the end of its run
)

// NewStream makes a Stream that writes to w.
func NewStream(w io.Writer) *Stream { return &Stream{to: w} }

// Stream makes a Stream that writes to w and knows the Redactor's keys.
func (r *Redactor) Stream(w io.Writer) *Stream { return &Stream{to: w, known: r.known} }

// Count is the number of secrets taken out so far.
func (s *Stream) Count() int { return s.count }

// Write takes the next piece of the text. An error is the writer's own, and stays.
func (s *Stream) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && s.err == nil {
		const piece = 256 << 10
		part := p[:min(len(p), piece)]
		p = p[len(part):]
		s.text = append(s.text, part...)
		s.pass(false)
	}
	if s.err != nil {
		return 0, s.err
	}
	return n, nil
}

// Close gives out what was held back. It does not close the writer.
func (s *Stream) Close() error {
	if s.err == nil {
		s.pass(true)
	}
	return s.err
}

// pass gives out what is safe of the text, or all that is left of it.
func (s *Stream) pass(last bool) {
	for s.err == nil {
		switch s.mode {
		case inKey:
			if !s.skipKey(last) {
				return
			}
		case inRun:
			if !s.skipRun() {
				return
			}
		}
		if !s.passText(last) {
			return
		}
	}
}

// passText gives out text up to where a secret could go on. It reports that it went
// into a key, whose rest is to be looked at.
func (s *Stream) passText(last bool) bool {
	text := string(s.text)
	sc := scan{text: text, known: occurrences(text, s.known)}
	spans := sc.find()
	end := len(text)
	if !last {
		end = s.safe(text, &sc)
	}
	var out strings.Builder
	out.Grow(end - s.given + len(Marker))
	at, from := s.given, 0
	next := inText
	for _, sp := range spans {
		if sp.to <= s.given {
			from = sp.to
			continue
		}
		cut := sp.to == len(text) && !last
		if key := cut && sc.end.to == len(text) && sc.end.from == sp.from; key {
			next, end = inKey, sp.to
		} else if cut && sp.to-max(sp.from, s.given) > holdBack {
			next, end = inRun, sp.to
		} else if sp.to > end {
			end = min(end, max(sp.from, s.given))
			break
		}
		out.WriteString(text[at:max(sp.from, at)])
		out.WriteString(Marker)
		s.count++
		at, from = sp.to, sp.to
		if next == inKey {
			// What stands after the key's last line so far may be its end or not.
			s.give(out.String())
			s.text = append(s.text[:0], text[sp.from:]...)
			s.given, s.mode = 0, inKey
			return true
		}
	}
	if at < end {
		out.WriteString(text[at:end])
	}
	s.give(out.String())
	from = max(from, end-context)
	s.text = append(s.text[:0], text[from:]...)
	s.given = end - from
	s.mode = next
	return false
}

// safe gives the place up to which more text changes nothing.
func (s *Stream) safe(text string, sc *scan) int {
	end := sc.open
	if n := len(text); n > 0 && text[n-1] != '\n' {
		line := strings.LastIndexByte(text, '\n') + 1
		word := strings.LastIndexAny(text, " \t\n\r") + 1
		end = min(end, max(line, n-lastPart), max(word, n-holdBack))
	}
	if len(s.known) > 0 {
		end = min(end, len(text)-len(s.known[0])+1)
	}
	if len(text)-s.given > holdBack+context {
		end = max(end, len(text)-holdBack)
	}
	return max(end, s.given)
}

func (s *Stream) give(text string) {
	if text != "" && s.err == nil {
		_, s.err = io.WriteString(s.to, text)
	}
}

// skipKey leaves out a private key up to its end mark. It reports that the mark, or
// the end of the text, was there.
func (s *Stream) skipKey(last bool) bool {
	text := string(s.text)
	end := strings.Index(text, endMark)
	if end < 0 && !last {
		if len(s.text) > 2*pemTail {
			s.text = append(s.text[:0], text[len(text)-pemTail:]...)
		}
		return false
	}
	if end < 0 {
		end = len(text)
	}
	end = beforeBreaks(text, 0, end)
	s.text = append(s.text[:0], text[end:]...)
	s.given, s.mode = 0, inText
	return true
}

// skipRun leaves out the rest of a key that was longer than what is held back.
func (s *Stream) skipRun() bool {
	for i, c := range s.text[s.given:] {
		if !isIn(token, c) {
			s.text = append(s.text[:0], s.text[s.given+i:]...)
			s.given, s.mode = 0, inText
			return true
		}
	}
	s.text, s.given = s.text[:0], 0
	return false
}
