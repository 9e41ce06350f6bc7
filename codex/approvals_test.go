package codex

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/engine"
	"conch/program"
)

const (
	testThread = "01a22d73-9cc6-7dc1-bf59-6ae922c1d7fe"
	testCwd    = "/code/shop"
)

// wire is a turn that runs, without a program: what the program would say is put in,
// and what Conch answers comes out.
type wire struct {
	t    *testing.T
	p    *process
	turn *turn
	sink *sinkOf
	out  *bufio.Reader
}

// sinkOf takes events and answers every question in one way.
type sinkOf struct {
	decide func(engine.Permission) engine.Decision
	answer engine.Answer

	mu     sync.Mutex
	events []engine.Event
	asks   []engine.Permission
}

func (s *sinkOf) Emit(ev engine.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, ev)
}

func (s *sinkOf) Ask(_ context.Context, p engine.Permission) engine.Decision {
	s.mu.Lock()
	s.asks = append(s.asks, p)
	s.mu.Unlock()
	if s.decide == nil {
		return engine.Decision{Verdict: engine.Allow, OptionID: "accept"}
	}
	return s.decide(p)
}

func (s *sinkOf) Question(context.Context, engine.Question) engine.Answer { return s.answer }

func (s *sinkOf) all() []engine.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]engine.Event(nil), s.events...)
}

func (s *sinkOf) notices() (texts []string) {
	for _, ev := range s.all() {
		if n, ok := ev.(engine.Notice); ok {
			texts = append(texts, n.Code+": "+n.Message)
		}
	}
	return texts
}

func newWire(t *testing.T, tools ...engine.Tool) *wire {
	t.Helper()
	home := t.TempDir()
	e := New(Usual(), Options{Home: home, Environ: []string{"HOME=" + home}})
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	p := &process{Process: new(program.Process), e: e, limits: map[string]engine.Window{}}
	p.conn = newConn(inRead, outWrite, p)
	th := &thread{p: p, id: testThread, cwd: testCwd, begun: true}
	p.thread = th
	sink := &sinkOf{}
	ctx, cancel := context.WithCancel(context.Background())
	tn := &turn{
		e: e, th: th, sink: sink, key: "1", id: "turn-1", cwd: testCwd, tools: tools, ctx: ctx, asks: newLane(ctx), calls: newLane(ctx),
		ended: make(chan ending, 1), seen: map[string]bool{}, asked: map[string]bool{},
	}
	tn.words.turn, tn.rows.turn = tn, tn
	tn.silence = program.NewSilence(time.Minute, tn.emit)
	th.attach(tn)
	t.Cleanup(func() {
		cancel()
		go io.Copy(io.Discard, outRead) //nolint:errcheck // until it is closed
		tn.asks.wait()
		tn.calls.wait()
		inWrite.Close()
		<-p.conn.gone
		<-p.conn.out.Done
		outRead.Close()
		e.calls.Wait()
	})
	return &wire{t: t, p: p, turn: tn, sink: sink, out: bufio.NewReader(outRead)}
}

// ask is a request of the program's, with what Conch answers.
func (w *wire) ask(id, method, params string) string {
	w.t.Helper()
	w.p.request(json.RawMessage(id), method, w.about(params))
	return w.answer(id)
}

// about adds the thread and the turn.
func (w *wire) about(params string) json.RawMessage {
	m := map[string]any{"threadId": testThread, "turnId": "turn-1"}
	if err := json.Unmarshal([]byte(params), &m); err != nil {
		w.t.Fatal(err)
	}
	b, _ := json.Marshal(m)
	return b
}

func (w *wire) say(method, params string) { w.p.notification(method, w.about(params)) }

// answer is the next thing that Conch says, which must be to the request of this id.
func (w *wire) answer(id string) string {
	w.t.Helper()
	line := make(chan string, 1)
	go func() {
		s, _ := w.out.ReadString('\n')
		line <- s
	}()
	select {
	case s := <-line:
		var m struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal([]byte(s), &m); err != nil {
			w.t.Fatalf("answer %q: %v", s, err)
		}
		if string(m.ID) != id {
			w.t.Fatalf("the answer is to %s, not to %s", m.ID, id)
		}
		if m.Error != nil {
			return "error " + string(m.Error)
		}
		return string(m.Result)
	case <-time.After(10 * time.Second):
		w.t.Fatal("no answer came")
		return ""
	}
}

func started(kind, id, rest string) string {
	return fmt.Sprintf(`{"item":{"type":%q,"id":%q,%s}}`, kind, id, rest)
}

// R-69-84, checklist 21: what reaches further than this one call inside the sandbox is declined
// whatever the mode: nobody is asked, and a notice says which it was.
func TestEveryEscapeIsDeclinedWithoutAsking(t *testing.T) {
	command := `"itemId":"c","command":"/bin/bash -lc 'make test'","cwd":"/code/shop","commandActions":[{"type":"unknown","command":"make test"}]`
	for _, c := range []struct{ name, method, params, says string }{
		{"network context", "item/commandExecution/requestApproval", command + `,"networkApprovalContext":{"host":"example.invalid"}`, "access to the network"},
		{"network rules", "item/commandExecution/requestApproval", command + `,"proposedNetworkPolicyAmendments":[{"host":"example.invalid"}]`, "access to the network"},
		{"permissions of a command", "item/commandExecution/requestApproval", command + `,"additionalPermissions":{"fileSystem":{"write":["/"]}}`, "permissions of its own"},
		{"a root to write in", "item/fileChange/requestApproval", `"itemId":"f","grantRoot":"/etc"`, "lasting write access to /etc"},
		{"a reason that speaks of the sandbox", "item/commandExecution/requestApproval", command + `,"reason":"retry without sandbox?"`, "to leave the sandbox"},
		{"a reason that speaks of escalation", "item/commandExecution/requestApproval", command + `,"reason":"needs escalated permissions"`, "to leave the sandbox"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWire(t)
			w.say("item/started", started("fileChange", "f", `"changes":[{"path":"/code/shop/a","kind":{"type":"add"},"diff":"x\n"}]`))
			if got := w.ask("0", c.method, "{"+c.params+"}"); got != `{"decision":"decline"}` {
				t.Errorf("answered %s", got)
			}
			if n := strings.Join(w.sink.notices(), "\n"); !strings.Contains(n, "Codex asked for "+c.says+": it was declined.") {
				t.Errorf("said %q", n)
			}
			if len(w.sink.asks) > 0 {
				t.Error("the person was asked")
			}
		})
	}
	t.Run("the same item again", func(t *testing.T) {
		w := newWire(t)
		if got := w.ask("0", "item/commandExecution/requestApproval", "{"+command+"}"); got != `{"decision":"accept"}` {
			t.Fatalf("the first was answered %s", got)
		}
		if got := w.ask("1", "item/commandExecution/requestApproval", "{"+command+"}"); got != `{"decision":"decline"}` {
			t.Errorf("the second was answered %s", got)
		}
		if n := w.sink.notices(); len(n) != 1 || !strings.Contains(n[0], "outside the sandbox") {
			t.Errorf("said %q", n)
		}
	})
	t.Run("permissions beyond a call", func(t *testing.T) {
		w := newWire(t)
		if got := w.ask(`"p"`, "item/permissions/requestApproval", `{"permissions":{"network":{"enabled":true}}}`); got != `{"permissions":{},"scope":"turn"}` {
			t.Errorf("answered %s", got)
		}
		if len(w.sink.notices()) != 1 {
			t.Errorf("said %q", w.sink.notices())
		}
	})
}

// R-69-84: what is left is put to whoever decides, with what Codex itself offers but
// never the form that writes a rule. R-69-83: a patch's diff is in its item.
func TestWhatIsDecidedIsAnswered(t *testing.T) {
	for _, c := range []struct {
		decision engine.Decision
		want     string
	}{
		{engine.Decision{Verdict: engine.Allow, OptionID: "accept"}, "accept"},
		{engine.Decision{Verdict: engine.Allow, OptionID: "acceptForSession"}, "acceptForSession"},
		{engine.Decision{Verdict: engine.Allow, OptionID: "acceptWithExecpolicyAmendment"}, "decline"},
		{engine.Decision{Verdict: engine.Allow}, "decline"},
		{engine.Decision{Verdict: engine.Deny, OptionID: "decline"}, "decline"},
		{engine.Decision{Verdict: engine.Cancelled}, "cancel"},
		{engine.Decision{}, "decline"},
	} {
		t.Run(fmt.Sprint(c.decision), func(t *testing.T) {
			w := newWire(t)
			w.sink.decide = func(engine.Permission) engine.Decision { return c.decision }
			w.say("item/started", started("fileChange", "f", `"changes":[{"path":"/code/shop/new.txt","kind":{"type":"add"},"diff":"one\ntwo\n"}]`))
			if got := w.ask("0", "item/fileChange/requestApproval", `{"itemId":"f"}`); got != `{"decision":"`+c.want+`"}` {
				t.Errorf("answered %s", got)
			}
			p := w.sink.asks[0]
			if p.Kind != engine.KindEdit || len(p.Paths) != 1 || p.Paths[0] != "/code/shop/new.txt" || len(p.Diffs) != 1 || p.Diffs[0].Old != nil || *p.Diffs[0].New != "one\ntwo\n" {
				t.Errorf("asked %+v", p)
			}
			for _, o := range p.Options {
				if o.ID != "accept" && o.ID != "decline" && o.ID != "acceptForSession" {
					t.Errorf("offered %q", o.ID)
				}
			}
		})
	}
}

// R-69-84: a command counts as read or search only when each of its parts is one,
// and then with every path that it names.
func TestACommandReadsOnlyWhenAllOfItDoes(t *testing.T) {
	for _, c := range []struct {
		command, actions string
		kind             engine.ToolKind
		paths            string
	}{
		{"cat a", `[{"type":"read","command":"cat a","name":"a","path":"a"}]`, engine.KindRead, "/code/shop /code/shop/a"},
		{"cat /etc/passwd", `[{"type":"read","command":"cat /etc/passwd","path":"/etc/passwd"}]`, engine.KindRead, "/code/shop /etc/passwd"},
		{"cat a /etc/passwd", `[{"type":"read","command":"cat a /etc/passwd","path":"a"}]`, engine.KindRead, "/code/shop /code/shop/a /etc/passwd"},
		{"rg x", `[{"type":"search","command":"rg x","query":"x"}]`, engine.KindSearch, "/code/shop /code/shop/x"},
		{"ls && cat a", `[{"type":"listFiles","command":"ls"},{"type":"read","command":"cat a","path":"a"}]`, engine.KindSearch, "/code/shop /code/shop/a"},
		{"cat a && rm a", `[{"type":"read","command":"cat a","path":"a"},{"type":"unknown","command":"rm a"}]`, engine.KindExecute, ""},
		{"cat a && rm a", `[{"type":"read","command":"cat a","path":"a"}]`, engine.KindExecute, ""},
		{"cat a | tee b", `[{"type":"read","command":"cat a","path":"a"}]`, engine.KindExecute, ""},
		{"cat a > b", `[{"type":"read","command":"cat a","path":"a"}]`, engine.KindExecute, ""},
		{"cat $(rm b)", `[{"type":"read","command":"cat $(rm b)","path":"a"}]`, engine.KindExecute, ""},
		{"ls", `[]`, engine.KindExecute, ""},
		{"ls", `null`, engine.KindExecute, ""},
		{"ls", `[{"type":"wish","command":"x"}]`, engine.KindExecute, ""},
	} {
		t.Run(c.command, func(t *testing.T) {
			w := newWire(t)
			w.ask("0", "item/commandExecution/requestApproval", `{"itemId":"c","command":"/bin/bash -lc '`+c.command+`'","cwd":"/code/shop","commandActions":`+c.actions+`}`)
			p := w.sink.asks[0]
			if p.Kind != c.kind || strings.Join(p.Paths, " ") != c.paths || p.Subject != c.command {
				t.Errorf("%s %q %q", p.Kind, p.Paths, p.Subject)
			}
		})
	}
}

// What is not of the running turn, or not known, is refused; an id may be 0 or a word.
func TestWhatIsNotOfTheTurnIsRefused(t *testing.T) {
	for _, c := range []struct{ method, params, want string }{
		{"item/commandExecution/requestApproval", `{"threadId":"other","itemId":"c","command":"ls"}`, `{"decision":"decline"}`},
		{"item/commandExecution/requestApproval", `{"turnId":"other","itemId":"c","command":"ls"}`, `{"decision":"decline"}`},
		{"item/fileChange/requestApproval", `{"itemId":"never-started"}`, `{"decision":"decline"}`},
		{"item/tool/call", `{"threadId":"other","callId":"c","tool":"ask"}`, `{"contentItems":[{"text":"This call is not of the running turn: it was not run.","type":"inputText"}],"success":false}`},
		{"item/tool/requestUserInput", `{"threadId":"other","questions":[]}`, `{"answers":{}}`},
		{"mcpServer/elicitation/request", `{"serverName":"s","message":"your key?"}`, `{"_meta":null,"action":"decline","content":null}`},
		{"item/wish", `{}`, `error {"code":-32601,"message":"Method not found"}`},
		{"applyPatchApproval", `{}`, `error {"code":-32601,"message":"Method not found"}`},
	} {
		t.Run(c.method, func(t *testing.T) {
			w := newWire(t)
			if got := w.ask(`"x"`, c.method, c.params); got != c.want {
				t.Errorf("answered %s", got)
			}
			if len(w.sink.asks) > 0 {
				t.Error("the person was asked")
			}
		})
	}
}

// R-69-84: a call of an MCP server of the person's own is put to whoever decides.
func TestACallOfAnAppIsAsked(t *testing.T) {
	w := newWire(t)
	w.say("item/started", started("mcpToolCall", "m", `"server":"notes","tool":"add","arguments":{"text":"x"}`))
	got := w.ask("0", "mcpServer/elicitation/request", `{"serverName":"notes","message":"Allow?","_meta":{"codex_approval_kind":"mcp_tool_call","tool_name":"add","tool_params":{"text":"x"}}}`)
	if got != `{"_meta":null,"action":"accept","content":null}` {
		t.Errorf("answered %s", got)
	}
	if p := w.sink.asks[0]; p.Tool != "notes: add" || p.ToolUseID != "1.m" {
		t.Errorf("asked %+v", p)
	}
}

// R-69-82: calls of Conch's tools run one at a time and in order; one that comes
// twice, and the 513th, are stale.
func TestCallsOfToolsRunInOrderAndOnce(t *testing.T) {
	var mu sync.Mutex
	var order []string
	running := 0
	tool := toolOf{name: "note", call: func(args json.RawMessage) (engine.ToolResult, error) {
		mu.Lock()
		running++
		if running > 1 {
			t.Error("two at a time")
		}
		order = append(order, string(args))
		mu.Unlock()
		defer func() { mu.Lock(); running--; mu.Unlock() }()
		return engine.ToolResult{Text: "noted"}, nil
	}}
	w := newWire(t, tool)
	var want []string
	for i := range maxCalls {
		args := fmt.Sprintf(`{"n":%d}`, i)
		want = append(want, args)
		got := w.ask(fmt.Sprint(i), "item/tool/call", fmt.Sprintf(`{"callId":"c%d","tool":"note","arguments":%s}`, i, args))
		if !strings.Contains(got, `"success":true`) {
			t.Fatalf("call %d: %s", i, got)
		}
	}
	if strings.Join(order, "") != strings.Join(want, "") {
		t.Error("another order")
	}
	for _, id := range []string{"c3", "c512", ""} {
		if got := w.ask("0", "item/tool/call", fmt.Sprintf(`{"callId":%q,"tool":"note","arguments":{}}`, id)); !strings.Contains(got, "stale") || !strings.Contains(got, `"success":false`) {
			t.Errorf("call %q: %s", id, got)
		}
	}
	if len(order) != maxCalls {
		t.Errorf("%d calls ran", len(order))
	}
}

// R-102-12, checklist 5: a tool that fails, panics or is not there gives the model words
// that say why.
func TestAToolThatFailsSaysWhy(t *testing.T) {
	w := newWire(t, toolOf{"bad", func(json.RawMessage) (engine.ToolResult, error) {
		return engine.ToolResult{}, fmt.Errorf("no such chat")
	}},
		toolOf{"broken", func(json.RawMessage) (engine.ToolResult, error) { panic("x") }})
	for tool, says := range map[string]string{"bad": "no such chat", "broken": "broke inside Conch", "gone": "there is no tool"} {
		if got := w.ask("0", "item/tool/call", fmt.Sprintf(`{"callId":%q,"tool":%q,"arguments":{}}`, tool, tool)); !strings.Contains(got, says) || !strings.Contains(got, `"success":false`) {
			t.Errorf("%s: %s", tool, got)
		}
	}
}

type toolOf struct {
	name string
	call func(json.RawMessage) (engine.ToolResult, error)
}

func (t toolOf) Name() string            { return t.name }
func (t toolOf) Description() string     { return "a tool" }
func (t toolOf) Schema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (t toolOf) Call(_ context.Context, args json.RawMessage) (engine.ToolResult, error) {
	return t.call(args)
}
