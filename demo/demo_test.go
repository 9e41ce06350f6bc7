package demo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "--grandchild" {
		if err := Run(context.Background(), Host{Args: os.Args[1:]}); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func TestAFirstMessageIsAnsweredWithATour(t *testing.T) {
	for _, text := range []string{"hello", "zzz", "tour", "/tour"} {
		c := start(t, t.TempDir())
		stop, said := c.prompt(c.open(), text)
		if stop != "end_turn" || !strings.Contains(said, "demo agent") || !strings.Contains(said, "`edit`") {
			t.Errorf("%q: ended %s with %q", text, stop, said)
		}
	}
}

// What the tour names can be typed.
func TestTheTourNamesWordsThatItKnows(t *testing.T) {
	for _, s := range scripts {
		if s.name == "tour" {
			continue
		}
		if !strings.Contains(tour, "`"+s.name+"`") {
			t.Errorf("the tour doesn't name %q", s.name)
		}
		for _, text := range []string{s.name, "/" + s.name, "please " + s.words[len(s.words)-1] + "."} {
			if got := (&turn{text: text, session: &session{}}).script().name; got != s.name {
				t.Errorf("%q plays %q, not %q", text, got, s.name)
			}
		}
	}
}

func TestEditReadsAsksWritesAndChecks(t *testing.T) {
	c := start(t, t.TempDir())
	asked := 0
	answer := c.ask
	c.ask = func(method string, params map[string]any) any {
		asked++
		call := params["toolCall"].(map[string]any)
		if call["kind"] == "edit" {
			diff := call["content"].([]any)[0].(map[string]any)
			if diff["oldText"] != rulesOld || diff["newText"] != rulesNew {
				t.Errorf("the diff is %v", diff)
			}
			raw, err := os.ReadFile(diff["path"].(string))
			if err != nil || string(raw) != rulesOld {
				t.Errorf("the file was changed before it was allowed: %q, %v", raw, err)
			}
		}
		return answer(method, params)
	}
	session := c.open()
	stop, said := c.prompt(session, "edit")
	if stop != "end_turn" || !strings.Contains(said, "Done") || asked != 2 {
		t.Fatalf("ended %s after %d questions with %q", stop, asked, said)
	}
	var kinds []string
	path := ""
	for _, u := range c.updates("tool_call") {
		kinds = append(kinds, u["kind"].(string))
		if u["kind"] == "edit" {
			path = u["locations"].([]any)[0].(map[string]any)["path"].(string)
		}
	}
	if got := strings.Join(kinds, " "); got != "read edit execute" {
		t.Errorf("steps were %q", got)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != rulesNew {
		t.Errorf("the file holds %q, %v", raw, err)
	}
	last := c.updates("tool_call_update")
	if got := last[len(last)-1]; got["status"] != "completed" || !strings.Contains(contentText(got), "5 checks passed") {
		t.Errorf("the checks ended as %v", got)
	}
	if c.words("agent_thought_chunk") == "" || len(c.updates("usage_update")) != 1 || len(c.updates("session_info_update")) != 1 {
		t.Error("a thought, the usage or the title is missing")
	}
	c.result("session/close", map[string]any{"sessionId": session})
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the scratch folder is still there: %v", err)
	}
}

func contentText(u map[string]any) string {
	var b strings.Builder
	list, _ := u["content"].([]any)
	for _, each := range list {
		if inner, ok := each.(map[string]any)["content"].(map[string]any); ok {
			b.WriteString(inner["text"].(string))
		}
	}
	return b.String()
}

func TestANoChangesNothing(t *testing.T) {
	c := start(t, t.TempDir())
	c.ask = func(string, map[string]any) any {
		return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": "reject"}}
	}
	stop, said := c.prompt(c.open(), "edit")
	if stop != "end_turn" || !strings.Contains(said, "left the file") {
		t.Errorf("ended %s with %q", stop, said)
	}
	if last := c.updates("tool_call_update"); last[len(last)-1]["status"] != "failed" {
		t.Errorf("the refused step ended as %v", last[len(last)-1])
	}
}

func TestWhatWasSaidOnceAndForAllIsNotAskedAgain(t *testing.T) {
	for option, status := range map[string]string{"allow-always": "completed", "reject-always": "failed"} {
		c := start(t, t.TempDir())
		asked := 0
		c.ask = func(string, map[string]any) any {
			asked++
			return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": option}}
		}
		session := c.open()
		c.prompt(session, "run")
		c.prompt(session, "run")
		last := c.updates("tool_call_update")
		if asked != 1 || option == "reject-always" && last[len(last)-1]["status"] != status {
			t.Errorf("%s: asked %d times, then %v", option, asked, last[len(last)-1])
		}
	}
}

func TestTheModesDecideWhatIsAsked(t *testing.T) {
	for _, m := range []struct {
		mode  string
		steps int // of edit
		asked int
	}{{"default", 3, 2}, {"plan", 1, 0}, {"auto", 3, 0}} {
		c := start(t, t.TempDir())
		asked := 0
		answer := c.ask
		c.ask = func(method string, params map[string]any) any { asked++; return answer(method, params) }
		session := c.open()
		c.result("session/set_mode", map[string]any{"sessionId": session, "modeId": m.mode})
		c.prompt(session, "edit")
		if n := len(c.updates("tool_call")); n != m.steps || asked != m.asked {
			t.Errorf("%s: %d steps, %d questions", m.mode, n, asked)
		}
	}
}

func TestThePlanAdvances(t *testing.T) {
	c := start(t, t.TempDir())
	if stop, _ := c.prompt(c.open(), "plan"); stop != "end_turn" {
		t.Fatal(stop)
	}
	var states []string
	for _, u := range c.updates("plan") {
		state := ""
		for _, e := range u["entries"].([]any) {
			state += string(e.(map[string]any)["status"].(string)[0])
		}
		states = append(states, state)
	}
	if got := strings.Join(states, " "); got != "ippp cipp ccip ccci cccc" {
		t.Errorf("the plan went %q", got)
	}
}

func TestAQuestionIsAForm(t *testing.T) {
	c := start(t, t.TempDir())
	if _, said := c.prompt(c.open(), "ask"); !strings.Contains(said, `{"layout":"full"}`) {
		t.Errorf("said %q", said)
	}
	c.ask = func(string, map[string]any) any { return map[string]any{"action": "decline"} }
	session := c.result("session/new", map[string]any{"cwd": "/x", "mcpServers": []any{}})["sessionId"].(string)
	if _, said := c.prompt(session, "ask"); !strings.Contains(said, "No answer is fine") {
		t.Errorf("said %q", said)
	}
}

func TestWithoutFormsItAsksInWords(t *testing.T) {
	c := start(t, t.TempDir())
	c.result("initialize", map[string]any{"protocolVersion": 1})
	session := c.result("session/new", map[string]any{"cwd": "/x", "mcpServers": []any{}})["sessionId"].(string)
	if _, said := c.prompt(session, "ask"); !strings.Contains(said, "shows no forms") {
		t.Errorf("said %q", said)
	}
}

func TestTheOutputOfACommandGrows(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c := startHost(t, Host{Environ: []string{"CONCH_DEMO_STATE=" + t.TempDir(), "PATH=/usr/bin:/bin"}})
	if stop, _ := c.prompt(c.open(), "run"); stop != "end_turn" {
		t.Fatal(stop)
	}
	grown := map[string]bool{}
	last := map[string]any{}
	for _, u := range c.updates("tool_call_update") {
		grown[contentText(u)] = true
		last = u
	}
	if len(grown) < 4 {
		t.Errorf("%d different outputs", len(grown))
	}
	if last["status"] != "failed" || !strings.Contains(contentText(last), "FAIL  empty cart") {
		t.Errorf("it ended as %v", last)
	}
}

func TestALongAnswerComesInPiecesAndWhole(t *testing.T) {
	c := start(t, t.TempDir())
	_, said := c.prompt(c.open(), "long")
	if said != longAnswer {
		t.Errorf("said %q", said)
	}
	if n := len(c.updates("agent_message_chunk")); n < 100 {
		t.Errorf("in %d pieces", n)
	}
	ids := map[any]bool{}
	for _, u := range c.updates("agent_message_chunk") {
		ids[u["messageId"]] = true
	}
	if len(ids) != 1 {
		t.Errorf("under %d message ids", len(ids))
	}
}

func TestPiecesAddUpToTheText(t *testing.T) {
	for _, text := range []string{"", " ", "one", "one two three four five", "a\n\n  b\tc\n", longAnswer, tour, "日本 語 の"} {
		if got := strings.Join(pieces(text), ""); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestCancelEndsATurn(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, how := range []string{"session/cancel", "$/cancel_request"} {
		for _, text := range []string{"long", "run", "/test silent", "/test bash 60", "/test permission"} {
			c := startHost(t, Host{Environ: []string{"CONCH_DEMO_STATE=" + t.TempDir(), "PATH=/usr/bin:/bin"}})
			c.ask = func(string, map[string]any) any { return nil } // nobody answers
			session := c.open()
			id := c.begin("session/prompt", promptOf(session, text))
			for len(c.updates("")) < 2 { // the commands, the title
				c.read()
			}
			if how == "session/cancel" {
				c.notify(how, map[string]any{"sessionId": session})
			} else {
				c.notify(how, map[string]any{"requestId": id})
			}
			if m := c.until(id); m["result"].(map[string]any)["stopReason"] != "cancelled" {
				t.Errorf("%s, %q: answered %v", how, text, m)
			}
			c.ask = func(string, map[string]any) any {
				return map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}
			}
			if stop, _ := c.prompt(session, "/test chunks 2"); stop != "end_turn" {
				t.Errorf("%s, %q: the next prompt ended %s", how, text, stop)
			}
		}
	}
}

func TestASecondPromptIsRefusedWhileOneRuns(t *testing.T) {
	c := start(t, t.TempDir())
	session := c.open()
	first := c.begin("session/prompt", promptOf(session, "/test silent"))
	if m := c.call("session/prompt", promptOf(session, "hello")); m["error"] == nil {
		t.Errorf("answered %v", m)
	}
	c.notify("session/cancel", map[string]any{"sessionId": session})
	c.until(first)
}

func TestWhatComesBesideTheWordsIsNamed(t *testing.T) {
	c := start(t, t.TempDir())
	session := c.open()
	c.seen = nil
	c.result("session/prompt", map[string]any{"sessionId": session, "prompt": []any{
		map[string]any{"type": "image", "mimeType": "image/png", "data": "AAAA"},
		map[string]any{"type": "resource_link", "name": "cart.go", "uri": "file:///code/cart.go"},
		map[string]any{"type": "resource", "resource": map[string]any{"uri": "file:///a.txt", "text": "four"}},
		map[string]any{"type": "text", "text": "<earlier-conversation>\nUser: edit\n</earlier-conversation>\n\nhello"},
	}})
	said := c.words("agent_message_chunk")
	for _, want := range []string{"image/png, 3 bytes", "`cart.go`", "`file:///a.txt` (4 characters)", "told what was said before", "demo agent"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in %q", want, said)
		}
	}
}

func TestUnknownMethodsAreRefused(t *testing.T) {
	c := start(t, t.TempDir())
	c.initialize()
	for _, method := range []string{"nope/nope", "session/fork", "authenticate"} {
		if m := c.call(method, map[string]any{}); m["error"] == nil {
			t.Errorf("%s answered %v", method, m)
		}
	}
	for _, method := range []string{"session/load", "session/resume", "session/prompt", "session/set_mode", "session/set_config_option"} {
		if m := c.call(method, map[string]any{"sessionId": "../../etc/passwd"}); m["error"] == nil {
			t.Errorf("%s answered %v", method, m)
		}
	}
	if _, err := c.in.Write([]byte("garbage\n\n{\"jsonrpc\":\"2.0\",\"method\":\"unheard\"}\n")); err != nil {
		t.Fatal(err)
	}
	if m := c.read(); m["error"] == nil {
		t.Errorf("garbage was answered with %v", m)
	}
	if session := c.result("session/new", map[string]any{"cwd": "/x"})["sessionId"]; session == nil {
		t.Error("no session after that")
	}
}

func TestFlagsAreReadFromTheEnvironmentToo(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c := startHost(t, Host{Environ: []string{"CONCH_DEMO_FLAGS=--no-load --no-modes"}})
	abilities := c.initialize()["agentCapabilities"].(map[string]any)
	if abilities["loadSession"] != false {
		t.Errorf("abilities %v", abilities)
	}
	if err := Run(t.Context(), Host{Args: []string{"--no-such"}}); err == nil || !strings.Contains(err.Error(), "no-such") {
		t.Errorf("a wrong flag gave %v", err)
	}
	if err := Run(t.Context(), Host{Args: []string{"word"}}); err == nil {
		t.Error("a stray word was taken")
	}
}
