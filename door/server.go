package door

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/engine"
)

// serverKey finds the server that was made for a request.
type serverKey struct{}

// mcp is the protocol's part, behind the guard. It keeps no session: each request
// stands for itself, and what it is answered is what the turn offers now.
func (d *Door) mcp() http.Handler {
	return mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		s, _ := r.Context().Value(serverKey{}).(*mcp.Server)
		return s
	}, &mcp.StreamableHTTPOptions{
		Stateless:           true,
		MaxRequestBodyBytes: maxBody,
		// The guard has looked at the host's name already, and more strictly.
		DisableLocalhostProtection: true,
	})
}

// serverFor makes the server of one request. ctx ends when the program hangs up;
// out is where the answer goes.
func (d *Door) serverFor(ctx context.Context, p *phase, out *lively) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: Name, Title: "Conch", Version: d.opts.Version}, &mcp.ServerOptions{
		Instructions: p.turn.Instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		PageSize:     10_000,
	})
	for _, tool := range p.turn.Tools {
		addTool(s, tool)
	}
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(inner context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if call, ok := req.(*mcp.CallToolRequest); ok && method == "tools/call" {
				inner, cancel := context.WithCancel(inner)
				over := out.keepAlive(inner, d.opts.Alive)
				result := d.call(ctx, inner, p, call)
				cancel()
				<-over
				return result, nil
			}
			result, err := next(inner, method, req)
			if err == nil {
				d.seen(method, p)
			}
			return result, err
		}
	})
	return s
}

// seen keeps what the program has been told.
func (d *Door) seen(method string, p *phase) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lastSeen = time.Now()
	switch method {
	case "initialize", "server/discover":
		d.greeted, d.told = true, p.turn.Instructions
	case "tools/list":
		if !d.hasList {
			d.hasList = true
			close(d.listed)
		}
	}
}

// addTool offers a tool. One whose schema is no object's is offered without it: the
// tool checks its arguments itself.
func addTool(s *mcp.Server, tool engine.Tool) {
	t := &mcp.Tool{Name: tool.Name(), Description: tool.Description(), InputSchema: json.RawMessage(`{"type":"object"}`)}
	var schema map[string]any
	if json.Unmarshal(tool.Schema(), &schema) == nil && schema["type"] == "object" {
		t.InputSchema = schema
	}
	defer func() {
		if recover() != nil { // the SDK's word for a schema that it can't use
			t.InputSchema = json.RawMessage(`{"type":"object"}`)
			s.AddTool(t, unused)
		}
	}()
	s.AddTool(t, unused)
}

// unused stands where the SDK wants a handler: calls are taken before it.
func unused(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{}, nil
}
