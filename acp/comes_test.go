package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine"
)

// visit is what a scripted program asks the door that it was last told of: "greet",
// "list", or a tool that it calls. The answers are kept in a file.
func (s *scripted) visit(what string) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + what + `","arguments":{"text":"x"}}}`
	switch what {
	case "greet":
		body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	case "list":
		body = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	}
	answer := "no answer"
	if req, err := doorRequest(parse(s.servers), body); err == nil {
		if a, err := http.DefaultClient.Do(req); err == nil {
			raw, _ := io.ReadAll(a.Body)
			a.Body.Close()
			answer = fmt.Sprintf("%s %d %s", what, a.StatusCode, strings.ReplaceAll(string(raw), "\n", " "))
		}
	}
	f, err := os.OpenFile(filepath.Join(s.signals, "door"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(f, answer)
		f.Close()
	}
}

// doorRequest is a request to the door that the params of an opening name.
func doorRequest(opening object, body string) (*http.Request, error) {
	servers, _ := opening.objects("mcpServers")
	if len(servers) == 0 {
		return nil, fmt.Errorf("no door")
	}
	headers, _ := servers[0].objects("headers")
	req, err := http.NewRequest(http.MethodPost, servers[0].text("url"), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", headers[0].text("value"))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	return req, nil
}

// answers are those that a scripted program had from its door.
func answers(t *testing.T, signals string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(signals, "door"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

const (
	greets = `{"door":"greet"}`
	lists  = `{"door":"list"}`
	calls  = `{"door":"note"}`
	loads  = `{"expect":"session/load","reply":{}}`
	closes = `{"expect":"session/close","reply":{}}`
)

// R-69-43, R-69-44, checklist 14: a program that takes instructions from its door is told
// them there, once. Changed ones it is told in the way that its row of the table says.
func TestInstructionsThatTheDoorGives(t *testing.T) {
	visits := []string{helloHTTP, opened, greets, lists, asked, says("one"), done, asked, says("two"), done}
	for _, each := range []struct {
		name   string
		quirks Quirks
		leave  bool // the third message finds a new process
		rest   []string
		blocks int // of the third message
		greets int
	}{
		{"with the message", Quirks{ReplaysFirst: true}, false, []string{asked, says("three"), done}, 2, 1},
		{"at a door that is read again", Quirks{ReplaysFirst: true, RereadsDoor: true}, false, []string{closes, loads, greets, lists, asked, says("three"), done}, 1, 2},
		{"with the message, though a load would read them", Quirks{ReadsDoorAtOpening: true}, false, []string{asked, says("three"), done}, 2, 1},
		{"at the load in a new process", Quirks{ReadsDoorAtOpening: true}, true, nil, 1, 2},
		{"with the message, the load keeps the old ones", Quirks{ReplaysFirst: true}, true, nil, 2, 2},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			first := append(append([]string(nil), visits...), each.rest...)
			e, signals := doorEngine(t, Agent{Instructions: FromDoor, Quirks: each.quirks}, first...)
			e.times.Tools = e.times.Session
			in := input(t, "first")
			in.SystemAppend, in.Tools = "Be brief.", []engine.Tool{handy("note")}
			var prompts []object
			for i, words := range []string{"first", "second", "third"} {
				in.Prompt = words
				if i == 2 {
					in.SystemAppend = "Be thorough."
				}
				if i == 2 && each.leave {
					prompts = sent(t, signals, "session/prompt")
					e.Release("chat")
					rewrite(t, e, helloHTTP, loads, greets, lists, asked, says("three"), done)
				}
				s, r := turnWith(t, e, in)
				if r.Outcome != engine.Success {
					t.Fatalf("%q: %+v", words, r)
				}
				in.ResumeID = resumeOf(s)
				if told, _, _ := parseResume(in.ResumeID); told != digestOf(in.SystemAppend) {
					t.Errorf("%q: the record says %s", words, told)
				}
			}
			prompts = append(prompts, sent(t, signals, "session/prompt")...)
			for i, want := range []int{1, 1, each.blocks} {
				if got := blocksOf(prompts[i]); len(got) != want || want == 2 && !strings.Contains(got[0], "Be thorough.") {
					t.Errorf("message %d: %q", i+1, got)
				}
			}
			var greeted []string
			for _, a := range answers(t, signals) {
				if strings.HasPrefix(a, "greet 200") {
					greeted = append(greeted, a)
				}
			}
			if len(greeted) != each.greets || !strings.Contains(greeted[0], "Be brief.") || each.greets == 2 && !strings.Contains(greeted[1], "Be thorough.") {
				t.Errorf("greeted with %q", greeted)
			}
		})
	}
}

// rewrite gives the next process of a scripted program another script.
func rewrite(t *testing.T, e *Engine, lines ...string) {
	t.Helper()
	if err := os.WriteFile(e.variable("ACP_TEST_SCRIPT"), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// R-69-48, R-69-64, R-69-66, checklist 15: a call that comes through the door is one row,
// under the tool's bare name, and between the turns nothing comes through.
func TestACallThroughTheDoorIsOneRow(t *testing.T) {
	notice := updates(`{"sessionUpdate":"tool_call","toolCallId":"a","title":"conch-note","kind":"other","status":"pending","rawInput":{"text":"x"}}`)
	over := updates(`{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}`)
	e, signals := doorEngine(t, Agent{}, helloHTTP, opened, greets, lists, calls, asked, notice,
		asksFor(9, `{"toolCallId":"a","title":"note","kind":"other"}`, yesNo), `{"expect":"response:9"}`, calls, over, says("ok"), `{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`,
		asked, says("two"), done)
	e.times.Tools = e.times.Session
	in := input(t, "hi")
	in.Tools = []engine.Tool{handy("note")}
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || len(s.cards) > 0 {
		t.Errorf("%+v, %d cards", r, len(s.cards))
	}
	rows := startsIn(s)
	if len(rows) != 1 || rows[0].Name != "note" || !strings.Contains(s.text(), "✓ t1 success") {
		t.Errorf("drew\n%s", s.text())
	}
	got := answers(t, signals)
	if len(got) != 4 || !strings.Contains(got[2], "No turn is running") || !strings.Contains(got[3], "done") || strings.Contains(got[3], `"isError":true`) {
		t.Errorf("the door answered %q", got)
	}
	req, err := doorRequest(sent(t, signals, "session/new")[0], `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	answer, err := transport.RoundTrip(req.WithContext(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("between the turns: %d", answer.StatusCode)
	}
}

// R-69-36: where an open session keeps its servers (Qwen), other tools are those of a new
// process; where a second load loses it (Gemini), of a new session, on purpose.
func TestOtherToolsWhereASessionCannotBeOpenedAgain(t *testing.T) {
	for _, each := range []struct {
		name     string
		quirks   Quirks
		same     bool // process
		sessions string
		rest     []string
	}{
		{"a new process", Quirks{ReplaysFirst: true, KeepsServers: true}, false, "load prompt", nil},
		{"a new session", Quirks{ReplaysFirst: true, LoadsOnce: true}, true, "load prompt new prompt", []string{closes, opened, asked, says("two"), done}},
	} {
		t.Run(each.name, func(t *testing.T) {
			e, signals := doorEngine(t, Agent{Quirks: each.quirks}, append([]string{helloHTTP, loads, asked, says("one"), done}, each.rest...)...)
			in := input(t, "first")
			in.ResumeID, in.Tools = digestOf("")+":sess-1", []engine.Tool{handy("note")}
			in.FreshPrompt = func() string { return "all of it" }
			s, _ := turnWith(t, e, in)
			before := e.chats.Process("chat")
			rewrite(t, e, helloHTTP, loads, asked, says("two"), done)
			in.ResumeID, in.Tools = resumeOf(s), append(in.Tools, handy("ask"))
			s, r := turnWith(t, e, in)
			if r.Outcome != engine.Success || said(s) != "two" || s.sessions[0].Restarted != "" {
				t.Errorf("%+v, said %q, %+v", r, said(s), s.sessions)
			}
			if same := e.chats.Process("chat") == before; same != each.same {
				t.Errorf("the same process: %v", same)
			}
			if got := modesSet(t, signals); got != each.sessions {
				t.Errorf("asked for %s", got)
			}
			texts := blocksOf(sent(t, signals, "session/prompt")[len(sent(t, signals, "session/prompt"))-1])
			if whole := texts[len(texts)-1] == "all of it"; whole != each.same {
				t.Errorf("sent %q", texts)
			}
		})
	}
}

// R-69-41, R-69-51: where a declined call ends the turn, the chat says so; a turn that was
// cancelled because of it, and not by the person, is a success.
func TestATurnThatADeclineEndedSaysSo(t *testing.T) {
	const notice = "ended its turn because a step was declined"
	for _, each := range []struct {
		name, stop string
		quirks     Quirks
		after      string // said behind the decline
		says       bool
	}{
		{"it ends then", "end_turn", Quirks{DeclineEnds: true}, "", true},
		{"it cancels then", "cancelled", Quirks{}, "", true},
		{"it went on", "end_turn", Quirks{DeclineEnds: true}, says("I do without."), false},
		{"it never ends so", "end_turn", Quirks{}, "", false},
	} {
		t.Run(each.name, func(t *testing.T) {
			lines := []string{hello, opened, asked, asksFor(9, `{"toolCallId":"a","title":"rm x","kind":"execute","rawInput":{"command":"rm x"}}`, yesNo), `{"expect":"response:9"}`}
			if each.after != "" {
				lines = append(lines, each.after)
			}
			e, _ := doorEngine(t, Agent{Quirks: each.quirks}, append(lines, `{"reply_to":"session/prompt","reply":{"stopReason":"`+each.stop+`"}}`)...)
			s := newTape()
			s.ask = func(context.Context, engine.Permission) engine.Decision {
				return engine.Decision{Verdict: engine.Deny, OptionID: "n"}
			}
			r := e.Turn(t.Context(), input(t, "hi"), s)
			if r.Outcome != engine.Success {
				t.Errorf("%+v", r)
			}
			if got := strings.Contains(s.text(), notice); got != each.says {
				t.Errorf("said: %v\n%s", got, s.text())
			}
			if !strings.Contains(s.text(), "⊘ t1 not-run") {
				t.Errorf("the row:\n%s", s.text())
			}
		})
	}
}

// R-69-33: what Conch says of itself: no files and no terminals of its own, everything
// that it can show and ask.
func TestWhatConchSaysOfItself(t *testing.T) {
	e, signals := doorEngine(t, Agent{}, hello, opened, asked, says("one"), done)
	turnWith(t, e, input(t, "hi"))
	said := sent(t, signals, "initialize")[0]
	var got, want any
	if err := json.Unmarshal(said["clientCapabilities"], &got); err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal([]byte(`{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"auth":{"terminal":true},
		"elicitation":{"form":{},"url":{}},"session":{"configOptions":{"boolean":{}}}}`), &want)
	if fmt.Sprint(got) != fmt.Sprint(want) || string(said["protocolVersion"]) != "1" {
		t.Errorf("%s %s", said["protocolVersion"], said["clientCapabilities"])
	}
}

// R-69-34: the limits of time, where nobody sets others.
func TestTheLimitsOfTime(t *testing.T) {
	agent := testAgent(t, Agent{})
	got := New(agent, Options{}).times
	for name, each := range map[string][2]string{
		"start": {got.Start.String(), "30s"}, "session": {got.Session.String(), "45s"}, "close": {got.Close.String(), "5s"}, "stop": {got.Stop.String(), "2s"},
		"grace": {got.Grace.String(), "250ms"}, "quiet": {got.Quiet.String(), "300ms"}, "silence": {got.Silence.String(), "10s"}, "idle": {got.Idle.String(), "5m0s"},
		"remembered": {got.Remembered.String(), "20s"}, "tools": {got.Tools.String(), "2s"},
	} {
		if each[0] != each[1] {
			t.Errorf("%s: %s, want %s", name, each[0], each[1])
		}
	}
	agent.StartTimeout = got.Idle
	if got := New(agent, Options{}).times.Start; got != agent.StartTimeout {
		t.Errorf("the person's own: %s", got)
	}
}
