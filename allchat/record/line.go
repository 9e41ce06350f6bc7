package record

import (
	"encoding/json"
)

// A log is a first line that says whose it is, and then a line for each event: the
// event as Encode gives it, with two digests at its beginning. prev is that of the line
// before: no line can be changed, left out or moved without the next one showing it. sum
// is that of the line itself, which shows it of the last one too.

const (
	prevBegin = `{"prev":"`
	sumBegin  = `","sum":"`
	sumEnd    = `",`
	digits    = 64
)

// sumOf is a line's own digest: of prev and of the event behind its opening brace.
func sumOf(prev string, rest []byte) string {
	return Digest(append([]byte(prev), rest...))
}

// appendLine adds an event's line without its line feed. prev is the digest of the
// line before it.
func appendLine(out []byte, prev string, e Event) ([]byte, error) {
	data, err := Encode(e)
	if err != nil {
		return out, err
	}
	for _, part := range []string{prevBegin, prev, sumBegin, sumOf(prev, data[1:]), sumEnd} {
		out = append(out, part...)
	}
	return append(out, data[1:]...), nil
}

// decodeLine reads what appendLine wrote, and nothing else.
func decodeLine(line []byte) (prev string, e Event, err error) {
	const front = len(prevBegin) + digits + len(sumBegin) + digits + len(sumEnd)
	if len(line) < front {
		return "", Event{}, refuse(EventInvalid, "no digests")
	}
	prev, rest := string(line[len(prevBegin):len(prevBegin)+digits]), line[front:]
	if string(line[:front]) != prevBegin+prev+sumBegin+sumOf(prev, rest)+sumEnd {
		return "", Event{}, refuse(EventInvalid, "not what its digest says")
	}
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
