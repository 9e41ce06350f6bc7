package change

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"conch/plain"
	"conch/redact"
)

// Limits of what is said of a text that was not found.
const (
	maxNear   = 1500 // characters of what stands there instead
	maxPlaces = 8    // lines that are named
	maxSought = 200  // lines of a text that something close to is looked for
	maxLooked = 50_000
)

// text is a file while edits are made in it: with its mark and its line ends set aside.
type text struct {
	mark string
	crlf bool
	body string
}

func textOf(data []byte) text {
	body, marked := strings.CutPrefix(string(data), "\ufeff")
	t := text{body: body}
	if marked {
		t.mark = "\ufeff"
	}
	if n := strings.Count(body, "\r\n"); n > 0 && n == strings.Count(body, "\n") {
		t.crlf, t.body = true, strings.ReplaceAll(body, "\r\n", "\n")
	}
	return t
}

// bytes are the text as it stands in the file.
func (t text) bytes() []byte {
	body := t.body
	if t.crlf {
		body = strings.ReplaceAll(body, "\n", "\r\n")
	}
	return []byte(t.mark + body)
}

// whole puts another text in its place, with the mark and the line ends that it has.
func (t text) whole(content string) []byte {
	content = strings.TrimPrefix(content, "\ufeff")
	if t.crlf && strings.Contains(content, "\r") {
		t.crlf = false // it has line ends of its own
	}
	t.body = content
	return t.bytes()
}

// edit makes one edit. The error names the field: old or new.
func (t *text) edit(e edit) error {
	old, put := e.old, e.new
	if t.crlf || !strings.Contains(t.body, "\r") {
		old, put = strings.ReplaceAll(old, "\r\n", "\n"), strings.ReplaceAll(put, "\r\n", "\n")
	}
	if old == put {
		return errors.New("new: it is the same as old, nothing would change")
	}
	switch n := strings.Count(t.body, old); {
	case n == 0:
		return errors.New("old: it is not in the file" + t.near(old))
	case n > 1 && !e.all:
		return fmt.Errorf("old: it is in the file %d times, at lines %s: give more of what stands around the one you mean, or set all", n, t.lines(old))
	case len(t.body)+n*(len(put)-len(old)) > MaxFile:
		return errors.New("new: the file would be larger than 1 MiB")
	}
	t.body = strings.ReplaceAll(t.body, old, put)
	return nil
}

// lines names the lines at which a text begins.
func (t *text) lines(old string) string {
	var named []string
	line, rest := 1, t.body
	for {
		before, after, ok := strings.Cut(rest, old)
		if !ok {
			return strings.Join(named, ", ")
		}
		if len(named) == maxPlaces {
			return strings.Join(named, ", ") + " and more"
		}
		line += strings.Count(before, "\n")
		named = append(named, strconv.Itoa(line))
		line += strings.Count(old, "\n")
		rest = after
	}
}

// numbered is what programs put in front of a line when they show a file.
var numbered = regexp.MustCompile(`(?m)^ *\d+(?:\t|→|: ?|\| ?)`)

// near says what stands in the text that comes close to what was looked for.
func (t *text) near(old string) string {
	if strings.Contains(old, redact.Marker) {
		return ": " + redact.Marker + " in it stands for a secret that you are not shown. Choose a piece without it"
	}
	if bare := numbered.ReplaceAllString(old, ""); bare != old && bare != "" && strings.Contains(t.body, bare) {
		return ", but it is without the numbers in front of the lines"
	}
	if strings.Contains(plain.Text(t.body), old) {
		return ": where it would fit there are characters that are not shown. Choose another piece"
	}
	want := strings.Split(strings.Trim(old, "\n"), "\n")
	have := strings.SplitN(t.body, "\n", maxLooked)
	want = want[:min(len(want), maxSought)]
	for _, way := range []struct {
		says string
		like func(string) string
	}{
		{"with other white space", loose},
		{"in another letter case", func(s string) string { return strings.ToLower(loose(s)) }},
	} {
		if at := block(have, want, way.like); at >= 0 {
			there := strings.Join(have[at:min(len(have), at+len(want))], "\n")
			if r := []rune(there); len(r) > maxNear {
				there = string(r[:maxNear]) + "…"
			}
			there, _ = redact.Redact(plain.Text(there))
			return fmt.Sprintf("; close to it, %s, stands at line %d:\n%s", way.says, at+1, there)
		}
	}
	return ": read the file again"
}

// loose is a line whose white space does not count.
func loose(s string) string { return strings.Join(strings.Fields(s), " ") }

// block finds where lines that are alike stand one after the other, -1 for nowhere.
func block(have, want []string, like func(string) string) int {
	wanted := make([]string, len(want))
	for i, w := range want {
		wanted[i] = like(w)
	}
	if strings.Join(wanted, "") == "" {
		return -1
	}
	alike := make([]string, len(have))
	for i, h := range have {
		alike[i] = like(h)
	}
	for i := 0; i+len(wanted) <= len(alike); i++ {
		n := 0
		for n < len(wanted) && alike[i+n] == wanted[n] {
			n++
		}
		if n == len(wanted) {
			return i
		}
	}
	return -1
}
