package transcript

import (
	"strings"

	"conch/chats"
	"conch/plain"
	"conch/tui/markdown"
)

// Side is what the side pane shows of the newest turn. Its words are clean.
type Side struct {
	Plan  []chats.PlanStep
	Steps []SideStep
	Files []SideFile
}

// SideStep is one step in one line.
type SideStep struct {
	ToolUseID string
	Name      string
	Subject   string
	Result    string
	State     State
}

// SideFile is a file that the turn changed.
type SideFile struct {
	Path           string
	Added, Removed int
}

// Steps gives the newest turn's plan, steps and changed files.
func (t *Transcript) Steps() Side {
	var out Side
	tu := t.book.turn
	if tu == nil {
		return out
	}
	if tu.plan != nil {
		for _, s := range tu.plan.body.(*plan).steps {
			out.Plan = append(out.Plan, chats.PlanStep{Title: plain.Line(s.Title, 200), Status: s.Status})
		}
	}
	files := map[string]int{}
	for _, it := range tu.steps {
		s := it.body.(*step)
		k := s.known()
		out.Steps = append(out.Steps, SideStep{
			ToolUseID: s.id,
			Name:      plain.Line(s.name, 40),
			Subject:   plain.Line(s.subject, 200),
			Result:    k.words(t.th.Signs.Minus),
			State:     s.state,
		})
		if s.state != Done {
			continue
		}
		for _, f := range k.changes {
			i, ok := files[f.Path]
			if !ok {
				i = len(out.Files)
				files[f.Path] = i
				out.Files = append(out.Files, SideFile{Path: f.Path})
			}
			out.Files[i].Added += f.Added
			out.Files[i].Removed += f.Removed
		}
	}
	return out
}

// StepLine draws a step of Side in one line of at most width cells.
func (t *Transcript) StepLine(s SideStep, width int) string {
	c := canvas{th: t.th, inks: t.inks, m: t.m, width: max(width, 0), wide: max(width, 0)}
	head := c.sign(s.State) + " " + s.Name
	room := width - c.cells(head) - 1
	if room < 3 {
		return c.cut(head, c.width)
	}
	right := ""
	if w := c.cells(s.Result); w > 0 && w+8 <= room {
		right = s.Result
		room -= w + 1
	}
	subject := c.subject(s.Subject, room)
	if right == "" {
		return strings.TrimRight(head+" "+subject, " ")
	}
	return head + " " + subject + strings.Repeat(" ", room-c.cells(subject)+1) + c.muted(right)
}

// words is what a step gave, in few.
func (k *facts) words(minus string) string {
	switch {
	case k.result != "":
		return k.result
	case k.files > 0:
		return "+" + group(k.added) + " " + minus + group(k.removed)
	}
	return ""
}

// Flush gives, once each, the lines of the items that are finished, in order. It
// is for plain output, which is written and never drawn again.
func (t *Transcript) Flush() []string {
	var out []string
	for ; t.flushed < len(t.items) && t.items[t.flushed].done; t.flushed++ {
		out = append(out, t.linesOf(t.flushed)...)
	}
	t.forget()
	return out
}

// count adds up what a view's changes come to.
func (k *facts) count(path string, old, new *string) {
	a, r := markdown.Count(old, new)
	k.added += a
	k.removed += r
	k.files++
	k.changes = append(k.changes, SideFile{Path: plain.Line(path, 400), Added: a, Removed: r})
}
