package transcript

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"conch/chats"
	"conch/engine"
	"conch/tui/theme"
)

// script makes a chat's events as a log would hold them.
type script struct {
	events []chats.Event
	turn   string
	at     int64
	turns  int
}

func (s *script) add(b chats.Body) *script {
	s.events = append(s.events, chats.Event{V: 1, Seq: int64(len(s.events)), At: s.at, Turn: s.turn, Body: b})
	return s
}

func (s *script) wait(ms int64) *script { s.at += ms; return s }

func (s *script) says(text string) *script {
	s.turns++
	s.turn = fmt.Sprintf("turn-%d", s.turns)
	if s.at == 0 {
		s.at = 1_790_000_000_000
	}
	return s.add(chats.UserMessage{MessageID: fmt.Sprintf("u%d", len(s.events)), Text: text})
}

func (s *script) answer(text string) *script {
	id := fmt.Sprintf("m%d", len(s.events))
	s.add(chats.AssistantDelta{MessageID: id, Channel: chats.ChannelText, Delta: text})
	return s.add(chats.AssistantDone{MessageID: id})
}

func (s *script) thought(text string) *script {
	id := fmt.Sprintf("t%d", len(s.events))
	s.add(chats.AssistantDelta{MessageID: id, Channel: chats.ChannelThought, Delta: text})
	return s.add(chats.AssistantDone{MessageID: id})
}

func view(v engine.View) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func (s *script) starts(id, name, kind, subject string) *script {
	return s.add(chats.ToolStarted{ToolUseID: id, Name: name, ToolKind: kind, Subject: subject})
}

func (s *script) ends(id, status string, ms int64, output string, v engine.View) *script {
	return s.add(chats.ToolFinished{ToolUseID: id, Status: status, DurationMs: ms, Output: output, View: view(v)})
}

func (s *script) done() *script {
	return s.add(chats.TurnCompleted{Outcome: "success", Engine: "codex"})
}

func ptr[T any](v T) *T { return &v }

const (
	cartBefore = "func (c *Cart) Total() (Money, error) {\n\tfirst := c.Items[0]\n"
	cartAfter  = "func (c *Cart) Total() (Money, error) {\n\tif len(c.Items) == 0 {\n\t\treturn Zero, nil\n\t}\n\tfirst := c.Items[0]\n"
)

func checkout() *script {
	s := &script{}
	s.says("why does checkout fail when the cart is empty? fix it and run the tests")
	s.answer("I'll look at the cart service first, then write a failing test.")
	s.starts("r1", "Read", "read", "cart/service.go").ends("r1", "success", 40, "", engine.View{Result: "120 lines"})
	s.starts("g1", "Grep", "search", `"Total(" in ./`).ends("g1", "success", 80, "", engine.View{Result: "6 matches"})
	s.add(chats.Plan{Steps: []chats.PlanStep{{Title: "find the cause", Status: "done"}, {Title: "guard it", Status: "done"}, {Title: "run the tests", Status: "active"}, {Title: "tell", Status: "pending"}}})
	s.starts("e1", "Edit", "edit", "cart/service.go").ends("e1", "success", 20, "", checkoutView())
	s.starts("b1", "Bash", "execute", "go test ./cart/...")
	return s
}

func dark() *theme.Theme  { return theme.New(false, true, theme.Unicode()) }
func bare() *theme.Theme  { return theme.New(false, false, theme.Unicode()) }
func ascii() *theme.Theme { return theme.New(false, false, theme.ASCII()) }

func screen(events []chats.Event, w, h int) *Transcript {
	t := New(dark(), Options{})
	t.SetSize(w, h)
	t.Apply(events)
	return t
}

func show(t *Transcript) string {
	lines := t.Lines()
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return strings.Join(out, "\n")
}

func resultView(s string) engine.View { return engine.View{Result: s} }

func checkoutView() engine.View {
	return engine.View{Diffs: []engine.Diff{{Path: "cart/service.go", Old: ptr(cartBefore), New: ptr(cartAfter), Line: 41}}}
}
