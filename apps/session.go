package apps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The versions of MCP that are spoken, in this order: what apps have known for long,
// then the one that greets in another way. One that knows only that refuses the
// first greeting with an error.
const (
	versionKnown = "2025-11-25"
	versionNew   = "2026-07-28"
)

// carrier is a transport that Conch made, and what there is to end with it.
type carrier interface {
	mcp.Transport
	// end lets go of all that the transport holds, and waits until it is gone.
	end()
	// note looks at what runs now, to end it later.
	note()
	// cause gives an error of the SDK's the reason that the transport knows.
	cause(err error) error
}

// session is a conn over the SDK.
type session struct {
	cs      *mcp.ClientSession
	over    carrier
	dropped chan struct{}
	watch   sync.WaitGroup
	closing sync.Once
}

// open connects an app, with its program started or its address called.
func (b *Bridge) open(ctx context.Context, a App, w wishes) (conn, error) {
	fresh, err := b.carrierOf(a, w)
	if err != nil {
		return nil, err
	}
	c, err := b.greet(ctx, fresh, a, w, versionKnown)
	if wire := ofApp(err); wire != nil && ctx.Err() == nil {
		return b.greet(ctx, fresh, a, w, versionNew)
	}
	return c, err
}

// carrierOf gives what makes a transport for each try.
func (b *Bridge) carrierOf(a App, w wishes) (func(ctx context.Context) (carrier, error), error) {
	switch {
	case a.URL != "":
		headers, err := b.headers(a)
		if err != nil {
			return nil, err
		}
		return func(context.Context) (carrier, error) { return b.overHTTP(a, headers), nil }, nil
	case len(a.Command) > 0 && a.Command[0] != "":
		return func(ctx context.Context) (carrier, error) { return b.overPipes(ctx, a, w.folder) }, nil
	}
	return nil, &setupError{"it has neither a command nor a url", "give it one of the two in config.toml"}
}

func (b *Bridge) greet(ctx context.Context, fresh func(ctx context.Context) (carrier, error), a App, w wishes, version string) (*session, error) {
	over, err := fresh(ctx)
	if err != nil {
		return nil, err
	}
	cs, err := connect(ctx, b.client(a, w), over, version)
	if err != nil {
		err = over.cause(err)
		over.end()
		return nil, err
	}
	s := &session{cs: cs, over: over, dropped: make(chan struct{})}
	s.watch.Go(func() {
		defer close(s.dropped)
		_ = cs.Wait() // why it ended is said to the calls
	})
	return s, nil
}

// connect greets the app. The SDK does not look at ctx everywhere: when it is done,
// the transport is ended under its hands.
func connect(ctx context.Context, c *mcp.Client, over carrier, version string) (cs *mcp.ClientSession, err error) {
	defer context.AfterFunc(ctx, over.end)()
	defer func() {
		if r := recover(); r != nil {
			cs, err = nil, fmt.Errorf("the app's greeting broke the library: %v", r)
		}
	}()
	cs, err = c.Connect(ctx, over, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil && ctx.Err() != nil {
		err = errors.Join(ctx.Err(), err)
	}
	return cs, err
}

// client is Conch as the app sees it.
func (b *Bridge) client(a App, w wishes) *mcp.Client {
	o := &mcp.ClientOptions{
		Logger:       slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			if w.changed != nil {
				w.changed()
			}
		},
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
			if w.alive != nil {
				w.alive()
			}
		},
	}
	if w.ask != nil {
		o.ElicitationHandler = elicited(a, w)
		o.Capabilities.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}
	}
	local := a.URL == "" || loopback(hostOf(a.URL))
	if local && w.folder != "" {
		//lint:ignore SA1019 apps that are there ask for roots, and will for a year
		o.Capabilities.RootsV2 = &mcp.RootCapabilities{}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "conch", Title: "Conch", Version: b.o.Version}, o)
	if local && w.folder != "" {
		//lint:ignore SA1019 as above
		c.AddRoots(&mcp.Root{URI: fileURI(w.folder), Name: "the chat's folder"})
	}
	return c
}

func (s *session) server() (name, version string) {
	if r := s.cs.InitializeResult(); r != nil && r.ServerInfo != nil {
		return line(r.ServerInfo.Name, 60), line(r.ServerInfo.Version, 30)
	}
	return "", ""
}

func (s *session) list(ctx context.Context, cursor string) (tools []*mcp.Tool, next string, err error) {
	if r := s.cs.InitializeResult(); r != nil && r.Capabilities != nil && r.Capabilities.Tools == nil {
		return nil, "", nil // it says that it has none, and may know no such question
	}
	r, err := s.cs.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
	if err != nil {
		return nil, "", s.over.cause(err)
	}
	return r.Tools, r.NextCursor, nil
}

// call sends a call and waits for its answer. It returns when ctx is done, also when
// the app reads nothing.
func (s *session) call(ctx context.Context, tool string, args json.RawMessage) (*mcp.CallToolResult, error) {
	p := &mcp.CallToolParams{Name: tool, Arguments: args}
	p.SetProgressToken("call")
	r, err := s.cs.CallTool(ctx, p)
	s.over.note()
	if err != nil {
		return nil, s.over.cause(err)
	}
	return r, nil
}

func (s *session) gone() <-chan struct{} { return s.dropped }

func (s *session) close() {
	s.closing.Do(func() {
		s.over.end()
		_ = s.cs.Close() // it is over, whatever it was
		s.watch.Wait()
	})
}

// ofApp is the error that the app itself answered with, nil when the connection or
// the SDK failed.
func ofApp(err error) *jsonrpc.Error {
	switch e := err.(type) { //nolint:errorlint // the whole tree is walked
	case nil:
		return nil
	case *jsonrpc.Error:
		if e.Code <= -32003 && e.Code >= -32005 {
			return nil // the SDK's own: closing, rejected
		}
		return e
	case interface{ Unwrap() error }:
		return ofApp(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, each := range e.Unwrap() {
			if wire := ofApp(each); wire != nil {
				return wire
			}
		}
	}
	return nil
}

// said is an app's error in its own words.
func said(e *jsonrpc.Error) string {
	if e.Message != "" {
		return e.Message
	}
	return fmt.Sprintf("it failed without saying why (%d)", e.Code)
}
