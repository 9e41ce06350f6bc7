package acp

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"conch/child"
	"conch/program"
)

// stream is the wire to a program: one JSON-RPC message a line. Reading skips
// what is no message; writing never waits for the program, so that a program
// that has stopped reading cannot hold up the one who reads it.
type stream struct {
	*program.Outbox
	lines *child.Lines
	noise func(line []byte) // a line that is no message
	read  chan struct{}     // closed when the program's output has ended
}

func newStream(out io.Reader, in io.WriteCloser, noise func([]byte), tooLong func(head []byte, size int64)) *stream {
	s := &stream{Outbox: program.NewOutbox(in), lines: child.NewLines(out), noise: noise, read: make(chan struct{})}
	s.lines.Noise = noise
	s.lines.TooLong = tooLong
	return s
}

// WriteObject queues a message.
func (s *stream) WriteObject(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.Send(append(line, '\n'))
}

// ReadObject gives the next message. Its error is the end of the program's
// output, never a bad line.
func (s *stream) ReadObject(v any) error {
	for {
		line, err := s.lines.Next()
		if err != nil {
			close(s.read) // the reader asks no more after an error
			return err
		}
		if json.Unmarshal(mend(line), v) == nil {
			return nil
		}
		if fixed := salvage(line); fixed != nil && json.Unmarshal(fixed, v) == nil {
			return nil
		}
		s.noise(line[:min(len(line), 200)])
	}
}

// mend gives an answer whose id came back as a text its number again. Conch's
// own ids are numbers only.
func mend(line []byte) []byte {
	if !bytes.Contains(line, []byte(`"id"`)) {
		return line
	}
	o := parse(line)
	if o.has("method") {
		return line
	}
	id, isText := o.optText("id")
	if !isText {
		return line
	}
	if _, err := strconv.ParseUint(id, 10, 63); err != nil {
		return line
	}
	o["id"] = json.RawMessage(id)
	mended, err := json.Marshal(o)
	if err != nil {
		return line
	}
	return mended
}

// salvage makes an answer that cannot be read a failure of its request, so that
// nobody waits for it in vain. nil: the line is no answer.
func salvage(line []byte) []byte {
	o := parse(line)
	if o.has("method") {
		return nil
	}
	id, ok := o.number("id")
	if !ok || id < 0 {
		return nil
	}
	code, message := int64(codeUnreadable), "it sent an answer that cannot be read"
	if failure := o.object("error"); failure != nil {
		if n, ok := failure.number("code"); ok {
			code = n
		}
		if words := failure.text("message"); words != "" {
			message = words
		}
	}
	answer, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": code, "message": message},
	})
	if err != nil {
		return nil
	}
	return answer
}

// glance says what a message is from its first bytes alone.
func glance(head []byte) (id int64, hasID, isCall bool) {
	dec := json.NewDecoder(bytes.NewReader(head))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return 0, false, false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return id, hasID, isCall
		}
		switch key {
		case "method", "params":
			isCall = true
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return id, hasID, isCall
		}
		if key == "id" {
			var n json.Number
			if json.Unmarshal(value, &n) == nil {
				if v, err := n.Int64(); err == nil {
					id, hasID = v, true
				}
			}
		}
	}
	return id, hasID, isCall
}
