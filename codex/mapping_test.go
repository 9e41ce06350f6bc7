package codex

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/engine"
	"conch/program"
)

// R-69-83: each item of Codex is a row of one kind, or none.
func TestItemsAreRows(t *testing.T) {
	for _, c := range []struct{ name, item, start, end string }{
		{"a command", `{"type":"commandExecution","id":"c","command":"/bin/bash -lc 'make test'","commandActions":[{"type":"unknown","command":"make test"}],"status":"completed","aggregatedOutput":"ok\n","exitCode":0}`,
			`Bash execute "make test"`, `success "ok\n" ""`},
		{"without an exit code", `{"type":"commandExecution","id":"c","command":"x","status":"completed"}`, `Bash execute "x"`, `success "" ""`},
		{"that failed", `{"type":"commandExecution","id":"c","command":"x","status":"failed","exitCode":2,"aggregatedOutput":"no"}`, `Bash execute "x"`, `error "no" ""`},
		{"completed with another exit code", `{"type":"commandExecution","id":"c","command":"x","status":"completed","exitCode":1}`, `Bash execute "x"`, `error "" ""`},
		{"that was declined", `{"type":"commandExecution","id":"c","command":"x","status":"declined"}`, `Bash execute "x"`, `not-run "" "it was not allowed"`},
		{"in a state nobody knows", `{"type":"commandExecution","id":"c","command":"x","status":"odd"}`, `Bash execute "x"`, `unknown "" ""`},
		{"a read", `{"type":"commandExecution","id":"c","command":"x","commandActions":[{"type":"read","command":"cat a","name":"a","path":"/code/shop/src/a"}],"status":"completed"}`, `Read read "src/a"`, `success "" ""`},
		{"a search", `{"type":"commandExecution","id":"c","command":"x","commandActions":[{"type":"search","command":"rg it src","query":"it","path":"src"}],"status":"completed"}`, `Grep search "it src"`, `success "" ""`},
		{"a list", `{"type":"commandExecution","id":"c","command":"x","commandActions":[{"type":"listFiles","command":"ls src"}],"status":"completed"}`, `List search "ls src"`, `success "" ""`},
		{"a read and more", `{"type":"commandExecution","id":"c","command":"cat a; rm a","commandActions":[{"type":"read","path":"a"},{"type":"unknown","command":"rm a"}],"status":"completed"}`, `Bash execute "cat a; rm a"`, `success "" ""`},
		{"a change", `{"type":"fileChange","id":"f","changes":[{"path":"/code/shop/a","kind":{"type":"update"},"diff":"@@ -1 +1 @@\n-x\n+y\n"}],"status":"completed"}`, `Edit edit "a"`, `success "" ""`},
		{"a removal", `{"type":"fileChange","id":"f","changes":[{"path":"/code/shop/a","kind":{"type":"delete"},"diff":"x\n"}],"status":"completed"}`, `Edit delete "a"`, `success "" ""`},
		{"a move", `{"type":"fileChange","id":"f","changes":[{"path":"/code/shop/a","kind":{"type":"update","move_path":"/code/shop/b"},"diff":""}],"status":"completed"}`, `Edit move "a"`, `success "" ""`},
		{"an app's call", `{"type":"mcpToolCall","id":"m","server":"notes","tool":"add","arguments":{"a":1},"status":"completed","result":{"content":[{"type":"text","text":"added"},{"type":"image"}]}}`, `notes: add other "{\"a\":1}"`, `success "added\n[image]" ""`},
		{"an app's call that failed", `{"type":"mcpToolCall","id":"m","server":"notes","tool":"add","status":"failed","error":{"message":"full"}}`, `notes: add other ""`, `error "full" ""`},
		{"a look at the web", `{"type":"webSearch","id":"w","query":"pears","status":"completed"}`, `WebSearch fetch "pears"`, `success "" ""`},
		{"a picture", `{"type":"imageView","id":"i","path":"/code/shop/p.png"}`, `Read read "p.png"`, `success "" ""`},
		{"what nobody knows", `{"type":"subAgentActivity","id":"s","status":"completed"}`, `subAgentActivity other ""`, `success "" ""`},
		{"escape sequences", `{"type":"commandExecution","id":"c","command":"x","aggregatedOutput":"\u001b]0;t\u0007red\u001b[31m","status":"completed"}`, `Bash execute "x"`, `success "red" ""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWire(t)
			w.say("item/started", `{"item":`+c.item+`}`)
			w.say("item/completed", `{"item":`+c.item+`}`)
			w.say("item/completed", `{"item":`+c.item+`}`) // a second end changes nothing
			var got []string
			for _, ev := range w.sink.all() {
				switch e := ev.(type) {
				case engine.ToolStart:
					got = append(got, fmt.Sprintf("%s %s %q", e.Name, e.Kind, e.Subject))
				case engine.ToolEnd:
					got = append(got, fmt.Sprintf("%s %q %q", e.Status, e.Output, e.Reason))
				}
			}
			if d := cmp.Diff([]string{c.start, c.end}, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestWhatIsNoRow(t *testing.T) {
	for _, c := range []struct{ item, want string }{
		{`{"type":"userMessage","id":"u"}`, ""},
		{`{"type":"dynamicToolCall","id":"d","tool":"ask","status":"completed"}`, ""},
		{`{"type":"contextCompaction","id":"c"}`, "engine.Compacted"},
		{`{"type":"agentMessage","id":"a","text":"whole"}`, "engine.Text engine.MessageDone"},
		{`{"type":"commandExecution","command":"without an id"}`, ""},
		{`{"type":3,"id":"x"}`, ""},
		{`"no object"`, ""},
	} {
		w := newWire(t)
		w.say("item/completed", `{"item":`+c.item+`}`)
		var got []string
		for _, ev := range w.sink.all() {
			got = append(got, fmt.Sprintf("%T", ev))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q", c.item, got)
		}
	}
}

// A new file's diff is its bare content, a changed one's are hunks.
func TestDiffsAreReadAsCodexWritesThem(t *testing.T) {
	old, now := "a\nb\n", "a\nc\n"
	content := "+ a line that begins with a plus\n"
	for _, c := range []struct {
		change change
		want   []engine.Diff
	}{
		{change{Path: "/n", Kind: kindOf("add"), Diff: content}, []engine.Diff{{Path: "/n", New: &content}}},
		{change{Path: "/n", Kind: kindOf("delete"), Diff: content}, []engine.Diff{{Path: "/n", Old: &content}}},
		{change{Path: "/n", Kind: kindOf("update"), Diff: "@@ -7,2 +7,2 @@ func x\n a\n-b\n+c\n\\ No newline at end of file\n"}, []engine.Diff{{Path: "/n", Old: &old, New: &now, Line: 7}}},
		{change{Path: "/n", Kind: kindOf("update"), Diff: "no hunk at all"}, nil},
	} {
		if d := cmp.Diff(c.want, diffs([]change{c.change})); d != "" {
			t.Errorf("%+v (-want +got)\n%s", c.change, d)
		}
	}
}

func kindOf(word string) (k struct {
	Type   string `json:"type"`
	MoveTo string `json:"move_path"`
}) {
	k.Type = word
	return k
}

// R-69-83: what was said in part when a stream broke is taken back; what was whole
// and comes again is taken back once; nothing else is lost, also under the same id.
func TestWordsOverABrokenStream(t *testing.T) {
	delta := func(id, text string) [2]string {
		return [2]string{"item/agentMessage/delta", fmt.Sprintf(`{"itemId":%q,"delta":%q}`, id, text)}
	}
	whole := func(id, text string) [2]string {
		return [2]string{"item/completed", fmt.Sprintf(`{"item":{"type":"agentMessage","id":%q,"text":%q}}`, id, text)}
	}
	broken := [2]string{"error", `{"error":{"message":"Reconnecting... 1/5"},"willRetry":true}`}
	for _, c := range []struct {
		name string
		said [][2]string
		want string
	}{
		{"whole", [][2]string{delta("a", "One. "), whole("a", "One. Two.")}, "One. Two."},
		{"broken", [][2]string{delta("a", "One. "), broken, delta("b", "One. Two."), whole("b", "One. Two.")}, "One. Two."},
		{"broken, the same id", [][2]string{delta("a", "One. "), broken, delta("a", "One. Two."), whole("a", "One. Two.")}, "One. Two."},
		{"whole, then broken", [][2]string{whole("a", "One."), broken, whole("b", "One.")}, "One."},
		{"said twice on purpose", [][2]string{whole("a", "One."), whole("b", "One.")}, "One.One."},
		{"an id used again", [][2]string{whole("a", "One."), whole("a", "Two.")}, "One.Two."},
		{"left for another", [][2]string{delta("a", "One."), delta("b", "Two."), whole("b", "Two.")}, "One.Two."},
		{"left and ended late", [][2]string{delta("a", "One."), whole("b", "Two."), whole("a", "One. More.")}, "One.Two. More."},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWire(t)
			for _, each := range c.said {
				w.say(each[0], each[1])
			}
			w.turn.mu.Lock()
			w.turn.words.settle()
			w.turn.mu.Unlock()
			text := map[string]string{}
			var order []string
			open := map[string]bool{}
			for _, ev := range w.sink.all() {
				switch e := ev.(type) {
				case engine.Text:
					if text[e.MessageID] == "" {
						order = append(order, e.MessageID)
						open[e.MessageID] = true
					}
					text[e.MessageID] += e.Delta
				case engine.Retract:
					delete(text, e.MessageID)
					delete(open, e.MessageID)
				case engine.MessageDone:
					delete(open, e.MessageID)
				}
			}
			got := ""
			for _, id := range order {
				got += text[id]
			}
			if got != c.want || len(open) > 0 {
				t.Errorf("%q, open %v", got, open)
			}
		})
	}
}

// R-69-85: codexErrorInfo is a word or an object.
func TestFailuresOfTheModelsServerAreNamed(t *testing.T) {
	for _, c := range []struct {
		info, words string
		problem     engine.Problem
	}{
		{`"usageLimitExceeded"`, "", engine.Limit},
		{`{"responseTooManyFailedAttempts":{"httpStatusCode":429}}`, "", engine.Limit},
		{`{"httpConnectionFailed":{"httpStatusCode":401}}`, "", engine.SignedOut},
		{`"unauthorized"`, "", engine.SignedOut},
		{`"contextWindowExceeded"`, "", engine.TooLong},
		{`"serverOverloaded"`, "", engine.Unavailable},
		{`"internalServerError"`, "", engine.Unavailable},
		{`{"responseStreamDisconnected":{"httpStatusCode":null}}`, "", engine.Unavailable},
		{`{"responseStreamConnectionFailed":{"httpStatusCode":503}}`, "", engine.Unavailable},
		{`"other"`, "stream disconnected before completion", engine.Unavailable},
		{`"other"`, "Missing environment variable: `SOME_KEY`.", engine.NoProblem},
		{`"modelNotFound"`, "no such model", engine.NoProblem},
		{`{"newKind":{"deep":{"er":1}}}`, "", engine.NoProblem},
		{`null`, "", engine.NoProblem}, {`3`, "", engine.NoProblem}, {``, "", engine.NoProblem}, {`[{}]`, "", engine.NoProblem},
	} {
		if got := problemOf(json.RawMessage(c.info), c.words); got != c.problem {
			t.Errorf("%s %q: %q, want %q", c.info, c.words, got, c.problem)
		}
	}
}

// The account's limits are merged: what is not said stays.
func TestLimitsAreMerged(t *testing.T) {
	w := newWire(t)
	w.p.notification("account/rateLimits/updated", json.RawMessage(`{"rateLimits":{"primary":{"usedPercent":40,"windowDurationMins":300,"resetsAt":1796070000},"secondary":{"usedPercent":7,"windowDurationMins":10080}}}`))
	w.p.notification("account/rateLimits/updated", json.RawMessage(`{"rateLimits":{"primary":{"usedPercent":41,"windowDurationMins":300,"resetsAt":1796070000},"secondary":null}}`))
	w.p.notification("account/rateLimits/updated", json.RawMessage(`{"rateLimits":{"primary":null,"secondary":null}}`))
	all := w.sink.all()
	want := engine.Limits{Windows: []engine.Window{{Name: "5 hours", UsedPercent: 41, ResetsAt: 1796070000000}, {Name: "week", UsedPercent: 7}}}
	if d := cmp.Diff(want, all[len(all)-1]); d != "" || len(all) != 2 {
		t.Errorf("%d events (-want +got)\n%s", len(all), d)
	}
}

// What another thread or turn says, and what nobody knows, is left out and counted.
func TestWhatIsForeignIsCounted(t *testing.T) {
	w := newWire(t)
	w.say("item/agentMessage/delta", `{"threadId":"other","itemId":"a","delta":"x"}`)
	w.say("item/agentMessage/delta", `{"turnId":"other","itemId":"a","delta":"x"}`)
	w.say("turn/completed", `{"turnId":"other","turn":{"id":"other","status":"completed"}}`)
	w.say("news/kind", `{}`)
	if all := w.sink.all(); len(all) > 0 {
		t.Errorf("told %v", all)
	}
	select {
	case <-w.turn.ended:
		t.Error("another turn's end ended this one")
	default:
	}
	n := 0
	for _, count := range w.p.e.program.Unheard() {
		n += count
	}
	if n != 4 {
		t.Errorf("counted %v", w.p.e.program.Unheard())
	}
}

// Whatever a message holds: no crash, every event in its bounds, and every row that
// began ends once.
func FuzzWhatCodexSays(f *testing.F) {
	f.Add("item/completed", `{"item":{"type":"fileChange","id":"f","changes":[{"path":"a","diff":"@@ -1 +1 @@\n-x\n"}]}}`)
	f.Add("item/agentMessage/delta", `{"itemId":"a","delta":"x"}`)
	f.Add("error", `{"willRetry":true}`)
	f.Add("item/commandExecution/outputDelta", `{"itemId":"c","delta":"x"}`)
	f.Add("turn/plan/updated", `{"plan":[{"step":"x","status":"pending"}]}`)
	f.Add("thread/tokenUsage/updated", `{"tokenUsage":{"total":{"inputTokens":-1}}}`)
	f.Fuzz(func(t *testing.T, method, params string) {
		e := New(Usual(), Options{Home: "/nowhere"})
		p := &process{Process: new(program.Process), e: e, limits: map[string]engine.Window{}}
		th := &thread{p: p, id: testThread, cwd: testCwd, begun: true}
		p.thread = th
		sink := &sinkOf{}
		tn := &turn{e: e, th: th, sink: sink, key: "1", id: "turn-1", cwd: testCwd, ended: make(chan ending, 1), seen: map[string]bool{}, asked: map[string]bool{}}
		tn.words.turn, tn.rows.turn = tn, tn
		tn.silence = program.NewSilence(time.Minute, tn.emit)
		th.attach(tn)
		var m map[string]any
		if json.Unmarshal([]byte(params), &m) != nil || m == nil {
			m = map[string]any{}
		}
		m["threadId"], m["turnId"] = testThread, "turn-1"
		whole, _ := json.Marshal(m)
		for range 2 {
			p.notification(method, whole)
			p.notification("item/started", whole)
			p.notification("item/completed", whole)
		}
		tn.mu.Lock()
		tn.rows.closeAll(false)
		tn.words.settle()
		tn.mu.Unlock()
		open := map[string]int{}
		for _, ev := range sink.all() {
			switch e := ev.(type) {
			case engine.ToolStart:
				open[e.ToolUseID]++
			case engine.ToolEnd:
				open[e.ToolUseID]--
				if len([]rune(e.Output)) > maxOutput {
					t.Errorf("%d characters", len([]rune(e.Output)))
				}
			case engine.Notice:
				if strings.ContainsAny(e.Message, "\x1b\n") {
					t.Errorf("raw: %q", e.Message)
				}
			}
		}
		for id, n := range open {
			if n != 0 {
				t.Errorf("row %q: %d", id, n)
			}
		}
	})
}
