package search

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"
)

// The vocabulary is every word that the index knows, so that a part of a word and
// a close spelling are found without a look at the logs. Its rows are lists of
// words with line feeds around them. A word may be in several, or in none
// of the messages any more, until the index is tidied.

const (
	listBytes = 64 << 10 // of one list of a tidied vocabulary
	shortWord = 3        // bytes of the shortest word that is kept
	longWord  = 32       // bytes; longer ones are data

	// fewWords come in without a look at those that are known.
	fewWords = 5000
)

// gatherer collects words that are new to the vocabulary.
type gatherer struct {
	seed  maphash.Seed
	seen  map[uint64]struct{}
	fresh []byte
	known bool // seen has the words that the index knows
	ask   func(each func(list []byte)) error
}

func newGatherer(ask func(each func(list []byte)) error) *gatherer {
	return &gatherer{seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}, ask: ask}
}

func (g *gatherer) add(word []byte) {
	if len(word) < shortWord || len(word) > longWord {
		return
	}
	h := maphash.Bytes(g.seed, word)
	if _, ok := g.seen[h]; ok {
		return
	}
	if word[0] >= utf8.RuneSelf && blankless(string(word)) {
		return
	}
	if len(g.seen) >= fewWords && !g.known {
		g.learn()
		if _, ok := g.seen[h]; ok {
			return
		}
	}
	g.seen[h] = struct{}{}
	g.fresh = append(append(g.fresh, word...), '\n')
}

// learn takes in what the index knows. Without it words are in twice.
func (g *gatherer) learn() {
	g.known = true
	_ = g.ask(func(list []byte) {
		for word := range bytes.SplitSeq(list, []byte{'\n'}) {
			if len(word) > 0 {
				g.seen[maphash.Bytes(g.seed, word)] = struct{}{}
			}
		}
	})
}

// take gives the new words.
func (g *gatherer) take() []byte {
	fresh := g.fresh
	g.fresh = nil
	return fresh
}

// vocabulary reads the lists of words.
func vocabulary(ctx context.Context, db asker, each func(list []byte)) error {
	rows, err := db.QueryContext(ctx, `SELECT words FROM vocabulary`)
	if err != nil {
		return classify(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	for rows.Next() {
		var list []byte
		if err := rows.Scan(&list); err != nil {
			return classify(err)
		}
		each(list)
	}
	return classify(rows.Err())
}

// maxLike is how many words stand in for a part of one.
const maxLike = 100

// containing gives the words that have a part in them, the shortest first.
func containing(ctx context.Context, db asker, part string) ([]string, error) {
	var found []string
	err := vocabulary(ctx, db, func(list []byte) {
		for at := 0; at < len(list); {
			i := bytes.Index(list[at:], []byte(part))
			if i < 0 {
				return
			}
			at += i
			from := bytes.LastIndexByte(list[:at], '\n') + 1
			to := len(list)
			if i := bytes.IndexByte(list[at:], '\n'); i >= 0 {
				to = at + i
			}
			found = append(found, string(list[from:to]))
			at = to
		}
	})
	slices.SortFunc(found, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	found = slices.Compact(found)
	return found[:min(len(found), maxLike)], err
}

const maxNear = 12 // close spellings that are looked at

// near gives the words that are spelled almost like one, the nearest first. With
// beginning a word's beginning counts too.
func near(ctx context.Context, db asker, term string, beginning bool) ([]string, error) {
	want := []rune(term)
	most := 1
	switch {
	case len(want) < 4:
		return nil, nil
	case len(want) > 7:
		most = 2
	}
	type close struct {
		word string
		far  int
	}
	var found []close
	d := newDistance(want)
	err := vocabulary(ctx, db, func(list []byte) {
		for word := range bytes.SplitSeq(list, []byte{'\n'}) {
			if len(word) < len(term)-4*most || !beginning && len(word) > len(term)+4*most {
				continue
			}
			if far := d.to(word, most, beginning); far <= most && far > 0 {
				found = append(found, close{string(word), far})
			}
		}
	})
	slices.SortFunc(found, func(a, b close) int {
		if a.far != b.far {
			return a.far - b.far
		}
		// The same first letter is the likelier mistake, then what is as long.
		first := func(c close) int {
			if c.word[0] == term[0] {
				return 0
			}
			return 1
		}
		if f := first(a) - first(b); f != 0 {
			return f
		}
		if l := abs(len(a.word)-len(term)) - abs(len(b.word)-len(term)); l != 0 {
			return l
		}
		return strings.Compare(a.word, b.word)
	})
	var words []string
	for _, c := range found {
		if !slices.Contains(words, c.word) && len(words) < maxNear {
			words = append(words, c.word)
		}
	}
	return words, err
}

func abs(n int) int { return max(n, -n) }

// distance counts the letters to put in, leave out, change or swap with the next
// one to come from one word to another.
type distance struct {
	want           []rune
	word           []rune
	last, row, old []int
}

func newDistance(want []rune) *distance {
	n := len(want) + 1
	return &distance{want: want, last: make([]int, n), row: make([]int, n), old: make([]int, n)}
}

// to gives the distance, or more than most. With beginning it is that to the
// nearest beginning of word.
func (d *distance) to(word []byte, most int, beginning bool) int {
	d.word = d.word[:0]
	for _, r := range string(word) {
		d.word = append(d.word, r)
		if len(d.word) > len(d.want)+most {
			if !beginning {
				return most + 1
			}
			break
		}
	}
	if len(d.word)+most < len(d.want) {
		return most + 1
	}
	for j := range d.last {
		d.last[j] = j
	}
	best := d.last[len(d.want)]
	for i, r := range d.word {
		d.row[0] = i + 1
		least := d.row[0]
		for j, w := range d.want {
			cost := 1
			if r == w {
				cost = 0
			}
			n := min(d.last[j]+cost, d.last[j+1]+1, d.row[j]+1)
			if i > 0 && j > 0 && r == d.want[j-1] && d.word[i-1] == w {
				n = min(n, d.old[j-1]+1)
			}
			d.row[j+1] = n
			least = min(least, n)
		}
		if best = min(best, d.row[len(d.want)]); least > most && (!beginning || best > most) {
			return most + 1
		}
		d.old, d.last, d.row = d.last, d.row, d.old
	}
	if beginning {
		return best
	}
	return d.last[len(d.want)]
}

// rewriteVocabulary puts the lists together and leaves out what is in twice.
func rewriteVocabulary(read func(each func(list []byte)) error, exec func(query string, args ...any) error) error {
	var all [][]byte
	if err := read(func(list []byte) { all = append(all, bytes.Split(list, []byte{'\n'})...) }); err != nil {
		return err
	}
	slices.SortFunc(all, bytes.Compare)
	all = slices.CompactFunc(all, bytes.Equal)
	if err := exec(`DELETE FROM vocabulary`); err != nil {
		return err
	}
	var b []byte
	for i, word := range all {
		if len(word) > 0 {
			b = append(append(b, word...), '\n')
		}
		if len(b) > 0 && (len(b) >= listBytes || i == len(all)-1) {
			if err := exec(`INSERT INTO vocabulary(words) VALUES(?)`, b); err != nil {
				return fmt.Errorf("write the vocabulary: %w", err)
			}
			b = b[:0]
		}
	}
	return nil
}
