package pretend

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// dialect reads requests and writes answers in one form. One value serves one
// request.
type dialect interface {
	name() Dialect
	// read takes a request apart. schema is that of a wanted structured answer,
	// nil for words.
	read(body []byte) (asked, error)
	// fail is the body of an HTTP error.
	fail(status int, message string) any
	// whole is an answer that was not asked for as a stream.
	whole(a answer) any
	// begin, thought, text, call and end write the stream.
	begin(s *stream, a answer)
	thought(s *stream, piece string)
	text(s *stream, piece string)
	call(s *stream, c call)
	end(s *stream, a answer)
}

// asked is a request, in one form for all dialects.
type asked struct {
	model    string
	stream   bool
	messages []Message
	tools    []tool
	schema   map[string]any
}

// answer is all that is to be said.
type answer struct {
	serial  int
	model   string
	thought string
	text    string
	calls   []call
	stop    string
	in, out int // tokens, made up from the lengths
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, req Request, d dialect) {
	in, err := d.read(req.Body)
	if err == nil && string(req.Body) == "null" {
		err = errors.New("the body is no JSON")
	}
	req.Dialect = d.name()
	if err != nil {
		s.log(&req)
		reply(w, http.StatusBadRequest, d.fail(http.StatusBadRequest, err.Error()))
		return
	}
	if in.model != "" {
		req.Model = in.model
	}
	req.Messages, req.Tools = in.messages, toolNames(in.tools)
	s.mu.Lock()
	c := s.script.choose(in.messages, len(in.tools) > 0)
	refused := s.script.Toolless && len(in.tools) > 0
	s.mu.Unlock()
	if refused {
		s.log(&req)
		reply(w, http.StatusBadRequest, d.fail(http.StatusBadRequest, req.Model+" does not support tools"))
		return
	}
	fault := s.spoil(c)
	req.Rule, req.Step, req.Fault = c.rule, c.n, fault != nil
	s.log(&req)

	if fault != nil && fault.Status != 0 {
		if fault.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(fault.RetryAfter))
		}
		reply(w, fault.Status, d.fail(fault.Status, "pretend failure "+strconv.Itoa(fault.Status)))
		return
	}
	a := answer{
		serial: req.N, model: req.Model, thought: c.step.Thought, text: c.step.Text,
		calls: resolve(c.step.Calls, in.tools, req.N), stop: c.step.Stop,
		in: len(req.Body)/4 + 1, out: len(c.step.Text)/4 + 1,
	}
	pieces := c.step.pieces()
	if in.schema != nil && c.rule == "" {
		a.text, a.calls = encode(fill(in.schema)), nil
		pieces = []string{a.text}
	}
	out := &stream{w: w, r: r, stop: s.stop}
	if !out.pause(time.Duration(c.step.Wait)) {
		return
	}
	if !in.stream {
		reply(w, http.StatusOK, d.whole(a))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	say(out, d, a, pieces, c.step, fault)
}

func say(out *stream, d dialect, a answer, pieces []string, step Step, fault *Fault) {
	delay := time.Duration(step.Delay)
	d.begin(out, a)
	for _, piece := range cut(a.thought, 16) {
		if !out.pause(delay) {
			return
		}
		d.thought(out, piece)
	}
	for i, piece := range pieces {
		if fault != nil && i == fault.Drop {
			out.cut()
		}
		if !out.pause(delay) {
			return
		}
		d.text(out, piece)
	}
	if fault != nil {
		out.cut()
	}
	for _, c := range a.calls {
		if !out.pause(delay) {
			return
		}
		d.call(out, c)
	}
	d.end(out, a)
}

// stream writes server-sent events. After the asker has gone it writes nothing.
type stream struct {
	w      http.ResponseWriter
	r      *http.Request
	stop   <-chan struct{}
	failed bool
}

// event writes one event; name "" leaves its line out.
func (s *stream) event(name string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		s.failed = true
		return
	}
	s.raw(name, string(b))
}

func (s *stream) raw(name, data string) {
	if s.failed {
		return
	}
	text := "data: " + data + "\n\n"
	if name != "" {
		text = "event: " + name + "\n" + text
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		s.failed = true
		return
	}
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// pause waits; false when the asker has gone or the server closes.
func (s *stream) pause(d time.Duration) bool {
	if s.failed || s.r.Context().Err() != nil {
		return false
	}
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.r.Context().Done():
	case <-s.stop:
	}
	return false
}

// cut breaks the connection in the middle of the answer.
func (s *stream) cut() { panic(http.ErrAbortHandler) }

// decode reads a body into v.
func decode(body []byte, v any) error {
	if err := json.Unmarshal(body, v); err != nil {
		return errors.New("the body is not what was expected: " + err.Error())
	}
	return nil
}
