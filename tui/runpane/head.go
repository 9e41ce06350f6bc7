package runpane

import (
	"strconv"
	"strings"
	"time"

	"conch/allchat"
	"conch/allchat/record"
	"conch/plain"
	"conch/tui/cells"
)

// Widths from which on more is said.
const (
	modelCols = 100 // the model beside its provider
	canCols   = 70  // what a program can do
	timeCols  = 70  // the time of a row
)

// Head draws what the run is and a row for each participant. short leaves the
// participants at one line.
func (p *Pane) Head(width int, at time.Time, short bool) []string {
	lines := []string{p.name(width)}
	if short {
		return append(lines, p.brief(width))
	}
	engine, role := 0, 0
	for _, each := range p.run.Participants {
		engine = max(engine, cells.Width(p.th.Widths, p.engine(each, width)))
		role = max(role, len(each.Role))
	}
	engine = min(engine, max(width/4, 10))
	for i := range p.run.Participants {
		lines = append(lines, p.playerRow(i, width, role, engine, at))
	}
	return lines
}

// name is the first line: which run it is and how it stands.
func (p *Pane) name(width int) string {
	th, r := p.th, p.run
	title := r.Title()
	if title == "" {
		title = "nothing was said yet"
	}
	id := r.Run
	if len(id) > 8 {
		id = id[:8] + th.Signs.Ellipsis
	}
	left := " " + th.Muted.Render("run "+id+" "+th.Signs.Dot+" ") + th.Strong.Render(title)
	word := p.State()
	look := th.Muted
	switch {
	case word == "waiting for you":
		look = th.Attention
	case r.Problem != "" || r.State.End == record.KindRunFailed:
		look = th.Error
	}
	dot := " " + th.Signs.Dot + " "
	right := look.Render(word) + th.Muted.Render(dot+"generation "+strconv.FormatInt(r.State.Gen(), 10)+dot+strconv.FormatInt(r.State.Turns, 10)+" of "+strconv.Itoa(record.MaxTurns)+" turns")
	least := min(width/3, 24)
	if cells.Width(th.Widths, right)+least+2 > width {
		right = look.Render(word) + th.Muted.Render(dot+"gen "+strconv.FormatInt(r.State.Gen(), 10))
	}
	if cells.Width(th.Widths, right)+8 > width {
		right = look.Render(word)
	}
	return cells.Sides(th.Widths, left, right+" ", width, 1, th.Signs.Ellipsis)
}

// brief is one line for all participants.
func (p *Pane) brief(width int) string {
	var parts []string
	for i, each := range p.run.Participants {
		sign, words, _ := p.stands(each, time.Time{})
		first, _, _ := strings.Cut(words, " "+p.th.Signs.Dot)
		parts = append(parts, p.number(i)+" "+string(each.Role)+" "+sign+" "+first)
	}
	return cells.Cut(p.th.Widths, " "+strings.Join(parts, "  "), width, p.th.Signs.Ellipsis)
}

func (p *Pane) number(i int) string {
	n := strconv.Itoa(i + 1)
	if p.focus != Nothing {
		n = p.th.Accent.Render(n)
	}
	return n
}

func (p *Pane) engine(each allchat.Participant, width int) string {
	words := plain.Line(each.Engine, 40)
	if each.Model != "" && width >= modelCols {
		words += " " + plain.Line(each.Model, 40)
	}
	return words
}

// playerRow is one participant: its number, role, provider, how it stands and what its
// program said that it can.
func (p *Pane) playerRow(i, width, role, engine int, at time.Time) string {
	th, each := p.th, p.run.Participants[i]
	lead := " "
	if i == p.player && p.focus == Players {
		lead = th.Accent.Render(th.Signs.Cursor)
	}
	mark := " "
	if p.only == each.ID {
		mark = th.Accent.Render(th.Signs.News) // its rows alone are shown
	}
	left := lead + p.number(i) + mark + cells.Fill(th.Widths, string(each.Role), role, "") + "  "
	left += th.Strong.Render(cells.Fill(th.Widths, p.engine(each, width), engine, th.Signs.Ellipsis)) + "  "
	sign, words, look := p.stands(each, at)
	left += look(sign + " " + words)
	right := ""
	if width >= canCols {
		right = p.abilities(each)
	}
	least := min(width*3/5, cells.Width(th.Widths, left))
	return cells.Sides(th.Widths, left, th.Muted.Render(right)+" ", width, least, th.Signs.Ellipsis)
}

// abilities are what a program advertised, and nothing else.
func (p *Pane) abilities(each allchat.Participant) string {
	member := p.run.State.Member(each.ID)
	if member == nil || member.Since == 0 {
		return ""
	}
	if words := can(member.Session.Capabilities); len(words) > 0 {
		return strings.Join(words, ", ")
	}
	return "nothing more"
}

// stands says how a participant is: a sign, words, and how they are drawn.
func (p *Pane) stands(each allchat.Participant, at time.Time) (sign, words string, look func(...string) string) {
	th, s := p.th, p.run.State
	dot := " " + th.Signs.Dot + " "
	muted := func(words ...string) string { return th.Muted.Render(words...) }
	again := ""
	switch each.Carried {
	case allchat.CarriedLoaded:
		again = dot + "opened again"
	case allchat.CarriedTold, allchat.CarriedNew:
		again = dot + "told again"
	}
	for _, c := range p.run.Cards {
		if c.Participant == each.ID {
			return th.Signs.Waiting, "waits for you" + again, th.Attention.Render
		}
	}
	if each.ID == record.Coordinator && len(p.run.Questions) > 0 {
		return th.Signs.Waiting, "asks you" + again, th.Attention.Render
	}
	switch {
	case each.Working:
		words = plain.Line(each.Step, 80)
		if words == "" {
			words = "working"
		}
		if each.Task != "" {
			words = each.Task + ": " + words
		}
		if since := lasted(at.Sub(each.Since)); since != "" && !p.o.Still && !at.IsZero() {
			words += dot + since
		}
		if each.Queued > 0 {
			words += dot + count(each.Queued, "task", "tasks") + " more"
		}
		return th.Signs.Running, words + again, muted
	case each.Out != "":
		return th.Signs.Failed, "out: " + plain.Line(each.Out, 120), th.Error.Render
	case each.Problem != "":
		return th.Signs.Failed, plain.Line(each.Problem, 120), th.Error.Render
	}
	done, failed := 0, 0
	for _, t := range s.Tasks {
		switch {
		case t.To != each.ID:
		case t.Status == record.TaskDone:
			done++
		case t.Status == record.TaskBroken:
			failed++
		}
	}
	switch member := s.Member(each.ID); {
	case s.End != "":
		words = "over"
	case p.run.View, member != nil && !member.Ready:
		words = "not connected"
	default:
		words = "idle"
	}
	sign = th.Signs.Waiting
	if done > 0 {
		sign, words = th.Signs.Done, count(done, "task", "tasks")+dot+words
	}
	if failed > 0 {
		words += dot + strconv.Itoa(failed) + " failed"
	}
	return sign, words + again, muted
}
