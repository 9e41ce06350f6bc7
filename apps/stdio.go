package apps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/child"
)

// errTooLarge is a message that is more than Conch takes.
var errTooLarge = errors.New("a message is too large")

// pipes carry MCP over a program's stdin and stdout, a message a line.
type pipes struct {
	p     *child.Process
	lines *child.Lines

	writing sync.Mutex
	large   error // set by lines, read behind Next

	ending sync.Once
	ended  chan struct{}
}

// overPipes starts an app's program. It works in the chat's folder and has the
// listed part of the environment and what config.toml adds.
func (b *Bridge) overPipes(ctx context.Context, a App, folder string) (*pipes, error) {
	p, err := child.Start(ctx, child.Spec{
		Args: a.Command, Dir: folder, Env: child.Environ(b.o.Environ, nil, nil, b.added(a)), Guard: b.o.Guard,
	})
	if err != nil {
		return nil, err
	}
	t := readPipes(p.Stdout)
	t.p = p
	return t, nil
}

func readPipes(stdout io.Reader) *pipes {
	t := &pipes{lines: child.NewLines(stdout), ended: make(chan struct{})}
	t.lines.TooLong = func([]byte, int64) { t.large = errTooLarge }
	return t
}

// added is what config.toml adds to the environment of an app's program.
func (b *Bridge) added(a App) []string {
	var add []string
	for name, value := range a.Env {
		add = append(add, name+"="+value)
	}
	slices.Sort(add)
	return add
}

var _ carrier = (*pipes)(nil)

// Connect gives the SDK its connection.
func (t *pipes) Connect(context.Context) (mcp.Connection, error) { return t, nil }

// SessionID is for transports that have sessions.
func (t *pipes) SessionID() string { return "" }

// Read gives the next message; what is none is skipped. A line that is too large
// ends the connection: it may be an answer that somebody waits for.
func (t *pipes) Read(context.Context) (jsonrpc.Message, error) {
	for {
		line, err := t.lines.Next()
		if t.large != nil {
			return nil, t.large
		}
		if err != nil {
			return nil, err
		}
		// The line is overwritten by the next one, and a message keeps parts of it.
		if m, err := jsonrpc.DecodeMessage(bytes.Clone(line)); err == nil {
			return m, nil
		}
	}
}

// Write sends a message. A program that does not read is left when ctx is done.
func (t *pipes) Write(ctx context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if in, ok := t.p.Stdin.(interface{ SetWriteDeadline(time.Time) error }); ok {
		defer context.AfterFunc(ctx, func() { _ = in.SetWriteDeadline(time.Unix(1, 0)) })()
	}
	if _, err := t.p.Stdin.Write(append(data, '\n')); err != nil {
		// Half a message may be out: nothing can follow it.
		go t.end()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("write a message: %w", err)
	}
	return nil
}

// Close is the SDK's. It holds its lock meanwhile, so that nothing is waited for.
func (t *pipes) Close() error {
	go t.end()
	return nil
}

// end ends the program with all that it started, and waits until they are gone.
func (t *pipes) end() {
	t.ending.Do(func() {
		t.p.End(context.Background())
		close(t.ended)
	})
	<-t.ended
}

func (t *pipes) note() { t.p.Note() }

// cause says how the program ended, if it did.
func (t *pipes) cause(err error) error {
	if ofApp(err) != nil {
		return err
	}
	timer := time.NewTimer(lingering)
	defer timer.Stop()
	select {
	case <-t.p.Done():
	case <-timer.C:
		return err
	}
	select {
	case <-t.ended: // by Conch
		return err
	default:
	}
	words, code := t.p.Exit()
	return errors.Join(&exitError{words: words, code: code, last: t.p.Stderr()}, err)
}

// lingering is how long a program that hung up is waited for, to learn how it ended.
const lingering = 200 * time.Millisecond
