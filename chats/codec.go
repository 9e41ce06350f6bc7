package chats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// header is what every line begins with.
type header struct {
	V    int    `json:"v"`
	Seq  int64  `json:"seq"`
	ID   string `json:"id"`
	At   int64  `json:"at"`
	Turn string `json:"turn"`
	Kind string `json:"kind"`
}

// known reports that this version may read the event.
func (h header) known() bool { return h.V <= Version && readers[h.Kind] != nil }

// encode appends the event's line, with its line feed, to buf.
func encode(buf []byte, e Event) ([]byte, error) {
	body, err := marshal(e.Body)
	if err != nil {
		body, err = marshal(mend(e.Body))
	}
	if err != nil {
		return buf, fmt.Errorf("write a %s event: %w", e.Body.Kind(), err)
	}
	buf = append(buf, `{"v":`...)
	buf = strconv.AppendInt(buf, int64(e.V), 10)
	buf = append(buf, `,"seq":`...)
	buf = strconv.AppendInt(buf, e.Seq, 10)
	buf = append(buf, `,"id":"`...)
	buf = append(buf, e.ID...)
	buf = append(buf, `","at":`...)
	buf = strconv.AppendInt(buf, e.At, 10)
	buf = append(buf, `,"turn":`...)
	turn, err := marshal(e.Turn)
	if err != nil {
		return buf, fmt.Errorf("write a %s event: %w", e.Body.Kind(), err)
	}
	buf = append(buf, turn...)
	buf = append(buf, `,"kind":"`...)
	buf = append(buf, e.Body.Kind()...)
	buf = append(buf, '"')
	if len(body) > len("{}") {
		buf = append(buf, ',')
		buf = append(buf, body[1:]...)
	} else {
		buf = append(buf, '}')
	}
	return append(buf, '\n'), nil
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// mend turns JSON from outside that is none into a string of JSON, so that a
// program's nonsense costs no event.
func mend(b Body) Body {
	switch b := b.(type) {
	case ToolStarted:
		b.Input, b.View = mendRaw(b.Input), mendRaw(b.View)
		return b
	case ToolProgress:
		b.View = mendRaw(b.View)
		return b
	case ToolFinished:
		b.View = mendRaw(b.View)
		return b
	case PermissionRequested:
		b.Input, b.View = mendRaw(b.Input), mendRaw(b.View)
		return b
	case Question:
		b.Fields = mendRaw(b.Fields)
		return b
	case Usage:
		b.Usage = mendRaw(b.Usage)
		return b
	case TurnCompleted:
		b.Usage = mendRaw(b.Usage)
		return b
	}
	return b
}

func mendRaw(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || json.Valid(raw) {
		return raw
	}
	quoted, err := json.Marshal(string(raw))
	if err != nil {
		return nil
	}
	return quoted
}

// readHeader reads a line's header without looking at the rest of it, when the
// line was written as encode writes it.
func readHeader(line []byte) (header, bool) {
	var h header
	p := line
	var v int64
	ok := number(&p, `{"v":`, &v) && number(&p, `,"seq":`, &h.Seq) && word(&p, `,"id":"`, &h.ID) &&
		number(&p, `,"at":`, &h.At) && word(&p, `,"turn":"`, &h.Turn) && word(&p, `,"kind":"`, &h.Kind)
	if ok && len(p) > 0 && (p[0] == ',' || p[0] == '}') {
		h.V = int(v)
		return h, true
	}
	h = header{Seq: -1}
	if err := json.Unmarshal(line, &h); err != nil || h.Seq < 0 || h.Kind == "" {
		return header{}, false
	}
	return h, true
}

func number(p *[]byte, key string, to *int64) bool {
	rest, ok := bytes.CutPrefix(*p, []byte(key))
	if !ok {
		return false
	}
	n := 0
	for n < len(rest) && n < 18 && rest[n] >= '0' && rest[n] <= '9' {
		*to = *to*10 + int64(rest[n]-'0')
		n++
	}
	*p = rest[n:]
	return n > 0
}

func word(p *[]byte, key string, to *string) bool {
	rest, ok := bytes.CutPrefix(*p, []byte(key))
	if !ok {
		return false
	}
	for i, b := range rest {
		switch {
		case b == '"':
			*to, *p = string(rest[:i]), rest[i+1:]
			return true
		case b == '\\' || b < 0x20 || b >= 0x80:
			return false
		}
	}
	return false
}

// decode reads a line. A line that is no JSON, of an unknown kind or of a newer
// version is none.
func decode(line []byte) (Event, bool) {
	h, ok := readHeader(line)
	if !ok || !h.known() {
		return Event{}, false
	}
	return decodeBody(h, line)
}

func decodeBody(h header, line []byte) (Event, bool) {
	body, err := readers[h.Kind](line)
	if err != nil {
		return Event{}, false
	}
	return Event{V: h.V, Seq: h.Seq, ID: h.ID, At: h.At, Turn: h.Turn, Body: body}, true
}

func into[T Body](line []byte) (Body, error) {
	var b T
	err := json.Unmarshal(line, &b)
	return b, err
}

// readers has the kinds that this version knows.
var readers = map[string]func([]byte) (Body, error){
	"start": into[Start], "user.message": into[UserMessage],
	"assistant.delta": into[AssistantDelta], "assistant.done": into[AssistantDone],
	"tool.started": into[ToolStarted], "tool.progress": into[ToolProgress], "tool.finished": into[ToolFinished],
	"permission.requested": into[PermissionRequested], "permission.resolved": into[PermissionResolved],
	"plan": into[Plan], "question": into[Question], "question.answered": into[QuestionAnswered],
	"session": into[Session], "title": into[Title], "options": into[Options], "notice": into[Notice],
	"handoff": into[Handoff], "shell": into[Shell], "queue": into[Queue],
	"task": into[Task], "context.compacted": into[ContextCompacted], "context.cleared": into[ContextCleared], "context.restored": into[ContextRestored],
	"usage": into[Usage], "turn.completed": into[TurnCompleted], "taint": into[Taint],
	"chats.looked": into[ChatsLooked], "memory.saved": into[MemorySaved], "memory.forgotten": into[MemoryForgotten],
}
