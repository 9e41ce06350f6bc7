package apps

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"conch/chats"
	"conch/engine"
	"conch/evals/ledger"
	"conch/tools"
)

// actAs is the variable that makes the test binary a program to be connected.
const actAs = "CONCH_APPS_TEST"

func TestMain(m *testing.M) {
	if as := os.Getenv(actAs); as != "" {
		os.Exit(act(as, os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// act is a program: the Ledger, or one that behaves badly.
func act(as string, args []string) int {
	ctx := context.Background()
	switch as {
	case "ledger":
		log := ""
		if len(args) > 0 {
			log = args[0]
		}
		if err := ledger.Serve(ctx, os.Stdin, os.Stdout, log); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	case "noisy":
		fmt.Println("Starting up … {not json")
		fmt.Println()
		fmt.Println(`{"unknown":"kind"}`)
		if err := ledger.Serve(ctx, os.Stdin, os.Stdout, ""); err != nil {
			return 1
		}
	case "dies":
		fmt.Fprintln(os.Stderr, "cannot open the database: token ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i")
		return 3
	case "missing":
		return 127
	case "silent":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "deaf":
		select {}
	case "environment":
		s := mcp.NewServer(&mcp.Implementation{Name: "environment", Version: "1"}, nil)
		s.AddTool(&mcp.Tool{Name: "show", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			dir, _ := os.Getwd()
			return words(dir + "\n" + strings.Join(os.Environ(), "\n")), nil
		})
		_ = s.Run(ctx, &mcp.StdioTransport{})
	}
	return 0
}

// program is this test binary as an app.
func program(t *testing.T, id, as string, args ...string) App {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return App{ID: id, Command: append([]string{self}, args...), Env: map[string]string{actAs: as}}
}

func words(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// turn is a running turn that a test looks into.
type turn struct {
	mu       sync.Mutex
	folder   string
	alone    bool
	early    bool
	decide   func(engine.Permission) engine.Decision // nil: allowed
	answer   func(engine.Question) engine.Answer
	asked    []engine.Permission
	taints   []string
	happened []string // "ask", "taint", in their order
	events   []engine.Event
}

func (t *turn) Chat() string { return "01CHAT" }
func (t *turn) Emit(e engine.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, e)
}

func (t *turn) Ask(_ context.Context, p engine.Permission) engine.Decision {
	t.mu.Lock()
	t.asked = append(t.asked, p)
	t.happened = append(t.happened, "ask")
	t.mu.Unlock()
	if t.decide != nil {
		return t.decide(p)
	}
	return engine.Decision{Verdict: engine.Allow}
}

func (t *turn) Question(_ context.Context, q engine.Question) engine.Answer {
	if t.answer == nil {
		return engine.Answer{Skipped: true}
	}
	return t.answer(q)
}

func (t *turn) Record(chats.Body) {}
func (t *turn) Taint(id string, from chats.TaintSource) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taints = append(t.taints, id+": "+from.Label)
	t.happened = append(t.happened, "taint")
}

func (t *turn) Taints() []string         { return nil }
func (t *turn) Unattended() bool         { return t.alone }
func (t *turn) Folder() string           { return t.folder }
func (t *turn) Handless() bool           { return false }
func (t *turn) Wait(tools.Waiting) error { return nil }
func (t *turn) Ahead() bool              { return t.early }

// pretend is an app that a test plays: each connection is one of its own.
type pretend struct {
	mu       sync.Mutex
	tries    int
	fail     func(try int) error // of a try to connect, from 1; nil: it works
	tools    func(try int) []*mcp.Tool
	do       func(c *wire, tool string, args json.RawMessage) (*mcp.CallToolResult, error)
	listing  func(c *wire, cursor string) ([]*mcp.Tool, string, error)
	conns    []*wire
	clock    *clock
	takes    time.Duration // how long a try takes by the clock
	wanted   []wishes
	slowDial chan struct{} // a try waits for it
}

// wire is one connection to a pretend app.
type wire struct {
	app    *pretend
	n      int
	out    chan struct{}
	once   sync.Once
	closes int
}

func (p *pretend) dial(ctx context.Context, _ App, w wishes) (conn, error) {
	p.mu.Lock()
	p.tries++
	n := p.tries
	p.wanted = append(p.wanted, w)
	slow := p.slowDial
	p.mu.Unlock()
	if slow != nil {
		select {
		case <-slow:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if p.clock != nil {
		p.clock.add(p.takes)
	}
	if p.fail != nil {
		if err := p.fail(n); err != nil {
			return nil, err
		}
	}
	c := &wire{app: p, n: n, out: make(chan struct{})}
	p.mu.Lock()
	p.conns = append(p.conns, c)
	p.mu.Unlock()
	return c, nil
}

func (p *pretend) tried() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tries
}

func (c *wire) server() (string, string) { return "pretend", "1" }
func (c *wire) list(_ context.Context, cursor string) ([]*mcp.Tool, string, error) {
	if c.app.listing != nil {
		return c.app.listing(c, cursor)
	}
	if c.app.tools == nil {
		return []*mcp.Tool{reads("look"), changes("send")}, "", nil
	}
	return c.app.tools(c.n), "", nil
}

func (c *wire) call(ctx context.Context, tool string, args json.RawMessage) (*mcp.CallToolResult, error) {
	type answer struct {
		r   *mcp.CallToolResult
		err error
	}
	got := make(chan answer, 1)
	go func() {
		r, err := c.app.do(c, tool, args)
		got <- answer{r, err}
	}()
	select {
	case a := <-got:
		return a.r, a.err
	case <-c.out:
		return nil, mcp.ErrConnectionClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *wire) gone() <-chan struct{} { return c.out }
func (c *wire) drop()                 { c.once.Do(func() { close(c.out) }) }
func (c *wire) close() {
	c.app.mu.Lock()
	c.closes++
	c.app.mu.Unlock()
	c.drop()
}

func reads(name string) *mcp.Tool {
	return &mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}
}

func changes(name string) *mcp.Tool {
	return &mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}
}

// clock stands still but for what is slept and added.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(_ context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return nil
}

// playing is a Bridge to one pretend app.
func playing(t *testing.T, p *pretend) *Bridge {
	t.Helper()
	p.clock = &clock{now: time.Unix(1_700_000_000, 0)}
	b := New(Options{Apps: []App{{ID: "ledger", Command: []string{"ledger", "mcp"}}}, Now: p.clock.Now, Sleep: p.clock.Sleep})
	b.dial = p.dial
	t.Cleanup(b.Close)
	return b
}

// real is a Bridge that starts programs and calls addresses.
func real(t *testing.T, o Options) *Bridge {
	t.Helper()
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	b := New(o)
	t.Cleanup(b.Close)
	return b
}

// connected gives a turn the apps until the test is over.
func connected(t *testing.T, b *Bridge, tn *turn) *Set {
	t.Helper()
	if tn.folder == "" {
		tn.folder = t.TempDir()
	}
	set := b.Connect(context.Background(), tn)
	t.Cleanup(set.Close)
	return set
}

func (s *Set) tool(t *testing.T, name string) engine.Tool {
	t.Helper()
	for _, each := range s.Tools {
		if each.Name() == name {
			return each
		}
	}
	t.Fatalf("there is no tool %s; missing: %q", name, s.Missing)
	return nil
}

// call makes a call and gives what the model reads of it.
func call(t *testing.T, tl engine.Tool, args string) string {
	t.Helper()
	r, err := tl.Call(engine.WithCall(context.Background(), "row-1"), json.RawMessage(args))
	if err != nil {
		return "error: " + engine.FailureText(err)
	}
	if r.Failed {
		return "failed: " + r.Text
	}
	return r.Text
}

func names(tools []engine.Tool) string {
	var list []string
	for _, t := range tools {
		list = append(list, t.Name())
	}
	return strings.Join(list, " ")
}

// one is a question with one field.
func one(title string) engine.Question {
	return engine.Question{Title: title, Fields: []engine.Field{{Name: "which", Kind: "text"}}}
}

// slowly answers a card after a while.
func slowly(d time.Duration) func(engine.Question) engine.Answer {
	return func(engine.Question) engine.Answer {
		time.Sleep(d)
		return engine.Answer{Text: "this one"}
	}
}
