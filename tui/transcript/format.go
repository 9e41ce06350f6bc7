package transcript

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"conch/tui/cells"
	"conch/tui/theme"
)

func (c *canvas) cut(s string, width int) string {
	return cells.Cut(c.m, s, width, c.th.Signs.Ellipsis)
}

func (c *canvas) wrap(s string, width int) []string {
	rows := cells.Wrap(c.m, s, width)
	for i, row := range rows {
		rows[i] = cells.Cut(c.m, row, width, "")
	}
	return rows
}

func (c *canvas) cells(s string) int { return cells.Width(c.m, s) }

func (c *canvas) muted(s string) string { return c.inks.muted.paint(s) }

// folder is what stands for something that can be opened or folded. Nothing can
// in plain output.
func (c *canvas) folder(words string) string {
	switch {
	case c.plain:
		return words
	case c.open:
		return c.th.Signs.Open + " " + words
	}
	return c.th.Signs.Folded + " " + words
}

// indented puts blanks before a line, as far as there is room.
func (c *canvas) indented(s string, n int) string {
	if s == "" {
		return ""
	}
	return cells.Cut(c.m, cells.Blank(min(n, max(c.wide-1, 0)))+s, c.wide, "")
}

// ink is a style as the sequence that begins it.
type ink string

func (k ink) paint(s string) string {
	if k == "" || s == "" {
		return s
	}
	return string(k) + s + theme.Reset
}

// inks are the styles of rows, worked out once for a theme.
type inks struct{ accent, person, added, removed, attention, error, muted ink }

func newInks(th *theme.Theme) inks {
	of := func(s lipgloss.Style) ink { return ink(theme.Sequence(s)) }
	return inks{of(th.Accent), of(th.Person), of(th.Added), of(th.Removed), of(th.Attention), of(th.Error), of(th.Muted)}
}

// took is a step's time, from a second on.
func took(ms int64) string {
	switch s := ms / 1000; {
	case ms < 1000:
		return ""
	case ms < 10_000:
		return fmt.Sprintf("%d.%ds", s, ms%1000/100)
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	default:
		return fmt.Sprintf("%dh %02dm", s/3600, s%3600/60)
	}
}

// span is a time in a sentence.
func span(ms int64) string {
	s := ms / 1000
	if s < 60 {
		return fmt.Sprintf("%d s", s)
	}
	return took(ms)
}

// count is a number, thousands grouped, with its word, which gets an s.
func count(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return group(n) + " " + word
}

func group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size is a number of bytes for a person.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d KB", (n+500)/1000)
	default:
		return strings.Replace(fmt.Sprintf("%.1f MB", float64(n)/1e6), ".0 ", " ", 1)
	}
}

func orSomeone(engine string) string {
	if engine == "" {
		return "the agent"
	}
	return engine
}
