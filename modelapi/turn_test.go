package modelapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/engine"
	"conch/pretend"
)

// Against each API: a loop of twenty steps, each a row, and the model reads what
// each call gave.
func TestTwentyStepsOfToolsInEveryAPI(t *testing.T) {
	var steps []pretend.Step
	for n := range 20 {
		steps = append(steps, pretend.Step{Thought: "hm", Text: fmt.Sprintf("step %d. ", n+1), Calls: []pretend.Call{{Name: "read_file", Args: map[string]any{"path": fmt.Sprintf("f%d", n+1)}}}})
	}
	steps = append(steps, pretend.Step{Text: "All read."})
	eachKind(t, func(t *testing.T, kind Kind) {
		s := pretendModel(t, pretend.Script{Rules: []pretend.Rule{{Match: "read them", Steps: steps}}})
		b := newBench(t, API{Kind: kind, URL: s.URL()})
		r, sink := b.turn(engine.TurnInput{Prompt: "Read them all", SystemAppend: "Be good.", Tools: []engine.Tool{says("list"), says("read_file")}})
		if r.Outcome != engine.Success || !r.Accepted || r.Model == "" {
			t.Fatalf("%+v", r)
		}
		if !strings.HasSuffix(sink.text(), "All read.") || !strings.HasPrefix(sink.thought(), "hmhm") {
			t.Errorf("said %q, thought %q", sink.text(), sink.thought())
		}
		starts, ends := of[engine.ToolStart](sink), of[engine.ToolEnd](sink)
		if len(starts) != 20 || len(ends) != 20 {
			t.Fatalf("%d rows begun, %d ended", len(starts), len(ends))
		}
		for i, end := range ends {
			if end.ToolUseID != starts[i].ToolUseID || end.Status != engine.ToolSuccess || end.Output != fmt.Sprintf(`read_file of {"path":"f%d"}`, i+1) {
				t.Errorf("row %d: %+v", i+1, end)
			}
		}
		asked := s.Asked()
		if len(asked) != 21 {
			t.Fatalf("%d requests", len(asked))
		}
		last := asked[20]
		for n := range 20 {
			if !last.Saw(fmt.Sprintf(`read_file of {"path":"f%d"}`, n+1), "result") {
				t.Errorf("the model did not read what call %d gave", n+1)
			}
		}
		if last.Messages[0].Text != asked[0].Messages[0].Text || !strings.HasPrefix(last.Messages[0].Text, "Be good.") {
			t.Errorf("the instructions changed: %q, %q", asked[0].Messages[0].Text, last.Messages[0].Text)
		}
		if strings.Join(last.Tools, " ") != "list read_file" {
			t.Errorf("tools %v", last.Tools)
		}
		if u := r.Usage; u.InputTokens == nil || u.OutputTokens == nil || u.ContextUsed == nil || u.ContextSize == nil || *u.InputTokens <= *u.ContextUsed {
			t.Errorf("usage %+v", u)
		}
	})
}

func TestAPrefixOfTheNextRequestIsTheOneBefore(t *testing.T) {
	h := byHand(t, stream(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}]},"finish_reason":"tool_calls"}]}`, "data: [DONE]"), stream(chunk("fine"), chatEnd))
	b := newBench(t, API{Kind: OpenAI, URL: h.URL})
	_, sink := b.turn(engine.TurnInput{Prompt: "one", SystemAppend: "S", Tools: []engine.Tool{says("read_file")}})
	b.turn(engine.TurnInput{Prompt: "two", SystemAppend: "S", Tools: []engine.Tool{says("read_file")}, ResumeID: resumeOf(t, sink)})
	asked := h.asked()
	if len(asked) != 3 {
		t.Fatalf("%d requests", len(asked))
	}
	for i := 1; i < 3; i++ {
		before, now := asked[i-1]["messages"].([]any), asked[i]["messages"].([]any)
		if len(now) <= len(before) {
			t.Fatalf("request %d has %d messages, the one before %d", i, len(now), len(before))
		}
		x, _ := json.Marshal(before)
		y, _ := json.Marshal(now[:len(before)])
		if string(x) != string(y) {
			t.Errorf("request %d begins otherwise:\n%s\n%s", i, x, y)
		}
	}
}

// R-102-12, R-102-14, checklist 5: also the words of an error that a tool throws.
func TestBadCallsAreAnsweredWithWhatIsWrong(t *testing.T) {
	call := func(name, args string) string {
		raw, _ := json.Marshal(args)
		return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":%q,"arguments":%s}}]},"finish_reason":"tool_calls"}]}`, name, raw)
	}
	h := byHand(t,
		stream(call("read_file", `{"path": `), "data: [DONE]"),
		stream(call("open_file", `{}`), "data: [DONE]"),
		stream(call("breaks", `{"path":"x"}`), "data: [DONE]"),
		stream(call("fails", `{"path":"x"}`), "data: [DONE]"),
		stream(chunk("sorry"), chatEnd))
	b := newBench(t, API{Kind: OpenAI, URL: h.URL})
	breaks := aTool{"breaks", func(context.Context, json.RawMessage) (engine.ToolResult, error) { panic("at 0xdeadbeef") }}
	fails := aTool{"fails", func(context.Context, json.RawMessage) (engine.ToolResult, error) {
		return engine.ToolResult{}, errors.New("read x: no such file; token ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i")
	}}
	r, sink := b.turn(engine.TurnInput{Prompt: "go", Tools: []engine.Tool{says("read_file"), breaks, fails}})
	if r.Outcome != engine.Success || sink.text() != "sorry" {
		t.Fatalf("%+v %q", r, sink.text())
	}
	for i, want := range []string{
		"the arguments of read_file are no JSON object: unexpected end of JSON input", `there is no tool "open_file"; these are: read_file, breaks, fails`,
		"breaks broke inside Conch; this is a fault of Conch's, not of the call", "read x: no such file; token [redacted]",
	} {
		messages := h.asked()[i+1]["messages"].([]any)
		last := messages[len(messages)-1].(map[string]any)
		if last["role"] != "tool" || !strings.Contains(last["content"].(string), want) {
			t.Errorf("answer %d: %v, want %q", i, last, want)
		}
	}
	for _, end := range of[engine.ToolEnd](sink) {
		if end.Status != engine.ToolError {
			t.Errorf("%+v", end)
		}
	}
	if log := strings.Join(b.log, "\n"); !strings.Contains(log, "tool-panic plum: breaks: at 0xdeadbeef") {
		t.Errorf("log: %s", log)
	}
}

func TestEventsOfUnknownKindsAreCounted(t *testing.T) {
	h := byHand(t, stream(`data: {"type":"response.created","response":{"model":"m"}}`, `data: {"type":"response.weather"}`, `data: {"type":"response.weather"}`, "data: nonsense",
		`data: {"type":"response.output_text.delta","item_id":"m","delta":"ok"}`, `data: {"type":"response.completed","response":{"status":"completed"}}`))
	b := newBench(t, API{Kind: Responses, URL: h.URL})
	if r, sink := b.turn(engine.TurnInput{Prompt: "x"}); r.Outcome != engine.Success || sink.text() != "ok" {
		t.Fatalf("%+v", r)
	}
	if got := fmt.Sprint(b.e.Unheard()); got != "map[noise:1 response.weather:2]" {
		t.Error(got)
	}
}

func TestAModelThatOnlyBotchesCallsGoesOnInWords(t *testing.T) {
	bad := stream(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"nonsense","arguments":"{"}}]},"finish_reason":"tool_calls"}]}`, "data: [DONE]")
	h := byHand(t, bad, bad, bad, stream(chunk("in words"), chatEnd))
	b := newBench(t, API{Kind: OpenAI, URL: h.URL})
	r, sink := b.turn(engine.TurnInput{Prompt: "go", SystemAppend: "S", Tools: []engine.Tool{says("read_file")}})
	if r.Outcome != engine.Success || sink.text() != "in words" || !strings.Contains(sink.notices(), "words-only: ") {
		t.Fatalf("%+v %q %q", r, sink.text(), sink.notices())
	}
	last := h.asked()[3]
	system := last["messages"].([]any)[0].(map[string]any)["content"].(string)
	if last["tools"] != nil || !strings.HasSuffix(system, "FORM words-only") {
		t.Errorf("%v", last)
	}
	raw, _ := json.Marshal(last["messages"])
	if strings.Contains(string(raw), "tool_calls") || strings.Contains(string(raw), `"tool"`) {
		t.Errorf("calls are still told as calls: %s", raw)
	}
	if f := b.e.Form(context.Background(), engine.Options{}); f != engine.FormWordsOnly {
		t.Errorf("the next turn's form is %q", f)
	}
}

func TestAModelWithoutToolsAnswersInWords(t *testing.T) {
	for name, refusal := range map[string]func() string{
		"ollama": func() string {
			return `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}`
		},
		"openrouter": func() string {
			return `{"error":{"message":"No endpoints found that support tool use. To learn more...","code":404}}`
		},
		"vllm": func() string {
			return `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}`
		},
		"llama.cpp": func() string {
			return `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			status := 400
			if name == "llama.cpp" {
				status = 500
			}
			h := byHand(t, refuse(status, refusal()), stream(chunk("in words"), chatEnd))
			b := newBench(t, API{Kind: OpenAI, URL: h.URL})
			in := engine.TurnInput{Prompt: "go", SystemAppend: "S", Tools: []engine.Tool{says("read_file")}}
			r, sink := b.turn(in)
			if r.Outcome != engine.Success || sink.text() != "in words" || !strings.Contains(sink.notices(), "Plum takes no tools with m1") {
				t.Fatalf("%+v %q %q", r, sink.text(), sink.notices())
			}
			in.ResumeID = resumeOf(t, sink)
			if _, sink = b.turn(in); sink.notices() != "" || len(h.asked()) != 3 {
				t.Errorf("it was said again: %q, %d requests", sink.notices(), len(h.asked()))
			}
			if len(b.naps) > 0 {
				t.Errorf("waited %v", b.naps)
			}
		})
	}
}

func TestAStopEndsTheTurnAndTheHistoryStaysValid(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		s := pretendModel(t, pretend.Script{Rules: []pretend.Rule{
			{Match: "slow words", Steps: []pretend.Step{{Text: strings.Repeat("word ", 100), Delay: pretend.Duration(20 * time.Millisecond)}}},
			{Match: "slow tool", Steps: []pretend.Step{{Calls: []pretend.Call{{Name: "waits", Args: map[string]any{"path": "1"}}, {Name: "waits", Args: map[string]any{"path": "2"}}}}, {Text: "no"}}},
			{Match: "go on", Steps: []pretend.Step{{Text: "here I am"}}},
		}})
		b := newBench(t, API{Kind: kind, URL: s.URL()})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		waits := aTool{"waits", func(ctx context.Context, _ json.RawMessage) (engine.ToolResult, error) {
			cancel()
			<-ctx.Done()
			return engine.ToolResult{}, ctx.Err()
		}}
		in := engine.TurnInput{ConversationID: "c1", Prompt: "slow words", Tools: []engine.Tool{waits}}
		sink := &heardSink{}
		sink.on = func(ev engine.Event) {
			if _, ok := ev.(engine.Text); ok {
				cancel()
			}
		}
		began := time.Now()
		r := b.e.Turn(ctx, in, sink)
		if r.Outcome != engine.Interrupted || !r.Accepted || time.Since(began) > time.Second {
			t.Fatalf("%+v after %s", r, time.Since(began))
		}
		in.ResumeID = resumeOf(t, sink)
		ctx, cancel = context.WithCancel(context.Background())
		defer cancel()
		in.Prompt = "slow tool"
		sink = &heardSink{}
		if r = b.e.Turn(ctx, in, sink); r.Outcome != engine.Interrupted {
			t.Fatalf("%+v", r)
		}
		in.Prompt = "go on"
		if r, sink = b.turn(in); r.Outcome != engine.Success || sink.text() != "here I am" {
			t.Fatalf("%+v %q", r, sink.text())
		}
		all := s.Asked()
		last := all[len(all)-1]
		if !last.Saw("(This answer was stopped here.)", "assistant") || !last.Saw("word ", "assistant") {
			t.Errorf("what was said before the stop is not there: %+v", last.Messages)
		}
		results := 0
		for _, m := range last.Messages {
			if m.Role == "result" {
				results++
				if m.Text != "It was stopped." {
					t.Errorf("a stopped call has the answer %q", m.Text)
				}
			}
		}
		if results != 2 {
			t.Errorf("%d of 2 calls have an answer", results)
		}
	})
}

func TestAMessageThatWasNotTakenLeavesNoTrace(t *testing.T) {
	h := byHand(t, refuse(400, `{"error":{"message":"bad thing"}}`), stream(chunk("hello"), chatEnd))
	b := newBench(t, API{Kind: OpenAI, URL: h.URL})
	r, sink := b.turn(engine.TurnInput{Prompt: "first"})
	if r.Outcome != engine.Failed || r.Accepted || len(of[engine.Session](sink)) != 0 || r.Error != "Plum answered with an error: bad thing (HTTP 400)." {
		t.Fatalf("%+v", r)
	}
	b.turn(engine.TurnInput{Prompt: "second"})
	if n := len(h.asked()[1]["messages"].([]any)); n != 1 {
		t.Errorf("the second request has %d messages", n)
	}
}
