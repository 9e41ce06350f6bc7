package door

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"conch/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tool is one that a test makes up.
type tool struct {
	name string
	do   func(ctx context.Context, args json.RawMessage) (engine.ToolResult, error)
}

func (t tool) Name() string        { return t.name }
func (t tool) Description() string { return "does " + t.name }
func (t tool) Schema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`)
}
func (t tool) Call(ctx context.Context, args json.RawMessage) (engine.ToolResult, error) {
	return t.do(ctx, args)
}

func saying(name, text string) tool {
	return tool{name, func(context.Context, json.RawMessage) (engine.ToolResult, error) {
		return engine.ToolResult{Text: text, View: engine.View{Result: "1 line"}}, nil
	}}
}

// rows keeps what was drawn.
type rows struct {
	mu   sync.Mutex
	list []engine.Event
}

func (r *rows) emit(ev engine.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, ev)
}

func (r *rows) all() []engine.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

func open(t *testing.T) *Door {
	t.Helper()
	d, err := Open(Options{Version: "1", Alive: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

type request struct {
	method, path, host, key, origin string
	body                            io.Reader
}

func ask(t *testing.T, d *Door, r request) (status int, body string) {
	t.Helper()
	if r.method == "" {
		r.method = http.MethodPost
	}
	if r.path == "" {
		r.path = "/mcp"
	}
	req, err := http.NewRequest(r.method, "http://"+d.host+r.path, r.body)
	if err != nil {
		t.Fatal(err)
	}
	if r.host != "" {
		req.Host = r.host
	}
	if r.key != "" {
		req.Header.Set("Authorization", r.key)
	}
	if r.origin != "" {
		req.Header.Set("Origin", r.origin)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(raw)
}

// R-69-61, R-69-62, checklist 18.
func TestTheDoorRefusesInItsOrder(t *testing.T) {
	d := open(t)
	earlier := open(t).Key()
	end := d.Begin(context.Background(), Turn{Tools: []engine.Tool{saying("note", "kept")}, Emit: func(engine.Event) {}})
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	right := "Bearer " + d.Key()
	large := strings.Repeat(" ", maxBody) + list
	for _, each := range []struct {
		name string
		r    request
		want int
	}{
		{"a web page, with all else wrong", request{method: "GET", path: "/x", host: "evil.example", origin: "https://evil.example"}, 403},
		{"a web page with the key", request{key: right, origin: "null", body: strings.NewReader(list)}, 403},
		{"another host, with all else wrong", request{method: "GET", path: "/x", host: "localhost:1"}, 403},
		{"another host with the key", request{key: right, host: "evil.example", body: strings.NewReader(list)}, 403},
		{"no key, another path", request{path: "/x"}, 401},
		{"a wrong key", request{key: "Bearer " + strings.Repeat("A", len(d.Key())), body: strings.NewReader(list)}, 401},
		{"another session's key", request{key: "Bearer " + earlier, body: strings.NewReader(list)}, 401},
		{"the key alone", request{key: d.Key(), body: strings.NewReader(list)}, 401},
		{"another path and method", request{method: "GET", path: "/", key: right}, 404},
		{"a stream", request{method: "GET", key: right}, 405},
		{"the end of a session", request{method: "DELETE", key: right}, 405},
		{"too much", request{key: right, body: strings.NewReader(large)}, 413},
		{"too much, piece by piece", request{key: right, body: io.MultiReader(strings.NewReader(large))}, 413},
		{"what it is for", request{key: right, body: strings.NewReader(list)}, 200},
	} {
		if status, body := ask(t, d, each.r); status != each.want || strings.Contains(body, d.Key()) {
			t.Errorf("%s: %d %q, want %d", each.name, status, body, each.want)
		}
	}
	end()
	if status, _ := ask(t, d, request{key: right, body: strings.NewReader(list)}); status != 503 {
		t.Errorf("between turns: %d", status)
	}
	if status, _ := ask(t, d, request{body: strings.NewReader(list)}); status != 401 {
		t.Errorf("between turns without the key: %d", status)
	}
	done := d.Opening("", nil)
	if status, _ := ask(t, d, request{key: right, body: strings.NewReader(list)}); status != 200 {
		t.Errorf("while the session is opened: %d", status)
	}
	done()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", d.host); err == nil {
		c.Close()
		t.Error("it still listens")
	}
}

// client connects as a program would.
func client(t *testing.T, d *Door, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	base := &http.Transport{}
	c := mcp.NewClient(&mcp.Implementation{Name: "program", Version: "1"}, opts)
	s, err := c.Connect(context.Background(), &mcp.StreamableClientTransport{
		Endpoint: d.URL(), HTTPClient: &http.Client{Transport: bearer{d.Key(), base}}, MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		base.CloseIdleConnections()
	})
	return s
}

type bearer struct {
	key  string
	next http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return b.next.RoundTrip(r)
}

func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// R-69-63.
func TestAProgramIsGreetedByNameWithTheInstructions(t *testing.T) {
	d := open(t)
	done := d.Opening("Be brief.", []engine.Tool{saying("note", "kept")})
	s := client(t, d, nil)
	hello := s.InitializeResult()
	if hello.ServerInfo.Name != "conch" || hello.Instructions != "Be brief." {
		t.Errorf("%+v", hello)
	}
	list, err := s.ListTools(context.Background(), nil)
	if err != nil || len(list.Tools) != 1 || list.Tools[0].Name != "note" {
		t.Fatalf("%v %v", list, err)
	}
	select {
	case <-d.Listed():
	default:
		t.Error("it doesn't say that the tools were listed")
	}
	if told, ok := d.Greeted(); !ok || told != "Be brief." {
		t.Errorf("greeted %v %q", ok, told)
	}
	if r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "note"}); err != nil || !r.IsError {
		t.Errorf("a call while the session is opened: %v %v", r, err)
	}
	done()
}

// R-69-64, R-69-65, and of an error that a tool throws: R-102-12, its checklist 5.
func TestACallDrawsOneRowAndAnswers(t *testing.T) {
	key := "ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i"
	tools := []engine.Tool{
		saying("note", "kept, token "+key),
		tool{"fail", func(context.Context, json.RawMessage) (engine.ToolResult, error) {
			return engine.ToolResult{}, fmt.Errorf("read chat: %w", errors.New("no such chat"))
		}},
		tool{"mute", func(context.Context, json.RawMessage) (engine.ToolResult, error) {
			return engine.ToolResult{}, errors.New("")
		}},
		tool{"panic", func(context.Context, json.RawMessage) (engine.ToolResult, error) { panic("secret detail") }},
		tool{"echo", func(_ context.Context, args json.RawMessage) (engine.ToolResult, error) {
			return engine.ToolResult{Text: string(args)}, nil
		}},
		tool{"draw", func(context.Context, json.RawMessage) (engine.ToolResult, error) {
			return engine.ToolResult{Text: "drawn", Images: []engine.Attachment{{MIME: "image/png", Data: []byte("png")}}}, nil
		}},
	}
	for _, each := range []struct {
		tool     string
		args     any
		images   bool
		isError  bool
		want     string
		pictures int
		row      engine.ToolStatus
	}{
		{"note", map[string]any{"query": "walnut"}, false, false, "kept, token [redacted]", 0, engine.ToolSuccess},
		{"fail", nil, false, true, "read chat: no such chat", 0, engine.ToolError},
		{"mute", nil, false, true, "mute failed without saying why.", 0, engine.ToolError},
		{"panic", nil, false, true, "panic broke inside Conch; this is a fault of Conch's, not of the call", 0, engine.ToolError},
		{"echo", map[string]any{"query": "a"}, false, false, `{"query":"a"}`, 0, engine.ToolSuccess},
		{"echo", []int{1}, false, false, `{}`, 0, engine.ToolSuccess},
		{"echo", "words", false, false, `{}`, 0, engine.ToolSuccess},
		{"draw", nil, true, false, "drawn", 1, engine.ToolSuccess},
		{"draw", nil, false, false, "drawn\n\n(1 pictures are left out: they can't be shown to you.)", 0, engine.ToolSuccess},
		{"absent", nil, false, true, `There is no tool "absent" here. There are: note, fail, mute, panic, echo, draw.`, 0, ""},
	} {
		d := open(t)
		drawn := &rows{}
		end := d.Begin(context.Background(), Turn{Tools: tools, Emit: drawn.emit, IDs: "7.1.", Images: each.images})
		r, err := client(t, d, nil).CallTool(context.Background(), &mcp.CallToolParams{Name: each.tool, Arguments: each.args})
		end()
		if err != nil {
			t.Errorf("%s: %v", each.tool, err)
			continue
		}
		if r.IsError != each.isError || textOf(r) != each.want || len(r.Content) != 1+each.pictures {
			t.Errorf("%s: %v %q %d", each.tool, r.IsError, textOf(r), len(r.Content))
		}
		list := drawn.all()
		if each.row == "" {
			if len(list) > 0 {
				t.Errorf("%s drew %v", each.tool, list)
			}
			continue
		}
		if len(list) != 2 {
			t.Fatalf("%s drew %v", each.tool, list)
		}
		start, over := list[0].(engine.ToolStart), list[1].(engine.ToolEnd)
		if start.Name != each.tool || !strings.HasPrefix(start.ToolUseID, "7.1.") || over.ToolUseID != start.ToolUseID || over.Status != each.row {
			t.Errorf("%s drew %+v %+v", each.tool, start, over)
		}
		if each.tool == "note" && (start.Subject != "walnut" || over.View.Result != "1 line" || strings.Contains(over.Output, key)) {
			t.Errorf("%+v %+v", start, over)
		}
	}
}

// R-69-65, R-102-13, its checklist 5: also of a tool that doesn't hear that it is to stop.
func TestAfterStopAProgramReadsOnlyThatItWasStopped(t *testing.T) {
	d := open(t)
	release := make(chan struct{})
	drawn := &rows{}
	begun := make(chan struct{})
	ctx, stop := context.WithCancel(context.Background())
	end := d.Begin(ctx, Turn{Emit: drawn.emit, Tools: []engine.Tool{tool{"deaf", func(context.Context, json.RawMessage) (engine.ToolResult, error) {
		close(begun)
		<-release
		return engine.ToolResult{Text: "the answer"}, nil
	}}}})
	s := client(t, d, nil)
	got := make(chan string, 1)
	go func() {
		r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "deaf"})
		if err != nil {
			got <- err.Error()
			return
		}
		got <- textOf(r)
	}()
	<-begun
	stop()
	if text := <-got; text != "It was stopped." {
		t.Errorf("%q", text)
	}
	end()
	close(release)
	list := drawn.all()
	if len(list) != 2 || list[1].(engine.ToolEnd).Status != engine.ToolError {
		t.Errorf("drew %v", list)
	}
}

func TestAProgramThatHangsUpEndsItsCall(t *testing.T) {
	d := open(t)
	drawn := &rows{}
	begun, over := make(chan struct{}), make(chan struct{})
	end := d.Begin(context.Background(), Turn{Emit: drawn.emit, Tools: []engine.Tool{tool{"wait", func(ctx context.Context, _ json.RawMessage) (engine.ToolResult, error) {
		close(begun)
		<-ctx.Done()
		close(over)
		return engine.ToolResult{}, ctx.Err()
	}}}})
	defer end()
	ctx, hangUp := context.WithCancel(context.Background())
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, d.URL(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`))
	req.Header.Set("Authorization", "Bearer "+d.Key())
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	go func() {
		<-begun
		hangUp()
	}()
	if answer, err := transport.RoundTrip(req); err == nil {
		_, _ = io.ReadAll(answer.Body)
		answer.Body.Close()
	}
	select {
	case <-over:
	case <-time.After(10 * time.Second):
		t.Fatal("the call goes on")
	}
}

// A stream shows signs of life while a question is open, by itself and, where the
// program asks for it, by notifications of progress.
func TestALongCallShowsSignsOfLife(t *testing.T) {
	d := open(t)
	release := make(chan struct{})
	end := d.Begin(context.Background(), Turn{Emit: func(engine.Event) {}, Tools: []engine.Tool{tool{"ask", func(ctx context.Context, _ json.RawMessage) (engine.ToolResult, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return engine.ToolResult{Text: "yes"}, nil
	}}}})
	defer end()
	req, _ := http.NewRequest(http.MethodPost, d.URL(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","_meta":{"progressToken":"p1"}}}`))
	req.Header.Set("Authorization", "Bearer "+d.Key())
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	in := bufio.NewScanner(answer.Body)
	var comments, beats int
	released := false
	for in.Scan() {
		switch line := in.Text(); {
		case strings.HasPrefix(line, ":"):
			comments++
		case strings.Contains(line, "notifications/progress"):
			beats++
		case strings.Contains(line, `"yes"`):
			return
		}
		if comments > 1 && beats > 1 && !released {
			released = true
			close(release)
		}
	}
	t.Errorf("%d comments, %d beats, no answer", comments, beats)
}

func TestCallsRunBesideEachOther(t *testing.T) {
	d := open(t)
	var both sync.WaitGroup
	both.Add(2)
	drawn := &rows{}
	end := d.Begin(context.Background(), Turn{Emit: drawn.emit, Tools: []engine.Tool{tool{"meet", func(context.Context, json.RawMessage) (engine.ToolResult, error) {
		both.Done()
		both.Wait()
		return engine.ToolResult{Text: "met"}, nil
	}}}})
	defer end()
	s := client(t, d, nil)
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			if r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "meet"}); err != nil || textOf(r) != "met" {
				t.Error(r, err)
			}
		})
	}
	calls.Wait()
	if len(drawn.all()) != 4 {
		t.Error(drawn.all())
	}
}
