package record

import (
	"bytes"
	"encoding/json"
)

// A log is a first line that says whose it is, and then a line for each event: the
// event as Encode gives it, with the digest of the line before at its beginning.
// So no line can be changed, left out or moved without the next one showing it.

const (
	prevBegin = `{"prev":"`
	prevEnd   = `",`
)

// appendLine adds an event's line without its line feed. prev is the digest of the
// line before it.
func appendLine(out []byte, prev string, e Event) ([]byte, error) {
	data, err := Encode(e)
	if err != nil {
		return out, err
	}
	out = append(append(append(out, prevBegin...), prev...), prevEnd...)
	return append(out, data[1:]...), nil
}

// decodeLine reads what appendLine wrote, and nothing else.
func decodeLine(line []byte) (prev string, e Event, err error) {
	const digits = 64
	rest, ok := bytes.CutPrefix(line, []byte(prevBegin))
	if !ok || len(rest) < digits || !bytes.HasPrefix(rest[digits:], []byte(prevEnd)) {
		return "", Event{}, refuse(EventInvalid, "no digest of the line before")
	}
	prev, rest = string(rest[:digits]), rest[digits+len(prevEnd):]
	e, err = Decode(append([]byte("{"), rest...))
	return prev, e, err
}

// header is the first line.
type header struct{ Run, Project string }

func (h *header) fields(c *coder) {
	v := int64(Version)
	c.num("v", &v, Version, Version)
	c.str("run", &h.Run, runForm)
	c.str("project", &h.Project, projectForm)
}

func (h header) encode() ([]byte, error) {
	c := &coder{}
	c.object(func() { h.fields(c) })
	if c.err != nil {
		return nil, c.err
	}
	return c.out, nil
}

// decodeHeader reads the first line. Of a version that is not known here it gives
// what there is to say of it, with FutureVersion.
func decodeHeader(line []byte) (header, *Error) {
	var h header
	c := &coder{reading: true, in: line}
	c.object(func() { h.fields(c) })
	if len(c.in) > 0 {
		c.fail("", "more follows the end")
	}
	if c.err == nil {
		return h, nil
	}
	var future struct {
		V       int64  `json:"v"`
		Project string `json:"project"`
	}
	if json.Unmarshal(line, &future) != nil || future.V <= Version {
		return header{}, &Error{Code: Damaged, What: "the first line", Err: c.err}
	}
	if projectForm(future.Project) != "" {
		future.Project = ""
	}
	return header{Project: future.Project}, &Error{Code: FutureVersion, What: "the run is of a newer Conch"}
}
