package modelapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"conch/engine"
)

// foldServer is a model with a small window that refuses what does not fit.
type foldServer struct {
	*handServer
	summaries, refused int
}

func newFoldServer(t *testing.T, limit int, reply func(n int) string) *foldServer {
	t.Helper()
	f := &foldServer{}
	n := 0
	f.handServer = byHand(t, func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		body := f.bodies[len(f.bodies)-1]
		raw, _ := json.Marshal(body["messages"])
		isSummary := strings.Contains(string(raw), "You are given the record of a chat")
		size := len(raw) / 4
		refuseIt := limit > 0 && size > limit && !isSummary
		switch {
		case isSummary:
			f.summaries++
		case refuseIt:
			f.refused++
		default:
			n++
		}
		at := n
		f.mu.Unlock()
		switch {
		case isSummary:
			stream(chunk("The person wants plums; three were found."), fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":900,"completion_tokens":%d}}`, summaryOut), "data: [DONE]")(w, r)
		case refuseIt:
			refuse(400, fmt.Sprintf(`{"error":{"message":"This model's maximum context length is %d tokens. However, you requested %d tokens.","code":"context_length_exceeded"}}`, limit, size))(w, r)
		default:
			stream(reply(at), fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":10}}`, size), "data: [DONE]")(w, r)
		}
	})
	return f
}

// summaryOut is how many tokens a summary has.
const summaryOut = 60

const end = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}"

func TestAHistoryIsFoldedBeforeItFillsTheWindow(t *testing.T) {
	f := newFoldServer(t, 0, func(int) string { return end })
	b := newBench(t, API{Kind: OpenAI, URL: f.URL, Context: 4000})
	in := engine.TurnInput{SystemAppend: "Be good."}
	compacted, summed := 0, 0
	for n := range 12 {
		in.Prompt = fmt.Sprintf("message %d: %s", n, strings.Repeat("words and ", 120))
		r, sink := b.turn(in)
		if r.Outcome != engine.Success {
			t.Fatalf("turn %d: %+v", n, r)
		}
		if r.Usage.ContextUsed == nil || *r.Usage.ContextUsed > 4000*85/100 || *r.Usage.ContextSize != 4000 {
			t.Errorf("turn %d: the window holds %v of %v", n, *r.Usage.ContextUsed, *r.Usage.ContextSize)
		}
		for _, c := range of[engine.Compacted](sink) {
			compacted++
			if *r.Usage.OutputTokens == 10+summaryOut {
				summed++ // the summary is paid for too
			}
			if c.Summary != "The person wants plums; three were found." {
				t.Errorf("summary %q", c.Summary)
			}
		}
		in.ResumeID = resumeOf(t, sink)
	}
	if compacted == 0 || f.summaries != compacted || summed != compacted {
		t.Fatalf("%d folds, %d summaries, %d of them counted", compacted, f.summaries, summed)
	}
	asked := f.asked()
	raw, _ := json.Marshal(asked[len(asked)-1]["messages"])
	for _, want := range []string{"Be good.", "three were found", "message 11"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the last request lacks %q", want)
		}
	}
	if strings.Contains(string(raw), "message 1:") {
		t.Error("the last request still has the beginning")
	}
}

func TestOldAnswersOfToolsAreCutFirst(t *testing.T) {
	f := newFoldServer(t, 0, func(n int) string {
		if n <= 8 {
			return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c%d","function":{"name":"read_file","arguments":"{\"path\":\"f%d\"}"}}]},"finish_reason":"tool_calls"}]}`, n, n)
		}
		return end
	})
	b := newBench(t, API{Kind: OpenAI, URL: f.URL, Context: 8000})
	long := aTool{"read_file", func(_ context.Context, args json.RawMessage) (engine.ToolResult, error) {
		return engine.ToolResult{Text: string(args) + strings.Repeat(" long text", 300)}, nil
	}}
	r, sink := b.turn(engine.TurnInput{Prompt: "read all of it", Tools: []engine.Tool{long}})
	if r.Outcome != engine.Success || len(of[engine.Compacted](sink)) == 0 || f.summaries != 0 {
		t.Fatalf("%+v, %d folds, %d summaries", r, len(of[engine.Compacted](sink)), f.summaries)
	}
	asked := f.asked()
	last := asked[len(asked)-1]["messages"].([]any)
	text := func(i int) string { return last[i].(map[string]any)["content"].(string) }
	if !strings.Contains(text(0), "read all of it") || !strings.Contains(text(2), "the rest was cut") || !strings.HasSuffix(text(len(last)-1), "long text") {
		t.Errorf("%q … %q", text(2), text(len(last)-1))
	}
}

func TestARefusalForLengthFoldsOnceAndAsksAgain(t *testing.T) {
	f := newFoldServer(t, 1500, func(int) string { return end })
	b := newBench(t, API{Kind: OpenAI, URL: f.URL}) // by itself it would take 32,000
	in := engine.TurnInput{}
	for n := range 6 {
		in.Prompt = fmt.Sprintf("message %d: %s", n, strings.Repeat("words and ", 120))
		r, sink := b.turn(in)
		if r.Outcome != engine.Success {
			t.Fatalf("turn %d: %+v", n, r)
		}
		in.ResumeID = resumeOf(t, sink)
	}
	if f.refused != 1 || f.summaries == 0 {
		t.Errorf("%d refusals, %d summaries: the window was not learned", f.refused, f.summaries)
	}
}

func TestAMessageThatIsTooLongByItselfIsSaid(t *testing.T) {
	f := newFoldServer(t, 1000, func(int) string { return end })
	b := newBench(t, API{Kind: OpenAI, URL: f.URL})
	r, _ := b.turn(engine.TurnInput{Prompt: strings.Repeat("words and ", 2000)})
	if r.Problem != engine.TooLong || r.Accepted || f.refused != 1 || !strings.HasPrefix(r.Error, "The chat is too long for Plum") {
		t.Errorf("%+v, %d refusals", r, f.refused)
	}
}

func TestAFoldKeepsCallsAndTheirAnswersTogether(t *testing.T) {
	var history []message
	history = append(history, message{Role: ofPerson, Text: "the task: count plums"})
	for n := range 30 {
		history = append(history, message{Role: ofModel, Calls: []call{{ID: fmt.Sprint("c", n), Name: "x", Args: "{}"}}}, message{Role: ofTool, Call: fmt.Sprint("c", n), Name: "x", Text: strings.Repeat("r", 300)})
	}
	b := newBench(t, API{Kind: OpenAI, URL: "http://127.0.0.1:1", Context: 6000})
	tn := &turn{e: b.e, s: &session{history: history}}
	at := tn.cutAt(6000)
	out := folded(history, at, "a summary", 6000)
	if at == 0 || out[0].Role != ofPerson || !strings.Contains(out[0].Text, "a summary") || !strings.HasSuffix(out[0].Text, "the task: count plums") {
		t.Fatalf("at %d: %+v", at, out[0])
	}
	open := map[string]bool{}
	for _, m := range out {
		for _, c := range m.Calls {
			open[c.ID] = true
		}
		if m.Role == ofTool && !open[m.Call] {
			t.Errorf("the answer of %s stands without its call", m.Call)
		}
	}
	again := folded(append(out, history[1:41]...), len(out)+30, "another", 6000)
	if strings.Count(again[0].Text, "the task: count plums") != 1 || strings.Contains(again[0].Text, "a summary") {
		t.Errorf("folded twice: %q", again[0].Text)
	}
}
