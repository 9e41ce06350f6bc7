// Package replace puts one text in the place of another in a file's text, as a model asks
// for it, and says what stands there instead when it can't.
package replace

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

// In puts new in the place of old, which has to stand in the text once, or as often as it
// does with all, and gives how often that was. Line ends of old and new count as the
// text's own. The text may become most bytes long. An error is for the model; it begins
// with the word old, or with new where that is at fault.
func In(text, old, new string, all bool, most int) (string, int, error) {
	crlf := strings.Contains(text, "\r\n") && strings.Count(text, "\n") == strings.Count(text, "\r\n")
	if crlf || !strings.Contains(text, "\r") {
		old, new = strings.ReplaceAll(old, "\r\n", "\n"), strings.ReplaceAll(new, "\r\n", "\n")
	}
	if crlf {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if old == new {
		return "", 0, errors.New("old and new are the same: nothing would change")
	}
	n := strings.Count(text, old)
	switch {
	case n == 0:
		return "", 0, errors.New("old is not in the file" + nearMiss(text, old))
	case n > 1 && !all:
		return "", 0, fmt.Errorf("old is in the file %d times, at lines %s: give more of what stands around the one you mean, or set all", n, placesOf(text, old))
	case len(text)+n*(len(new)-len(old)) > most:
		return "", 0, fmt.Errorf("new would make the file larger than %d bytes", most)
	}
	text = strings.ReplaceAll(text, old, new)
	if crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text, n, nil
}

// placesOf names the lines at which a text begins.
func placesOf(text, old string) string {
	var lines []string
	line, from := 1, 0
	for {
		i := strings.Index(text[from:], old)
		if i < 0 {
			break
		}
		if len(lines) == maxPlaces {
			return strings.Join(lines, ", ") + " and more"
		}
		line += strings.Count(text[from:from+i], "\n")
		lines = append(lines, strconv.Itoa(line))
		line += strings.Count(old, "\n")
		from += i + len(old)
	}
	return strings.Join(lines, ", ")
}

// numbered is what read_file, and programs, put in front of a line.
var numbered = regexp.MustCompile(`(?m)^ *\d+(?:\t|→|: ?|\| ?)`)

// nearMiss says what stands in the text that comes close to what was looked for.
func nearMiss(text, old string) string {
	if strings.Contains(old, redact.Marker) {
		return ": " + redact.Marker + " in it stands for a secret that you are not shown. Choose a piece without it"
	}
	if bare := numbered.ReplaceAllString(old, ""); bare != old && bare != "" && strings.Contains(text, bare) {
		return ", but it is without the numbers and tabs that read_file puts in front of the lines"
	}
	lines, want := strings.SplitN(text, "\n", maxLooked), strings.Split(strings.Trim(old, "\n"), "\n")
	want = want[:min(len(want), maxSought)]
	for _, way := range []struct {
		like func(string) string
		says string
	}{
		{func(s string) string { return strings.TrimRight(s, " \t\r") }, "with other blanks at the ends of lines"},
		{func(s string) string { return strings.Join(strings.Fields(s), " ") }, "with other white space"},
		{func(s string) string { return strings.Join(strings.Fields(straight.Replace(s)), " ") }, "with other quotes or dashes"},
		{func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }, "in another letter case"},
	} {
		if at, n := window(lines, want, way.like); n > 0 {
			return nearWords(lines, at, len(want), n, way.says)
		}
	}
	if strings.Contains(plain.Text(text), old) {
		return ": where it would fit there are characters that are not shown. Choose another piece"
	}
	first := func(s string) string { return strings.TrimSpace(s) }
	if head := first(want[0]); len(want) > 1 && len(head) > 3 {
		if at, n := window(lines, want[:1], first); n > 0 {
			return nearWords(lines, at, len(want), n, "its first line alone")
		}
	}
	return ": read the file again"
}

// straight are letters that are written in two ways.
var straight = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'", "–", "-", "—", "-", "\u00a0", " ", "…", "...")

func nearWords(lines []string, at, height, n int, says string) string {
	where := "at line " + strconv.Itoa(at+1)
	if n > 1 {
		where += " and " + strconv.Itoa(n-1) + " more"
	}
	there := strings.Join(lines[at:min(len(lines), at+height)], "\n")
	if r := []rune(there); len(r) > maxNear {
		there = string(r[:maxNear]) + "…"
	}
	return fmt.Sprintf("; close to it, %s, is %s. There stands:\n%s", says, where, there)
}

// window finds where lines that are alike stand one after the other, and how often.
func window(lines, want []string, like func(string) string) (at, n int) {
	wanted := make([]string, len(want))
	empty := true
	for i, w := range want {
		wanted[i] = like(w)
		empty = empty && wanted[i] == ""
	}
	if empty {
		return 0, 0
	}
	alike := make([]string, len(lines))
	for i, l := range lines {
		alike[i] = like(l)
	}
	for i := 0; i+len(wanted) <= len(alike); i++ {
		same := true
		for j := 0; same && j < len(wanted); j++ {
			same = alike[i+j] == wanted[j]
		}
		if same {
			if n == 0 {
				at = i
			}
			n++
		}
	}
	return at, n
}
