package redact

import (
	"slices"
	"strings"
)

// scan is one look through a text.
type scan struct {
	text  string
	known []span // where keys stand that were given
	done  int    // the end of the newest span: what lies before it is not looked at again
	spans []span
	runs  [alphabets]span // the run of each alphabet that was looked at last
	end   span            // where the next end of a PEM block was looked for, and found
	bare  span            // the unquoted value that was looked at last
	line  int             // the end of the line that was looked through last for a command or cookies
	dot   int             // the next place where a Discord token could have its first dot
	later []later         // what a look found further on: what stands before it is looked at first
	short bool            // the newest look reached the end of the text: more text could change it
	open  int             // where the first such look began, for a stream
}

// find gives all spans, in order and apart.
func (s *scan) find() []span {
	f := theFilter()
	text := s.text
	s.open = len(text)
	s.nextDot(s.done)
	for i := s.done; ; i++ {
		i = f.next(text, i)
		for s.dot < i && s.dot < len(text) {
			s.takeLater(s.dot)
			s.checkDot()
		}
		s.takeLater(i)
		if i+4 > len(text) {
			s.takeLater(len(text))
			break
		}
		i = max(i, s.at(f, i)-1)
	}
	return s.withKnown()
}

// at looks at the anchors around the gram at i, and gives where to go on.
func (s *scan) at(f *filter, i int) int {
	if i < s.done {
		return s.done
	}
	for _, a := range f.at(s.text, i) {
		from := i - a.gram
		to := from + len(a.text)
		if from < s.done || to > len(s.text) {
			continue
		}
		before := len(s.spans)
		s.short = false
		if a.pos >= 0 {
			s.prefixAt(&prefixes[a.pos], from)
		} else if foldsTo(s.text[from:to], a.text) {
			a.look(s, from, to)
		}
		if s.short {
			const longestFront = 16 // what a key may have before its anchor
			s.open = min(s.open, max(from-longestFront, 0))
		}
		if len(s.spans) > before {
			return max(s.done, i+1)
		}
	}
	return i + 1
}

// later is a value that a look found further on in the text, or the place of one.
type later struct {
	span  span  // the value, or where it could begin when it has no end yet
	place place // of a labelled one
	kind  kind
}

// postpone keeps what was found until the scan comes there.
func (s *scan) postpone(l later) {
	i := len(s.later)
	for i > 0 && s.later[i-1].span.from > l.span.from {
		i--
	}
	s.later = slices.Insert(s.later, i, l)
}

// takeLater takes what was kept and begins at i or before.
func (s *scan) takeLater(i int) {
	for len(s.later) > 0 && s.later[0].span.from <= i {
		l := s.later[0]
		s.later = s.later[1:]
		if l.span.to > 0 {
			s.take(l.span.from, l.span.to)
			continue
		}
		if l.span.from < s.done {
			continue
		}
		s.short = false
		s.takeValue(l.place, l.kind)
		if s.short {
			s.open = min(s.open, l.place.label.from)
		}
	}
}

// take notes a secret. One that begins before the end of the one before, or holds
// the marker, is none.
func (s *scan) take(from, to int) bool {
	if from < s.done || to <= from || strings.Contains(s.text[from:min(to, from+4096)], Marker) {
		return false
	}
	s.spans = append(s.spans, span{from, to})
	s.done = to
	return true
}

// withKnown joins what was found with where known keys stand.
func (s *scan) withKnown() []span {
	if len(s.known) == 0 {
		return s.spans
	}
	return merge(append(s.known, s.spans...))
}

// prefixAt takes a key with the prefix's text at from.
func (s *scan) prefixAt(p *prefix, from int) {
	body := from + len(p.text)
	if s.text[from:body] != p.text || !p.free && !s.beginsAt(from) {
		return
	}
	if p.look != nil {
		if from, to, ok := p.look(s, from, body); ok {
			s.take(from, to)
		}
		return
	}
	to := s.run(p.alphabet, body)
	if to-body < p.min {
		return
	}
	if s.varied(body, to, p.weak) || p.weak && s.randomBody(body, to) {
		s.take(from, to)
	}
}

// randomBody reports a body of a weak prefix that has too few digits for the first
// guard, and still no words in it.
func (s *scan) randomBody(from, to int) bool {
	v := s.text[from:to]
	sh := shapeOf(v)
	return sh.different >= 8 && sh.soft == 0 && sh.upper > 0 && sh.isRandom() && !isPlaceholder(v)
}
