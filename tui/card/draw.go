package card

import (
	"fmt"
	"strings"

	"conch/plain"
	"conch/tui/cells"
	"conch/tui/theme"
)

// barWidth is the bar of a focused card and the blank behind it.
const barWidth = 2

func place(i, n int) string { return fmt.Sprintf("%d of %d", i, n) }

// withBar sets the bar before each row and fills it to the width.
func withBar(th *theme.Theme, lines []string, width int, focused bool) []string {
	lead := "  "
	if focused {
		lead = th.Accent.Render(th.Signs.Bar) + " "
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		if width > barWidth {
			l = lead + l
		}
		out[i] = cells.Fill(th.Widths, l, width, "")
	}
	return out
}

// header is a card's first row: sign, name, subject, and that it waits. whole
// reports that the subject stands there uncut.
func (d drawing) header(name, subject string) (row string, whole bool) {
	left := d.th.Attention.Render(d.th.Signs.Waiting) + " " + d.th.Strong.Render(name)
	used := 2 + cells.Width(d.th.Widths, name)
	right := "waits for you"
	if d.place != "" {
		right += " · " + d.place
	}
	if subject != "" && used+2+cells.Width(d.th.Widths, subject) <= d.width {
		left += "  " + subject
		used += 2 + cells.Width(d.th.Widths, subject)
		whole = true
	}
	if used+2+cells.Width(d.th.Widths, right) > d.width {
		right = d.place
	}
	if right != "" {
		right = d.th.Attention.Render(right)
	}
	return cells.Sides(d.th.Widths, left, right, d.width, used+1, d.th.Signs.Ellipsis), whole || subject == ""
}

// indented wraps words into rows that stand under the name.
func (d drawing) indented(words string, limit int) []string {
	var rows []string
	for _, row := range d.wrap(words, d.width-2) {
		rows = append(rows, "  "+row)
	}
	if limit > 0 && len(rows) > limit {
		rows = append(rows[:limit-1], "  "+d.muted(fmt.Sprintf("%s %d more lines", d.th.Signs.Ellipsis, len(rows)-limit+1)))
	}
	return rows
}

// wrap breaks harmless text at a width; tabs become blanks.
func (d drawing) wrap(words string, width int) []string {
	return cells.Wrap(d.th.Widths, strings.ReplaceAll(words, "\t", "    "), max(width, 1))
}

// piece is a key and what it does.
type piece struct{ key, words string }

// items sets pieces side by side, three blanks between them, on as many rows as
// they need. One that is wider than a row is wrapped: what an answer covers is
// never cut.
func (d drawing) items(pieces []piece) []string {
	room := max(d.width-2, 1)
	var rows []string
	row, used := "", 0
	flush := func() {
		if used > 0 {
			rows = append(rows, row)
			row, used = "", 0
		}
	}
	for _, p := range pieces {
		text := p.key + " " + p.words
		w := cells.Width(d.th.Widths, text)
		switch {
		case w > room:
			flush()
			for i, line := range d.wrap(text, room) {
				if rest, ok := strings.CutPrefix(line, p.key); ok && i == 0 {
					line = d.pressed(p.key) + rest
				}
				rows = append(rows, line)
			}
			continue
		case used > 0 && used+3+w > room:
			flush()
		case used > 0:
			row += "   "
			used += 3
		}
		row += d.pressed(p.key) + " " + p.words
		used += w
	}
	flush()
	for i := range rows {
		rows[i] = "  " + rows[i]
	}
	return rows
}

func (d drawing) muted(s string) string { return d.th.Muted.Render(s) }

// pressed draws the name of a key.
func (d drawing) pressed(key string) string {
	if !d.focused && key != d.focusKey {
		return d.th.Strong.Render(key)
	}
	return d.th.Accent.Render(key)
}

// toAnswer begins an unfocused card's last row.
func (d drawing) toAnswer() piece { return piece{d.focusKey, "to answer:"} }

func line(s string, max int) string { return plain.Line(s, max) }
