package transcript

import (
	"encoding/json"
	"strconv"
	"strings"

	"conch/chats"
	"conch/engine"
	"conch/plain"
	"conch/tui/cells"
	"conch/tui/markdown"
)

const (
	nameColumn  = 6        // names are padded to it
	openDiff    = 12       // a longer diff is folded
	maxDiff     = 400      // lines of an opened one
	maxOutput   = 64 << 10 // bytes of output that are kept
	maxShown    = 300      // lines of it
	runningTail = 10       // lines of it while the step runs
	splitFrom   = 120      // cells from which a diff is side by side
)

// step is something an agent does.
type step struct {
	id, name, subject string
	toolKind          string
	at, ms            int64
	state             State
	output            string
	raw               json.RawMessage // engine.View, until it is looked at
	view              engine.View
	reason            string // why it was not run
	allowed           string // how the person let it run
	offered           []chats.PermissionOption
	facts             *facts   // from view, once looked at
	chats             []string // that a search of Conch's own found
}

// facts are what a row says of its view.
type facts struct {
	result         string
	added, removed int
	files          int
	changes        []SideFile
	exit           int
	path           string
	line           int
}

func (s *step) kind() Kind { return KindStep }

func (s *step) setView(view json.RawMessage) {
	if len(view) > 0 && string(view) != "null" {
		s.raw, s.view, s.facts = view, engine.View{}, nil
	}
}

func (s *step) setOutput(out string) {
	if out == "" {
		return
	}
	if len(out) > maxOutput {
		out = strings.ToValidUTF8(out[len(out)-maxOutput:], "")
	}
	s.output = out
}

// looked decodes the view, once. A view that can't be read shows nothing. Of a
// changed file only what is around the change is kept: a day's work would fill
// the memory with files.
func (s *step) looked() engine.View {
	if len(s.raw) > 0 {
		var v engine.View
		if json.Unmarshal(s.raw, &v) == nil {
			for i, d := range v.Diffs {
				v.Diffs[i].Old, v.Diffs[i].New, v.Diffs[i].Line = markdown.Around(d.Old, d.New, d.Line)
			}
			s.view = v
		}
		s.raw = nil
	}
	return s.view
}

func (s *step) known() *facts {
	if s.facts != nil {
		return s.facts
	}
	v := s.looked()
	f := &facts{result: plain.Line(v.Result, 60)}
	for _, d := range v.Diffs {
		f.count(d.Path, d.Old, d.New)
	}
	if v.ExitCode != nil {
		f.exit = *v.ExitCode
	}
	switch {
	case len(v.Diffs) > 0:
		f.path, f.line = v.Diffs[0].Path, v.Diffs[0].Line
	case len(v.Locations) > 0:
		f.path, f.line = location(v.Locations[0])
	case s.toolKind == string(engine.KindRead) || s.toolKind == string(engine.KindEdit):
		f.path, f.line = location(s.subject)
	}
	s.facts = f
	return f
}

// location splits path:line.
func location(s string) (path string, line int) {
	if i := strings.LastIndexByte(s, ':'); i > 0 {
		if n, err := strconv.Atoi(s[i+1:]); err == nil && n > 0 {
			return s[:i], n
		}
	}
	return s, 0
}

// shown is the output as a person reads it.
func (s *step) shown() string {
	if len(s.chats) > 0 {
		return strings.Join(s.chats, "\n")
	}
	return s.output
}

func (s *step) folds() bool {
	return s.state != NotRun && (s.known().files > 0 || strings.TrimSpace(s.shown()) != "")
}

// abandon closes a step whose end never came.
func (s *step) abandon() {
	if s.state == Waiting {
		s.state = NotRun
		if s.reason == "" {
			s.reason = "the turn ended first"
		}
		return
	}
	s.state = Unknown
	s.reason = "its end was not reported"
}

func (s *step) source() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(s.name + " " + s.subject))
	for _, d := range s.looked().Diffs {
		b.WriteString("\n" + markdown.Patch(d.Path, d.Old, d.New))
	}
	if s.output != "" {
		b.WriteString("\n" + s.output)
	}
	return b.String()
}

func (s *step) draw(c *canvas) ([]string, int) {
	lines := s.row(c)
	if s.state == NotRun {
		return lines, -1
	}
	fold := -1
	if s.folds() {
		fold = 0
	}
	switch {
	case s.known().files > 0:
		fold = len(lines)
		lines = append(lines, s.diffs(c)...)
	case c.open:
		lines = append(lines, s.outputLines(c)...)
	}
	return lines, fold
}

// row is the step in one line: sign, name, subject, and at the right what it
// gave and how long it took. A reason in words may take lines of its own.
func (s *step) row(c *canvas) []string {
	sign := c.sign(s.state)
	name := plain.Line(s.name, 40)
	if name == "" {
		name = "step"
	}
	subject := plain.Line(s.subject, 400)
	if c.plain {
		return c.wrap(s.said(c, name, subject), c.width)
	}
	if n := c.cells(name); n < nameColumn {
		name += cells.Blank(nameColumn - n)
	}
	note := s.note()
	right := s.right(c)
	head := sign + " " + name + " "
	used := 2 + c.cells(name) + 1
	room := c.width - used
	if room < 4 {
		return []string{c.cut(head+subject, c.width)}
	}
	if note != "" {
		note = " " + c.th.Signs.Dot + " " + note
	}
	noted := c.cells(note)
	if noted > room*2/3 { // a reason that is long has lines of its own
		rows := []string{strings.TrimRight(head+c.subject(subject, room), " ")}
		for _, row := range c.wrap(s.note(), max(c.width-4, 1)) {
			rows = append(rows, c.indented(c.muted(row), 4))
		}
		return rows
	}
	for len(right) > 0 {
		facts, w := joined(c, right)
		if free := room - noted - w - 2; min(c.cells(subject), 12) <= free {
			left := c.subject(subject, free)
			gap := free - c.cells(left) + 2
			return []string{head + left + c.muted(note) + cells.Blank(gap) + facts}
		}
		right = right[:len(right)-1] // the time goes first, then what it gave
	}
	return []string{strings.TrimRight(head+c.subject(subject, room-noted)+c.muted(note), " ")}
}

// fact is a piece of a row's right side.
type fact struct{ text, drawn string }

func joined(c *canvas, facts []fact) (string, int) {
	var b strings.Builder
	w := 0
	for i, f := range facts {
		if i > 0 {
			b.WriteString("  ")
			w += 2
		}
		b.WriteString(f.drawn)
		w += c.cells(f.text)
	}
	return b.String(), w
}

// right is what a row has at its right edge, the more important first.
func (s *step) right(c *canvas) []fact {
	var facts []fact
	say := func(text string, paintIt func(string) string) {
		if text != "" {
			facts = append(facts, fact{text, paintIt(text)})
		}
	}
	k := s.known()
	failed := func(t string) string { return c.inks.error.paint(t) }
	switch {
	case s.state == Waiting:
		say("waits for you", func(t string) string { return c.inks.attention.paint(t) })
		return facts
	case s.state == Failed && k.exit != 0:
		say("exit "+strconv.Itoa(k.exit), failed)
	case s.state == Failed && k.result == "":
		say("failed", failed)
	case s.state == Failed:
		say(k.result, failed)
	case k.result != "":
		say(k.result, c.muted)
	case k.files > 0:
		plus, minus := "+"+group(k.added), c.th.Signs.Minus+group(k.removed)
		facts = append(facts, fact{plus + " " + minus, c.inks.added.paint(plus) + " " + c.inks.removed.paint(minus)})
	}
	say(took(s.elapsed(c.now, c.still)), c.muted)
	return facts
}

// elapsed is how long a step took or has been running.
func (s *step) elapsed(now int64, still bool) int64 {
	switch {
	case s.state != Running:
		return s.ms
	case still || s.at == 0:
		return 0
	}
	return now - s.at
}

// note is what stands behind the subject in words.
func (s *step) note() string {
	switch {
	case s.state == NotRun && s.reason == "":
		return "not run"
	case s.state == NotRun:
		return "not run, " + sentence(s.reason)
	case s.state == Unknown && s.reason != "":
		return sentence(s.reason)
	case s.state == Unknown:
		return "how it ended is not known"
	}
	return s.allowed
}

// sentence is a reason as it stands in a row: without a full stop.
func sentence(s string) string { return strings.TrimSuffix(plain.Line(s, 300), ".") }

// said is the row for a screen reader.
func (s *step) said(c *canvas, name, subject string) string {
	parts := []string{strings.TrimSpace(stateWord(s.state) + ": " + name + " " + subject)}
	for _, f := range s.right(c) {
		if s.state != Waiting && s.state != NotRun {
			parts = append(parts, f.text)
		}
	}
	n := s.note()
	if s.state == NotRun { // the row begins with it
		n = strings.TrimPrefix(strings.TrimPrefix(n, "not run"), ", ")
	}
	if n != "" {
		parts = append(parts, n)
	}
	return strings.Join(parts, ", ")
}

func stateWord(s State) string {
	switch s {
	case Running:
		return "running"
	case Waiting:
		return "waits for you"
	case Done:
		return "done"
	case Failed:
		return "failed"
	case NotRun:
		return "not run"
	}
	return "unknown"
}

// subject cuts a subject: a path in its middle, a command at its end.
func (c *canvas) subject(s string, width int) string {
	if strings.ContainsRune(s, '/') && !strings.ContainsRune(s, ' ') {
		return cells.CutPath(c.m, s, width, c.th.Signs.Ellipsis)
	}
	return c.cut(s, width)
}

func (c *canvas) sign(s State) string {
	g := c.th.Signs
	switch s {
	case Running:
		return c.inks.accent.paint(g.Running)
	case Waiting:
		return c.inks.attention.paint(g.Waiting)
	case Done:
		return c.inks.added.paint(g.Done)
	case Failed:
		return c.inks.error.paint(g.Failed)
	case NotRun:
		return c.muted(g.NotRun)
	}
	return c.muted(g.Unknown)
}

// opens: a short change is open from the start, a long one folded. While the
// step waits for the person, the card shows the change.
func (s *step) opens() bool {
	k := s.known()
	return s.state != Waiting && k.files == 1 && k.added+k.removed <= openDiff
}

// diffs draws the changes of a step. Its first line bears the fold sign.
func (s *step) diffs(c *canvas) []string {
	v := s.looked()
	k := s.known()
	if !c.open {
		n := count(k.added+k.removed, "changed line")
		if k.files > 1 {
			n += " in " + count(k.files, "file")
		}
		return []string{c.indented(c.muted(c.folder(n)), 2)}
	}
	var lines []string
	split := c.wide >= splitFrom-margin-1
	width := c.width
	if split {
		width = c.wide
	}
	const indent = 3
	for _, d := range v.Diffs {
		if len(v.Diffs) > 1 {
			lines = append(lines, c.indented(c.subject(plain.Line(d.Path, 400), max(c.width-indent, 1)), indent+1))
		}
		lines = append(lines, s.oneDiff(c, d, max(width-indent, 1), split, indent)...)
	}
	if len(lines) > 0 && !c.plain {
		first := lines[0]
		if cut := strings.Repeat(" ", indent); strings.HasPrefix(first, cut) && c.wide > indent {
			lines[0] = "  " + c.muted(c.th.Signs.Open) + first[indent:]
		}
	}
	return lines
}

func (s *step) oneDiff(c *canvas, d engine.Diff, width int, split bool, indent int) []string {
	limit := maxDiff
	lines := markdown.Diff(d.Old, d.New, c.th, markdown.DiffOptions{Width: width, Split: split, Limit: limit, Line: d.Line})
	for i, line := range lines {
		lines[i] = c.indented(line, indent)
	}
	return lines
}

func (s *step) outputLines(c *canvas) []string {
	out := strings.TrimRight(plain.Text(s.shown()), "\n ")
	if strings.TrimSpace(out) == "" {
		return nil
	}
	rows := strings.Split(strings.ReplaceAll(out, "\t", "    "), "\n")
	limit := maxShown
	if s.state == Running {
		limit = runningTail
	}
	var lines []string
	if len(rows) > limit {
		lines = append(lines, c.indented(c.muted(c.th.Signs.Ellipsis+" "+count(len(rows)-limit, "line")+" before"), 4))
		rows = rows[len(rows)-limit:]
	}
	for _, row := range rows {
		for _, r := range c.wrap(row, max(c.width-4, 1)) {
			lines = append(lines, c.indented(c.muted(r), 4))
		}
	}
	return lines
}
