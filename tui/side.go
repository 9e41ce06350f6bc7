package tui

import (
	"strconv"
	"strings"
	"time"

	"charm.land/bubbletea/v2"

	"conch/engine"
	"conch/plain"
	"conch/tui/cells"
	"conch/tui/keys"
)

// side is the pane of the newest turn: its plan, its steps, the files that it
// changed, what the provider says of its context. It follows the step that runs
// until the person moves in it.
type side struct {
	chosen int // among the steps; -1 follows
	had    bool
	rows   []int // the step on each line of the last drawing, -1 for none
}

// upright is the rule between two panes.
func (m *model) upright() string {
	if m.d.Options.ASCII {
		return "|"
	}
	return "│"
}

// sided reports that there is something for the pane; it stays once there was.
func (r *room) sided() bool {
	if !r.side.had {
		got := r.items.Steps()
		_, used := contextUse(r.status.Usage)
		r.side.had = used || len(r.status.Limits) > 0 || len(got.Plan)+len(got.Steps)+len(got.Files) > 0
	}
	return r.side.had
}

func (s *side) start(r *room) { s.chosen = max(len(r.items.Steps().Steps)-1, 0) }

// toggleSide opens and closes the pane: beside the chat where it is wide enough,
// else in the chat's place.
func (m *model) toggleSide() {
	r := m.room
	if m.w >= wideCols {
		m.sideOn = false
		m.sideOff = !m.sideOff
		if m.sideOff && r.focus == onSide {
			m.focusOn(r, onPrompt)
		}
		return
	}
	m.sideOn = !m.sideOn
	if m.sideOn {
		m.focusOn(r, onSide)
		r.side.start(r)
	} else if r.focus == onSide {
		m.focusOn(r, onPrompt)
	}
}

func (m *model) sideKey(a keys.Action, found bool, k tea.KeyPressMsg) {
	r := m.room
	steps := r.items.Steps().Steps
	switch k.Keystroke() {
	case "up", "k":
		r.side.chosen = max(r.side.chosen-1, 0)
	case "down", "j":
		r.side.chosen = max(min(r.side.chosen+1, len(steps)-1), 0)
	case "enter", "space":
		m.goToStep(r)
	default:
		if a == keys.ItemLeave {
			m.sideOn = false
			m.focusOn(r, onPrompt)
			return
		}
		if found {
			m.act(a, k)
		}
	}
}

// goToStep shows the chosen step in the chat.
func (m *model) goToStep(r *room) {
	steps := r.items.Steps().Steps
	if r.side.chosen < 0 || r.side.chosen >= len(steps) {
		return
	}
	m.sideOn = false
	m.focusOn(r, onChat)
	if !r.items.GoTo(steps[r.side.chosen].ToolUseID) {
		m.say("that step is further up than what is loaded", false)
	}
}

func (s *side) click(m *model, y int) {
	if y >= 0 && y < len(s.rows) && s.rows[y] >= 0 {
		s.chosen = s.rows[y]
		m.goToStep(m.room)
	}
}

// lines draws the pane: exactly height lines of at most width cells.
func (s *side) lines(m *model, r *room, width, height int, beside bool) []string {
	th := m.th
	lead := ""
	if !beside {
		lead = "  "
		width = max(width-4, 1)
	}
	cut := func(words string) string { return cells.Cut(th.Widths, words, max(width, 0), th.Signs.Ellipsis) }
	got := r.items.Steps()
	var plan, steps, rest []string
	for _, p := range got.Plan {
		mark, words := th.Signs.Waiting, plain.Line(p.Title, 200)
		switch p.Status {
		case "done":
			mark = th.Signs.Done
		case "active":
			mark = th.Accent.Render(th.Signs.Next)
		}
		plan = append(plan, cut(mark+" "+words))
	}
	for i, st := range got.Steps {
		row := r.items.StepLine(st, max(width-2, 0))
		if r.focus == onSide && i == s.chosen {
			row = th.Accent.Render(th.Signs.Cursor) + " " + row
		} else {
			row = "  " + row
		}
		steps = append(steps, row)
	}
	for _, f := range got.Files {
		counts := th.Added.Render("+"+strconv.Itoa(f.Added)) + " " + th.Removed.Render(th.Signs.Minus+strconv.Itoa(f.Removed))
		room := max(width-cells.Width(th.Widths, counts)-1, 1)
		rest = append(rest, cut(cells.Fill(th.Widths, cells.CutPath(th.Widths, plain.Line(f.Path, 400), room, th.Signs.Ellipsis), room, "")+" "+counts))
	}
	var lines []string
	s.rows = nil
	add := func(title string, rows []string, first int) {
		if len(rows) == 0 {
			return
		}
		if len(lines) > 0 {
			lines, s.rows = append(lines, ""), append(s.rows, -1)
		}
		lines, s.rows = append(lines, th.Muted.Render(cut(title))), append(s.rows, -1)
		for i, row := range rows {
			lines = append(lines, row)
			if first >= 0 {
				s.rows = append(s.rows, first+i)
			} else {
				s.rows = append(s.rows, -1)
			}
		}
	}
	use, limits := usageLines(m, r, cut), limitLines(m, r, cut)
	add("plan", plan, -1)
	// The steps get what is left; the newest, or the chosen one, are in sight.
	room := height - len(lines) - 2
	for _, part := range [][]string{rest, use, limits} {
		if len(part) > 0 {
			room -= len(part) + 2
		}
	}
	from := 0
	if room = max(room, 3); len(steps) > room {
		from = len(steps) - room
		if r.focus == onSide {
			from = max(min(s.chosen-room/2, from), 0)
		}
		steps = steps[from:min(from+room, len(steps))]
	}
	title := "steps"
	if from > 0 {
		title = "steps · " + number(from) + " above"
	}
	add(title, steps, from)
	add("files changed", rest, -1)
	add("context", use, -1)
	add("limits", limits, -1)
	if len(lines) == 0 {
		lines = []string{th.Muted.Render(cut("no steps in this turn yet"))}
	}
	out := make([]string, height)
	for i := range min(height, len(lines)) {
		out[i] = strings.TrimRight(lead+lines[i], " ")
	}
	return out
}

// usageLines are the figures that the provider sent, and when.
func usageLines(m *model, r *room, cut func(string) string) []string {
	u := r.status.Usage
	var out []string
	if pct, ok := contextUse(u); ok {
		out = append(out, cut(strconv.Itoa(pct)+"% of "+number(int(*u.ContextSize))))
	}
	tokens := func(n *int64, what string) {
		if n != nil {
			out = append(out, cut(number(int(*n))+" "+what))
		}
	}
	tokens(u.InputTokens, "tokens in")
	tokens(u.CachedTokens, "of them cached")
	tokens(u.OutputTokens, "tokens out")
	if u.Cost != nil {
		out = append(out, cut(strconv.FormatFloat(*u.Cost, 'f', 2, 64)+" "+plain.Line(u.Currency, 8)))
	}
	if len(out) > 0 && !r.status.UsageAt.IsZero() {
		out = append(out, m.th.Muted.Render(cut("as "+plain.Line(r.answering(), 20)+" said at "+r.status.UsageAt.In(m.zone).Format("15:04"))))
	}
	return out
}

// limitLines are what is used up of the provider's limits, as it said last.
func limitLines(m *model, r *room, cut func(string) string) []string {
	var out []string
	for _, w := range r.status.Limits {
		words := plain.Line(w.Name, 30) + "  " + strconv.Itoa(int(w.UsedPercent+0.5)) + " %"
		if w.ResetsAt > m.at.UnixMilli() {
			words += " until " + m.when(time.UnixMilli(w.ResetsAt))
		}
		if w.UsedPercent >= nearLimit {
			words = m.th.Attention.Render(cut(words))
		}
		out = append(out, cut(words))
	}
	if len(out) > 0 && !r.status.LimitsAt.IsZero() {
		out = append(out, m.th.Muted.Render(cut("as "+plain.Line(r.status.Provider, 20)+" said at "+r.status.LimitsAt.In(m.zone).Format("15:04"))))
	}
	return out
}

// nearLimit is from how many percent of a limit on it stands in the header.
const nearLimit = 80

// nearest is the limit that is used up most, in a few words, where that is close.
func nearest(windows []engine.Window) string {
	words, most := "", float64(nearLimit)
	for _, w := range windows {
		if w.UsedPercent >= most {
			words, most = plain.Line(w.Name, 20)+" "+strconv.Itoa(int(w.UsedPercent+0.5))+" %", w.UsedPercent
		}
	}
	return words
}

// when is a time to come: of today without its day.
func (m *model) when(at time.Time) string {
	at, now := at.In(m.zone), m.at.In(m.zone)
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("Mon 15:04")
}
