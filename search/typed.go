package search

import (
	"bytes"
	"context"
	"slices"
	"strings"
)

// typed fills the page while a word is being typed, from the words that begin so.
// FTS5 reads the lists of all words with a beginning before it gives the first
// message, thousands of lists for three letters, and to say how good a match is
// once more; of words in an OR it reads as much as the page needs. It reports
// false when the page has room left: then what else begins so is looked for.
//
// Where many words begin so, relevance says little: messages with just what is
// typed come first, the best of them before others, then those with longer words
// by time.
func (f *finding) typed() (bool, error) {
	w := f.wanted
	i := w.last()
	if i < 0 || !w.begins(i, lastBegin) || len(w.groups[i].terms) > 1 {
		return false, nil
	}
	term := w.groups[i].terms[0]
	words, more, err := beginning(f.ctx, f.db, term)
	if err != nil || len(words) == 0 || !f.o.Newest && !more {
		return false, err
	}
	if _, just := slices.BinarySearch(words, term); just && !f.o.Newest {
		if err := f.page.fill(w, whole); err != nil {
			return false, err
		}
	}
	w.groups = slices.Clone(w.groups)
	w.groups[i].any = words
	if err := f.page.fillBy(w, whole, true); err != nil {
		return false, err
	}
	f.res.More = f.res.More || more
	return len(f.page.hits) >= f.o.Limit, nil
}

// maxTyped is how many words stand in for the beginning of one. The shortest are
// those that are said most.
const maxTyped = 48

// beginning gives words that begin so, sorted, and whether there are more.
func beginning(ctx context.Context, db asker, start string) (found []string, more bool, err error) {
	line := []byte("\n" + start)
	take := func(list []byte, from int) {
		to := len(list)
		if i := bytes.IndexByte(list[from:], '\n'); i >= 0 {
			to = from + i
		}
		found = append(found, string(list[from:to]))
	}
	err = vocabulary(ctx, db, func(list []byte) {
		if bytes.HasPrefix(list, line[1:]) {
			take(list, 0)
		}
		for at := 0; ; {
			i := bytes.Index(list[at:], line)
			if i < 0 {
				return
			}
			at += i + 1
			take(list, at)
		}
	})
	slices.SortFunc(found, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	found = slices.Compact(found)
	more = len(found) > maxTyped
	found = found[:min(len(found), maxTyped)]
	slices.Sort(found)
	return found, more, err
}
