package codex

import (
	"fmt"
	"strings"

	"conch/engine"
	"conch/program"
)

// words are the messages of a turn. The turn's lock is held.
type words struct {
	turn *turn
	open map[string]*message // by item id
	past map[string]past     // items that were open once
	// What was said whole since the last step, in case a broken stream brings it
	// again.
	whole map[string]bool
	again bool // a stream broke since
	total int  // bytes said in the turn
}

// maxWords is how many bytes a turn may say. No answer comes near; a program that
// never ends would fill the memory.
const maxWords = 64 << 20

// message is one that is being said.
type message struct {
	id      string
	thought bool
	said    strings.Builder
}

// past is what was said of an item whose message is over. What still comes of it is
// another message.
type past struct {
	said  string // and not taken back
	parts int
}

func (w *words) of(item string, thought bool) *message {
	m := w.open[item]
	if m == nil {
		w.next(thought)
		m = &message{id: w.turn.key + "." + program.OneLine(item, maxName), thought: thought}
		if parts := w.past[item].parts; parts > 0 {
			m.id += fmt.Sprintf(".%d", parts+1)
		}
		if w.open == nil {
			w.open = map[string]*message{}
		}
		w.open[item] = m
	}
	return m
}

// next ends what is open of a channel: another message of it begins, and one that was
// steered away from is never completed.
func (w *words) next(thought bool) {
	for item, m := range w.open {
		if m.thought == thought {
			w.turn.emit(engine.MessageDone{MessageID: m.id})
			w.close(item, false)
		}
	}
}

func (w *words) close(item string, retracted bool) {
	was := w.past[item]
	was.said += w.open[item].said.String()
	was.parts++
	if retracted {
		was.said = "" // it may come again, also under the same id
	}
	delete(w.open, item)
	if w.past == nil {
		w.past = map[string]past{}
	}
	w.past[item] = was
}

// delta takes a piece.
func (w *words) delta(item, text string, thought bool) {
	if item == "" || text == "" {
		return
	}
	w.turn.heard, w.turn.silence.Retries = true, ""
	if w.total += len(text); w.total > maxWords {
		if w.total-len(text) <= maxWords {
			w.turn.emit(engine.Notice{Code: "left-out", Message: fmt.Sprintf("%s says more than can be taken in (%d MB); the rest is left out.", w.turn.e.agent.Name, maxWords>>20)})
		}
		return
	}
	m := w.of(item, thought)
	m.said.WriteString(text)
	if thought {
		w.turn.emit(engine.Thought{MessageID: m.id, Delta: text})
	} else {
		w.turn.emit(engine.Text{MessageID: m.id, Delta: text})
	}
}

// part begins another part of a thought.
func (w *words) part(item string) {
	if m := w.open[item]; m != nil && m.said.Len() > 0 {
		w.delta(item, "\n\n", true)
	}
}

// done ends a message; text is all of it, which may be more than came in pieces.
func (w *words) done(item, text string, thought bool) {
	had := w.past[item].said
	m := w.open[item]
	if m != nil {
		had += m.said.String()
	}
	rest, ok := strings.CutPrefix(text, had)
	if ok || m == nil { // else it came in pieces, as another message of the same id
		w.delta(item, rest, thought)
	}
	m = w.open[item]
	if m == nil {
		return
	}
	said := m.said.String()
	w.close(item, false)
	if w.again && !thought && w.whole[said] {
		// The stream broke behind the whole message, and it came again.
		w.turn.emit(engine.Retract{MessageID: m.id})
		return
	}
	if !thought {
		if w.whole == nil {
			w.whole = map[string]bool{}
		}
		w.whole[said] = true
	}
	w.turn.emit(engine.MessageDone{MessageID: m.id})
}

// retry takes back what is unfinished: it is said anew, as another message.
func (w *words) retry() {
	w.again = true
	for item, m := range w.open {
		w.turn.emit(engine.Retract{MessageID: m.id})
		w.close(item, true)
	}
}

// step ends what a broken stream could still bring again.
func (w *words) step() { w.whole, w.again = nil, false }

// unsaid is the end of what was being said and has no end of Codex's.
func (w *words) unsaid() string {
	var parts []string
	for _, m := range w.open {
		if !m.thought && m.said.Len() > 0 {
			parts = append(parts, m.said.String())
		}
	}
	text := []rune(strings.Join(parts, "\n\n"))
	return string(text[max(0, len(text)-maxUnsaid):])
}

// settle ends every message: the turn is over.
func (w *words) settle() {
	for item, m := range w.open {
		w.turn.emit(engine.MessageDone{MessageID: m.id})
		w.close(item, false)
	}
}
