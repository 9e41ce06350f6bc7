package door

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"conch/engine"
)

// R-69-68, checklist 19.
func TestTheShimStartsOnlyForADoor(t *testing.T) {
	for name, environ := range map[string][]string{
		"nothing":      nil,
		"no key":       {EnvURL + "=http://127.0.0.1:1/mcp"},
		"empty key":    {EnvURL + "=http://127.0.0.1:1/mcp", EnvKey + "="},
		"another host": {EnvURL + "=http://127.0.0.2:1/mcp", EnvKey + "=k"},
		"by name":      {EnvURL + "=http://localhost:1/mcp", EnvKey + "=k"},
		"more behind":  {EnvURL + "=http://127.0.0.1:1/mcp?x", EnvKey + "=k"},
		"a long port":  {EnvURL + "=http://127.0.0.1:123456/mcp", EnvKey + "=k"},
		"a user":       {EnvURL + "=http://u@127.0.0.1:1/mcp", EnvKey + "=k"},
		"a line more":  {EnvURL + "=http://127.0.0.1:1/mcp\n", EnvKey + "=k"},
	} {
		var out, errs bytes.Buffer
		if got := Shim(context.Background(), environ, strings.NewReader("{}\n"), &out, &errs); got != 2 || out.Len() > 0 || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: %d %q %q", name, got, out.String(), errs.String())
		}
	}
}

// conversation runs a shim over pipes.
type conversation struct {
	in    *io.PipeWriter
	lines chan string
	exit  chan int
}

func shimFor(url, key string) *conversation {
	c := &conversation{lines: make(chan string, 100), exit: make(chan int, 1)}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c.in = inW
	go func() {
		exit := Shim(context.Background(), []string{EnvURL + "=" + url, EnvKey + "=" + key}, inR, outW, io.Discard)
		outW.Close()
		c.exit <- exit
	}()
	go func() {
		in := bufio.NewScanner(outR)
		for in.Scan() {
			c.lines <- in.Text()
		}
		close(c.lines)
	}()
	return c
}

func (c *conversation) say(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (c *conversation) hear(t *testing.T) string {
	t.Helper()
	select {
	case line := <-c.lines:
		return line
	case <-time.After(10 * time.Second):
		t.Fatal("the shim says nothing")
		return ""
	}
}

func (c *conversation) end(t *testing.T) {
	t.Helper()
	c.in.Close()
	if exit := <-c.exit; exit != 0 {
		t.Errorf("exit %d", exit)
	}
	for line := range c.lines {
		t.Errorf("said %q at the end", line)
	}
}

// R-69-69, checklist 19.
func TestTheShimRelaysEndToEnd(t *testing.T) {
	d := open(t)
	release := make(chan struct{})
	end := d.Begin(context.Background(), Turn{Emit: func(engine.Event) {}, Instructions: "Be brief.", Tools: []engine.Tool{
		saying("note", "kept"),
		tool{"slow", func(ctx context.Context, _ json.RawMessage) (engine.ToolResult, error) {
			<-release
			return engine.ToolResult{Text: "slowly"}, nil
		}},
	}})
	c := shimFor(d.URL(), d.Key())
	c.say(t, "")
	c.say(t, "no json")
	c.say(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	if line := c.hear(t); !strings.Contains(line, `"id":0`) || !strings.Contains(line, "Be brief.") {
		t.Error(line)
	}
	c.say(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.say(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"text":"initialize"}}}`)
	c.say(t, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"note"}}`)
	if line := c.hear(t); !strings.Contains(line, `"id":2`) || !strings.Contains(line, "kept") {
		t.Errorf("a slow call holds up another: %s", line)
	}
	close(release)
	if line := c.hear(t); !strings.Contains(line, `"id":1`) || !strings.Contains(line, "slowly") {
		t.Error(line)
	}
	end()
	c.say(t, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	c.say(t, `{"jsonrpc":"2.0","id":"s","method":"ping"}`)
	if line := c.hear(t); !strings.Contains(line, `-32603`) || !strings.Contains(line, `"id":"s"`) {
		t.Error(line)
	}
	c.end(t)
}

func TestTheShimAnswersForADoorThatRefusesOrIsGone(t *testing.T) { // R-69-69, checklist 19
	d := open(t)
	end := d.Begin(context.Background(), Turn{Emit: func(engine.Event) {}})
	c := shimFor(d.URL(), "wrongkey")
	c.say(t, `{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	if line := c.hear(t); !strings.Contains(line, `-32603`) || !strings.Contains(line, `"id":5`) || strings.Contains(line, "wrongkey") {
		t.Error(line)
	}
	end()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	c.say(t, `{"jsonrpc":"2.0","id":6,"method":"ping"}`)
	if line := c.hear(t); !strings.Contains(line, `-32603`) || !strings.Contains(line, `"id":6`) {
		t.Error(line)
	}
	c.end(t)
}

// R-69-70, checklist 19, and a batch answer as a line for each message.
func TestTheShimFollowsNoRedirectAndParts(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	batch := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !batch {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `[{"jsonrpc":"2.0","id":1,"result":{}},`+"\n"+`{"jsonrpc":"2.0","id":2,"result":{}}]`)
	}))
	defer s.Close()
	c := shimFor(s.URL+"/mcp", "k")
	c.say(t, `{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	if line := c.hear(t); !strings.Contains(line, `-32603`) {
		t.Error(line)
	}
	batch = true
	c.say(t, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	if a, b := c.hear(t), c.hear(t); a != `{"jsonrpc":"2.0","id":1,"result":{}}` || b != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Error(a, b)
	}
	c.end(t)
}

func FuzzShimAnswers(f *testing.F) {
	f.Add([]byte("data: {\"id\":1}\n\n"), true)
	f.Add([]byte("[{},1,\"x\"]"), false)
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		var out bytes.Buffer
		s := &shim{out: &out}
		if stream {
			_ = s.stream(bytes.NewReader(body))
		} else {
			_ = s.write(body)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("wrote %q", line)
			}
		}
	})
}
