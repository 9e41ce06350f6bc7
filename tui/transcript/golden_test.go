package transcript

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/chats"
	"conch/engine"
	"conch/tui/theme"
)

var update = flag.Bool("update", false, "write the golden screens again")

// readable makes styles and links readable in a diff: {1;34}words{}.
func readable(line string) string {
	line = regexp.MustCompile("\x1b\\[([0-9;:]*)m").ReplaceAllString(line, "{$1}")
	return regexp.MustCompile("\x1b\\]8;[^;\a]*;([^\a]*)\a").ReplaceAllString(line, "{link $1}")
}

func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(readable(line) + "\n")
	}
	file := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func rows() *script {
	s := &script{}
	s.says("show every kind of row")
	s.add(chats.Session{Engine: "codex"})
	s.starts("r", "Read", "read", "internal/checkout/cart/pricing/discounts/rules/service_with_a_long_name.go").ends("r", "success", 20, "", engine.View{Result: "1,204 lines"})
	s.starts("g", "Grep", "search", `"Total(" in ./`).ends("g", "success", 10, "a:1\nb:2", engine.View{Result: "6 matches"})
	s.starts("w", "WebFetch", "fetch", "https://example.com/docs/cart").ends("w", "success", 2400, "", engine.View{Result: "12 KB"})
	s.starts("b", "Bash", "execute", "go test ./cart/...").ends("b", "error", 64_000, "--- FAIL: TestTotal\nFAIL", engine.View{ExitCode: ptr(1)})
	s.starts("m", "ledger: find_entries", "other", "from=2026-01-01").ends("m", "error", 900, "no such ledger", engine.View{})
	s.starts("u", "Bash", "execute", "make release").ends("u", "unknown", 0, "", engine.View{})
	s.starts("n", "Bash", "execute", "rm -rf build")
	s.add(chats.PermissionRequested{PermissionID: "p1", ToolUseID: "n", ToolName: "Bash", Summary: "rm -rf build"})
	s.add(chats.PermissionResolved{PermissionID: "p1", Decision: "deny", By: "person"})
	s.add(chats.ToolFinished{ToolUseID: "n", Status: "not-run"})
	s.starts("n2", "Edit", "edit", "/etc/hosts").add(chats.ToolFinished{ToolUseID: "n2", Status: "not-run", Reason: "plan mode runs nothing; shift+tab chooses another mode, and the agent was told so in these words"})
	s.starts("a", "Bash", "execute", "git push origin fix/empty-cart")
	s.add(chats.PermissionRequested{PermissionID: "p2", ToolUseID: "a", ToolName: "Bash", Summary: "git push origin fix/empty-cart", Options: []chats.PermissionOption{{ID: "y", Name: "Yes", Kind: "allow_once"}, {ID: "Y", Name: "Always for git push", Kind: "allow_always"}}})
	s.add(chats.PermissionResolved{PermissionID: "p2", Decision: "allow", OptionID: "y", By: "person"})
	s.ends("a", "success", 3100, "done", engine.View{})
	s.add(chats.PermissionRequested{PermissionID: "p3", ToolUseID: "a2", ToolName: "Bash", Summary: "git push --tags", Options: []chats.PermissionOption{{ID: "Y", Name: "Always for git push", Kind: "allow_always"}}})
	s.add(chats.PermissionResolved{PermissionID: "p3", Decision: "allow", OptionID: "Y", By: "person"})
	s.ends("a2", "success", 30, "", engine.View{})
	s.starts("e", "Edit", "edit", "cart/service.go").ends("e", "success", 20, "", engine.View{Diffs: []engine.Diff{{Path: "cart/service.go", Old: ptr(cartBefore), New: ptr(cartAfter), Line: 41}}})
	big := strings.Repeat("a line of the new file\n", 1200)
	s.starts("e2", "Write", "edit", "cart/fixtures.go").ends("e2", "success", 20, "", engine.View{Diffs: []engine.Diff{{Path: "cart/fixtures.go", New: &big}}})
	s.starts("e3", "Edit", "edit", "cart").ends("e3", "success", 20, "", engine.View{Diffs: []engine.Diff{{Path: "a.go", Old: ptr("a\n"), New: ptr("b\n")}, {Path: "b.go", Old: ptr("c\n")}}})
	s.add(chats.PermissionRequested{PermissionID: "p4", ToolUseID: "wait", ToolName: "Bash", Summary: "git push origin fix/empty-cart"})
	s.starts("run", "Bash", "execute", "go test ./...").add(chats.ToolProgress{ToolUseID: "run", Output: "ok cart\nok shop\n"})
	s.add(chats.Plan{Steps: []chats.PlanStep{{Title: "find the cause", Status: "done"}, {Title: "guard the empty cart", Status: "done"}, {Title: "run the tests", Status: "active"}, {Title: "tell what changed", Status: "pending"}}})
	return s
}

func ownTools() *script {
	s := &script{}
	s.says("what did we decide about retries? and remember how the tests are run")
	s.add(chats.Session{Engine: "codex"})
	s.starts("s", "search_chats", "other", "checkout retries")
	s.add(chats.ChatsLooked{Query: "checkout retries", Chats: []chats.LookedChat{
		{ID: "pc_1", Title: "Checkout retries", From: "Codex, in shop", Untrusted: true}, {ID: "01J", Title: "why checkout fails on empty carts"}}})
	s.ends("s", "success", 40, `{"chats":[]}`, engine.View{Result: "2 chats"})
	s.starts("r", "mcp__conch__read_chat", "other", "pc_1").starts("r2", "read_chat", "other", "01J")
	s.add(chats.ChatsLooked{Chats: []chats.LookedChat{{ID: "pc_1", Title: "Checkout retries", From: "Codex, in shop", Untrusted: true}}})
	s.ends("r", "success", 20, "{}", engine.View{Result: "8 messages"})
	s.add(chats.ChatsLooked{Chats: []chats.LookedChat{{ID: "01J", Title: "why checkout fails on empty carts"}}})
	s.ends("r2", "success", 20, "{}", engine.View{Result: "12 messages"})
	s.starts("a", "ask", "other", "Which branch is it for?")
	s.add(chats.Question{QuestionID: "q", Title: "Which branch is it for?"}).add(chats.QuestionAnswered{QuestionID: "q", Answer: &chats.QuestionAnswer{Text: "main"}})
	s.ends("a", "success", 4100, "{}", engine.View{Result: "answered"})
	s.starts("m", "remember", "other", "the tests are run with make test").add(chats.MemorySaved{MemoryID: "m1", Text: "the tests are run with make test", Sources: []string{"“Checkout retries” (Codex, in shop)"}})
	s.ends("m", "success", 10, "Remembered as m1", engine.View{Result: "remembered"})
	s.starts("f", "forget", "other", "").add(chats.MemoryForgotten{MemoryID: "m2", Text: "the tests are run with npm test"})
	s.ends("f", "success", 10, "Forgotten", engine.View{Result: "forgotten"})
	s.starts("f2", "forget", "other", "").ends("f2", "error", 10, "nothing was forgotten: no such memory", engine.View{})
	s.starts("p", "plan", "other", "").add(chats.Plan{Steps: []chats.PlanStep{{Title: "find the cause", Status: "done"}, {Title: "guard it", Status: "active"}}})
	s.ends("p", "success", 10, "", engine.View{Result: "1 of 2 done"})
	return s
}

func quietLines() *script {
	s := &script{}
	s.says("a chat with every quiet line")
	s.add(chats.Session{Engine: "codex"}).add(chats.Options{Mode: "ask"})
	s.thought("**Looking around**\n\nThe cart is empty, so the first item is not there.")
	s.add(chats.Notice{Code: "healed", Message: "codex's session was gone; it was told the whole chat again"})
	s.wait(12_400).add(chats.TurnCompleted{Outcome: "interrupted", Engine: "codex"})
	s.says("go on")
	s.events[len(s.events)-1].Body = chats.UserMessage{MessageID: "x", Text: "go on with these", Attachments: []chats.Attachment{{Name: "screen.png", Kind: "image", Bytes: 48_213}, {Name: "cart/service.go", Kind: "file"}}}
	s.add(chats.Handoff{Engine: "claude-code", Messages: 3, Steps: 5}).add(chats.Session{Engine: "claude-code"}).add(chats.Options{Mode: "auto-edit"})
	s.add(chats.Question{QuestionID: "q1", Title: "Which branch is it for?"}).add(chats.QuestionAnswered{QuestionID: "q1", Answer: &chats.QuestionAnswer{Text: "main"}})
	s.add(chats.Question{QuestionID: "q2", Title: "Shall I write a changelog?"}).add(chats.QuestionAnswered{QuestionID: "q2"})
	s.add(chats.TurnCompleted{Outcome: "error", Error: "codex ended in mid-sentence (exit 1)", Next: "enter sends the message again", Detail: "thread 'main' panicked\nat src/main.rs:41", Engine: "codex"})
	s.says("once more").add(chats.TurnCompleted{Outcome: "error", Error: "gemini-cli isn't signed in", Next: "run gemini once, then send again (your message is kept)", Problem: "signed-out"})
	s.turn = ""
	s.add(chats.Shell{Command: "git status --short", Output: " M cart/service.go\n?? cart/service_test.go\n", DurationMs: 30, Offered: true})
	s.add(chats.Shell{Command: "make test", Output: strings.Repeat("ok  \tshop/cart\t0.1s\n", 14) + "FAIL", ExitCode: 2, DurationMs: 41_000})
	s.add(chats.ContextCompacted{Engine: "codex"}).add(chats.ContextCleared{})
	s.says("a long paste:\n" + strings.Repeat("2026-11-30 09:41:07 WARN cart is empty\n", 300))
	s.add(chats.Session{Engine: "codex"})
	s.add(chats.Question{QuestionID: "q3", Title: "May I open https://example.com/login ?"})
	s.add(chats.AssistantDelta{MessageID: "t", Channel: chats.ChannelThought, Delta: "one\ntwo\nthree\nfour\nfive\nsix"})
	s.add(chats.TurnCompleted{Outcome: "success", Paused: true})
	return s
}

func answer() *script {
	s := &script{}
	s.says("what did you find?")
	s.answer("# What I found\n\nThe total panics because `c.Items[0]` is read **before** the length is *checked*; see [the docs](https://example.com/cart) and ~~nothing else~~ https://example.com/bare.\n\n1. `cart/service.go`\n   - and its test, which has a name that is long enough to be wrapped at the edge of a pane of eighty columns\n   - [x] done\n   - [ ] not yet\n2. the handler\n\n> An empty cart is what checkout expects.\n\n```go\nfunc (c *Cart) Total() (Money, error) {\n\tif len(c.Items) == 0 {\n\t\treturn Zero, nil // an empty cart costs nothing\n\t}\n}\n```\n\n| file | lines | why |\n|------|------:|-----|\n| service.go | 120 | the guard, and a longer text that has to be wrapped somewhere in a narrow pane |\n| 日本語.go | 4 | wide |\n\n---\n\nDone & <b>dusted</b>.")
	return s
}

func TestGoldenScreens(t *testing.T) {
	scenes := map[string]*script{"chat": checkout(), "rows": rows(), "quiet": quietLines(), "answer": answer(), "own": ownTools()}
	themes := map[string]*theme.Theme{"": bare(), "-colour": dark()}
	for name, s := range scenes {
		for kind, th := range themes {
			for _, width := range []int{80, 120} {
				tr := New(th, Options{})
				tr.SetSize(width, 24)
				tr.Apply(s.events)
				tr.Tick(time.UnixMilli(1_790_000_004_100))
				golden(t, name+map[int]string{80: "-80", 120: "-120"}[width]+kind, everything(tr))
			}
		}
		narrow := New(bare(), Options{})
		narrow.SetSize(44, 24)
		narrow.Apply(s.events)
		narrow.Tick(time.UnixMilli(1_790_000_004_100))
		golden(t, name+"-44", everything(narrow))

		open := New(bare(), Options{})
		open.SetSize(80, 24)
		open.Apply(s.events)
		golden(t, name+"-open", everything(opened(open)))

		read := New(ascii(), Options{Plain: true})
		read.SetSize(80, 24)
		read.Apply(s.events)
		golden(t, name+"-plain", everything(read))
	}
	split := New(bare(), Options{})
	split.SetSize(140, 24)
	split.Apply(checkout().events)
	golden(t, "chat-140", everything(split))
}
