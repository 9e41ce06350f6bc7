package home

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// cut is how many characters of a message Conch keeps.
const cut = 24_000

// mostSaid bounds the messages of a chat: Conch keeps the last 4,000, and here
// none should be lost to that.
const mostSaid = 3_700

const (
	needles = 40 // words that stand in some messages and nowhere else
	decoys  = 12 // words that stand only where nobody said them
)

func needle(i int) string { return fmt.Sprintf("kestrel%02dbasalt", i) }
func decoy(i int) string  { return fmt.Sprintf("lantern%02ddecoy", i) }

// unspaced is a needle in a language without blanks, inside a longer run.
const unspaced, unspacedRun = "朝霧書庫", "今日は朝霧書庫を見る"

// tally is what one file holds, as a right reader finds it.
type tally struct {
	source, id, path string
	is               kind
	bytes, lines     int64
	unpacked         int64 // bytes, of a squeezed file
	over1, over4     int64
	user             int
	assistant        int
	words            int64 // bytes of what was said
	said             int   // secrets in it
	titled           int   // secrets in its title
	secrets          []string
	needles          map[string]int // messages
	titleLine        string         // what Codex's list of names says about it
	more             []*tally       // files that stand with it
}

// say makes up a message, plants secrets and needles in it and counts it.
// more is a second part of the reply before it.
func (w *writer) say(role string, median, spread float64, most int, more bool) string {
	n := w.size(median, spread, 12, most)
	if w.long && w.user == 0 {
		n = cut + 6_000
	}
	b := w.stuff.prose(nil, w.rng, n)
	text := string(b)
	switch {
	case len(text) > cut:
		text = w.acrossTheCut(text)
	case w.rng.IntN(1000) < 12:
		told, values := secret(w.rng)
		text += "\nuse " + told + " for now"
		w.secrets = append(w.secrets, values...)
		w.said++
	}
	if !more && len(text) <= cut {
		switch roll := w.rng.IntN(1000); {
		case roll < 8:
			text += w.plant(" ", needle(w.rng.IntN(needles)))
		case roll < 10:
			text += w.plant("\n"+unspacedRun, unspaced)
		}
	}
	w.words += int64(len(text))
	switch {
	case more:
	case role == "user":
		w.user++
	default:
		w.assistant++
	}
	return text
}

// plant counts a needle and gives what to add for it.
func (w *writer) plant(before, word string) string {
	if w.needles == nil {
		w.needles = map[string]int{}
	}
	w.needles[word]++
	if word == unspaced {
		return before
	}
	return before + word
}

// acrossTheCut puts a secret where a reader that cuts first would keep a part of
// it.
func (w *writer) acrossTheCut(text string) string {
	at, seen := 0, 0
	for at < len(text) && seen < cut-12 {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
		seen++
	}
	value := "gh" + "p_" + mixed(w.rng, 36)
	w.secrets = append(w.secrets, value)
	w.said++
	return text[:at] + " " + value + " " + text[at:]
}

// unsaid makes up words that look like a message and are nobody's. Some hold a
// decoy.
func (w *writer) unsaid(n int) []byte {
	b := w.stuff.prose(nil, w.rng, n)
	if w.rng.IntN(5) == 0 {
		b = append(append(b, ' '), decoy(w.rng.IntN(decoys))...)
	}
	return escaped(nil, b)
}

// printed makes up what a tool printed, escaped. Some of it holds a decoy or a
// secret.
func (w *writer) printed(n int) []byte {
	b := w.stuff.tool(make([]byte, 0, n+4400), w.rng, n)
	switch roll := w.rng.IntN(1000); {
	case roll < 10:
		b = append(append(b, ' '), decoy(w.rng.IntN(decoys))...)
	case roll < 13:
		told, values := secret(w.rng)
		w.secrets = append(w.secrets, values...)
		b = append(escaped(b, told), `\n`...)
	}
	return b
}

// name makes up a title. Of some hundred one has a secret.
func (w *writer) name() []byte {
	t := w.stuff.title(w.rng)
	if w.rng.IntN(50) == 0 {
		value := "gh" + "p_" + mixed(w.rng, 36)
		w.secrets = append(w.secrets, value)
		w.titled++
		t += " " + value
	}
	return escaped(nil, t)
}

// size draws a length: half are below the median, a few are far above.
func (w *writer) size(median, spread float64, least, most int) int {
	n := median * math.Exp(w.rng.NormFloat64()*spread)
	return int(min(float64(most), max(float64(least), n)))
}

func (w *writer) full() bool { return w.user+w.assistant >= mostSaid }

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

func from(r *rand.Rand, alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// mixed is n letters and digits, enough of each that nobody takes it for a word.
func mixed(r *rand.Rand, n int) string {
	for {
		s := from(r, letters+digits, n)
		if distinct(s) >= 8 && strings.Count(strings.Map(isDigit, s), "0") >= 2 && strings.ToLower(s) != s {
			return s
		}
	}
}

func isDigit(c rune) rune {
	if c >= '0' && c <= '9' {
		return '0'
	}
	return '.'
}

func distinct(s string) int {
	seen := map[rune]bool{}
	for _, c := range s {
		seen[c] = true
	}
	return len(seen)
}

// secret makes up a secret of a known shape: how it is told, and the values of
// which nothing may stay. No such string stands in this file.
func secret(r *rand.Rand) (told string, values []string) {
	m := func(n int) string { return mixed(r, n) }
	plain := func(s string) (string, []string) { return s, []string{s} }
	after := func(before, value, behind string) (string, []string) {
		return before + value + behind, []string{value}
	}
	switch r.IntN(16) {
	case 0:
		return plain("s" + "k-proj-" + m(58) + "T3Blb" + "kFJ" + m(58))
	case 1:
		return plain("gh" + "p_" + m(36))
	case 2:
		for {
			if s := from(r, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16); distinct(s) >= 9 {
				return plain("AK" + "IA" + s)
			}
		}
	case 3:
		return after("Authorization: Bearer ", m(40), "")
	case 4:
		return after("password: ", m(14), "")
	case 5:
		return plain("e" + "yJ" + m(20) + ".e" + "yJ" + m(40) + "." + m(43))
	case 6:
		return after("postgres://app:", m(16), "@db.example.invalid:5432/shop")
	case 7:
		return plain("xo" + "xb-" + from(r, digits, 11) + "-" + m(24))
	case 8:
		return plain("github" + "_pat_" + m(22) + "_" + m(59))
	case 9:
		return plain("gl" + "pat-" + m(20))
	case 10:
		return plain("s" + "k-ant-" + "api03-" + m(93) + "AA")
	case 11:
		return plain("AI" + "za" + m(35))
	case 12:
		return after(`DEPLOY_API_KEY="`, m(32), `"`)
	case 13:
		return plain("sk" + "_live_" + m(24))
	case 14:
		return plain("np" + "m_" + m(36))
	default:
		lines := []string{m(64), m(64), m(22) + "=="}
		return "this key:\n-----BEGIN " + "PRIVATE KEY-----\n" + strings.Join(lines, "\n") + "\n-----END " + "PRIVATE KEY-----\n", lines
	}
}
