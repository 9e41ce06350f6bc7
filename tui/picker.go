package tui

import (
	"strconv"
	"strings"

	"charm.land/bubbletea/v2"

	"conch/plain"
	"conch/tui/cells"
	"conch/tui/keys"
	"conch/tui/theme"
)

// picker is a list to pick from, above the prompt: by number, by moving, or by
// typing a part of a word.
type picker struct {
	title string
	hint  string
	rows  []pick
	take  func(pick)        // called with what was picked; the picker is closed by then
	typed func(string) bool // takes words that no row has; nil: nothing
	drop  func(pick)        // takes a row out; nil: none can be
	again keys.Action       // the action that opened it: once more moves on
	fill  func(*picker)     // makes the rows anew when something became known

	words  *line
	chosen int // among those that match
	top    int
}

// pick is one row: cells under each other, the last one as wide as there is
// room.
type pick struct {
	id    string
	cells []cell
	on    bool // it is the one in use
}

// cell is a word with its colour: 0 plain, else a meaning.
type cell struct {
	words string
	look  look
}

// look is what a cell's colour means.
type look uint8

const (
	plainly look = iota
	muted
	accent
	attention
	wrong
)

func (l look) paint(th *theme.Theme, s string) string {
	switch l {
	case muted:
		return th.Muted.Render(s)
	case accent:
		return th.Accent.Render(s)
	case attention:
		return th.Attention.Render(s)
	case wrong:
		return th.Error.Render(s)
	}
	return s
}

// pickerRows is how many rows show at once.
const pickerRows = 9

func (m *model) openPicker(p *picker) {
	p.words = newLine(m.th.Widths)
	p.hint = "type to filter · enter · esc"
	if p.fill != nil {
		p.fill(p)
	}
	for i, row := range p.rows {
		if row.on {
			p.chosen = i
		}
	}
	m.pager = nil
	m.picker = p
}

// refreshPicker makes the open picker's rows anew.
func (m *model) refreshPicker() {
	p := m.picker
	if p == nil || p.fill == nil {
		return
	}
	was, ok := p.selected()
	p.fill(p)
	if ok {
		for i, row := range p.matches() {
			if row.id == was.id {
				p.chosen = i
			}
		}
	}
}

// matches are the rows that hold all typed words.
func (p *picker) matches() []pick {
	words := strings.Fields(strings.ToLower(p.words.text()))
	if len(words) == 0 {
		return p.rows
	}
	var out []pick
	for _, row := range p.rows {
		all := strings.ToLower(row.id)
		for _, c := range row.cells {
			all += " " + strings.ToLower(c.words)
		}
		hit := true
		for _, w := range words {
			hit = hit && strings.Contains(all, w)
		}
		if hit {
			out = append(out, row)
		}
	}
	return out
}

func (p *picker) selected() (pick, bool) {
	rows := p.matches()
	if p.chosen < 0 || p.chosen >= len(rows) {
		return pick{}, false
	}
	return rows[p.chosen], true
}

func (p *picker) move(n int) {
	p.chosen = max(min(p.chosen+n, len(p.matches())-1), 0)
}

func (p *picker) filter(words string) {
	p.words.paste(words)
	p.chosen = 0
}

// click selects the row at a line of the picker's lines.
func (p *picker) click(y int) {
	if i := p.top + y - 1; y > 0 && i >= 0 && i < len(p.matches()) {
		p.chosen = i
	}
}

func (m *model) pickerKey(a keys.Action, found bool, k tea.KeyPressMsg) {
	p := m.picker
	switch a {
	case keys.Interrupt:
		m.picker = nil
		return
	case keys.MemoryForget:
		if row, ok := p.selected(); ok && p.drop != nil {
			p.drop(row)
			return
		}
		found = false // a key of the words that are typed
	case keys.Undo:
		m.act(a, k) // the list stays open
		return
	case p.again:
		if p.again != "" {
			if n := len(p.matches()); n > 0 {
				p.chosen = (p.chosen + 1) % n
			}
			return
		}
	}
	switch stroke := k.Keystroke(); {
	case stroke == "up":
		p.move(-1)
	case stroke == "down":
		p.move(1)
	case stroke == "pgup":
		p.move(-pickerRows)
	case stroke == "pgdown":
		p.move(pickerRows)
	case stroke == "enter":
		m.takePick()
	case p.words.text() == "" && len(k.Text) == 1 && k.Text[0] >= '1' && int(k.Text[0]-'1') < min(len(p.rows), 9):
		p.chosen = int(k.Text[0] - '1')
		m.takePick()
	case !found && p.words.key(k):
		p.chosen = 0
	case found:
		if a != keys.Redraw && a != keys.Mouse && a != keys.Suspend {
			m.picker = nil
		}
		m.act(a, k)
	}
}

func (m *model) takePick() {
	p := m.picker
	row, ok := p.selected()
	words := strings.TrimSpace(p.words.text())
	switch {
	case ok:
		m.picker = nil
		p.take(row)
	case words != "" && p.typed != nil && p.typed(words):
		m.picker = nil
	}
}

// lines draws the picker in at most rows lines of at most width cells, and gives
// the cursor's column in the first of them.
func (p *picker) lines(th *theme.Theme, width, rows int) ([]string, int) {
	words, col := p.words.draw(max(width/3, 8))
	left := "  " + th.Strong.Render(p.title)
	at := min(cells.Width(th.Widths, left)+1+col, width-1)
	if words != "" {
		left += " " + words
	}
	head := cells.Sides(th.Widths, left, th.Muted.Render(p.hint)+" ", width, min(cells.Width(th.Widths, left), width), th.Signs.Ellipsis)
	out := []string{head}
	matches := p.matches()
	n := min(len(matches), pickerRows, max(rows-1, 1))
	p.chosen = max(min(p.chosen, len(matches)-1), 0)
	p.top = max(min(p.top, p.chosen, len(matches)-n), p.chosen-n+1, 0)
	if len(matches) == 0 {
		nothing := "  nothing like that"
		if p.typed != nil {
			nothing = "  enter takes it as it is written"
		}
		return append(out, th.Muted.Render(cells.Cut(th.Widths, nothing, width, th.Signs.Ellipsis))), at
	}
	widths := p.columns(th, width)
	for i := p.top; i < p.top+n; i++ {
		out = append(out, p.line(th, matches[i], i, widths, width))
	}
	return out, at
}

// columns are the widths of all columns but the last.
func (p *picker) columns(th *theme.Theme, width int) []int {
	var out []int
	for _, row := range p.rows {
		for i, c := range row.cells {
			if i == len(row.cells)-1 {
				break
			}
			if i == len(out) {
				out = append(out, 0)
			}
			out[i] = max(out[i], min(cells.Width(th.Widths, c.words), max(width/3, 6)))
		}
	}
	return out
}

func (p *picker) line(th *theme.Theme, row pick, i int, widths []int, width int) string {
	mark, lead := th.Signs.Waiting, "  "
	if row.on {
		mark = th.Signs.News
	}
	chosen := i == p.chosen
	if chosen {
		lead = th.Accent.Render(th.Signs.Cursor) + " "
	}
	number := " "
	if i < 9 && p.words.text() == "" {
		number = th.Accent.Render(strconv.Itoa(i + 1))
	}
	var b strings.Builder
	b.WriteString(lead + number + " " + mark + " ")
	for j, c := range row.cells {
		words := plain.Line(c.words, 300)
		if j < len(row.cells)-1 {
			words = cells.Fill(th.Widths, words, widths[j], th.Signs.Ellipsis) + "  "
		}
		if j == 0 && chosen {
			b.WriteString(th.Selected.Render(words))
			continue
		}
		b.WriteString(c.look.paint(th, words))
	}
	return cells.Cut(th.Widths, b.String(), width, th.Signs.Ellipsis)
}
