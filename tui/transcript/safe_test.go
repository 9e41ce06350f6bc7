package transcript

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"conch/chats"
	"conch/engine"
	"conch/tui/theme"
)

func readFile(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// allKinds is a chat with an item of every kind and state, in which every text
// that comes from outside is s.
func allKinds(s string) *script {
	c := &script{}
	c.says(s)
	c.events[0].Body = chats.UserMessage{MessageID: "u", Text: s, Attachments: []chats.Attachment{{Name: s, Kind: "image", Bytes: 123456}}}
	c.add(chats.Session{Engine: "codex"})
	c.thought(s)
	c.answer(s + "\n\n- " + s + "\n\n```go\n" + s + "\n```\n\n| a | " + strings.ReplaceAll(s, "\n", " ") + " |\n|--|--|\n| x | y |\n\n> " + s + "\n\n[" + s + "](https://x.example/" + s + ")")
	for i, status := range []string{"success", "error", "not-run", "unknown", "other"} {
		id := "s" + status
		c.starts(id, s, "execute", s)
		c.add(chats.ToolProgress{ToolUseID: id, Output: s})
		c.add(chats.ToolFinished{ToolUseID: id, Status: status, Output: s, Reason: s, DurationMs: int64(i) * 40_000, View: view(engine.View{Result: s, ExitCode: ptr(i)})})
	}
	c.starts("edit", "Edit", "edit", "cart/"+s+"/service.go").ends("edit", "success", 1, s, engine.View{Diffs: []engine.Diff{{Path: s, Old: ptr(s), New: ptr(s + s)}}})
	c.starts("edits", "Edit", "edit", s).ends("edits", "success", 1, "", engine.View{Diffs: []engine.Diff{{Path: s, New: ptr(s)}, {Path: s, Old: ptr(strings.Repeat(s+"\n", 9))}}})
	c.add(chats.PermissionRequested{PermissionID: "p1", ToolUseID: "ask", ToolName: s, Summary: s, Why: s, Options: []chats.PermissionOption{{ID: "a", Name: s, Kind: "allow_always"}}})
	c.add(chats.PermissionResolved{PermissionID: "p1", Decision: "allow", OptionID: "a", By: "person"})
	c.add(chats.PermissionRequested{PermissionID: "p2", ToolName: s, Summary: s})
	c.add(chats.PermissionResolved{PermissionID: "p2", Decision: "deny", By: "mode", Why: s})
	c.add(chats.PermissionRequested{PermissionID: "p3", ToolUseID: "waits", ToolName: "Bash", Summary: s})
	c.add(chats.Plan{Steps: []chats.PlanStep{{Title: s, Status: "done"}, {Title: s, Status: "active"}, {Title: s, Status: "pending"}}})
	c.add(chats.Question{QuestionID: "q1", Title: s})
	c.add(chats.QuestionAnswered{QuestionID: "q1", Answer: &chats.QuestionAnswer{Text: s, Values: map[string]any{s: s}}})
	c.add(chats.Question{QuestionID: "q2", Title: s, URL: s})
	c.add(chats.Notice{Code: "provider", Message: s})
	c.add(chats.Handoff{Engine: s, Messages: 3, Steps: 5})
	c.add(chats.Options{Mode: "ask"}).add(chats.Options{Mode: s})
	c.add(chats.Shell{Command: s, Output: s, ExitCode: 1, DurationMs: 2000, Offered: true})
	c.add(chats.ContextCompacted{Engine: s}).add(chats.ContextCleared{}).add(chats.ContextRestored{})
	c.wait(12_000).add(chats.TurnCompleted{Outcome: "error", Error: s, Next: s, Detail: s, Engine: s})
	c.says("again").add(chats.TurnCompleted{Outcome: "success", Paused: true})
	c.says("again").wait(75_000).add(chats.TurnCompleted{Outcome: "interrupted"})
	c.says("again").starts("runs", s, "execute", s)
	c.add(chats.AssistantDelta{MessageID: "grows", Channel: chats.ChannelThought, Delta: s})
	c.add(chats.AssistantDelta{MessageID: "grows2", Channel: chats.ChannelText, Delta: s})
	return c
}

// opened unfolds everything that can be.
func opened(tr *Transcript) *Transcript {
	for _, it := range tr.items {
		if it.foldable() && !it.isOpen() {
			it.toggle()
		}
	}
	return tr
}

func checkBytes(t *testing.T, line string) {
	t.Helper()
	rest := line
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "\x1b["):
			end := strings.IndexFunc(rest[2:], func(r rune) bool { return r != ';' && r != ':' && (r < '0' || r > '9') })
			if end < 0 || rest[2+end] != 'm' {
				t.Fatalf("a sequence that is no style: %q", line)
			}
			rest = rest[3+end:]
		case strings.HasPrefix(rest, "\x1b]8;"):
			end := strings.IndexByte(rest, '\a')
			if end < 0 {
				t.Fatalf("a link that does not end: %q", line)
			}
			rest = rest[end+1:]
		case rest[0] < ' ' || rest[0] == 0x7f:
			t.Fatalf("control character %#x: %q", rest[0], line)
		default:
			rest = rest[1:]
		}
	}
	for _, r := range line {
		if r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			t.Fatalf("control character %U: %q", r, line)
		}
	}
}

func hostile(t testing.TB) []string {
	var texts []string
	if err := json.Unmarshal([]byte(readFile(t, "hostile.json")), &texts); err != nil {
		t.Fatal(err)
	}
	return append(texts, "&#27;[2J &#x9b;31m &#8238;x", "bidi \u202e\u2066x\u2069", "a\r\rb\vc\u2028d", "\xff\xfe broken", "tab\tand\tmore", strings.Repeat("e\u0301\u0301\u0301", 50))
}

func TestTextFromOutsideNeverReachesTheTerminalRaw(t *testing.T) {
	for _, s := range hostile(t) {
		tr := opened(screen(allKinds(s).events, 80, 24))
		tr.Tick(time.UnixMilli(1_790_000_300_000))
		for _, line := range everything(tr) {
			checkBytes(t, line)
		}
		tr.Focus(true)
		for range tr.items {
			item, _ := tr.Selected()
			checkBytes(t, strings.NewReplacer("\n", " ", "\t", " ").Replace(item.Copy)+item.Path)
			tr.Move(-1)
		}
		checkBytes(t, strings.NewReplacer("\n", " ", "\t", " ").Replace(tr.LastAnswer()))
		side := tr.Steps()
		for _, st := range side.Steps {
			checkBytes(t, st.Name+st.Subject+st.Result+tr.StepLine(st, 36))
		}
		for _, f := range side.Files {
			checkBytes(t, f.Path)
		}
		tr.Find(strings.ToUpper(s))
		for _, line := range tr.Lines() {
			checkBytes(t, line)
		}
	}
}

func TestWordsAroundAnEscapeSequenceStay(t *testing.T) {
	words := []string{"clipboard", "title", "link", "dcs", "apc", "over", "cleared", "asked", "full reset", "eight bit", "title", "unterminated osc swallows", "bell", "space", "modes", "window", "shift", "red is fine to lose", "nul", "del"}
	for i, s := range hostile(t)[:len(words)] {
		if got := show(screen((&script{}).says("x").answer(s).events, 80, 24)); !strings.Contains(got, words[i]) {
			t.Errorf("%q: %q is lost in %q", s, words[i], got)
		}
	}
}

func TestEveryLineIsWithinTheWidth(t *testing.T) {
	wide := readFile(t, "wide.txt")
	texts := []string{wide, "👩‍👩‍👧‍👦👩‍👩‍👧‍👦", strings.Repeat("界", 300), "א ב ג הטקסט הזה " + strings.Repeat("שלום", 40), strings.Repeat("word ", 60)}
	some := []int{1, 2, 3, 5, 11, 12, 13, 20, 41, 60, 81, 121, 200}
	every := make([]int, 200)
	for i := range every {
		every[i] = i + 1
	}
	for _, method := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
		th := theme.New(false, true, theme.Unicode())
		th.Widths = method
		for i, s := range texts {
			tr := New(th, Options{})
			tr.Apply(allKinds(s).events)
			tr.Tick(time.UnixMilli(1_790_000_300_000))
			for _, open := range []bool{false, true} {
				if open {
					opened(tr)
				}
				widths := some
				if i == 0 && method == ansi.GraphemeWidth {
					widths = every
				}
				for _, w := range widths {
					tr.SetSize(w, 30)
					for _, line := range everything(tr) {
						if n := method.StringWidth(line); n > w {
							t.Fatalf("method %d, width %d: %d cells: %q", method, w, n, line)
						}
					}
					tr.Steps()
					for _, st := range tr.Steps().Steps {
						if n := method.StringWidth(tr.StepLine(st, w)); n > w {
							t.Fatalf("method %d, width %d: %d cells: %q", method, w, n, tr.StepLine(st, w))
						}
					}
				}
			}
		}
	}
}

func TestPlainOutputHasNoBarsAndNoColours(t *testing.T) {
	tr := New(ascii(), Options{Plain: true})
	tr.SetSize(80, 24)
	tr.Apply(allKinds("words").events)
	for _, line := range everything(tr) {
		if strings.ContainsAny(line, "▌│─▸▾✓✗⊘") {
			t.Errorf("a sign that can't be read out: %q", line)
		}
		if strings.Contains(line, "\x1b[3") {
			t.Errorf("a colour: %q", line)
		}
	}
}

func TestAMessageIsTheSameHoweverItsPiecesCome(t *testing.T) {
	live := func(d string) chats.Event {
		return chats.Event{Seq: -1, Turn: "t", Body: chats.AssistantDelta{MessageID: "m", Channel: chats.ChannelText, Delta: d}}
	}
	seq := int64(0)
	logged := func(d string) chats.Event {
		seq++
		return chats.Event{Seq: seq, Turn: "t", Body: chats.AssistantDelta{MessageID: "m", Channel: chats.ChannelText, Delta: d}}
	}
	for name, c := range map[string]struct {
		events []chats.Event
		want   string
	}{
		"live alone":                          {[]chats.Event{live("a "), live("b")}, "a b"},
		"the log alone":                       {[]chats.Event{logged("a "), logged("b")}, "a b"},
		"the log after live":                  {[]chats.Event{live("a "), live("b"), logged("a b")}, "a b"},
		"a checkpoint in the middle":          {[]chats.Event{live("a "), live("b"), logged("a "), live(" c"), logged("b c")}, "a b c"},
		"the log ahead of what was seen live": {[]chats.Event{live("a "), logged("a b"), live(" c"), logged(" c")}, "a b c"},
		"the log holds something else":        {[]chats.Event{live("key sk-1234 here"), logged("key [taken out] here"), live(" end"), logged(" end")}, "key [taken out] here end"},
		"nothing but blanks first":            {[]chats.Event{live("\n"), live("a"), logged("\na")}, "a"},
	} {
		tr := screen(c.events, 80, 5)
		tr.Lines()
		tr.Apply([]chats.Event{{Seq: 99, Turn: "t", Body: chats.AssistantDone{MessageID: "m"}}})
		if got := strings.TrimSpace(show(tr)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
