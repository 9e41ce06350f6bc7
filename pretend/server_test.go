package pretend

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func serve(t *testing.T, script Script) *Server {
	t.Helper()
	s, err := Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func schema(required string, properties ...string) map[string]any {
	props := map[string]any{}
	for _, p := range properties {
		name, kind, _ := strings.Cut(p, ":")
		if kind == "" {
			kind = "string"
		}
		props[name] = obj{"type": kind}
	}
	var req []any
	for _, r := range strings.Fields(required) {
		req = append(req, r)
	}
	return obj{"type": "object", "properties": props, "required": req}
}

// each runs a test in every dialect.
func each(t *testing.T, run func(t *testing.T, c client)) {
	for _, c := range clients {
		t.Run(string(c.dialect), func(t *testing.T) { run(t, c) })
	}
}

var readTool = []tool{{name: "read_file", schema: schema("file_path", "file_path", "limit:integer")}}

func TestAnAnswerIsStreamedInEveryDialect(t *testing.T) {
	s := serve(t, Script{Rules: []Rule{{Match: "look at it", Steps: []Step{
		{Thought: "Let me think about äöü.", Text: "I look. 你好!", Chunk: 3, Calls: []Call{{Do: "read", Path: "/a"}, {Do: "read", Path: "/b"}}},
		{Text: "Done."},
	}}}})
	stops := map[Dialect][2]string{
		Anthropic: {"tool_use", "end_turn"}, Gemini: {"STOP", "STOP"}, Chat: {"tool_calls", "stop"}, Responses: {"completed", "completed"},
	}
	each(t, func(t *testing.T, c client) {
		got := c.ask(t, s, "be good", []turn{{user: "Look at it"}}, readTool, true, nil)
		want := said{Status: 200, Thought: "Let me think about äöü.", Text: "I look. 你好!", Stop: stops[c.dialect][0],
			Calls: []string{`read_file {"file_path":"/a"}`, `read_file {"file_path":"/b"}`}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		got = c.ask(t, s, "be good", []turn{{user: "Look at it"}, {call: "read_file", args: `{"file_path":"/a"}`, result: "one"}}, readTool, true, nil)
		if got.Text != "Done." || got.Stop != stops[c.dialect][1] || got.Calls != nil {
			t.Errorf("after the call: %+v", got)
		}
		got = c.ask(t, s, "be good", []turn{{user: "look at it"}, {call: "x", args: "{}", result: "1"}, {call: "x", args: "{}", result: "2"}}, readTool, false, nil)
		if got.Text != "Done." {
			t.Errorf("at once, after more rounds than steps: %+v", got)
		}
	})
}

func TestATestCanAskWhatTheModelSaw(t *testing.T) {
	each(t, func(t *testing.T, c client) {
		s := serve(t, Script{Rules: []Rule{{Match: "second", Steps: []Step{{Text: "yes"}}}}})
		c.ask(t, s, "the rules", []turn{
			{user: "first words"}, {assistant: "an answer"},
			{user: "<system-reminder>second first</system-reminder>second words"}, {call: "read_file", args: `{"file_path":"/a"}`, result: "file text"},
		}, readTool, true, nil)
		r, err := s.Wait(context.Background(), func(r Request) bool { return r.Dialect == c.dialect })
		if err != nil {
			t.Fatal(err)
		}
		var roles []string
		for _, m := range r.Messages {
			roles = append(roles, m.Role)
		}
		want := []string{"system", "user", "assistant", "user", "call", "result"}
		if c.dialect == Anthropic {
			want = append(want, "system") // the reminder beside the result
		}
		if diff := cmp.Diff(want, roles); diff != "" {
			t.Errorf("roles (-want +got)\n%s", diff)
		}
		if !r.Saw("file text", "result") || r.Saw("file text", "user") || !r.Saw("the rules") || !strings.HasSuffix(r.LastUser(), "second words") {
			t.Errorf("%+v", r.Messages)
		}
		if r.Rule != "second" || r.Model != "m" || len(r.Tools) != 1 || len(s.Asked()) != 1 {
			t.Errorf("%+v", r)
		}
	})
}

func TestFaultsComeAsOftenAsTheyShould(t *testing.T) {
	each(t, func(t *testing.T, c client) {
		s := serve(t, Script{Rules: []Rule{
			{Match: "limit", Steps: []Step{{Text: "at last", Fault: &Fault{Status: 429, Times: 2, RetryAfter: 7}}}},
			{Match: "cut", Steps: []Step{{Text: "one two three four", Chunk: 4, Fault: &Fault{Drop: 2}}}},
			{Match: "never", Steps: []Step{{Fault: &Fault{Status: 500, Times: -1}}}},
		}})
		ask := func(words string) said { return c.ask(t, s, "", []turn{{user: words}}, readTool, true, nil) }
		for range 2 {
			if got := ask("limit"); got.Status != 429 || got.Retry != "7" {
				t.Errorf("%+v", got)
			}
		}
		if got := ask("limit"); got.Text != "at last" {
			t.Errorf("%+v", got)
		}
		if got := ask("cut"); !got.Broken || got.Text != "one two " || got.Stop != "" {
			t.Errorf("%+v", got)
		}
		if got := ask("cut"); got.Broken || got.Text != "one two three four" {
			t.Errorf("%+v", got)
		}
		for range 3 {
			if got := ask("never"); got.Status != 500 {
				t.Errorf("%+v", got)
			}
		}
	})
}

func TestAStructuredAnswerMeetsItsSchema(t *testing.T) {
	s := serve(t, Script{})
	want := obj{"type": "object", "properties": obj{"title": obj{"type": "STRING"}, "kind": obj{"enum": []any{"a", "b"}}, "n": obj{"type": []any{"integer", "null"}}, "list": obj{"type": "array"}}}
	each(t, func(t *testing.T, c client) {
		for _, stream := range []bool{true, false} {
			got := c.ask(t, s, "", []turn{{user: "title it"}}, nil, stream, want)
			if got.Text != `{"kind":"a","list":[],"n":1,"title":"pretend"}` {
				t.Errorf("stream %v: %q", stream, got.Text)
			}
		}
	})
}

func TestOtherQuestionsAreAnsweredToo(t *testing.T) {
	s := serve(t, Script{Models: []string{"big"}})
	each(t, func(t *testing.T, c client) {
		if got := c.ask(t, s, "", []turn{{user: "x"}}, nil, true, nil); got.Text != "A pretend title" {
			t.Errorf("without tools: %q", got.Text)
		}
		if got := c.ask(t, s, "", []turn{{user: "x"}}, readTool, true, nil); got.Text != "ok" {
			t.Errorf("no rule: %q", got.Text)
		}
	})
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	for path, want := range map[string]string{"/v1/models": `"id":"big"`, "/v1beta/models": `"name":"models/big"`, "/page": "Twelve invoices", "/nothing": "no such path"} {
		res, err := (&http.Client{Transport: tr}).Get(s.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if !strings.Contains(string(b), want) {
			t.Errorf("%s: %s", path, b)
		}
	}
	res, err := (&http.Client{Transport: tr}).Post(s.URL()+"/v1/messages", "application/json", strings.NewReader("no JSON"))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusBadRequest {
		t.Errorf("a broken body: %d", res.StatusCode)
	}
}

func TestCloseEndsAnAnswerThatRuns(t *testing.T) {
	s, err := Start(Script{Fallback: &Step{Text: "slow words", Delay: Duration(time.Hour)}})
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan string, 1)
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	go func() {
		body := encode(clients[0].body("", []turn{{user: "x"}}, readTool, true, nil))
		res, err := (&http.Client{Transport: tr}).Post(s.URL()+clients[0].path, "application/json", strings.NewReader(body))
		if err != nil {
			over <- "" // closed before its first byte
			return
		}
		defer res.Body.Close()
		got, _ := io.ReadAll(res.Body)
		over <- string(got)
	}()
	if _, err := s.Wait(context.Background(), func(Request) bool { return true }); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got := <-over; strings.Contains(got, "slow") {
		t.Errorf("it was said in spite of the close: %s", got)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	s := serve(t, Script{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Wait(ctx, func(Request) bool { return true }); err == nil {
		t.Error("waited for nothing")
	}
}
