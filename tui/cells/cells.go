// Package cells measures, cuts and fills lines in terminal cells.
//
// A method says how the terminal counts: by grapheme cluster (mode 2027) or by
// character. What is handed in holds no control character (package plain saw to
// that); styles are allowed and survive. No wide character is ever cut in half:
// a blank fills the cell that is left over.
package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of cells that s takes.
func Width(m ansi.Method, s string) int {
	if ascii(s) {
		return len(s)
	}
	return m.StringWidth(s)
}

// Cut shortens s to at most width cells; what was cut ends in the ellipsis when
// there is room for it.
func Cut(m ansi.Method, s string, width int, ellipsis string) string {
	if width <= 0 {
		return ""
	}
	if Width(m, s) <= width {
		return s
	}
	if Width(m, ellipsis) > width {
		ellipsis = ""
	}
	return truncate(m, s, width-Width(m, ellipsis), ellipsis)
}

// truncate keeps the first width cells of s, then tail, and every style and link
// of s, so that what was opened is closed. (ansi.Truncate of x/ansi 0.11.9 first
// asks for the width by cluster, whatever the method, and lets joined emoji pass
// that are too wide by character.)
func truncate(m ansi.Method, s string, width int, tail string) string {
	var b strings.Builder
	full := false
	var state byte
	for s != "" {
		seq, w, n, next := m.DecodeSequenceInString(s, state, nil)
		switch {
		case w == 0 && seq[0] == ansi.ESC:
			b.WriteString(seq)
		case !full && w <= width:
			b.WriteString(seq)
			width -= w
		case !full:
			full = true
			b.WriteString(tail)
		}
		s, state = s[n:], next
	}
	return b.String()
}

// Fill cuts s to width and adds blanks, so that it takes exactly width cells.
func Fill(m ansi.Method, s string, width int, ellipsis string) string {
	s = Cut(m, s, width, ellipsis)
	return s + Blank(width-Width(m, s))
}

// Right is Fill with the blanks on the left.
func Right(m ansi.Method, s string, width int, ellipsis string) string {
	s = Cut(m, s, width, ellipsis)
	return Blank(width-Width(m, s)) + s
}

// Blank is n spaces, none for n below one.
func Blank(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(" ", n)
}

// CutPath shortens a path in its middle, so that its name stays:
// cart/…/service.go. A name that is too long by itself is cut at its end.
func CutPath(m ansi.Method, path string, width int, ellipsis string) string {
	if width <= 0 {
		return ""
	}
	if Width(m, path) <= width {
		return path
	}
	slash := strings.LastIndexByte(path, '/')
	if slash <= 0 {
		return Cut(m, path, width, ellipsis)
	}
	name := path[slash:]
	room := width - Width(m, ellipsis) - Width(m, name)
	if room < 0 {
		return Cut(m, name[1:], width, ellipsis)
	}
	head := path[:slash]
	kept := ""
	for {
		next := strings.IndexByte(head[len(kept):], '/')
		if next < 0 {
			break
		}
		upto := head[:len(kept)+next+1]
		if Width(m, upto) > room {
			break
		}
		kept = upto
	}
	return kept + ellipsis + name
}

// Sides sets left and right on one line of exactly width cells. The right side
// stays whole as long as at least min cells are left for the left one;
// otherwise it is dropped.
func Sides(m ansi.Method, left, right string, width, min int, ellipsis string) string {
	w := Width(m, right)
	if w == 0 || width-w-1 < min {
		return Fill(m, left, width, ellipsis)
	}
	return Fill(m, left, width-w-1, ellipsis) + " " + right
}

// First is the first cluster of s and its width. Invalid bytes are one cell each.
func First(m ansi.Method, s string) (cluster string, width int) {
	if s == "" {
		return "", 0
	}
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) && s[0] >= ' ' && s[0] != 0x7f {
		return s[:1], 1
	}
	return ansi.FirstGraphemeCluster(s, m)
}

// Mark draws the clusters of plain text in which on gives true for a byte with a
// style. No cluster is torn.
func Mark(m ansi.Method, s string, on func(i int) bool, style func(string) string) string {
	return Paint(m, s, on, style, func(t string) string { return t })
}

// Paint is Mark with a style for the rest, too.
func Paint(m ansi.Method, s string, on func(i int) bool, style, rest func(string) string) string {
	var out strings.Builder
	start, lit := 0, false
	flush := func(end int) {
		switch piece := s[start:end]; {
		case piece == "":
		case lit:
			out.WriteString(style(piece))
		default:
			out.WriteString(rest(piece))
		}
		start = end
	}
	for i := 0; i < len(s); {
		cluster, _ := First(m, s[i:])
		marked := false
		for k := range len(cluster) {
			marked = marked || on(i+k)
		}
		if marked != lit {
			flush(i)
			lit = marked
		}
		i += len(cluster)
	}
	flush(len(s))
	return out.String()
}

// Wrap breaks plain text of several lines into rows of at most width cells,
// at blanks where there are some, inside a word where there are none. It gives
// at least one row.
func Wrap(m ansi.Method, s string, width int) []string {
	if width <= 0 {
		return []string{""}
	}
	var rows []string
	for _, line := range strings.Split(s, "\n") {
		rows = append(rows, wrapLine(m, line, width)...)
	}
	return rows
}

func wrapLine(m ansi.Method, line string, width int) []string {
	var rows []string
	for {
		end, next := breakAt(m, line, width)
		rows = append(rows, line[:end])
		if next >= len(line) {
			return rows
		}
		line = line[next:]
	}
}

// breakAt gives where the first row ends and where the next one begins.
func breakAt(m ansi.Method, s string, width int) (end, next int) {
	at, cells := 0, 0
	blankEnd, blankNext := -1, -1
	for at < len(s) {
		c, w := First(m, s[at:])
		if c == " " {
			if blankNext != at {
				blankEnd = at
			}
			blankNext = at + 1
		}
		if cells+w > width {
			switch {
			case c == " ":
				return blankEnd, at + 1
			case blankEnd > 0:
				return blankEnd, blankNext
			case at == 0:
				return len(c), len(c)
			}
			return at, at
		}
		cells += w
		at += len(c)
	}
	return len(s), len(s)
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
