package modelapi

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"conch/engine"
	"conch/pretend"
)

func TestABusyServerIsAskedAgainAfterAsLongAsItSays(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		s := pretendModel(t, pretend.Script{Rules: []pretend.Rule{
			{Match: "hello", Steps: []pretend.Step{{Text: "at last", Fault: &pretend.Fault{Status: 429, Times: 2, RetryAfter: 7}}}},
		}})
		b := newBench(t, API{Kind: kind, URL: s.URL()})
		r, sink := b.turn(engine.TurnInput{Prompt: "hello", Tools: []engine.Tool{says("x")}})
		if r.Outcome != engine.Success || sink.text() != "at last" {
			t.Fatalf("%+v %q", r, sink.text())
		}
		if fmt.Sprint(b.naps) != "[7s 7s]" {
			t.Errorf("waited %v", b.naps)
		}
		w := of[engine.Waiting](sink)
		if len(w) == 0 || w[0].Text != "Plum is busy, trying again in 7 s" || w[len(w)-1].Text != "" {
			t.Errorf("said %+v", w)
		}
	})
}

func TestAServerIsAskedFiveTimesAtMostAndWaitsGrow(t *testing.T) {
	for _, status := range []int{500, 502, 503, 529} {
		h := byHand(t, refuse(status, `{"error":{"message":"down"}}`))
		b := newBench(t, API{Kind: OpenAI, URL: h.URL})
		r, _ := b.turn(engine.TurnInput{Prompt: "x"})
		if r.Outcome != engine.Failed || len(h.asked()) != 5 || fmt.Sprint(b.naps) != "[1s 2s 4s 8s]" {
			t.Errorf("%d: %+v, %d requests, waited %v", status, r, len(h.asked()), b.naps)
		}
		if want := engine.Unavailable; status < 529 && r.Problem != want || r.Next == "" {
			t.Errorf("%d: %+v", status, r)
		}
	}
}

func TestAWaitThatIsTooLongIsSaidInstead(t *testing.T) {
	h := byHand(t, refuse(429, `{"error":{"message":"slow down"}}`, "Retry-After", "3600"))
	b := newBench(t, API{Kind: OpenAI, URL: h.URL})
	r, _ := b.turn(engine.TurnInput{Prompt: "x"})
	if r.Problem != engine.Limit || len(h.asked()) != 1 || !strings.HasPrefix(r.Next, "wait 3600 s") {
		t.Errorf("%+v, %d requests", r, len(h.asked()))
	}
}

func TestWhatIsUsedUpIsNotAskedAgain(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"quota":      refuse(429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}`),
		"openrouter": refuse(402, `{"error":{"message":"Insufficient credits","code":402}}`),
		"anthropic":  refuse(400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`),
	} {
		h := byHand(t, answer)
		b := newBench(t, API{Kind: OpenAI, URL: h.URL})
		if r, _ := b.turn(engine.TurnInput{Prompt: "x"}); r.Problem != engine.Limit || len(h.asked()) != 1 || !strings.HasPrefix(r.Next, "add credit") {
			t.Errorf("%s: %+v, %d requests", name, r, len(h.asked()))
		}
	}
}

func TestAnAnswerThatBreaksOffIsTakenBackAndAskedForAnew(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		s := pretendModel(t, pretend.Script{Rules: []pretend.Rule{
			{Match: "hello", Steps: []pretend.Step{{Text: "one two three four", Chunk: 4, Fault: &pretend.Fault{Drop: 2, Times: 2}}}},
			{Match: "never", Steps: []pretend.Step{{Text: "one two three four", Chunk: 4, Fault: &pretend.Fault{Drop: 2, Times: -1}}}},
			{Match: "after", Steps: []pretend.Step{{Text: "fine"}}},
		}})
		b := newBench(t, API{Kind: kind, URL: s.URL()})
		in := engine.TurnInput{Prompt: "hello", Tools: []engine.Tool{says("x")}}
		r, sink := b.turn(in)
		if r.Outcome != engine.Success || sink.text() != "one two three four" || len(of[engine.Retract](sink)) != 2 {
			t.Fatalf("%+v %q %v", r, sink.text(), of[engine.Retract](sink))
		}
		in.ResumeID = resumeOf(t, sink)
		in.Prompt = "never"
		r, sink = b.turn(in)
		if r.Outcome != engine.Failed || r.Problem != engine.Unavailable || !r.Accepted || sink.text() != "" {
			t.Fatalf("%+v %q", r, sink.text())
		}
		if n := len(s.Asked()); n != 6 {
			t.Errorf("%d requests", n)
		}
		in.Prompt = "after"
		if r, sink = b.turn(in); r.Outcome != engine.Success || sink.text() != "fine" {
			t.Errorf("%+v %q", r, sink.text())
		}
	})
}

func TestARefusedKeyNamesWhereItCameFrom(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		h := byHand(t, refuse(401, `{"error":{"message":"Incorrect API key provided: sk-pl…","type":"authentication_error"}}`))
		key := func(o *Options) { o.Environ = []string{"PLUM_KEY=sk-plum-0123456789"} }
		b := newBench(t, API{Kind: kind, URL: h.URL, KeyEnv: "PLUM_KEY"}, key)
		r, _ := b.turn(engine.TurnInput{Prompt: "x"})
		if r.Problem != engine.SignedOut || !strings.Contains(r.Error, "Plum did not take the key in the variable PLUM_KEY") || len(h.asked()) != 1 || strings.Contains(r.Error+r.Detail, "0123456789") {
			t.Errorf("%+v", r)
		}
		if got := h.heads[0].Get("Authorization") + h.heads[0].Get("X-Api-Key"); strings.TrimPrefix(got, "Bearer ") != "sk-plum-0123456789" {
			t.Errorf("the key was sent as %q", got)
		}
		if hl := b.e.Health(context.Background()); hl.State != engine.Unknown && hl.State != engine.NeedSignIn {
			t.Errorf("%+v", hl)
		}
		b = newBench(t, API{Kind: kind, URL: h.URL})
		if r, _ := b.turn(engine.TurnInput{Prompt: "x"}); r.Problem != engine.SignedOut || !strings.Contains(r.Error, "Plum wants a key, and none is set up") || !strings.Contains(r.Next, "key_env") {
			t.Errorf("%+v", r)
		}
	})
}

func TestAKeyOfNoKnownShapeIsInNoErrorAndNoHistory(t *testing.T) {
	h := byHand(t, refuse(401, `{"error":{"message":"plum and pear is no key"}}`), refuse(503, `{"error":{"message":"plum and pear"}}`),
		stream(chunk("ok"), chatEnd), stream(`data: {"error":{"message":"no: plum and pear"}}`))
	b := newBench(t, API{Kind: OpenAI, URL: h.URL, Key: "plum and pear"})
	r, first := b.turn(engine.TurnInput{Prompt: "x"})
	r2, sink := b.turn(engine.TurnInput{Prompt: "is plum and pear my key?"})
	r3, last := b.turn(engine.TurnInput{Prompt: "x"})
	if r2.Outcome != engine.Success || r.Outcome != engine.Failed || r3.Outcome != engine.Failed {
		t.Fatalf("%+v %+v %+v", r, r2, r3)
	}
	kept, err := os.ReadFile(b.e.kept.path(resumeOf(t, sink)))
	if err != nil {
		t.Fatal(err)
	}
	if all := fmt.Sprintf("%+v %+v %+v %v %v %v %v %s", r, r2, r3, first.all, sink.all, last.all, b.log, kept); strings.Contains(all, "plum and pear") || !strings.Contains(all, "[redacted] is no key") {
		t.Error(all)
	}
}

func TestAKeyThatIsNotThereIsSaidBeforeAnythingIsSent(t *testing.T) {
	h := byHand(t, stream(chunk("x"), chatEnd))
	b := newBench(t, API{Kind: OpenAI, URL: h.URL, KeyEnv: "PLUM_KEY"})
	r, _ := b.turn(engine.TurnInput{Prompt: "x"})
	if r.Problem != engine.SignedOut || r.Error != "Plum can't be asked: the variable PLUM_KEY, which holds its key, is not set." || r.Next != "export PLUM_KEY=…, then start conch again" || len(h.asked()) != 0 {
		t.Errorf("%+v", r)
	}
	if hl := b.e.Health(context.Background()); hl.State != engine.NeedSignIn || hl.Next != r.Next {
		t.Errorf("%+v", hl)
	}
}

func TestAServerOfOnesOwnThatDoesNotRunIsSaidAtOnce(t *testing.T) {
	b := newBench(t, API{Kind: OpenAI, URL: "http://127.0.0.1:1/v1"})
	r, _ := b.turn(engine.TurnInput{Prompt: "x"})
	if r.Problem != engine.Unavailable || r.Error != "Plum cannot be reached: nothing answers at 127.0.0.1:1." || !strings.HasPrefix(r.Next, "start the server") || len(b.naps) != 0 {
		t.Errorf("%+v, waited %v", r, b.naps)
	}
	if hl := b.e.Health(context.Background()); hl.State != engine.Broken || hl.Problem != r.Error {
		t.Errorf("%+v", hl)
	}
	b.e = b.engine(API{Kind: OpenAI, URL: "http://127.0.0.1:1"}, func(o *Options) { o.Environ = []string{"OLLAMA_HOST=127.0.0.1:1"} })
	if r, _ := b.turn(engine.TurnInput{Prompt: "x"}); r.Next != "start it: ollama serve" {
		t.Errorf("%+v", r)
	}
}

func TestAStreamThatGoesDeadCountsAsBroken(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	h := byHand(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, chunk("one ")+"\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-release:
		}
	})
	b := newBench(t, API{Kind: OpenAI, URL: h.URL}, func(o *Options) {
		o.Timings = Timings{Dead: 60 * time.Millisecond, Silence: 20 * time.Millisecond}
	})
	r, sink := b.turn(engine.TurnInput{Prompt: "x"})
	if r.Outcome != engine.Failed || len(h.asked()) != 3 || len(of[engine.Retract](sink)) != 3 {
		t.Errorf("%+v, %d requests", r, len(h.asked()))
	}
	said := ""
	for _, w := range of[engine.Waiting](sink) {
		said += w.Text + "\n"
	}
	if !strings.Contains(said, "waiting for Plum, ") || !strings.Contains(said, "the connection to Plum broke, trying again") {
		t.Errorf("said %q", said)
	}
}

func TestARedirectToAnotherHostIsNotFollowed(t *testing.T) {
	other := byHand(t, stream(chunk("stolen"), chatEnd))
	h := byHand(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/v1/chat/completions", http.StatusTemporaryRedirect)
	})
	b := newBench(t, API{Kind: OpenAI, URL: h.URL, Key: "sk-plum-0123456789"})
	r, _ := b.turn(engine.TurnInput{Prompt: "x"})
	if r.Outcome != engine.Failed || !strings.Contains(r.Error, "another host") || len(other.asked()) != 0 || len(b.naps) != 0 {
		t.Errorf("%+v, %d requests", r, len(other.asked()))
	}
}

func TestWhatAServerDoesNotTakeIsLeftOut(t *testing.T) {
	h := byHand(t, refuse(400, `{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`),
		refuse(400, `{"error":{"message":"reasoning_effort is not supported with this model"}}`), stream(chunk("fine"), chatEnd))
	b := newBench(t, API{Kind: OpenAI, URL: h.URL})
	r, sink := b.turn(engine.TurnInput{Prompt: "x", Options: engine.Options{Effort: "high"}})
	if r.Outcome != engine.Success || sink.text() != "fine" || !strings.Contains(sink.notices(), "takes no effort") || len(b.naps) != 0 {
		t.Fatalf("%+v %q", r, sink.notices())
	}
	if a := h.asked(); a[0]["stream_options"] == nil || a[0]["reasoning_effort"] != "high" || a[2]["stream_options"] != nil || a[2]["reasoning_effort"] != nil {
		t.Errorf("%v", a)
	}
}

func TestAnthropicsThinkingIsAskedForAsTheModelTakesIt(t *testing.T) {
	thinks := []string{
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`, `data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`, `data: {"type":"content_block_stop","index":0}`,
		`data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"x","input":{}}}`, `data: {"type":"content_block_stop","index":1}`,
		`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `data: {"type":"message_stop"}`,
	}
	says1 := []string{`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"ok"}}`, `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `data: {"type":"message_stop"}`}
	h := byHand(t,
		refuse(400, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 16000 > 8192, which is the maximum allowed number of output tokens for m1"}}`),
		refuse(400, `{"type":"error","error":{"type":"invalid_request_error","message":"adaptive thinking is not supported on this model"}}`),
		stream(thinks...), stream(says1...))
	b := newBench(t, API{Kind: Anthropic, URL: h.URL, Context: 200_000})
	r, sink := b.turn(engine.TurnInput{Prompt: "x", Options: engine.Options{Effort: "medium"}, Tools: []engine.Tool{says("x")}})
	if r.Outcome != engine.Success || sink.text() != "ok" || sink.thought() != "hm" || sink.notices() != "" {
		t.Fatalf("%+v %q %q", r, sink.text(), sink.notices())
	}
	asked := h.asked()
	if got := fmt.Sprint(asked[1]["max_tokens"], asked[1]["thinking"], asked[1]["output_config"]); got != "8192 map[display:summarized type:adaptive] map[effort:medium]" {
		t.Error(got)
	}
	if got := fmt.Sprint(asked[2]["thinking"], asked[2]["output_config"]); got != "map[budget_tokens:7168 type:enabled] <nil>" {
		t.Error(got)
	}
	parts := asked[3]["messages"].([]any)[1].(map[string]any)["content"].([]any)
	if got := fmt.Sprint(parts[0]); got != "map[signature:c2ln thinking:hm type:thinking]" {
		t.Errorf("the signed thinking went back as %s", got)
	}
}
