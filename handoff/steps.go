package handoff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"conch/chats"
	"conch/plain"
)

// In characters.
const (
	maxQuestion = 120
	maxAnswer   = 200 // of the person's
	maxTitle    = 100 // of a chat or a task
	maxMemory   = 160
)

// lines gives a stretch of steps as at most most lines: the first ones, how many
// were left out, the last ones. n is how many steps have a line.
func (p *part) lines(l Limits, most int) (text string, n int) {
	first, last := len(p.steps), 0
	if len(p.steps) > most {
		first = most / 3
		last = max(1, most-1-first)
	}
	var b strings.Builder
	b.WriteString("Steps:\n")
	for i := range p.steps {
		switch {
		case i < first || i >= len(p.steps)-last:
			b.WriteString(p.steps[i].line(l))
			n++
		case i == first && most > 1:
			fmt.Fprintf(&b, "- … %s left out …\n", counted(len(p.steps)-first-last, "step"))
		}
	}
	return b.String(), n
}

// stretch gives as many lines of steps as fit into free characters.
func (p *part) stretch(l Limits, free int) (string, int) {
	for most := l.Steps; most >= 1; most = most * 2 / 3 {
		if text, n := p.lines(l, most); length(text) <= free {
			return text, n
		}
	}
	const head = "Steps:\n- "
	if room := free - len(head) - 1; room >= 20 {
		return head + plain.Line(strings.TrimPrefix(p.steps[len(p.steps)-1].line(l), "- "), room) + "\n", 1
	}
	return "", 0
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// line gives a step as one line: what was done, and what came of it.
func (s *step) line(l Limits) string {
	says := ""
	switch {
	case s.question != nil:
		says = "Asked " + l.quoted(s.question.Title, maxQuestion) + " → " + s.answered(l)
	case s.fact != nil && (s.end == nil || s.end.Status == "success"):
		says = factLine(l, s.fact)
	default:
		says = s.did(l) + " → " + s.result(l)
	}
	return Defuse("- "+says) + "\n"
}

func (l Limits) quoted(s string, max int) string { return `"` + l.line(s, max) + `"` }

// did names the call and what it was about.
func (s *step) did(l Limits) string {
	name := Name(l.line(s.call.Name, 80))
	subject := s.call.Subject
	if strings.TrimSpace(subject) == "" {
		subject = l.arguments(s.call.Input)
	}
	return plain.Line(name+" "+l.line(subject, l.Call), l.Call)
}

// arguments gives a call's input as it came, when nothing better says what it
// was about.
func (l Limits) arguments(raw json.RawMessage) string {
	if t := bytes.TrimSpace(raw); len(t) == 0 || string(t) == "{}" || string(t) == "null" {
		return ""
	}
	return l.line(string(raw), l.Arguments)
}

// Name is a tool's name as it is said: "<app>: <tool>" through an MCP app, the
// bare name for a tool of Conch's own.
func Name(name string) string {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		if name == "" {
			return "Tool"
		}
		return name
	}
	app, tool, ok := strings.Cut(rest, "__")
	switch {
	case !ok || app == "" || tool == "":
		return name
	case app == "conch":
		return tool
	}
	return app + ": " + tool
}

// result says how a call went.
func (s *step) result(l Limits) string {
	if s.end == nil {
		return "no result"
	}
	fact, exit := s.view()
	said := l.line(s.end.Output, l.Result)
	if fact != "" && (said == "" || s.shortIsBetter()) {
		said = l.line(fact, l.Result)
	}
	why := l.line(s.end.Reason, l.Result)
	switch s.end.Status {
	case "error":
		return "failed" + because(l.Result, exit, why, said)
	case "not-run":
		return "not run" + because(l.Result, why)
	case "unknown":
		return "no result" + because(l.Result, why, said)
	}
	if said == "" {
		return "done"
	}
	return said
}

func because(max int, why ...string) string {
	why = slices.DeleteFunc(why, func(s string) bool { return s == "" })
	if len(why) == 0 {
		return ""
	}
	return ": " + plain.Line(strings.Join(why, ": "), max)
}

// shortIsBetter holds for calls whose output is a file's or a list's contents,
// of which a line says less than "84 lines".
func (s *step) shortIsBetter() bool {
	switch s.call.ToolKind {
	case "read", "search", "edit", "delete", "move":
		return true
	}
	return false
}

// view reads the two facts of a row that are a line: the short result and the
// exit status. Diffs and the rest never go in.
func (s *step) view() (fact, exit string) {
	var v struct {
		ExitCode *int   `json:"exitCode"`
		Result   string `json:"result"`
	}
	if len(s.end.View) == 0 || json.Unmarshal(s.end.View, &v) != nil {
		return "", ""
	}
	if v.ExitCode != nil && *v.ExitCode != 0 {
		exit = fmt.Sprintf("exit status %d", *v.ExitCode)
	}
	return v.Result, exit
}

// answered says what the person answered.
func (s *step) answered(l Limits) string {
	switch {
	case s.answer == nil:
		return "no answer yet"
	case s.answer.Answer == nil:
		return "skipped"
	}
	return l.quoted(answerWords(s.answer.Answer), maxAnswer)
}

func answerWords(a *chats.QuestionAnswer) string {
	if a.Text != "" || len(a.Values) == 0 {
		return a.Text
	}
	names := make([]string, 0, len(a.Values))
	for name := range a.Values {
		names = append(names, name)
	}
	slices.Sort(names)
	var words []string
	for _, name := range names {
		words = append(words, fmt.Sprintf("%s: %v", head(name, 200), head(fmt.Sprint(a.Values[name]), 1000)))
	}
	return strings.Join(words, "; ")
}
