package acp

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/engine"
)

// handy is a tool as Conch offers them.
type handy string

func (h handy) Name() string            { return string(h) }
func (h handy) Description() string     { return "does " + string(h) }
func (h handy) Schema() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }
func (h handy) Call(context.Context, json.RawMessage) (engine.ToolResult, error) {
	return engine.ToolResult{Text: "done"}, nil
}

func toolSet(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// R-69-48: names of the door's tools, whole and nothing else.
func TestADoorToolIsKnownByItsWholeName(t *testing.T) {
	tools := toolSet("remember", "Read")
	for name, want := range map[string]string{
		"conch/remember": "remember", "conch-remember": "remember", "conch_remember": "remember", "conch__remember": "remember",
		"conch.remember": "remember", "conch: remember": "remember", "mcp__conch__remember": "remember", "mcp_conch_remember": "remember",
		"remember (conch MCP Server)": "remember", "remember (conch)": "remember",

		"remember": "", "conch remember": "", "conch_remember ": "", " conch_remember": "", "Conch_remember": "", "conch_forget": "",
		"other_remember": "", "mcp__other__remember": "", "conch remember && rm -rf x": "", "conch_remember; rm": "", "conch Read; ls": "",
		"Read (conch MCP Server) && ls": "", "remember (conch MCP Server): {}": "", "xconch_remember": "", "mcp__conch__": "", "": "",
	} {
		if got := doorTool(name, tools); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	for title, want := range map[string]string{
		`remember(text: "a")`: "remember", "remember()": "remember", "remember(f(x))": "remember",
		"remember": "", "remember(": "", "remember(a) && rm -rf (b)": "", "remember(a)\nrm (b)": "", "forget(a)": "", " remember()": "", "remember(a))": "",
	} {
		if got := bareCall(title, tools); got != want {
			t.Errorf("%q is %q, want %q", title, got, want)
		}
	}
}

// R-69-49: what names a call, in its order. "said" are notices, "asks" the request.
func TestWhoseCallAPermissionIsFor(t *testing.T) {
	gemini, other := Agent{Quirks: Quirks{IDNamesTool: true}}, Agent{}
	titled, copilot := Agent{Quirks: Quirks{TitleNamesTool: true}}, Agent{Quirks: Quirks{KindsByName: true}}
	for _, each := range []struct {
		name       string
		agent      Agent
		said, asks string
		want       string
	}{
		{"Claude", other, `{"toolCallId":"a","title":"mcp__conch__note","kind":"other","_meta":{"claudeCode":{"toolName":"mcp__conch__note"}}}`, `{"toolCallId":"a","title":"mcp__conch__note","kind":"other"}`, "note"},
		{"Gemini by its id", gemini, "", `{"toolCallId":"mcp_conch_note__call_1","title":"note (conch MCP Server)","kind":"other"}`, "note"},
		{"Gemini, titled by a command argument", gemini, "", `{"toolCallId":"mcp_conch_note__call_1","title":"ls -la","kind":"other"}`, "note"},
		{"Grok", other, `{"toolCallId":"a","title":"use_tool","rawInput":{"tool_name":"conch__note"},"_meta":{"x.ai/tool":{"name":"use_tool"}}}`, `{"toolCallId":"a","title":"conch__note","kind":"other","rawInput":{"tool_name":"conch__note"}}`, "note"},
		{"Qwen", other, "", `{"toolCallId":"a","title":"{\"text\":\"x\"}","kind":"other","_meta":{"toolName":"mcp__conch__note"}}`, "note"},
		{"Qwen, a tool that only reads", other, "", `{"toolCallId":"a","title":"{}","kind":"read","_meta":{"toolName":"mcp__conch__note"}}`, "note"},
		{"OpenCode", titled, `{"toolCallId":"a","title":"conch_note","kind":"other"}`, `{"toolCallId":"a","title":"conch_note","kind":"other"}`, "note"},
		{"Copilot, whose request says the bare tool", other, `{"toolCallId":"a","title":"conch-note","kind":"other"}`, `{"toolCallId":"a","title":"note","kind":"other"}`, "note"},
		{"Copilot, which takes the kind from the name", other, `{"toolCallId":"a","title":"conch-note","kind":"search","rawInput":{"query":"x"}}`, `{"toolCallId":"a","title":"note","kind":"other"}`, "note"},
		{"a search for our name", other, `{"toolCallId":"a","title":"conch-note","kind":"search","rawInput":{"pattern":"conch-note"}}`, `{"toolCallId":"a"}`, ""},
		{"a bare call, announced", other, `{"toolCallId":"a","title":"note(text: \"x\")"}`, `{"toolCallId":"a"}`, "note"},

		{"Copilot, a tool that reads a file", other, `{"toolCallId":"a","title":"conch-note","kind":"read","rawInput":{"path":"/w/x"},"locations":[{"path":"/w/x"}]}`, `{"toolCallId":"a","title":"note","kind":"other"}`, "note"},
		{"Copilot, a tool whose name sounds like an edit", copilot, `{"toolCallId":"a","title":"conch-note","kind":"edit","rawInput":{"path":"/w/x"}}`, `{"toolCallId":"a","title":"note","kind":"other","rawInput":{"path":"/w/x"}}`, "note"},
		{"Copilot, a tool whose name sounds like a command", copilot, `{"toolCallId":"a","title":"conch-note","kind":"execute","rawInput":{}}`, `{"toolCallId":"a"}`, "note"},

		{"Copilot's edit without its arguments", copilot, `{"toolCallId":"a","title":"conch-note","kind":"edit"}`, `{"toolCallId":"a"}`, ""},
		{"Copilot's command that is described so", copilot, `{"toolCallId":"a","title":"conch-note","kind":"execute","rawInput":{"command":"x","description":"conch-note"}}`, `{"toolCallId":"a","rawInput":{"command":"x"}}`, ""},
		{"Copilot's command that is described so later", copilot, `{"toolCallId":"a","title":"conch-note","kind":"execute","rawInput":{"command":"x"}}`, `{"toolCallId":"a","rawInput":{"command":"x","description":"conch-note"}}`, ""},
		{"Copilot's edit of a file that is called so", copilot, `{"toolCallId":"a","title":"conch-note","kind":"edit","rawInput":{"path":"/w/conch-note"}}`, `{"toolCallId":"a"}`, ""},
		{"Copilot's command under our title", copilot, `{"toolCallId":"a","title":"conch-note","kind":"execute","rawInput":{"command":"x"}}`, `{"toolCallId":"a"}`, ""},
		{"Copilot's other tool that is described so", copilot, `{"toolCallId":"a","title":"conch-note","kind":"other","rawInput":{"query":"x","description":"conch-note"}}`, `{"toolCallId":"a"}`, ""},
		{"another tool that is described as a bare call", other, `{"toolCallId":"a","title":"note(x)","kind":"other","rawInput":{"description":"note(x)"}}`, `{"toolCallId":"a"}`, ""},
		{"another tool than this turn's", other, `{"toolCallId":"a","title":"conch-other","kind":"other"}`, `{"toolCallId":"a"}`, ""},
		{"never announced", other, "", `{"toolCallId":"a","title":"conch-note","kind":"other"}`, ""},
		{"another server, bare", other, `{"toolCallId":"a","title":"evil-note","kind":"other"}`, `{"toolCallId":"a","title":"note","kind":"other"}`, ""},
		{"another server that names ours in its input", other, `{"toolCallId":"a","title":"evil-delete","kind":"other","rawInput":{"tool_name":"conch__note"}}`, `{"toolCallId":"a"}`, ""},
		{"a command that spells a call", other, `{"toolCallId":"a","title":"note (conch MCP Server)","kind":"execute","rawInput":{"command":"x"}}`, `{"toolCallId":"a","kind":"other"}`, ""},
		{"a command asked for under our name", other, `{"toolCallId":"a","title":"conch-note","kind":"other"}`, `{"toolCallId":"a","kind":"execute"}`, ""},
		{"an edit", other, `{"toolCallId":"a","title":"conch-note","kind":"edit"}`, `{"toolCallId":"a"}`, ""},
		{"Gemini's shell", gemini, "", `{"toolCallId":"run_shell_command__1","title":"note (conch MCP Server)","kind":"other"}`, ""},
		{"Gemini, a longer name", gemini, "", `{"toolCallId":"mcp_conch_note_all__1","title":"note (conch MCP Server)","kind":"other"}`, ""},
		{"the program's own tool under our title", other, `{"toolCallId":"a","title":"mcp__conch__note","kind":"other","_meta":{"claudeCode":{"toolName":"Task"}}}`, `{"toolCallId":"a"}`, ""},
		{"a file that is called so", other, `{"toolCallId":"a","title":"conch/note","kind":"read","locations":[{"path":"/w/conch/note"}]}`, `{"toolCallId":"a"}`, ""},
		{"OpenCode's read of such a file", titled, `{"toolCallId":"a","title":"read","kind":"read"}`, `{"toolCallId":"a","title":"conch/note","kind":"read"}`, ""},
		{"a bare call that reads", other, `{"toolCallId":"a","title":"note(x)","kind":"read"}`, `{"toolCallId":"a"}`, ""},
		{"conch note && …", other, `{"toolCallId":"a","title":"conch note && rm -rf /","kind":"other"}`, `{"toolCallId":"a"}`, ""},
	} {
		c := &call{}
		for i, said := range []string{each.said, each.asks} {
			if said == "" {
				continue
			}
			u := parse(json.RawMessage(said))
			if c.id == "" {
				c.id, c.first = u.text("toolCallId"), u.text("title")
			}
			c.take(each.agent, u, i == 1)
		}
		if got := c.ofDoor(each.agent, toolSet("note")); got != each.want {
			t.Errorf("%s: %q, want %q", each.name, got, each.want)
		}
	}
}

// The calls in the recordings of all real programs: those to the door are known,
// and none of the others is taken for one.
func TestTheDoorsCallsInTheRecordings(t *testing.T) {
	tools := toolSet("page_open", "note_add", "run_check", "slow_wait", "page_shot", "note", "fail", "slow")
	paths, err := filepath.Glob("../testdata/wire/*/*.ndjson")
	if err != nil || len(paths) < 200 {
		t.Fatal("recordings are missing", err)
	}
	programs := map[string]int{}
	for _, path := range paths {
		folder := filepath.Base(filepath.Dir(path))
		if strings.HasPrefix(folder, "codex") {
			continue
		}
		list, err := readRecording(path)
		if err != nil {
			t.Fatal(err)
		}
		agent := agentOf(folder)
		calls := map[string]*call{}
		for _, each := range list {
			m := each.parsed()
			params := parse(m.Params)
			u, asking := params.object("update"), false
			if m.Method == "session/request_permission" {
				u, asking = params.object("toolCall"), true
			} else if kind := u.text("sessionUpdate"); m.Method != "session/update" || kind != "tool_call" && kind != "tool_call_update" {
				continue
			}
			key := params.text("sessionId") + u.text("toolCallId")
			c := calls[key]
			if c == nil {
				c = &call{id: u.text("toolCallId"), first: u.text("title")}
				calls[key] = c
			}
			c.take(agent, u, asking)
			if tool := c.ofDoor(agent, tools); tool != "" {
				programs[agent.ID]++
				if !strings.Contains(string(each.Msg), "conch") && c.announced == "" {
					t.Errorf("%s: taken for %s: %s", path, tool, each.Msg)
				}
				if kind := c.kind; kind != "" && kind != "other" && kind != "read" && kind != "search" {
					t.Errorf("%s: %s of kind %s", path, tool, kind)
				}
			} else if strings.Contains(c.title, "(conch MCP Server)") && c.kind == "other" || c.announced == "conch_note" {
				t.Errorf("%s: not known: %s", path, each.Msg)
			}
		}
	}
	for _, id := range []string{"claude-code", "gemini-cli", "copilot", "opencode", "grok", "qwen"} {
		if programs[id] == 0 {
			t.Errorf("no call to the door was known from %s", id)
		}
	}
}

const helloHTTP = `{"expect":"initialize","reply":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"mcpCapabilities":{"http":true},"sessionCapabilities":{"close":{}}}}}`

// doorEngine is an engine for a scripted program that never comes to its door.
func doorEngine(t *testing.T, agent Agent, lines ...string) (*Engine, string) {
	t.Helper()
	path := script(t, lines...)
	signals := t.TempDir()
	times := quick()
	times.Tools = 10 * time.Millisecond
	e := New(testAgent(t, agent, "ACP_TEST_SCRIPT="+path, "ACP_TEST_SIGNALS="+signals), Options{Timings: times, Self: "/opt/conch"})
	t.Cleanup(func() { e.Close() })
	return e, signals
}

// sent are the params of the requests of a method that a program was sent.
func sent(t *testing.T, signals, method string) (list []object) {
	t.Helper()
	for _, m := range heard(t, signals) {
		if m.Method == method {
			list = append(list, parse(m.Params))
		}
	}
	return list
}

func blocksOf(prompt object) (texts []string) {
	blocks, _ := prompt.objects("prompt")
	for _, b := range blocks {
		texts = append(texts, b.text("text"))
	}
	return texts
}

// R-69-61, R-69-67: the door's entry in the list of servers.
func TestASessionIsOpenedWithItsDoor(t *testing.T) {
	in := input(t, "hi")
	in.Tools = []engine.Tool{handy("note")}
	e, signals := doorEngine(t, Agent{}, helloHTTP, opened, asked, says("one"), done)
	turnWith(t, e, in)
	servers, _ := sent(t, signals, "session/new")[0].objects("mcpServers")
	headers, _ := servers[0].objects("headers")
	if len(servers) != 1 || servers[0].text("type") != "http" || servers[0].text("name") != "conch" ||
		!strings.HasPrefix(servers[0].text("url"), "http://127.0.0.1:") || headers[0].text("name") != "Authorization" || len(headers[0].text("value")) < 50 {
		t.Errorf("%v", servers)
	}

	e, signals = doorEngine(t, Agent{}, hello, opened, asked, says("one"), done)
	turnWith(t, e, in)
	servers, _ = sent(t, signals, "session/new")[0].objects("mcpServers")
	env, _ := servers[0].objects("env")
	if servers[0].text("command") != "/opt/conch" || !slices.Equal(texts(servers[0], "args"), []string{"door-shim"}) ||
		env[0].text("name") != "CONCH_DOOR_URL" || env[1].text("name") != "CONCH_DOOR_KEY" || len(env[1].text("value")) < 43 || servers[0].has("type") {
		t.Errorf("%v", servers)
	}

	e, signals = doorEngine(t, Agent{}, helloHTTP, opened, asked, says("one"), done)
	turnWith(t, e, input(t, "hi"))
	if got := string(sent(t, signals, "session/new")[0]["mcpServers"]); got != "[]" {
		t.Errorf("without tools: %s", got)
	}
}

// R-69-61: a door lives with the session that is opened with it.
func TestADoorEndsWithASessionThatWasNotOpened(t *testing.T) {
	lost := `{"expect":"session/load","error":{"code":-32603,"message":"no such session"}}`
	e, signals := doorEngine(t, Agent{}, helloHTTP, lost, opened, asked, says("one"), done)
	in := input(t, "hi")
	in.Tools, in.ResumeID = []engine.Tool{handy("note")}, digestOf("")+":sess-0"
	turnWith(t, e, in)
	for method, open := range map[string]bool{"session/load": false, "session/new": true} {
		servers, _ := sent(t, signals, method)[0].objects("mcpServers")
		conn, err := net.Dial("tcp4", strings.TrimSuffix(strings.TrimPrefix(servers[0].text("url"), "http://"), "/mcp"))
		if (err == nil) != open {
			t.Errorf("the door of %s: %v", method, err)
		}
		if err == nil {
			conn.Close()
		}
	}
}

// R-69-43, R-69-44, checklist 14: the instructions in a program's own place, and again only when
// they changed.
func TestInstructionsGoWhereAProgramTakesThem(t *testing.T) {
	for _, each := range []struct {
		place  Instructions
		meta   string
		blocks [3]int // of the messages
	}{
		{SystemAppend, `{"systemPrompt":{"append":"Be brief."}}`, [3]int{1, 1, 2}},
		{Rules, `{"rules":"Be brief."}`, [3]int{1, 1, 2}},
		{WithMessage, ``, [3]int{2, 1, 2}},
		{FromDoor, ``, [3]int{2, 1, 2}}, // this one never comes to its door
	} {
		e, signals := doorEngine(t, Agent{Instructions: each.place}, helloHTTP, opened, asked, says("one"), done, asked, says("two"), done, asked, says("three"), done)
		in := input(t, "first")
		in.SystemAppend = "Be brief."
		s, _ := turnWith(t, e, in)
		in.ResumeID, in.Prompt = resumeOf(s), "second"
		s, _ = turnWith(t, e, in)
		in.ResumeID, in.Prompt, in.SystemAppend = resumeOf(s), "third", "Be thorough."
		s, _ = turnWith(t, e, in)
		if got := string(sent(t, signals, "session/new")[0]["_meta"]); got != each.meta {
			t.Errorf("%s: _meta %s", each.place, got)
		}
		prompts := sent(t, signals, "session/prompt")
		for i, p := range prompts {
			texts := blocksOf(p)
			if len(texts) != each.blocks[i] || texts[len(texts)-1] != []string{"first", "second", "third"}[i] {
				t.Errorf("%s, message %d: %q", each.place, i+1, texts)
			}
		}
		if first := blocksOf(prompts[0])[0]; each.blocks[0] == 2 && (!strings.Contains(first, "Be brief.") || !strings.Contains(first, "not from the person") || strings.Contains(first, "replaces")) {
			t.Errorf("%s: %q", each.place, first)
		}
		if third := blocksOf(prompts[2])[0]; !strings.Contains(third, "Be thorough.") || !strings.Contains(third, "replaces all") {
			t.Errorf("%s: %q", each.place, third)
		}
		if told, _, _ := parseResume(resumeOf(s)); told != digestOf("Be thorough.") {
			t.Errorf("%s: the record says %s", each.place, told)
		}
	}
}

// R-69-39: what was told stands in the record, and a new process goes by it.
func TestAnotherProcessTellsOnlyWhatChanged(t *testing.T) {
	for _, each := range []struct {
		told, now string
		blocks    int
	}{{"Be brief.", "Be brief.", 1}, {"Be brief.", "Be thorough.", 2}, {"", "Be brief.", 2}, {"Be brief.", "", 2}} {
		e, signals := doorEngine(t, Agent{Instructions: SystemAppend}, hello, `{"expect":"session/load","reply":{}}`, asked, says("one"), done)
		in := input(t, "hi")
		in.ResumeID, in.SystemAppend = digestOf(each.told)+":sess-1", each.now
		s, r := turnWith(t, e, in)
		if got := blocksOf(sent(t, signals, "session/prompt")[0]); len(got) != each.blocks {
			t.Errorf("%q then %q: %q (%+v)", each.told, each.now, got, r)
		}
		if resumeOf(s) != digestOf(each.now)+":sess-1" {
			t.Errorf("%q then %q: the record is %s", each.told, each.now, resumeOf(s))
		}
	}
}

func TestAProgramsOwnCommandHasNothingBeforeIt(t *testing.T) {
	commands := updates(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"compact","description":"x"}]}`)
	e, signals := doorEngine(t, Agent{Instructions: WithMessage}, hello, opened, commands, asked, says("one"), done, asked, says("two"), done, asked, says("three"), done)
	in := input(t, "hi")
	in.SystemAppend = "Be brief."
	s, _ := turnWith(t, e, in)
	in.ResumeID, in.SystemAppend, in.Prompt = resumeOf(s), "Be thorough.", "/compact now"
	s, _ = turnWith(t, e, in)
	in.ResumeID, in.Prompt = resumeOf(s), "go on"
	turnWith(t, e, in)
	prompts := sent(t, signals, "session/prompt")
	if got := blocksOf(prompts[1]); len(got) != 1 {
		t.Errorf("the command: %q", got)
	}
	if got := blocksOf(prompts[2]); len(got) != 2 {
		t.Errorf("the message after it: %q", got)
	}
}

// R-69-36: other tools, and the session is opened again the same way.
func TestOtherToolsOpenTheSessionAgain(t *testing.T) {
	e, signals := doorEngine(t, Agent{Quirks: Quirks{ReplaysFirst: true}}, helloHTTP, opened, asked, says("one"), done, asked, says("two"), done,
		`{"expect":"session/close","reply":{}}`, `{"expect":"session/load","reply":{}}`, asked, says("three"), done)
	in := input(t, "first")
	in.Tools = []engine.Tool{handy("note")}
	s, _ := turnWith(t, e, in)
	in.ResumeID, in.Prompt = resumeOf(s), "second"
	s, _ = turnWith(t, e, in)
	in.ResumeID, in.Prompt, in.Tools = resumeOf(s), "third", append(in.Tools, handy("ask"))
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || said(s) != "three" || s.sessions[0].Restarted != "" {
		t.Errorf("%+v %q", r, said(s))
	}
	loads := sent(t, signals, "session/load")
	if len(loads) != 1 || len(sent(t, signals, "session/new")) != 1 {
		t.Fatalf("%v", loads)
	}
	before, _ := sent(t, signals, "session/new")[0].objects("mcpServers")
	after, _ := loads[0].objects("mcpServers")
	if before[0].text("url") == after[0].text("url") || string(before[0]["headers"]) == string(after[0]["headers"]) {
		t.Error("the door or its key was used again")
	}
}

// R-69-61: nothing comes through the door of a session that another took the place of,
// also when its program never asked for the tools.
func TestTheDoorOfAReplacedSessionIsShut(t *testing.T) {
	e, signals := doorEngine(t, Agent{Quirks: Quirks{ReplaysFirst: true}}, helloHTTP, opened, `{"expect":"session/close","reply":{}}`,
		`{"expect":"session/new","reply":{"sessionId":"sess-1"}}`, asked, says("one"), done)
	in := input(t, "first")
	in.Tools = []engine.Tool{handy("note")}
	if err := e.Open(t.Context(), in, newTape()); err != nil {
		t.Fatal(err)
	}
	status := func(opening object) int {
		req, err := doorRequest(opening, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	if got := status(sent(t, signals, "session/new")[0]); got != http.StatusOK {
		t.Fatalf("while it is opened: %d", got)
	}
	in.Tools = append(in.Tools, handy("ask"))
	turnWith(t, e, in)
	for i, opening := range sent(t, signals, "session/new") {
		if got := status(opening); got != http.StatusServiceUnavailable {
			t.Errorf("door %d: %d", i+1, got)
		}
	}
}

// R-69-35: Stop waits for no session that is being closed.
func TestStopWhileASessionIsClosed(t *testing.T) {
	t.Parallel()
	e, _ := doorEngine(t, Agent{Quirks: Quirks{ReplaysFirst: true}}, helloHTTP, opened, asked, says("one"), done, `{"hang":true}`)
	in := input(t, "first")
	in.Tools = []engine.Tool{handy("note")}
	s, _ := turnWith(t, e, in)
	in.ResumeID, in.Tools = resumeOf(s), append(in.Tools, handy("ask"))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if r := e.Turn(ctx, in, newTape()); r.Outcome != engine.Interrupted || time.Since(begin) > 3*time.Second {
		t.Errorf("%+v after %v", r, time.Since(begin))
	}
}

// R-69-54, R-69-48, checklist 15 and 16: a call of the door's is allowed once, unasked, and not drawn.
func TestADoorToolIsAllowedOnceAndNotDrawn(t *testing.T) {
	always := `[{"optionId":"Y","name":"Always","kind":"allow_always"},{"optionId":"n","name":"No","kind":"reject_once"}]`
	named := `{"toolCallId":"a","title":"conch-note","kind":"other","rawInput":{"text":"x"}}`
	announce := updates(`{"sessionUpdate":"tool_call",` + named[1:])
	in := input(t, "hi")
	in.Tools = []engine.Tool{handy("note")}
	for _, each := range []struct {
		name, call, options, outcome string
		asked                        bool
		rows                         []string
	}{
		{"once is offered", `{"toolCallId":"a","title":"note","kind":"other"}`, yesNo, "selected y", false, nil},
		{"only always is offered", `{"toolCallId":"a","title":"note","kind":"other"}`, always, "selected n", true, []string{"note"}},
		{"it turns out to be a command", `{"toolCallId":"a","title":"note","kind":"execute","rawInput":{"command":"rm x"}}`, yesNo, "selected n", true, []string{"Bash"}},
	} {
		e, signals := doorEngine(t, Agent{}, helloHTTP, opened, asked, announce, asksFor(9, each.call, each.options), `{"expect":"response:9"}`, says("ok"),
			`{"reply_to":"session/prompt","reply":{"stopReason":"end_turn"}}`)
		s := newTape()
		put := false
		s.ask = func(_ context.Context, p engine.Permission) engine.Decision {
			put = true
			return engine.Decision{Verdict: engine.Deny, OptionID: "n"}
		}
		e.Turn(context.Background(), in, s)
		if got := outcomes(t, signals)["9"]; got != each.outcome || put != each.asked {
			t.Errorf("%s: %s, asked %v", each.name, got, put)
		}
		var rows []string
		for _, ev := range s.events {
			if row, ok := ev.(engine.ToolStart); ok {
				rows = append(rows, row.Name)
			}
		}
		if !slices.Equal(rows, each.rows) {
			t.Errorf("%s: rows %q", each.name, rows)
		}
	}
}

// A call that the program itself refused never comes to the door, and is drawn.
func TestADoorCallThatNeverCameIsDrawn(t *testing.T) {
	e, _ := doorEngine(t, Agent{}, helloHTTP, opened, asked,
		updates(`{"sessionUpdate":"tool_call","toolCallId":"a","title":"conch-note","kind":"other","status":"pending","rawInput":{"text":"x"}}`),
		updates(`{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"failed","content":[{"type":"content","content":{"type":"text","text":"not found in registry"}}]}`),
		says("ok"), done)
	in := input(t, "hi")
	in.Tools = []engine.Tool{handy("note")}
	s, _ := turnWith(t, e, in)
	var ends []engine.ToolEnd
	for _, ev := range s.events {
		if end, ok := ev.(engine.ToolEnd); ok {
			ends = append(ends, end)
		}
	}
	if len(ends) != 1 || ends[0].Status != engine.ToolError || !strings.Contains(s.text(), "note") {
		t.Errorf("%s", s.text())
	}
	if !strings.Contains(s.text(), "did not connect to Conch's own tools") {
		t.Errorf("it isn't said that the tools were not used:\n%s", s.text())
	}
}

// Notices before and after the door's own row leave one row.
func TestARowOfTheDoorsClaimsItsNotice(t *testing.T) {
	for _, before := range []bool{true, false} {
		s := newTape()
		tn := &turn{e: &Engine{agent: Agent{}}, sink: s, key: "1.1"}
		tn.words.turn, tn.rows.turn = tn, tn
		tn.rows.tools = toolSet("note")
		notice := func(text string) {
			tn.mu.Lock()
			defer tn.mu.Unlock()
			tn.rows.update(parse(json.RawMessage(text)))
		}
		said := `{"toolCallId":"a","title":"conch-note","kind":"other","rawInput":{"text":"x"}}`
		if before {
			notice(said)
		}
		tn.doorRow(engine.ToolStart{ToolUseID: "1.1.door.1", Name: "note"})
		if !before {
			notice(said)
		}
		tn.doorRow(engine.ToolEnd{ToolUseID: "1.1.door.1", Status: engine.ToolSuccess})
		notice(`{"toolCallId":"a","status":"completed"}`)
		notice(`{"toolCallId":"b","title":"conch-note","kind":"other","status":"failed","rawInput":{"text":"y"}}`)
		n := strings.Count(s.text(), "note")
		if starts := len(startsIn(s)); starts != 2 {
			t.Errorf("before=%v: %d rows, %d\n%s", before, starts, n, s.text())
		}
	}
}

func startsIn(s *tape) (list []engine.ToolStart) {
	for _, ev := range s.events {
		if row, ok := ev.(engine.ToolStart); ok {
			list = append(list, row)
		}
	}
	return list
}
