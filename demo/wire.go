package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// maxLine bounds a message of the client.
const maxLine = 64 << 20

// message is any JSON-RPC 2.0 message.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *wireError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

const (
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeBadParams      = -32602
	codeInternal       = -32603
	codeSignIn         = -32000
	codeNotFound       = -32002
)

var errClosed = errors.New("the client is gone")

// conn writes whole lines and matches answers to the requests it sent. Its ids
// count from 0, as those of real agents do.
type conn struct {
	mu      sync.Mutex
	w       io.Writer
	next    int64
	pending map[string]chan message
	closed  bool
}

func newConn(w io.Writer) *conn {
	return &conn{w: w, pending: map[string]chan message{}}
}

func (c *conn) write(line []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errClosed
	}
	_, err := c.w.Write(line)
	return err
}

func (c *conn) send(m message) error {
	m.JSONRPC = "2.0"
	line, err := encode(m)
	if err != nil {
		return err
	}
	return c.write(line)
}

func (c *conn) notify(method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.send(message{Method: method, Params: raw})
}

func (c *conn) answer(id json.RawMessage, result any) {
	raw, err := json.Marshal(result)
	if err != nil {
		c.refuse(id, codeInternal, err.Error())
		return
	}
	_ = c.send(message{ID: id, Result: raw}) // a client that is gone needs no answer
}

func (c *conn) refuse(id json.RawMessage, code int, words string) {
	_ = c.send(message{ID: id, Error: &wireError{Code: code, Message: words}})
}

// request sends one and gives its id and the channel of its answer.
func (c *conn) request(method string, params any) (int64, <-chan message, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return 0, nil, err
	}
	got := make(chan message, 1)
	c.mu.Lock()
	id := c.next
	c.next++
	key := strconv.FormatInt(id, 10)
	c.pending[key] = got
	c.mu.Unlock()
	return id, got, c.send(message{ID: json.RawMessage(key), Method: method, Params: raw})
}

// call sends a request and waits for its answer.
func (c *conn) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	_, got, err := c.request(method, params)
	if err != nil {
		return nil, err
	}
	select {
	case m, ok := <-got:
		if !ok {
			return nil, errClosed
		}
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// settle hands an answer to whoever waits for it.
func (c *conn) settle(m message) {
	key := string(m.ID)
	c.mu.Lock()
	got := c.pending[key]
	delete(c.pending, key)
	c.mu.Unlock()
	if got != nil {
		got <- m
	}
}

func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for key, got := range c.pending {
		close(got)
		delete(c.pending, key)
	}
}

// read takes the client's messages one after the other until its end.
func (a *agent) read(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			a.conn.refuse(json.RawMessage("null"), -32700, "not a JSON-RPC message")
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		switch {
		case m.Method == "" && m.ID != nil:
			a.conn.settle(m)
		case m.Method != "":
			a.handle(ctx, m)
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return fmt.Errorf("read the client's messages: %w", err)
	}
	return nil
}

// encode gives one line. Characters of HTML stay as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
