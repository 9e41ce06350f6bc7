package acp

import (
	"strings"
	"time"

	"conch/engine"
	"conch/program"
)

// piece is a piece of a message as it came.
type piece struct {
	channel channel
	wire    string // the program's own id of its message; "" when it gives none
	text    string
}

// doubt is about the first words of a turn, when the program went on with the
// turn before after that one's answer. By an id they are told apart for sure;
// without one only by time: words that come at once, and then silence, are late
// ones of the turn before. The turn's lock is held.
type doubt struct {
	late  map[string]bool // ids of the turn before; nil: there is no doubt
	until time.Time
	held  []piece
	last  time.Time // of the last one held
}

const (
	// So soon after a prompt no model has answered, most often.
	tooSoon = 45 * time.Millisecond
	// Behind late words there is at least this silence.
	silence = 25 * time.Millisecond
)

// begin begins a turn. late is nil when the turn before ended with its answer.
func (d *doubt) begin(late map[string]bool) {
	d.late = late
	d.until = time.Now().Add(tooSoon)
}

// doubtful reports that a piece was not taken in as the turn's own.
func (t *turn) doubtful(p piece) bool {
	d := &t.doubt
	if d.late == nil {
		return false
	}
	if p.wire != "" {
		if d.late[p.wire] {
			t.sayLate(p)
			return true
		}
		t.sure()
		return false
	}
	now := time.Now()
	switch {
	case len(d.held) > 0 && now.Sub(d.last) >= silence:
		held := d.held
		d.held, d.late = nil, nil
		t.sayLate(held...)
	case now.Before(d.until):
		d.held, d.last = append(d.held, p), now
		return true
	default:
		t.sure()
	}
	return false
}

// sure ends the doubt: what was held is the turn's own.
func (t *turn) sure() {
	held := t.doubt.held
	t.doubt.held, t.doubt.late = nil, nil
	for _, p := range held {
		t.say(p)
	}
}

// sayLate keeps late words as a notice: they belong to what is over.
func (t *turn) sayLate(pieces ...piece) {
	var words strings.Builder
	for _, p := range pieces {
		words.WriteString(p.text)
	}
	t.e.program.Logf("late", "words of the turn before came after its end")
	t.emit(engine.Notice{Code: "late", Message: "Came late, from the answer before: " + program.OneLine(words.String(), maxSentence)})
}
