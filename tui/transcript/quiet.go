package transcript

import (
	"strconv"
	"strings"

	"conch/chats"
	"conch/engine"
	"conch/plain"
)

// notice is a quiet line.
type notice struct {
	text string
	mode bool // of the chat's mode
}

func (n *notice) kind() Kind     { return KindNotice }
func (n *notice) source() string { return n.text }

func (n *notice) draw(c *canvas) ([]string, int) {
	return c.quiet(c.th.Signs.Dot+" ", n.text), -1
}

// quiet draws a muted sentence behind a mark.
func (c *canvas) quiet(mark, s string) []string {
	if c.plain {
		return c.wrap(plain.Line(s, 1000), c.width)
	}
	indent := c.cells(mark)
	rows := c.wrap(plain.Line(s, 1000), max(c.width-indent, 1))
	for i, row := range rows {
		rows[i] = c.cut(c.muted(mark+row), c.width)
		mark = strings.Repeat(" ", indent)
	}
	return rows
}

func (t *Transcript) notice(e chats.Event, s string) {
	t.add(e, &notice{text: s}).done = true
}

// divider tells two parts of a chat apart.
type divider struct{ text string }

func (d *divider) kind() Kind     { return KindDivider }
func (d *divider) source() string { return d.text }

func (d *divider) draw(c *canvas) ([]string, int) {
	s := plain.Line(d.text, 300)
	if c.plain {
		return c.wrap(s, c.width), -1
	}
	// What doesn't fit goes part by part: the hint first.
	rule := strings.Repeat(c.th.Signs.Rule, 2)
	dot := " " + c.th.Signs.Dot + " "
	for c.cells(s)+6 > c.width {
		i := strings.LastIndex(s, dot)
		if i < 0 {
			break
		}
		s = s[:i]
	}
	return []string{c.muted(c.cut(rule+" "+s+" "+rule, c.width))}, -1
}

// answers notes who answers, and says so when it is another than before.
func (t *Transcript) answers(e chats.Event, engine string) {
	tu := t.book.turn
	said := tu != nil && tu.id == e.Turn && tu.divider
	if t.book.engine != "" && engine != t.book.engine && engine != "" && !said {
		t.add(e, &divider{text: engine + " answers from here"}).done = true
	}
	if engine != "" {
		t.book.engine = engine
	}
}

func (t *Transcript) handoff(e chats.Event, b chats.Handoff) {
	s := orSomeone(b.Engine) + " answers from here"
	if b.Engine == t.book.engine {
		s = orSomeone(b.Engine) + " carries on"
	}
	if b.Messages > 0 || b.Steps > 0 {
		dot := " " + t.th.Signs.Dot + " "
		s += dot + "handed over " + count(b.Messages, "message")
		if b.Steps > 0 {
			s += " and " + count(b.Steps, "step")
		}
		s += dot + "/handoff shows it"
	}
	t.add(e, &divider{text: s}).done = true
	t.book.engine = b.Engine
	if tu := t.book.turn; tu != nil && tu.id == e.Turn {
		tu.divider = true
	}
}

// options says when the mode of a chat changes, and the agent's own; the rest is
// in the header. What stood before the loaded part is not known and not told.
func (t *Transcript) options(e chats.Event, b chats.Options) {
	k := &t.book
	if k.mode != "" && b.Mode != "" && k.mode != b.Mode {
		t.modeIs(e, "the mode is "+b.Mode+" from here")
	}
	switch same := b.Engine == k.chosen; {
	case k.mode == "":
	case b.NativeMode != "" && (!same || b.NativeMode != k.native):
		t.notice(e, orSomeone(b.Engine)+"'s own mode is "+b.NativeMode+" from here")
	case b.NativeMode == "" && same && k.native != "":
		t.notice(e, orSomeone(b.Engine)+"'s own mode is the usual one again")
	}
	if b.Mode != "" {
		k.mode = b.Mode
	}
	k.chosen, k.native = b.Engine, b.NativeMode
}

// modeIs says the mode. On the way through the modes to one of them only that one
// is worth a line; read aloud, each was heard already.
func (t *Transcript) modeIs(e chats.Event, s string) {
	at := len(t.items) - 1
	if at >= 0 && !t.o.Plain {
		if n, ok := t.items[at].body.(*notice); ok && n.mode {
			n.text = s
			t.items[at].changed()
			t.touched(at)
			return
		}
	}
	t.add(e, &notice{text: s, mode: true}).done = true
}

// turnEnd is how a turn ended, when that needs words.
type turnEnd struct {
	chats.TurnCompleted
	ms   int64
	said bool // the assistant said something in it
}

func (x *turnEnd) kind() Kind { return KindEnd }

func (x *turnEnd) shows() bool { return x.Outcome != "success" || x.Paused || x.Error != "" }

func (x *turnEnd) folds() bool { return strings.TrimSpace(x.Detail) != "" }

func (x *turnEnd) source() string {
	return strings.TrimSpace(strings.Join([]string{x.words(), x.next(), x.Detail}, "\n"))
}

// next is the one next step.
func (x *turnEnd) next() string {
	switch {
	case x.SignIn && x.Problem == string(engine.SignedOut):
		return strings.TrimSpace("/sign-in " + x.Engine)
	case x.Next == "" && x.Paused:
		return "/continue carries on"
	}
	return x.Next
}

func (x *turnEnd) words() string {
	switch {
	case x.Error != "":
		return x.Error
	case x.Outcome == "interrupted" && x.ms >= 1000:
		return "stopped after " + span(x.ms)
	case x.Outcome == "interrupted":
		return "stopped"
	case x.Paused && x.Pause != nil && x.Pause.Message != "":
		return "paused after " + x.Pause.Message
	case x.Paused:
		return "paused"
	}
	return orSomeone(x.Engine) + " failed"
}

func (x *turnEnd) draw(c *canvas) ([]string, int) {
	g := c.th.Signs
	words := plain.Line(x.words(), 1000)
	sign := c.inks.error.paint(g.Failed)
	switch {
	case x.Outcome == "interrupted":
		sign = c.muted(g.NotRun)
		if x.Error == "" && x.said {
			words += " " + g.Dot + " what it had said stays"
		}
		words = c.muted(words)
	case x.Outcome == "success":
		sign = c.inks.attention.paint(g.Waiting)
	}
	lines := x.sentence(c, sign, words, plain.Line(x.next(), 400))
	if !x.folds() {
		return lines, -1
	}
	fold := len(lines)
	lines = append(lines, c.indented(c.muted(c.folder("what it said last")), 2))
	if c.open || c.plain {
		detail := strings.ReplaceAll(strings.TrimRight(plain.Text(x.Detail), "\n"), "\t", "    ")
		for _, row := range c.wrap(detail, max(c.width-4, 1)) {
			lines = append(lines, c.indented(c.muted(row), 4))
		}
	}
	return lines, fold
}

// sentence draws what happened and the next step: on one line when they fit.
func (x *turnEnd) sentence(c *canvas, sign, words, next string) []string {
	arrow := c.inks.accent.paint(c.th.Signs.Next)
	if c.plain {
		lines := c.wrap("turn ended: "+plain.Line(x.words(), 1000), c.width)
		if next != "" {
			lines = append(lines, c.wrap("next: "+next, c.width)...)
		}
		return lines
	}
	if next != "" && 2+c.cells(words)+4+c.cells(next) <= c.width {
		return []string{sign + " " + words + "  " + arrow + " " + next}
	}
	lines := c.behind(sign, words)
	if next != "" {
		lines = append(lines, c.behind(arrow, next)...)
	}
	return lines
}

// behind wraps words behind a sign of one cell.
func (c *canvas) behind(sign, words string) []string {
	rows := c.wrap(words, max(c.width-2, 1))
	for i, row := range rows {
		if i == 0 {
			rows[i] = c.cut(sign+" "+row, c.width)
		} else {
			rows[i] = c.indented(row, 2)
		}
	}
	return rows
}

// plan is the plan of a turn. It stays at the end of the turn.
type plan struct{ steps []chats.PlanStep }

func (p *plan) kind() Kind  { return KindPlan }
func (p *plan) folds() bool { return len(p.steps) > 1 }

func (p *plan) source() string {
	var b strings.Builder
	for _, s := range p.steps {
		box := "[ ] "
		if s.Status == "done" {
			box = "[x] "
		}
		b.WriteString("- " + box + s.Title + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func (p *plan) draw(c *canvas) ([]string, int) {
	if c.plain || c.open {
		lines := []string{c.muted(c.cut("plan", c.width))}
		for _, s := range p.steps {
			title := plain.Line(s.Title, 400)
			if c.plain {
				lines = append(lines, c.wrap(planWord(s.Status)+": "+title, c.width)...)
				continue
			}
			lines = append(lines, c.behind(c.planSign(s.Status), title)...)
		}
		return lines, 0
	}
	return []string{p.line(c)}, 0
}

// line is the plan in one line. When it is too long the steps that are done
// become a number, and what is far ahead is cut.
func (p *plan) line(c *canvas) string {
	done := 0
	for done < len(p.steps) && p.steps[done].Status == "done" {
		done++
	}
	whole := c.muted("plan")
	for _, s := range p.steps {
		whole += "  " + c.planSign(s.Status) + " " + plain.Line(s.Title, 80)
	}
	if c.cells(whole) <= c.width {
		return whole
	}
	short := c.muted("plan")
	if done > 0 {
		short += "  " + c.planSign("done") + " " + strconv.Itoa(done) + " of " + strconv.Itoa(len(p.steps))
	}
	for _, s := range p.steps[done:] {
		short += "  " + c.planSign(s.Status) + " " + plain.Line(s.Title, 80)
	}
	return c.cut(short, c.width)
}

func (c *canvas) planSign(status string) string {
	switch status {
	case "done":
		return c.inks.added.paint(c.th.Signs.Done)
	case "active":
		return c.inks.accent.paint(c.th.Signs.Next)
	}
	return c.muted(c.th.Signs.Waiting)
}

func planWord(status string) string {
	switch status {
	case "done":
		return "done"
	case "active":
		return "now"
	}
	return "to do"
}

func (t *Transcript) plan(e chats.Event, b chats.Plan) {
	tu := t.book.turn
	if tu != nil && tu.id == e.Turn && tu.plan != nil {
		tu.plan.body = &plan{steps: b.Steps}
		t.update(tu.plan)
		return
	}
	if len(b.Steps) == 0 {
		return
	}
	it := t.add(e, &plan{steps: b.Steps})
	if tu != nil && tu.id == e.Turn {
		tu.plan = it
	} else {
		it.done = true
	}
}

// shell is a command that the person ran.
type shell struct{ chats.Shell }

const shellTail = 10 // lines of a folded output

func (s *shell) kind() Kind     { return KindShell }
func (s *shell) source() string { return strings.TrimRight("! "+s.Command+"\n"+s.Output, "\n") }
func (s *shell) folds() bool    { return strings.Count(strings.TrimSpace(s.Output), "\n") >= shellTail }

func (s *shell) draw(c *canvas) ([]string, int) {
	var facts []string
	if s.ExitCode != 0 {
		facts = append(facts, "exit "+strconv.Itoa(s.ExitCode))
	}
	if d := took(s.DurationMs); d != "" {
		facts = append(facts, d)
	}
	if s.Offered {
		facts = append(facts, "goes with the next message")
	}
	said := strings.Join(facts, "  ")
	command := plain.Line(s.Command, 2000)
	fold := -1
	var lines []string
	switch w := c.cells(said); {
	case c.plain:
		words := "you ran: " + command
		if said != "" {
			words += ", " + strings.Join(facts, ", ")
		}
		lines = c.wrap(words, c.width)
	case said != "" && w+14 <= c.width:
		left := c.cut("! "+command, c.width-w-2)
		lines = []string{left + strings.Repeat(" ", c.width-w-c.cells(left)) + c.muted(said)}
	default:
		lines = []string{c.cut("! "+command, c.width)}
	}
	out := strings.TrimRight(plain.Text(s.Output), "\n ")
	if strings.TrimSpace(out) == "" {
		return lines, fold
	}
	rows := strings.Split(strings.ReplaceAll(out, "\t", "    "), "\n")
	limit := maxShown
	if !c.open {
		limit = shellTail
	}
	if len(rows) > limit {
		fold = len(lines)
		lines = append(lines, c.cut(c.muted(c.folder(count(len(rows)-limit, "line")+" before")), c.width))
		rows = rows[len(rows)-limit:]
	} else if s.folds() {
		fold = 0
	}
	for _, row := range rows {
		for _, r := range c.wrap(row, c.width) {
			lines = append(lines, c.muted(r))
		}
	}
	return lines, fold
}
