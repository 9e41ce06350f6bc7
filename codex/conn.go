package codex

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"conch/child"
	"conch/program"
)

// conn speaks with the app-server: one JSON object a line, both ways, without the
// jsonrpc field. Both sides ask; their ids have nothing to do with each other.
type conn struct {
	out *program.Outbox
	to  receiver

	mu    sync.Mutex
	calls map[int64]*calling
	next  int64
	over  bool

	gone chan struct{} // closed when nothing is read any more
}

// receiver takes what the program says on its own, on the reader's goroutine and
// in the order of arrival.
type receiver interface {
	notification(method string, params json.RawMessage)
	request(id json.RawMessage, method string, params json.RawMessage)
	noise(line []byte)
	tooLong(head []byte, size int64)
}

// calling is a request on its way.
type calling struct {
	answer chan answer // holds one
	// hear is called by the reader before anything that was said after the answer
	// is taken in; nil: nothing is.
	hear func(result json.RawMessage)
}

type answer struct {
	result json.RawMessage
	err    error
}

// A thread that is resumed comes whole in one line. What the program says on its own
// is never as long: a command's output is cut near 1 MiB.
const (
	maxLine = 96 << 20
	maxSaid = 32 << 20
)

// refused is an error that the program answered.
type refused struct {
	code    int64
	message string
}

func (r *refused) Error() string { return r.message }

// newConn begins to read and write. to must be ready.
func newConn(in io.Reader, out io.WriteCloser, to receiver) *conn {
	c := &conn{out: program.NewOutbox(out), to: to, calls: map[int64]*calling{}, gone: make(chan struct{})}
	lines := child.NewLines(in)
	lines.Max, lines.Noise, lines.TooLong = maxLine, to.noise, c.tooLong
	go c.read(lines)
	return c
}

func (c *conn) read(lines *child.Lines) {
	for {
		line, err := lines.Next()
		if err != nil {
			break
		}
		c.take(line)
	}
	c.mu.Lock()
	c.over = true
	for id, each := range c.calls {
		each.answer <- answer{err: program.ErrGone}
		delete(c.calls, id)
	}
	c.mu.Unlock()
	_ = c.out.Close() // nobody hears an answer any more
	close(c.gone)
}

// take reads one message. What has no method and answers nothing is nothing.
func (c *conn) take(line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int64  `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	lenient(line, &m)
	isAsked := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method != "" && len(line) > maxSaid:
		c.to.tooLong(nil, int64(len(line)))
		if isAsked {
			c.refuse(m.ID, -32600, "Too large")
		}
	case m.Method != "" && isAsked:
		c.to.request(m.ID, m.Method, m.Params)
	case m.Method != "":
		c.to.notification(m.Method, m.Params)
	case isAsked:
		id, err := strconv.ParseInt(string(m.ID), 10, 64)
		if err != nil {
			return
		}
		if m.Error != nil {
			c.answered(id, answer{err: &refused{m.Error.Code, m.Error.Message}})
			return
		}
		c.answered(id, answer{result: m.Result})
	}
}

// lenient reads JSON of which a field of the wrong kind counts as absent.
func lenient(data []byte, into any) {
	_ = json.Unmarshal(data, into) // goes on behind a field that does not fit
}

func (c *conn) answered(id int64, a answer) {
	c.mu.Lock()
	each := c.calls[id]
	delete(c.calls, id)
	c.mu.Unlock()
	if each == nil {
		return // came too late
	}
	if each.hear != nil && a.err == nil {
		each.hear(a.result)
	}
	each.answer <- a
}

// tooLong fails the request that an answer over the limit belongs to.
func (c *conn) tooLong(head []byte, size int64) {
	c.to.tooLong(head, size)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.calls) != 1 {
		return
	}
	for id, each := range c.calls {
		each.answer <- answer{err: program.TooBig{Size: size}}
		delete(c.calls, id)
	}
}

// send puts a message on its way. It never waits for the program.
func (c *conn) send(m map[string]any) error {
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write a message to codex: %w", err)
	}
	if c.out.Send(append(line, '\n')) != nil {
		return program.ErrGone
	}
	return nil
}

func (c *conn) notify(method string) error { return c.send(map[string]any{"method": method}) }

// reply answers a request of the program's; one that is gone misses nothing.
func (c *conn) reply(id json.RawMessage, result any) {
	_ = c.send(map[string]any{"id": id, "result": result})
}

func (c *conn) refuse(id json.RawMessage, code int, message string) {
	_ = c.send(map[string]any{"id": id, "error": map[string]any{"code": code, "message": message}})
}

// call asks and waits for at most limit.
func (c *conn) call(ctx context.Context, method string, params any, limit time.Duration, what string) (json.RawMessage, error) {
	return c.callHearing(ctx, method, params, limit, what, nil)
}

func (c *conn) callHearing(ctx context.Context, method string, params any, limit time.Duration, what string, hear func(json.RawMessage)) (json.RawMessage, error) {
	each := &calling{answer: make(chan answer, 1), hear: hear}
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return nil, program.ErrGone
	}
	c.next++
	id := c.next
	c.calls[id] = each
	c.mu.Unlock()
	if err := c.send(map[string]any{"id": id, "method": method, "params": params}); err != nil {
		c.drop(id)
		return nil, err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a := <-each.answer:
		return a.result, a.err
	case <-timer.C:
		c.drop(id)
		return nil, program.Late{What: what, Limit: limit}
	case <-ctx.Done():
		c.drop(id)
		return nil, ctx.Err()
	}
}

func (c *conn) drop(id int64) {
	c.mu.Lock()
	delete(c.calls, id)
	c.mu.Unlock()
}
