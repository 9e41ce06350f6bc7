package allchat

import (
	"slices"
	"strings"
	"time"

	"conch/engine"
)

// live is what a turn said and did so far. None of it is committed before the turn is
// over.
type live struct {
	said  []*said
	rows  map[string]engine.ToolStart // calls that run, by the engine's id
	plan  []engine.PlanStep
	step  string // what it does now, or waits for
	steps int    // calls that began
	usage engine.Usage

	cut           bool   // the answer reached the longest that it may be
	didNotStop    bool   // its program had to be ended
	declinedEnded bool   // it ended because a call was declined
	breach        string // what it did that no engine may
	notices       int
	waited        time.Duration // for the person
}

// said is one message.
type said struct {
	id   string
	text []byte
	open bool
}

func newLive() live { return live{rows: map[string]engine.ToolStart{}} }

// say adds words to a message.
func (l *live) say(id, words string) {
	for _, m := range slices.Backward(l.said) {
		if m.id == id && m.open {
			m.text = append(m.text, words...)
			return
		}
	}
	l.said = append(l.said, &said{id: id, text: []byte(words), open: true})
}

// end closes a message, or takes it back.
func (l *live) end(id string, retract bool) {
	for i, m := range slices.Backward(l.said) {
		if m.id == id && m.open {
			if m.open = false; retract {
				l.said = slices.Delete(l.said, i, i+1)
			}
			return
		}
	}
}

// together is the whole answer.
func (l *live) together() string {
	var parts []string
	for _, m := range l.said {
		if text := strings.TrimSpace(strings.ToValidUTF8(string(m.text), "\uFFFD")); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// partial is the end of what was said so far, in at most max bytes.
func (l *live) partial(max int) string {
	var parts []string
	for _, m := range slices.Backward(l.said) {
		text := m.text
		if len(text) > max {
			text = text[len(text)-max:]
		}
		parts = append(parts, strings.ToValidUTF8(string(text), ""))
		if max -= len(text); max <= 0 {
			break
		}
	}
	slices.Reverse(parts)
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}
