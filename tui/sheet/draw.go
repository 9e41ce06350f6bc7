package sheet

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"conch/tui/cells"
)

// drawn is where things stand in the last Lines.
type drawn struct {
	first  int   // the list's first row
	list   int   // its rows
	places []int // the place in order of each, -1 for a heading
	split  int   // the column where the pane begins, 0 without one
	pane   int   // the pane's width, 0 without one
}

// The widths at which things change.
const (
	narrow  = 72 // below: the whole width is the list's
	minPane = 24
	barCell = 3 // the rule between list and pane and a blank on each side
)

// Lines draws the sheet: exactly height rows of exactly width cells. now dates
// the rows, in its own time zone.
func (s *Sheet) Lines(width, height int, now time.Time) []string {
	s.drawn = drawn{}
	if width < 1 || height < 1 {
		return nil
	}
	lines := []string{s.head(width)}
	foot := []string{s.foot(width, height)}
	rule := s.th.Muted.Render(strings.Repeat(s.th.Signs.Rule, width))
	if height >= 8 {
		lines = append(lines, rule)
		foot = append([]string{rule}, foot...)
	}
	if height < 3 {
		foot = nil
	}
	if words := s.message(); words != "" && height >= 4 {
		foot = append([]string{cells.Fill(s.th.Widths, " "+words, width, s.th.Signs.Ellipsis)}, foot...)
	}
	s.drawn.first = len(lines)
	s.drawn.list = max(height-len(lines)-len(foot), 0)
	lines = append(lines, s.middle(width, now)...)
	lines = append(lines, foot...)
	return lines[:height]
}

// head is the filter and how many chats it leaves.
func (s *Sheet) head(width int) string {
	m := s.th.Widths
	shown, more := len(s.order), ""
	if s.found != nil && s.found.Chats > shown {
		shown = s.found.Chats
	}
	if s.found != nil && s.found.More {
		more = "+"
	}
	count := fmt.Sprintf("%s%s of %s ", grouped(shown), more, grouped(max(s.all(), shown)))
	switch {
	case s.loading:
		count = s.th.Signs.Running + " reading · " + count
	case s.slow:
		count = s.th.Signs.Running + " searching · " + count
	}
	room := width - 1 - cells.Width(m, count) - 1
	if room < 12 {
		count, room = "", width-1
	}
	s.filter.SetWidth(max(room-1, 1))
	row, col := s.filter.Cell()
	s.cursor.x, s.cursor.y = min(1+col, width-1), 0
	words := s.filter.Draw(row, s.th.Signs.Ellipsis, nil, func(t string) string { return s.th.Muted.Render(t) })
	if s.filter.Empty() {
		words = s.th.Muted.Render(cells.Cut(m, s.invitation(room), max(room, 0), s.th.Signs.Ellipsis))
	}
	return cells.Sides(m, " "+words, s.th.Muted.Render(count), width, 1, s.th.Signs.Ellipsis)
}

// middle is the list and the pane beside it.
func (s *Sheet) middle(width int, now time.Time) []string {
	pane := 0
	switch {
	case s.drawn.list == 0:
		return nil
	case s.reading && width < 2*minPane+barCell:
		// No room for both: what is read takes it all.
		s.drawn.pane, s.drawn.split = width, -1
		return s.paneLines(width)
	case width >= narrow && len(s.order) > 0:
		pane = max(width*2/5, minPane)
		if width >= 120 {
			pane = width / 2
		}
	}
	list := width
	if pane > 0 {
		list = width - pane - barCell + 1
		s.drawn.split, s.drawn.pane = list, pane-1
	}
	left := s.listLines(list, now)
	if pane == 0 {
		return left
	}
	right := s.paneLines(s.drawn.pane)
	bar := s.th.Muted.Render(verticalRule(s.th.Signs.Rule))
	if s.reading {
		bar = s.th.Accent.Render(s.th.Signs.Bar)
	}
	for i := range left {
		left[i] = left[i] + bar + " " + right[i] + cells.Blank(width-list-2-s.drawn.pane)
	}
	return left
}

func verticalRule(rule string) string {
	if rule == "─" {
		return "│"
	}
	return "|"
}

// listLines draws the rows in sight.
func (s *Sheet) listLines(width int, now time.Time) []string {
	n := s.drawn.list
	if len(s.order) == 0 {
		return s.empty(width, n)
	}
	s.keepInSight(n)
	var lines []string
	put := func(line string, place int) {
		if len(lines) < n {
			lines = append(lines, line)
			s.drawn.places = append(s.drawn.places, place)
		}
	}
	for _, b := range s.blocks[s.top:] {
		if len(lines) >= n {
			break
		}
		if b.place < 0 {
			put(cells.Fill(s.th.Widths, " "+s.th.Muted.Render(cells.Cut(s.th.Widths, b.heading, max(width-1, 0), s.th.Signs.Ellipsis)), width, ""), -1)
			continue
		}
		e := s.at(s.order[b.place])
		put(s.row(e, b.place == s.chosen, width, now), b.place)
		if b.tall > 1 {
			put(s.snippet(s.hits[e.ID], b.place == s.chosen, width), b.place)
		}
	}
	for len(lines) < n {
		lines = append(lines, cells.Blank(width))
	}
	return lines
}

// keepInSight moves the list so that the chosen row, and the heading right above
// it, is in its n lines, and no line is empty that needn't be.
func (s *Sheet) keepInSight(n int) {
	at := 0
	for at < len(s.blocks)-1 && s.blocks[at].place != s.chosen {
		at++
	}
	first := at
	if at > 0 && s.blocks[at-1].place < 0 {
		first-- // its heading too
	}
	s.top = min(max(s.top, 0), first, s.lastTop(len(s.blocks)-1, n))
	s.top = max(s.top, s.lastTop(at, n))
}

// lastTop is the first block that is drawn when n lines end with block at.
func (s *Sheet) lastTop(at, n int) int {
	for left := n; at >= 0; at-- {
		if left -= s.blocks[at].tall; left < 0 {
			return at + 1
		}
	}
	return 0
}

// row draws one chat: how it stands, where and by whom, its title, its last
// words where there is room, its date.
func (s *Sheet) row(e *entry, chosen bool, width int, now time.Time) string {
	m, th := s.th.Widths, s.th
	sign := s.sign(e)
	lead := " "
	if chosen {
		lead = th.Accent.Render(th.Signs.Bar)
	}
	date := date(e.Updated, now)
	where := e.project
	if e.branch != "" && width >= 80 {
		where += " (" + e.branch + ")"
	}
	if e.app != "" && (e.Past || width >= 54) {
		where = joined(e.app, where)
	}
	h := s.hits[e.ID]
	title := s.marked(e.title)
	if chosen {
		title = th.Selected.Render(e.title)
	}
	// The title keeps at least a third of the row.
	room := width - 4 - cells.Width(m, date) - 1
	if where != "" && cells.Width(m, where)+3 > room*2/3 {
		where = cells.Cut(m, where, max(room*2/3-3, 0), th.Signs.Ellipsis)
	}
	left := title
	used := cells.Width(m, e.title)
	if where != "" {
		left = th.Muted.Render(where+" · ") + title
		used += cells.Width(m, where) + 3
	}
	if rest := room - used - 2; rest >= 16 && e.last != "" && e.last != e.title && (h == nil || h.Snippet == "") {
		left += "  " + th.Muted.Render(cells.Cut(m, e.last, rest, th.Signs.Ellipsis))
	}
	words := lead + sign + " " + left
	return cells.Sides(m, words, th.Muted.Render(date)+" ", width, min(20, width), th.Signs.Ellipsis)
}

func joined(a, b string) string {
	if b == "" {
		return a
	}
	return a + " · " + b
}

// marked draws the words of the filter in a title.
func (s *Sheet) marked(title string) string {
	low := strings.ToLower(title)
	words := parseQuery(s.filter.Text()).words
	if len(words) == 0 || len(low) != len(title) {
		return title
	}
	on := make([]bool, len(title))
	for _, w := range words {
		for at := 0; ; {
			i := strings.Index(low[at:], w)
			if i < 0 {
				break
			}
			for k := range len(w) {
				on[at+i+k] = true
			}
			at += i + len(w)
		}
	}
	return cells.Mark(s.th.Widths, title, func(i int) bool { return on[i] }, func(t string) string { return s.th.Strong.Render(t) })
}

// sign says how a chat stands; the pane beside the list says it in words.
func (s *Sheet) sign(e *entry) string {
	switch {
	case e.State == Waiting:
		return s.th.Attention.Render(s.th.Signs.Waiting)
	case e.State == Running:
		return s.th.Accent.Render(s.th.Signs.Running)
	case e.State == News:
		return s.th.Accent.Render(s.th.Signs.News)
	}
	return " "
}

// paneLines are the words of the chosen chat.
func (s *Sheet) paneLines(width int) []string {
	n := s.drawn.list
	lines := make([]string, 0, n)
	row, any := s.Selected()
	if any {
		e := s.at(s.order[s.chosen])
		lines = append(lines, cells.Fill(s.th.Widths, s.th.Muted.Render(cells.Cut(s.th.Widths, s.aboutRow(e), width, s.th.Signs.Ellipsis)), width, ""))
	}
	if any && s.view.id == row.ID && s.view.width == width && s.view.match == s.matched() {
		first := s.view.first(max(n-1, 1))
		for i := first; i < len(s.view.lines) && len(lines) < n; i++ {
			lines = append(lines, cells.Fill(s.th.Widths, s.view.lines[i], width, s.th.Signs.Ellipsis))
		}
	}
	for len(lines) < n {
		lines = append(lines, cells.Blank(width))
	}
	return lines[:n]
}

// aboutRow is the pane's first line: state in words, messages, branch, folder.
func (s *Sheet) aboutRow(e *entry) string {
	var parts []string
	switch {
	case e.State == Waiting:
		parts = append(parts, "waits for you")
	case e.State == Running:
		parts = append(parts, "working")
	case e.State == News:
		parts = append(parts, "news")
	}
	if e.Open {
		parts = append(parts, "open now")
	}
	if e.Past {
		parts = append(parts, "read-only")
	}
	if e.Messages > 0 {
		parts = append(parts, plural(e.Messages, "message"))
	}
	if e.branch != "" {
		parts = append(parts, e.branch)
	}
	if e.app != "" {
		parts = append(parts, e.app)
	}
	if e.project != "" {
		parts = append(parts, e.project)
	}
	return strings.Join(parts, " · ")
}

// empty is what stands in a list without rows.
func (s *Sheet) empty(width, n int) []string {
	words := s.emptyWords()
	if n > len(words) {
		words = append([]string{""}, words...)
	}
	lines := make([]string, n)
	for i := range lines {
		text := ""
		if i < len(words) && words[i] != "" {
			text = "   " + words[i]
		}
		lines[i] = cells.Fill(s.th.Widths, text, width, s.th.Signs.Ellipsis)
	}
	return lines
}

// foot is the row of hints, or the name that is being typed.
func (s *Sheet) foot(width, height int) string {
	m := s.th.Widths
	if s.ask == renaming {
		lead := " new title: "
		if cells.Width(m, lead)+10 > width {
			lead = " "
		}
		s.name.SetWidth(max(width-cells.Width(m, lead)-1, 1))
		row, col := s.name.Cell()
		s.cursor.x, s.cursor.y = min(cells.Width(m, lead)+col, width-1), height-1
		return cells.Fill(m, s.th.Accent.Render(lead)+s.name.Draw(row, s.th.Signs.Ellipsis, nil, nil), width, s.th.Signs.Ellipsis)
	}
	return cells.Fill(m, s.hints(width), width, "")
}

// Cursor is the cell in the last Lines where the terminal's cursor stands.
func (s *Sheet) Cursor() (x, y int) { return s.cursor.x, s.cursor.y }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}

func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
