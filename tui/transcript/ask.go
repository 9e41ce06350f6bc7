package transcript

import (
	"fmt"
	"slices"
	"strings"

	"conch/chats"
	"conch/engine"
	"conch/plain"
)

// permissionRequested marks the step that waits. A program may ask before it
// says that the call began, or never say it: then the request makes the row.
func (t *Transcript) permissionRequested(e chats.Event, b chats.PermissionRequested) {
	id := b.ToolUseID
	if id == "" {
		id = "permission " + b.PermissionID
	}
	it := t.stepOf(id)
	if it == nil {
		it = t.newStep(e, id)
	}
	s := it.body.(*step)
	if s.name == "" {
		s.name, s.toolKind = ownName(b.ToolName), b.ToolKind
	}
	if s.subject == "" {
		s.subject = b.Summary
	}
	s.setView(b.View)
	s.state = Waiting
	s.offered = b.Options
	t.book.asks[b.PermissionID] = it
	t.update(it)
}

func (t *Transcript) permissionResolved(e chats.Event, b chats.PermissionResolved) {
	it := t.book.asks[b.PermissionID]
	if it == nil {
		t.orphan(e)
		return
	}
	delete(t.book.asks, b.PermissionID)
	s, ok := it.body.(*step)
	if !ok || it.done {
		return
	}
	if b.Decision == string(engine.Allow) {
		s.state = Running
		s.at = e.At // the wait is not the step's
		s.allowed = allowedWords(b, s.offered)
	} else {
		s.state = NotRun
		s.reason = deniedWords(b)
	}
	s.offered = nil
	t.update(it)
}

// allowedWords says how the person let a call run. What a mode let run needs no
// words.
func allowedWords(b chats.PermissionResolved, offered []chats.PermissionOption) string {
	if b.By != "person" {
		return ""
	}
	i := slices.IndexFunc(offered, func(o chats.PermissionOption) bool { return o.ID == b.OptionID })
	if i < 0 || offered[i].Kind == string(engine.AllowOnce) {
		return "you allowed it once"
	}
	return fmt.Sprintf("you chose “%s”", plain.Line(offered[i].Name, 80))
}

func deniedWords(b chats.PermissionResolved) string {
	switch {
	case b.By == "person":
		return "you said no"
	case b.Why != "":
		return b.Why
	case b.Decision == "expired":
		return "nobody answered"
	case b.By == "stop":
		return "you stopped the turn"
	case b.By == "protected":
		return "it is a protected place"
	case b.By == "mode":
		return "the mode does not allow it"
	case b.By == "flag":
		return "--allow does not name it"
	}
	return "the turn ended first"
}

// question is something the person was asked.
type question struct {
	title, url string
	state      State
	answer     string
}

func (q *question) kind() Kind { return KindQuestion }

func (q *question) source() string {
	if q.answer == "" {
		return q.title
	}
	return q.title + "\n" + q.answer
}

func (q *question) draw(c *canvas) ([]string, int) {
	title := plain.Line(q.title, 400)
	if title == "" {
		title = "a question"
	}
	note := ""
	switch q.state {
	case Waiting:
		note = "waits for you"
	case NotRun:
		note = q.answer
	default:
		note = "you answered: " + plain.Line(q.answer, 400)
	}
	words := title + " " + c.th.Signs.Dot + " " + note
	if c.plain {
		return c.wrap("question: "+words, c.width), -1
	}
	rows := c.wrap(words, max(c.width-2, 1))
	for i, row := range rows {
		mark := "  "
		if i == 0 {
			mark = c.sign(q.state) + " "
		}
		rows[i] = c.cut(mark+row, c.width)
	}
	return rows, -1
}

func (t *Transcript) question(e chats.Event, b chats.Question) {
	it := t.add(e, &question{title: b.Title, url: b.URL, state: Waiting})
	t.book.asks[b.QuestionID] = it
}

func (t *Transcript) questionAnswered(e chats.Event, b chats.QuestionAnswered) {
	it := t.book.asks[b.QuestionID]
	if it == nil {
		t.orphan(e)
		return
	}
	delete(t.book.asks, b.QuestionID)
	q, ok := it.body.(*question)
	if !ok {
		return
	}
	if b.Answer == nil {
		q.state, q.answer = NotRun, "skipped"
	} else {
		q.state, q.answer = Done, answerWords(b.Answer)
	}
	it.done = true
	t.update(it)
}

func answerWords(a *chats.QuestionAnswer) string {
	if len(a.Values) == 0 {
		return a.Text
	}
	names := make([]string, 0, len(a.Values))
	for name := range a.Values {
		names = append(names, name)
	}
	slices.Sort(names)
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%s: %v", name, a.Values[name])
		if len(names) == 1 {
			parts[i] = fmt.Sprint(a.Values[name])
		}
	}
	if a.Text != "" {
		parts = append(parts, a.Text)
	}
	return strings.Join(parts, ", ")
}
