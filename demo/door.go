package demo

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is an MCP server that the client of a session offers.
type server struct {
	Type    string `json:"type"`
	URL     string `json:"url"`
	Headers []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"headers"`
}

// door is the way to the tools of such a server.
type door struct {
	session *mcp.ClientSession
	base    *http.Transport
	tools   map[string]bool
}

// doorWithin is how long a server may take to say which tools it has.
const doorWithin = 10 * time.Second

// openDoor connects the first server over HTTP of a session. nil: there is none, or it
// does not answer; the demo agent then does without.
func openDoor(ctx context.Context, servers []server) *door {
	for _, s := range servers {
		if s.Type != "http" {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, doorWithin)
		defer cancel()
		d := &door{base: &http.Transport{}, tools: map[string]bool{}}
		client := mcp.NewClient(&mcp.Implementation{Name: "conch-demo-agent", Version: Version}, nil)
		var err error
		d.session, err = client.Connect(ctx, &mcp.StreamableClientTransport{
			Endpoint: s.URL, HTTPClient: &http.Client{Transport: withHeaders{s, d.base}}, MaxRetries: -1, DisableStandaloneSSE: true,
		}, nil)
		if err != nil {
			d.base.CloseIdleConnections()
			return nil
		}
		list, err := d.session.ListTools(ctx, nil)
		if err != nil {
			d.close()
			return nil
		}
		for _, tool := range list.Tools {
			d.tools[tool.Name] = true
		}
		return d
	}
	return nil
}

// withHeaders sends what the client gave for the server with each request.
type withHeaders struct {
	server server
	next   http.RoundTripper
}

func (w withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for _, h := range w.server.Headers {
		r.Header.Set(h.Name, h.Value)
	}
	return w.next.RoundTrip(r)
}

func (d *door) has(tool string) bool { return d != nil && d.tools[tool] }

// call calls a tool. Its own error is an error with its words.
func (d *door) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	res, err := d.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", err
	}
	var said []string
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			said = append(said, text.Text)
		}
	}
	words := strings.Join(said, "\n")
	if res.IsError {
		return "", errors.New(firstLine(words))
	}
	return words, nil
}

func (d *door) close() {
	if d == nil {
		return
	}
	_ = d.session.Close() // the server ends with the session
	d.base.CloseIdleConnections()
}
