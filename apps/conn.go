package apps

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/engine"
)

// conn is one open connection to an app.
type conn interface {
	server() (name, version string)
	list(ctx context.Context, cursor string) (tools []*mcp.Tool, next string, err error)
	call(ctx context.Context, tool string, args json.RawMessage) (*mcp.CallToolResult, error)
	gone() <-chan struct{} // closed when it dropped
	close()                // waits until all is gone; may be called twice
}

// dialer opens a connection. An error of it is as the system and the SDK gave it.
type dialer func(ctx context.Context, a App, w wishes) (conn, error)

// wishes is what an app may want of the turn that it is connected for.
type wishes struct {
	folder  string                                                     // the chat's
	ask     func(ctx context.Context, q engine.Question) engine.Answer // nil: nobody is there
	changed func()                                                     // its list of tools has changed
	alive   func()                                                     // it said that a call goes on
}

// opened is a connection and what the app offers in it.
type opened struct {
	conn
	list Listing
	at   time.Time
}

func (o *opened) dropped() bool {
	select {
	case <-o.gone():
		return true
	default:
		return false
	}
}
