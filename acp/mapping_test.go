package acp

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/engine"
	"conch/program"
)

// mapped gives what becomes of updates, without a program.
func mapped(agent Agent, updates ...string) *tape {
	s := newTape()
	e := New(agent, Options{})
	p := &process{Process: new(program.Process), e: e, caps: capabilities{image: true, embedded: true}}
	sess := &session{p: p, id: "sess-1"}
	t := &turn{e: e, s: sess, sink: s, key: "0"}
	t.words.turn, t.rows.turn = t, t
	t.silence = program.NewSilence(time.Minute, t.emit)
	t.rows.cwd = "/w"
	sess.turn = t
	for _, u := range updates {
		sess.update(parse(json.RawMessage(u)))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows.closeAll(false)
	t.words.settle()
	return s
}

func row1(t *testing.T, s *tape) engine.ToolStart {
	t.Helper()
	for _, ev := range s.events {
		if start, ok := ev.(engine.ToolStart); ok {
			return start
		}
	}
	return engine.ToolStart{}
}

func known(id string) Agent {
	for _, a := range Agents("conch") {
		if a.ID == id {
			return a
		}
	}
	return Agent{ID: "other", Name: "Other"}
}

func toolCall(fields string) string {
	return `{"sessionUpdate":"tool_call","toolCallId":"read_file__1","status":"in_progress",` + fields + `}`
}

func TestRowsAreNamedByToolThenKindThenTitle(t *testing.T) { // R-69-45, checklist 15
	for _, c := range []struct {
		agent, fields string
		name          string
		kind          engine.ToolKind
		subject       string
	}{
		// By kind.
		{"x", `"kind":"read","title":"odd","locations":[{"path":"/w/a.go","line":3}]`, "Read", engine.KindRead, "a.go"},
		{"x", `"kind":"read","title":"odd","rawInput":{"path":"/w/a.go"}`, "Read", engine.KindRead, "a.go"},
		{"x", `"kind":"read","title":"odd","rawInput":{"file_path":"/v/a.go"}`, "Read", engine.KindRead, "/v/a.go"},
		{"x", `"kind":"read","title":"Look at it"`, "Look at it", engine.KindRead, ""},
		{"x", `"kind":"edit","title":"odd","locations":[{"path":"/w/d/a.go"}]`, "Edit", engine.KindEdit, "d/a.go"},
		{"x", `"kind":"delete","title":"odd","rawInput":{"path":"/w/a.go"}`, "Edit", engine.KindDelete, "a.go"},
		{"x", `"kind":"move","title":"odd","rawInput":{"path":"/w/a.go"}`, "Edit", engine.KindMove, "a.go"},
		{"x", `"kind":"execute","title":"x","rawInput":{"command":"ls -la"}`, "Bash", engine.KindExecute, "ls -la"},
		{"x", `"kind":"execute","title":"x","rawInput":{"cmd":"ls"}`, "Bash", engine.KindExecute, "ls"},
		{"x", `"kind":"execute","title":"x","rawInput":{"command":["git","log"]}`, "Bash", engine.KindExecute, "git log"},
		{"x", `"kind":"execute","title":"make all"`, "Bash", engine.KindExecute, "make all"},
		{"x", `"kind":"fetch","title":"x","rawInput":{"url":"https://e.org/a"}`, "WebFetch", engine.KindFetch, "https://e.org/a"},
		{"x", `"kind":"fetch","title":"x","rawInput":{"query":"go 1.26"}`, "WebSearch", engine.KindFetch, "go 1.26"},
		{"x", `"kind":"search","title":"x","rawInput":{"pattern":"Total(","path":"/w/cart"}`, "Grep", engine.KindSearch, `"Total(" in cart`},
		{"x", `"kind":"search","title":"List things"`, "List things", engine.KindSearch, ""},
		{"x", `"kind":"think","title":"Compact conversation"`, "Compact conversation", engine.KindThink, ""},
		{"x", `"kind":"hologram","title":"Beam"`, "Beam", engine.KindOther, ""},
		{"x", `"title":""`, "Tool", engine.KindOther, ""},
		{"x", `"title":"two\nlines \u001b[31mred"`, "two lines red", engine.KindOther, ""},
		// By the program's own name of the tool.
		{"claude-code", `"title":"x","_meta":{"claudeCode":{"toolName":"WebSearch"}},"rawInput":{"query":"q"}`, "WebSearch", engine.KindFetch, "q"},
		{"claude-code", `"title":"Task","kind":"think","_meta":{"claudeCode":{"toolName":"Task"}},"rawInput":{"prompt":"p"}`, "Task", engine.KindThink, ""},
		{"qwen", `"title":"ReadFile: a.go","kind":"read","_meta":{"toolName":"read_file"},"locations":[{"path":"/w/a.go","line":null}]`, "Read", engine.KindRead, "a.go"},
		{"grok", `"title":"grep","_meta":{"x.ai/tool":{"name":"grep"}},"rawInput":{"pattern":"p"}`, "Grep", engine.KindSearch, `"p"`},
		{"gemini-cli", `"title":"a.go","kind":"read","locations":[{"path":"/w/a.go"}]`, "Read", engine.KindRead, "a.go"},
		{"opencode", `"title":"glob","kind":"search","rawInput":{"pattern":"*.go"}`, "Grep", engine.KindSearch, `"*.go"`},
		{"copilot", `"title":"Searching for 'x'","kind":"read","rawInput":{"pattern":"x","path":"."},"locations":[{"path":"."}]`, "Grep", engine.KindSearch, `"x" in .`},
		// A title alone names nothing.
		{"x", `"title":"Read /etc/passwd","kind":"execute","rawInput":{"command":"rm -rf /"}`, "Bash", engine.KindExecute, "rm -rf /"},
		{"x", `"title":"Bash","kind":"read","locations":[{"path":"/w/a"}]`, "Read", engine.KindRead, "a"},
		// A harmless kind does not hide a tool that writes or runs.
		{"qwen", `"title":"x","kind":"read","_meta":{"toolName":"run_shell_command"},"rawInput":{"command":"rm x"}`, "Bash", engine.KindExecute, "rm x"},
		{"grok", `"title":"x","kind":"think","_meta":{"x.ai/tool":{"name":"write"}},"rawInput":{"file_path":"/w/x"}`, "Edit", engine.KindEdit, "x"},
	} {
		got := row1(t, mapped(known(c.agent), toolCall(c.fields)))
		if got.Name != c.name || got.Kind != c.kind || got.Subject != c.subject {
			t.Errorf("%s %s\n got %q %s %q\nwant %q %s %q", c.agent, c.fields, got.Name, got.Kind, got.Subject, c.name, c.kind, c.subject)
		}
	}
}

func TestACallIsMergedInAnyOrder(t *testing.T) { // R-69-46, R-69-47
	pieces := []string{
		`{"sessionUpdate":"tool_call_update","toolCallId":"a","title":"Edit a.go","kind":"edit"}`,
		`{"sessionUpdate":"tool_call","toolCallId":"a","locations":[{"path":"/w/a.go"}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"a","content":[{"type":"diff","path":"/w/a.go","oldText":"1","newText":"2"}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"a","rawInput":{"path":"/w/a.go"}}`,
	}
	for range pieces {
		pieces = append(pieces[1:], pieces[0])
		s := mapped(known("x"), append(slices.Clone(pieces), `{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}`)...)
		starts, ends := 0, 0
		for _, ev := range s.events {
			switch ev := ev.(type) {
			case engine.ToolStart:
				starts++
			case engine.ToolEnd:
				ends++
				if ev.Status != engine.ToolSuccess || len(ev.View.Diffs) != 1 || !reflect.DeepEqual(ev.View.Locations, []string{"/w/a.go"}) {
					t.Errorf("ended %+v", ev)
				}
			}
		}
		if starts != 1 || ends != 1 {
			t.Errorf("%d starts, %d ends:\n%s", starts, ends, s.text())
		}
	}
}

func TestAnAbsentFieldLeavesAndAPresentListReplaces(t *testing.T) {
	s := mapped(known("x"),
		`{"sessionUpdate":"tool_call","toolCallId":"a","title":"T","kind":"read","status":"in_progress","locations":[{"path":"/w/a"},{"path":"/w/b"}],"content":[{"type":"content","content":{"type":"text","text":"one"}}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"a","title":null,"locations":null,"content":null}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"a","locations":[{"path":"/w/c"}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}`)
	for _, ev := range s.events {
		if end, ok := ev.(engine.ToolEnd); ok && (end.Output != "one" || !reflect.DeepEqual(end.View.Locations, []string{"/w/c"})) {
			t.Errorf("%+v", end)
		}
	}
}

func TestAPendingNoticeWithoutInputLeavesNoRow(t *testing.T) { // R-69-47, checklist 15
	s := mapped(known("x"),
		`{"sessionUpdate":"tool_call","toolCallId":"a","title":"Terminal","kind":"execute","status":"pending","rawInput":{}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"b","title":"Shell","kind":"execute","rawInput":{"cwd":"/w"}}`)
	if len(s.events) != 0 {
		t.Errorf("shown:\n%s", s.text())
	}
}

func TestANonZeroExitIsAnErrorWhateverTheStatus(t *testing.T) { // R-69-52
	for _, c := range []struct {
		fields string
		status engine.ToolStatus
	}{
		{`"status":"completed","rawOutput":{"exitCode":1}`, engine.ToolError},
		{`"status":"completed","rawOutput":{"exit_code":0}`, engine.ToolSuccess},
		{`"status":"completed","rawOutput":{"metadata":{"exit":3}}`, engine.ToolError},
		{`"status":"completed","rawOutput":{"contents":[{"type":"shell_exit","exitCode":2}]}`, engine.ToolError},
		{`"status":"completed","rawOutput":{"timed_out":true}`, engine.ToolError},
		{`"status":"completed","rawOutput":{"signal":"SIGKILL"}`, engine.ToolError},
		{`"status":"completed","rawOutput":{"signal":null,"exitCode":0}`, engine.ToolSuccess},
		{`"status":"completed"`, engine.ToolSuccess},
		{`"status":"failed"`, engine.ToolError},
		{`"status":"exploded"`, engine.ToolUnknown},
	} {
		s := mapped(known("x"), `{"sessionUpdate":"tool_call","toolCallId":"a","kind":"execute","status":"in_progress","rawInput":{"command":"x"},"rawOutput":{"exit_code":0}}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"a",`+c.fields+`}`)
		end := s.events[len(s.events)-1].(engine.ToolEnd)
		if end.Status != c.status {
			t.Errorf("%s is %s, want %s", c.fields, end.Status, c.status)
		}
	}
}

func TestOutputIsTheLastEightThousandCharactersAndClean(t *testing.T) { // R-69-50
	long := strings.Repeat("ä", 20000) + "\x1b[31mEND\x07"
	s := mapped(known("x"), `{"sessionUpdate":"tool_call","toolCallId":"a","kind":"execute","status":"completed","rawInput":{"command":"x"},"content":[{"type":"content","content":{"type":"text","text":`+string(must(long))+`}}]}`)
	end := s.events[len(s.events)-1].(engine.ToolEnd)
	if n := len([]rune(end.Output)); n != 8000 || !strings.Contains(end.Output, "END") || strings.ContainsAny(end.Output, "\x1b\x07") {
		t.Errorf("%d characters, ends in %q", n, end.Output[len(end.Output)-12:])
	}
}

func text(id, words string) string {
	return `{"sessionUpdate":"agent_message_chunk","messageId":` + string(must(id)) + `,"content":{"type":"text","text":` + string(must(words)) + `}}`
}

func TestAMessageThatIsSentAgainReplacesItsFirstHalf(t *testing.T) { // R-69-37
	step := `{"sessionUpdate":"tool_call","toolCallId":"a","kind":"execute","status":"completed","rawInput":{"command":"x"}}`
	for _, c := range []struct {
		name    string
		updates []string
		want    string // what is left
	}{
		{"again and on", []string{text("1", "one two "), text("2", "one "), text("2", "two three")}, "one two three"},
		{"again in one piece", []string{text("1", "one two "), text("2", "one two three")}, "one two three"},
		{"three times", []string{text("1", "one two"), text("2", "one two"), text("3", "one two"), text("3", " three")}, "one two three"},
		{"breaking off sooner", []string{text("1", "one two"), text("2", "one"), text("3", "one two three")}, "one two three"},
		{"another message", []string{text("1", "one two"), text("2", "One more thing")}, "one twoOne more thing"},
		{"with a step between", []string{text("1", "Done"), step, text("2", "Done and dusted")}, "DoneDone and dusted"},
		{"a shorter one at the end", []string{text("1", "one two"), text("2", "one")}, "one twoone"},
		{"no ids", []string{text("", "one "), text("", "one ")}, "one one "},
	} {
		if got := said(mapped(known("x"), c.updates...)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestEveryMessageEndsOnce(t *testing.T) {
	s := mapped(known("x"), text("1", "a"), text("2", "b"),
		`{"sessionUpdate":"agent_thought_chunk","messageId":"2","content":{"type":"text","text":"c"}}`,
		text("2", "d"), text("", ""),
		`{"sessionUpdate":"tool_call","toolCallId":"a","kind":"execute","status":"completed","rawInput":{"command":"x"}}`, text("2", "e"))
	state := map[string]int{}
	for _, ev := range s.events {
		switch ev := ev.(type) {
		case engine.Text:
			state[ev.MessageID] |= 1
			if state[ev.MessageID]&2 != 0 {
				t.Errorf("%s goes on after its end", ev.MessageID)
			}
		case engine.Thought:
			state[ev.MessageID] |= 1
		case engine.MessageDone:
			if state[ev.MessageID] != 1 {
				t.Errorf("%s ends in state %d", ev.MessageID, state[ev.MessageID])
			}
			state[ev.MessageID] |= 2
		}
	}
	for id, is := range state {
		if is != 3 {
			t.Errorf("%s is in state %d", id, is)
		}
	}
}

func TestTheProgramsOwnLinesAreNotices(t *testing.T) {
	for _, c := range []struct{ agent, update, notice, words string }{
		{"claude-code", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"**Notice:** slow"},"_meta":{"claudeCode":{"kind":"informational"}}}`, "slow", ""},
		{"gemini-cli", text("", "[MODE_UPDATE] autoEdit"), "Gemini CLI is now in its mode autoEdit.", ""},
		{"claude-code", text("", "[MODE_UPDATE] is what Gemini writes"), "", "[MODE_UPDATE] is what Gemini writes"},
		{"copilot", text("", "Info: tried again"), "Info: tried again", ""},
		{"copilot", text("", "Information is power"), "", "Information is power"},
		{"opencode", text("", "Info: this is the answer"), "", "Info: this is the answer"},
	} {
		s := mapped(known(c.agent), c.update)
		got := ""
		for _, ev := range s.events {
			if n, ok := ev.(engine.Notice); ok {
				got = n.Message
			}
		}
		if got != c.notice || said(s) != c.words {
			t.Errorf("%s: notice %q, words %q", c.update, got, said(s))
		}
	}
}

func TestATitleThatIsSaidTwiceBetweenTurnsIsToldOnce(t *testing.T) {
	e := New(known("claude-code"), Options{})
	sess := &session{p: &process{e: e}, id: "sess-1"}
	for range 2 {
		sess.update(parse(json.RawMessage(`{"sessionUpdate":"session_info_update","title":"The lock"}`)))
	}
	s := newTape()
	sess.tell(s.Emit)
	sess.tell(s.Emit)
	if len(s.events) != 1 || s.events[0] != (engine.Title{Text: "The lock"}) {
		t.Errorf("told %+v", s.events)
	}
}

func TestPlans(t *testing.T) { // R-69-53
	s := mapped(known("opencode"),
		`{"sessionUpdate":"tool_call","toolCallId":"a","title":"todowrite","kind":"other","status":"in_progress","rawInput":{"todos":[{"content":"Look","status":"completed"},{"content":"Fix","status":"in_progress"},{"content":"Odd","status":"cancelled"}]}}`,
		`{"sessionUpdate":"plan","entries":[]}`, `{"sessionUpdate":"plan","entries":[{"content":"Odd","status":"cancelled"}]}`)
	var plans [][]engine.PlanStep
	for _, ev := range s.events {
		if p, ok := ev.(engine.Plan); ok {
			plans = append(plans, p.Steps)
		}
	}
	want := [][]engine.PlanStep{{{Title: "Look", Status: "done"}, {Title: "Fix", Status: "active"}}}
	if !reflect.DeepEqual(plans, want) {
		t.Errorf("%+v", plans)
	}
}

func TestProblems(t *testing.T) { // R-69-42
	for _, c := range []struct {
		code  int64
		words string
		want  engine.Problem
	}{
		{-32000, "Authentication required", engine.SignedOut},
		{401, "fake failure", engine.SignedOut},
		{-32603, "Unauthorized (401) from http://x", engine.SignedOut},
		{-32603, "Invalid API key", engine.SignedOut},
		{429, "slow down", engine.Limit},
		{-32003, "Rate limited: API error (status 429)", engine.Limit},
		{-32603, "You have run out of credits", engine.Limit},
		{-32603, "monthly quota exceeded", engine.Limit},
		{-32603, "prompt is too long: 210000 tokens", engine.TooLong},
		{-32603, "maximum context length is 128000", engine.TooLong},
		{500, "terminated", engine.Unavailable},
		{-32603, "503 Service Unavailable", engine.Unavailable},
		{-32603, "connect ECONNREFUSED 127.0.0.1:1", engine.Unavailable},
		{-32603, "the request timed out", engine.Unavailable},
		{-32602, "Invalid params", engine.NoProblem},
	} {
		if got := problemOf(c.code, c.words); got != c.want {
			t.Errorf("%d %q is %q, want %q", c.code, c.words, got, c.want)
		}
	}
}

func TestErrorWords(t *testing.T) {
	for _, c := range []struct{ message, data, want string }{
		{"Internal error", `"the words"`, "the words"},
		{"Internal error", `{"details":"the words"}`, "the words"},
		{"Internal error", `{"message":"the words","code":1}`, "the words"},
		{"Failed", `{"error":{"message":"the words"}}`, "Failed: the words"},
		{`{"error":{"code":401,"message":"the words"}}`, ``, "the words"},
		{"the words", `"the words"`, "the words"},
		{"the words", `[1]`, "the words"},
		{"", ``, ""},
	} {
		if got := (&refused{message: c.message, data: json.RawMessage(c.data)}).words(); got != c.want {
			t.Errorf("%s %s: %q", c.message, c.data, got)
		}
	}
}

func TestAMessageIsSentInTheBlocksThatTheProgramTakes(t *testing.T) {
	image := engine.Attachment{Name: "p.png", Path: "/w/p.png", MIME: "image/png", Data: []byte{1, 2}}
	pasted := engine.Attachment{Name: "clip.png", MIME: "image/png", Data: []byte{1, 2}}
	small := engine.Attachment{Name: "a.txt", Path: "/w/a b.txt", MIME: "text/plain", Data: []byte("hi")}
	link := engine.Attachment{Name: "big.bin", Path: "/w/big.bin"}
	all := capabilities{image: true, embedded: true}
	for _, c := range []struct {
		agent string
		caps  capabilities
		with  []engine.Attachment
		want  string
	}{
		{"x", all, nil, "text:words"},
		{"x", all, []engine.Attachment{image, small, link}, "text:words image:image/png resource:file:///w/a%20b.txt resource_link:file:///w/big.bin"},
		{"x", capabilities{}, []engine.Attachment{small, link}, "text:words resource_link:file:///w/a%20b.txt resource_link:file:///w/big.bin"},
		{"x", capabilities{}, []engine.Attachment{image}, "text:words resource_link:file:///w/p.png"},
		{"x", capabilities{}, []engine.Attachment{pasted}, "text:words !no-images"},
		{"grok", all, []engine.Attachment{pasted}, "text:words !no-images"},
		{"gemini-cli", all, []engine.Attachment{pasted, link}, "text:words\n\nFiles:\n/w/big.bin image:image/png"},
		{"qwen", all, []engine.Attachment{image, small}, "text:words\n\nFiles:\n/w/a b.txt image:image/png"},
		{"gemini-cli", all, []engine.Attachment{small}, "text:words resource:file:///w/a%20b.txt"},
		{"x", capabilities{}, []engine.Attachment{{Name: "n.txt", Data: []byte("one\n```\ntwo")}}, "text:words\n\nn.txt:\n````\none\n```\ntwo\n````"},
		{"x", all, []engine.Attachment{{Name: "n.bin", Data: []byte{0xff, 0xfe}}}, "text:words !not-sent"},
	} {
		p := New(known(c.agent), Options{}).prompt(c.caps, "words", c.with)
		var got []string
		for _, b := range p.blocks {
			o := parse(must(b))
			what := o.text("type") + ":"
			switch o.text("type") {
			case "text":
				what += o.text("text")
			case "image":
				what += o.text("mimeType")
			case "resource":
				what += o.object("resource").text("uri")
			case "resource_link":
				what += o.text("uri")
			}
			got = append(got, what)
		}
		for _, n := range p.notices {
			got = append(got, "!"+n.(engine.Notice).Code)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %+v:\n got %q\nwant %q", c.agent, c.caps, strings.Join(got, " "), c.want)
		}
	}
}

func TestTheEnvironmentOfAProgram(t *testing.T) { // R-69-29
	environ := []string{"PATH=/bin", "HOME=/h", "ANTHROPIC_API_KEY=k", "GH_TOKEN=t", "GITHUB_TOKEN=t", "COPILOT_MODEL=m", "SECRET=s", "XAI_API_KEY=x", "SOME_API_KEY=y"}
	for id, want := range map[string]string{
		"claude-code": "ANTHROPIC_API_KEY ENABLE_TOOL_SEARCH HOME PATH",
		"copilot":     "COPILOT_MODEL HOME PATH",
		"gemini-cli":  "GEMINI_CLI_NO_RELAUNCH HOME PATH",
		"opencode":    "ANTHROPIC_API_KEY HOME OPENCODE_PERMISSION PATH SOME_API_KEY XAI_API_KEY",
		"grok":        "HOME PATH XAI_API_KEY",
		"qwen":        "HOME PATH",
		"demo":        "HOME PATH",
	} {
		var names []string
		for _, entry := range New(known(id), Options{Environ: environ}).program.Env {
			name, _, _ := strings.Cut(entry, "=")
			names = append(names, name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s gets %s, want %s", id, got, want)
		}
	}
}

func TestTheTableIsWhole(t *testing.T) { // R-69-28
	seen := map[string]bool{}
	for _, a := range Agents("/usr/bin/conch") {
		if a.ID == "" || a.Name == "" || a.Command == "" || seen[a.ID] {
			t.Errorf("row %+v", a)
		}
		seen[a.ID] = true
		if a.ID != "demo" && (a.Install == "" || a.SignIn == "" || a.VersionArgs == nil) {
			t.Errorf("%s does not say how it is installed, asked and signed in", a.ID)
		}
	}
	for _, id := range []string{"claude-code", "gemini-cli", "copilot", "opencode", "grok", "qwen", "demo"} {
		if !seen[id] {
			t.Errorf("%s is missing", id)
		}
	}
}
