package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// client drives the agent with raw JSON lines, as a program on the other side
// of its pipes does.
type client struct {
	t     *testing.T
	in    io.WriteCloser
	lines chan string
	ended chan error
	errs  *lockedBuffer
	next  int
	ask   func(method string, params map[string]any) any // answers the agent's requests

	seen []map[string]any // every message that came, in order
	raw  []string         // every line that was no JSON object
}

const limit = 10 * time.Second

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func start(t *testing.T, state string, args ...string) *client {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	return startHost(t, Host{Args: args, Environ: []string{"CONCH_DEMO_FAST=1", "CONCH_DEMO_STATE=" + state, "PATH=/usr/bin:/bin"}})
}

func startHost(t *testing.T, h Host) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, lines: make(chan string, 1<<16), ended: make(chan error, 1), errs: &lockedBuffer{}}
	c.ask = func(method string, _ map[string]any) any {
		if method == "elicitation/create" {
			return map[string]any{"action": "accept", "content": map[string]any{"layout": "full"}}
		}
		return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": "allow"}}
	}
	h.In, h.Out, h.Err = inR, outW, c.errs
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := Run(ctx, h)
		outW.Close()
		inR.Close()
		c.ended <- err
	}()
	go func() {
		defer close(c.lines)
		r := bufio.NewReaderSize(outR, 64<<10)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				c.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		inW.Close()
		cancel()
		select {
		case <-c.ended:
		case <-time.After(limit):
			t.Error("the agent did not end")
		}
	})
	return c
}

func (c *client) send(m map[string]any) {
	c.t.Helper()
	m["jsonrpc"] = "2.0"
	raw, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(raw, '\n')); err != nil {
		c.t.Fatalf("write to the agent: %v", err)
	}
}

func (c *client) notify(method string, params any) {
	c.send(map[string]any{"method": method, "params": params})
}

// begin sends a request and gives its id.
func (c *client) begin(method string, params any) int {
	c.next++
	c.send(map[string]any{"id": c.next, "method": method, "params": params})
	return c.next
}

// read takes the next message, answering what the agent asks.
func (c *client) read() map[string]any {
	c.t.Helper()
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				return nil
			}
			var m map[string]any
			if json.Unmarshal([]byte(line), &m) != nil || m == nil {
				c.raw = append(c.raw, line)
				continue
			}
			c.seen = append(c.seen, m)
			if m["method"] != nil && m["id"] != nil {
				params, _ := m["params"].(map[string]any)
				if answer := c.ask(m["method"].(string), params); answer != nil {
					if e, bad := answer.(error); bad {
						c.send(map[string]any{"id": m["id"], "error": map[string]any{"code": -32601, "message": e.Error()}})
					} else {
						c.send(map[string]any{"id": m["id"], "result": answer})
					}
				}
			}
			return m
		case <-time.After(limit):
			c.t.Fatal("the agent said nothing in time")
		}
	}
}

// until reads until the answer of a request.
func (c *client) until(id int) map[string]any {
	c.t.Helper()
	for {
		m := c.read()
		if m == nil {
			c.t.Fatalf("the agent ended before it answered %d", id)
		}
		if n, ok := m["id"].(float64); ok && m["method"] == nil && int(n) == id {
			return m
		}
	}
}

func (c *client) call(method string, params any) map[string]any {
	c.t.Helper()
	return c.until(c.begin(method, params))
}

// result is the result of a call that must not fail.
func (c *client) result(method string, params any) map[string]any {
	c.t.Helper()
	m := c.call(method, params)
	if m["error"] != nil {
		c.t.Fatalf("%s failed: %v", method, m["error"])
	}
	r, _ := m["result"].(map[string]any)
	return r
}

func (c *client) initialize() map[string]any {
	c.t.Helper()
	return c.result("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{
		"auth": map[string]any{"terminal": true}, "elicitation": map[string]any{"form": map[string]any{}, "url": map[string]any{}},
	}})
}

func (c *client) open() string {
	c.t.Helper()
	c.initialize()
	return c.result("session/new", map[string]any{"cwd": "/code/shop", "mcpServers": []any{}})["sessionId"].(string)
}

func promptOf(session, text string) map[string]any {
	return map[string]any{"sessionId": session, "prompt": []any{map[string]any{"type": "text", "text": text}}}
}

// prompt plays one turn and gives its stop reason and its words.
func (c *client) prompt(session, text string) (stop, said string) {
	c.t.Helper()
	c.seen = nil
	m := c.call("session/prompt", promptOf(session, text))
	if m["error"] != nil {
		return fmt.Sprint(m["error"].(map[string]any)["code"]), c.words("agent_message_chunk")
	}
	return m["result"].(map[string]any)["stopReason"].(string), c.words("agent_message_chunk")
}

// updates are those seen since the last prompt began, of one kind ("" for all).
func (c *client) updates(kind string) []map[string]any {
	var out []map[string]any
	for _, m := range c.seen {
		params, _ := m["params"].(map[string]any)
		u, _ := params["update"].(map[string]any)
		if m["method"] == "session/update" && u != nil && (kind == "" || u["sessionUpdate"] == kind) {
			out = append(out, u)
		}
	}
	return out
}

func (c *client) words(kind string) string {
	var b strings.Builder
	for _, u := range c.updates(kind) {
		content, _ := u["content"].(map[string]any)
		text, _ := content["text"].(string)
		b.WriteString(text)
	}
	return b.String()
}
