package complete

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"
)

// match is an item that the query matches.
type match struct {
	index int
	score int
	at    []int // bytes of the label that were matched
}

// maxScored bounds how many items are ranked for one key. More match only for a
// query of a letter or two; then those whose name begins with it come first.
const maxScored = 4000

// What a match in a good place is worth beside the library's own bonuses, which
// are of the order of 10 a character.
const (
	exactBonus  = 200
	prefixBonus = 60
	nameBonus   = 40
)

func (l *List) refilter(query string) {
	longer := l.broad != nil && l.query != "" && strings.HasPrefix(query, l.query)
	l.query, l.top, l.chosen = query, 0, 0
	l.all, l.found = query == "", nil
	if l.all {
		l.broad = nil
		return
	}
	folded := strings.ToLower(query)
	from := l.broad
	if !longer {
		from = nil
	}
	l.broad = l.candidates(folded, from, longer)
	l.found = l.rank(query, folded, l.shortlist(folded))
}

// candidates are the items that hold the query's letters in their order.
func (l *List) candidates(folded string, from []int, narrow bool) []int {
	kept := []int{}
	if narrow {
		for _, i := range from {
			if holds(l.label(i), folded) {
				kept = append(kept, i)
			}
		}
		return kept
	}
	for i := range l.size() {
		if holds(l.label(i), folded) {
			kept = append(kept, i)
		}
	}
	return kept
}

// shortlist is what gets ranked, at most maxScored.
func (l *List) shortlist(folded string) []int {
	if len(l.broad) <= maxScored {
		return l.broad
	}
	var first, second, third []int
	for _, i := range l.broad {
		name := strings.ToLower(l.label(i)[nameStart(l.label(i)):])
		switch {
		case strings.HasPrefix(name, folded):
			first = append(first, i)
		case strings.Contains(name, folded):
			second = append(second, i)
		case len(third) < maxScored:
			third = append(third, i)
		}
	}
	all := append(append(first, second...), third...)
	return all[:min(len(all), maxScored)]
}

func (l *List) rank(query, folded string, from []int) []match {
	labels := make([]string, len(from))
	names := make([]string, len(from))
	for k, i := range from {
		labels[k] = l.label(i)
		names[k] = labels[k][nameStart(labels[k]):]
	}
	found := make([]match, len(from))
	for k, i := range from {
		found[k] = match{index: i, score: -1 << 20}
	}
	for _, m := range fuzzy.FindNoSort(query, labels) {
		found[m.Index].score, found[m.Index].at = m.Score, m.MatchedIndexes
	}
	for _, m := range fuzzy.FindNoSort(query, names) {
		f := &found[m.Index]
		score := m.Score + nameBonus - (len(labels[m.Index])-len(names[m.Index]))/4
		if score > f.score {
			start := len(labels[m.Index]) - len(names[m.Index])
			f.score, f.at = score, nil
			for _, at := range m.MatchedIndexes {
				f.at = append(f.at, at+start)
			}
		}
	}
	for k := range found {
		label, name := strings.ToLower(labels[k]), strings.ToLower(names[k])
		switch {
		case label == folded && strings.HasSuffix(folded, "/"):
			found[k].score = -1 << 20 // what is in the folder is looked for, not it
		case label == folded || name == folded:
			found[k].score += exactBonus
		case strings.HasPrefix(label, folded) || strings.HasPrefix(name, folded):
			found[k].score += prefixBonus
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return b.score - a.score })
	return found
}

// nameStart is where a path's last name begins; a folder's slash belongs to it.
func nameStart(label string) int {
	return strings.LastIndexByte(strings.TrimSuffix(label, "/"), '/') + 1
}

// holds reports whether s has the runes of folded, which is lower case, in their
// order.
func holds(s, folded string) bool {
	for i := 0; i < len(s) && folded != ""; {
		c := s[i]
		if c < utf8.RuneSelf && folded[0] < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c == folded[0] {
				folded = folded[1:]
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		want, m := utf8.DecodeRuneInString(folded)
		if unicode.ToLower(r) == want {
			folded = folded[m:]
		}
		i += n
	}
	return folded == ""
}
