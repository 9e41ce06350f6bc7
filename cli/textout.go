package cli

import (
	"strings"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
	"conch/plain"
)

// textOutput prints the answer's words, each message when it is whole: a stream
// that broke and came again is printed once. What was declined is noted beside
// it: without that, an answer that explains nothing would look like a success.
type textOutput struct {
	printer
	messages []*said // not printed yet, in order
	any      bool
	note     func(format string, args ...any)
	asked    map[string]chats.PermissionRequested
	declined int
}

// maxDeclined is how many declined steps are named.
const maxDeclined = 5

// said is a message of the assistant that is being written.
type said struct {
	id, channel string
	text        strings.Builder
}

func (o *textOutput) refused(*failure, engine.Problem) {} // it is said on stderr

func (o *textOutput) broken() error { return o.err }

func (o *textOutput) event(e chats.Event, _ conversation.Status) {
	if e.Live() {
		return // it comes again, written
	}
	switch b := e.Body.(type) {
	case chats.AssistantDelta:
		o.messages = addDelta(o.messages, b)
	case chats.AssistantDone:
		var done *said
		if o.messages, done = takeDone(o.messages, b); done != nil {
			o.print(done)
		}
	case chats.PermissionRequested:
		if o.asked == nil {
			o.asked = map[string]chats.PermissionRequested{}
		}
		o.asked[b.PermissionID] = b
	case chats.PermissionResolved:
		o.resolved(b)
	case chats.TurnCompleted:
		for _, m := range o.messages {
			o.print(m) // what had been said of it
		}
		o.messages = nil
		if b.Pause != nil {
			o.note("paused: %s", plain.Line(b.Pause.Message, 0))
		}
		if more := o.declined - maxDeclined; more > 0 {
			o.note("declined: %d more", more)
		}
	}
}

func (o *textOutput) resolved(b chats.PermissionResolved) {
	asked := o.asked[b.PermissionID]
	delete(o.asked, b.PermissionID)
	if b.Decision != string(engine.Deny) {
		return
	}
	if o.declined++; o.declined <= maxDeclined {
		why := b.Why
		if why == "" {
			why = asked.Why
		}
		o.note("declined: %s %s · %s", toolName(asked.ToolName), asked.Summary, why)
	}
}

// toolName is a tool's name as a person reads it.
func toolName(name string) string {
	if app, tool, ok := engine.AppTool(name); ok {
		return app + " " + tool
	}
	return name
}

func (o *textOutput) print(m *said) {
	text := strings.TrimRight(plain.Text(m.text.String()), " \t\n")
	if m.channel != chats.ChannelText || text == "" {
		return
	}
	if o.any {
		o.printf("\n")
	}
	o.any = true
	o.printf("%s\n", text)
}

// addDelta puts a piece where its message is.
func addDelta(all []*said, b chats.AssistantDelta) []*said {
	for _, m := range all {
		if m.id == b.MessageID && m.channel == b.Channel {
			m.text.WriteString(b.Delta)
			return all
		}
	}
	m := &said{id: b.MessageID, channel: b.Channel}
	m.text.WriteString(b.Delta)
	return append(all, m)
}

// takeDone takes a message out that ended; nil when it was retracted or is not
// known.
func takeDone(all []*said, b chats.AssistantDone) (rest []*said, done *said) {
	for _, m := range all {
		if m.id == b.MessageID && done == nil {
			done = m
			continue
		}
		rest = append(rest, m)
	}
	if b.Retracted {
		done = nil
	}
	return rest, done
}
