package runpane

import (
	"strings"

	"conch/allchat"
	"conch/plain"
	"conch/tui/cells"
)

// Body draws the timeline in exactly rows lines.
func (p *Pane) Body(width, rows int) []string {
	if width != p.width {
		p.width = width
		p.redraw()
	}
	p.rows = rows
	live := p.live()
	total := len(live)
	for _, it := range p.items {
		total += len(it.lines)
	}
	last := max(total-rows, 0)
	if p.follow || p.top >= last {
		p.top, p.follow = last, true
	}
	if p.follow {
		p.seen = len(p.items)
	}
	out := make([]string, 0, rows)
	line := 0
	put := func(s string, selected bool) {
		if line >= p.top && len(out) < rows {
			if selected {
				s = p.th.Accent.Render(p.th.Signs.Cursor) + strings.TrimPrefix(s, " ")
			}
			out = append(out, cells.Cut(p.th.Widths, s, width, p.th.Signs.Ellipsis))
		}
		line++
	}
	for i, it := range p.items {
		if line+len(it.lines) <= p.top {
			line += len(it.lines)
			continue
		}
		for j, s := range it.lines {
			put(s, j == 0 && i == p.at && p.focus == Timeline)
		}
		if len(out) == rows {
			break
		}
	}
	for _, s := range live {
		put(s, false)
	}
	if total == 0 && rows > 1 {
		out = append(out, "", "  "+p.th.Muted.Render("nothing happened yet"))
	}
	for len(out) < rows {
		out = append(out, "")
	}
	return out[:rows]
}

// liveRows is how much shows of what a participant says at the moment.
const liveRows = 8

// liveBytes bounds what is looked at of it.
const liveBytes = 8 << 10

// live is what participants say now. It is dim: it is not committed.
func (p *Pane) live() (lines []string) {
	for _, each := range p.run.Participants {
		if !each.Working || each.Partial == "" || p.only != "" && p.only != each.ID {
			continue
		}
		lines = append(lines, p.partial(each)...)
	}
	return lines
}

func (p *Pane) partial(each allchat.Participant) []string {
	text := each.Partial
	cut := len(text) > liveBytes
	if cut {
		text = strings.ToValidUTF8(text[len(text)-liveBytes:], "")
	}
	text = strings.ReplaceAll(strings.Trim(plain.Text(text), "\n"), "\t", "    ")
	lines := cells.Wrap(p.th.Widths, text, p.measure())
	if n := len(lines); n > liveRows {
		lines, cut = lines[n-liveRows:], true
	}
	if cut {
		lines[0] = p.th.Signs.Ellipsis
	}
	label := p.roleName(each.ID)
	out := make([]string, len(lines))
	for i, line := range lines {
		lead := p.lead("", "", "")
		if i == 0 {
			lead = p.lead(p.th.Signs.Running, p.th.Muted.Render(label), label)
		}
		out[i] = lead + p.th.Muted.Render(line)
	}
	return out
}

// Move selects another item.
func (p *Pane) Move(n int) { p.selectAt(p.at + n) }

// First and Last go to the ends; at the last one new rows are followed.
func (p *Pane) First() { p.selectAt(0) }

// Last goes to the newest row and stays there.
func (p *Pane) Last() {
	p.at = max(len(p.items)-1, 0)
	p.follow = true
}

func (p *Pane) selectAt(i int) {
	p.at = max(min(i, len(p.items)-1), 0)
	from := 0
	for _, it := range p.items[:min(p.at, len(p.items))] {
		from += len(it.lines)
	}
	to := from
	if p.at < len(p.items) {
		to += len(p.items[p.at].lines)
	}
	p.follow = p.at == len(p.items)-1
	switch {
	case from < p.top || to-from > p.rows:
		p.top = from
	case to > p.top+p.rows:
		p.top = to - p.rows
	}
}

// Scroll moves by lines.
func (p *Pane) Scroll(n int) {
	p.top = max(p.top+n, 0)
	p.follow = false // Body follows again where this is the end
}

// Page moves by a screen.
func (p *Pane) Page(n int) { p.Scroll(n * max(p.rows-2, 1)) }

// Following tells that the newest row is in sight.
func (p *Pane) Following() bool { return p.follow }

// Unseen counts the rows that came since the end was in sight.
func (p *Pane) Unseen() int { return max(len(p.items)-p.seen, 0) }

// Toggle opens or folds the selected row.
func (p *Pane) Toggle() {
	if p.at >= len(p.items) || !p.items[p.at].folds {
		return
	}
	seq := p.items[p.at].key.seq
	p.open[seq] = !p.open[seq]
	p.list()
	p.selectAt(p.at)
}

// Copy is the text of the selected row.
func (p *Pane) Copy() string {
	if p.at >= len(p.items) {
		return ""
	}
	return p.items[p.at].copy
}

// Flush gives the rows that were not read out yet, as plain lines, and the state when it
// is another one. What is not committed is not among them.
func (p *Pane) Flush(width int) (lines []string) {
	if width != p.width {
		p.width = width
		p.redraw()
	}
	for _, it := range p.items {
		k := it.key
		k.status, k.open = "", false
		if p.told[k] {
			continue
		}
		p.told[k] = true
		lines = append(lines, it.lines...)
	}
	if word := p.State(); word != p.word {
		p.word = word
		lines = append(lines, "The run is "+word+".")
	}
	return lines
}
