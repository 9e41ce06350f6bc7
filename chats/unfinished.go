package chats

import "io"

// unfinished looks, from the end of a log that nobody writes, for a turn without
// an end, and gives the events that end it: what was open in it, closed, and its
// turn.completed.
func unfinished(r io.ReaderAt, size int64) (turn string, ends []Body) {
	var c crash
	lines := newBackward(r, size)
	for {
		line, _, ok := lines.next()
		if !ok || !c.back(line) {
			break
		}
	}
	if c.turn == "" || c.ended {
		return "", nil
	}
	return c.turn, c.ends()
}

// crash gathers, backwards, what is known of the last turn.
type crash struct {
	turn   string
	begun  bool // its first event was seen
	ended  bool
	spoke  bool // text or a step: the prompt was taken in
	closed map[string]bool
	open   []Body // newest first
	engine string
	model  string
}

// back takes the next older line and reports whether more are needed.
func (c *crash) back(line []byte) bool {
	h, ok := readHeader(line)
	if !ok {
		return true
	}
	mine := !c.begun && h.Turn != "" && (c.turn == "" || c.turn == h.Turn)
	if mine {
		c.turn = h.Turn
	}
	if !mine && h.Turn != "" && c.turn != "" {
		c.begun = true
	}
	switch h.Kind {
	case "assistant.delta", "assistant.done":
		c.spoke = c.spoke || mine
		return true // the long ones; nothing else is wanted of them
	case "usage", "plan", "title", "notice":
		return true
	}
	e, ok := decodeKnown(h, line)
	if !ok {
		return true
	}
	if mine {
		c.mine(e)
	}
	if mine || c.begun { // between them another engine may have been chosen for the next turn
		c.who(e, mine)
	}
	if c.ended {
		return false
	}
	return !c.begun || c.engine == ""
}

func decodeKnown(h header, line []byte) (Event, bool) {
	if !h.known() {
		return Event{}, false
	}
	return decodeBody(h, line)
}

func (c *crash) mine(e Event) {
	if c.closed == nil {
		c.closed = map[string]bool{}
	}
	switch b := e.Body.(type) {
	case UserMessage:
		c.begun = true
	case TurnCompleted:
		c.ended = true
	case ToolFinished:
		c.spoke = true
		c.closed["tool "+b.ToolUseID] = true
	case ToolStarted:
		c.spoke = true
		c.close("tool "+b.ToolUseID, ToolFinished{ToolUseID: b.ToolUseID, Status: "unknown", Reason: "Conch ended before this step did."})
	case PermissionResolved:
		c.closed["permission "+b.PermissionID] = true
	case PermissionRequested:
		c.close("permission "+b.PermissionID, PermissionResolved{PermissionID: b.PermissionID, Decision: "expired", By: "stop"})
	case QuestionAnswered:
		c.closed["question "+b.QuestionID] = true
	case Question:
		c.close("question "+b.QuestionID, QuestionAnswered{QuestionID: b.QuestionID})
	}
}

func (c *crash) close(key string, with Body) {
	if !c.closed[key] {
		c.closed[key] = true
		c.open = append(c.open, with)
	}
}

// who finds the engine of the turn: the newest event that names one.
func (c *crash) who(e Event, mine bool) {
	if c.engine != "" {
		return
	}
	switch b := e.Body.(type) {
	case Session:
		c.engine, c.model = b.Engine, b.Model
		c.spoke = c.spoke || mine
	case Handoff:
		c.engine = b.Engine
	case Options:
		if !mine {
			c.engine, c.model = b.Engine, b.Model
		}
	case TurnCompleted:
		c.engine = b.Engine
	}
}

func (c *crash) ends() []Body {
	ends := make([]Body, 0, len(c.open)+1)
	for i := len(c.open) - 1; i >= 0; i-- {
		ends = append(ends, c.open[i])
	}
	return append(ends, TurnCompleted{Outcome: "interrupted", Accepted: c.spoke, Engine: c.engine, Model: c.model})
}

// missingEnd gives the end of an unfinished turn in a log that is only read and
// that nobody writes, as opening it for writing would append it. Its events are
// live: they are in no file.
func (l *Log) missingEnd(v view) []Event {
	if !v.open {
		return nil
	}
	turn, ends := unfinished(v.r, v.size)
	if len(ends) == 0 || !l.free() {
		return nil
	}
	events := make([]Event, len(ends))
	for i, body := range ends {
		events[i] = Event{V: Version, Seq: -1, Turn: turn, Body: body}
	}
	return events
}

// abandoned reports that a turn was left open and nobody is at it.
func (l *Log) abandoned(f fold) bool { return f.Turn != "" && l.free() }

// free reports that no process writes the log.
func (l *Log) free() bool { return l.store.free(l.id) }
