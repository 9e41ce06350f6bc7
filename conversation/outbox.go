package conversation

import (
	"slices"

	"conch/chats"
)

// piece names what live events are merged by: a message's channel, or a step.
type piece struct{ id, channel string }

// Channels of live events that are no words.
const (
	stepPiece  = "step"
	usagePiece = "usage"
)

// outbox is what waits for the screen, and the words that wait for the log.
//
// Words come in by say, which only lengthens what is there. When an event is
// written all words that wait are written ahead of it, and the live events that
// showed them leave the outbox. So live words always stand behind the last
// written event, one event a message and channel.
type outbox struct {
	changed chan struct{}

	waiting []item
	live    map[piece]int // index in waiting of a live item that may still grow

	running map[string]chats.Event // the newest progress of each step that runs

	unwritten wordlist // since the last checkpoint
	held      wordlist
	holding   bool // words are being written: new ones wait in held
}

// item is an event that waits, or words that still grow.
type item struct {
	event chats.Event
	words *words
}

// words is what came of one message and channel.
type words struct {
	piece
	turn string
	at   int64
	text []byte
}

// wordlist has the words of several messages in the order of their beginning.
type wordlist []*words

func (l *wordlist) add(turn string, at int64, p piece, text []byte) {
	for _, w := range *l {
		if w.piece == p {
			w.text = append(w.text, text...)
			return
		}
	}
	*l = append(*l, &words{piece: p, turn: turn, at: at, text: append([]byte(nil), text...)})
}

func (l *wordlist) drop(message string) {
	*l = slices.DeleteFunc(*l, func(w *words) bool { return w.id == message })
}

func newOutbox() outbox {
	return outbox{changed: make(chan struct{}, 1), live: map[piece]int{}, running: map[string]chats.Event{}}
}

func (o *outbox) wake() {
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

// take empties the outbox.
func (o *outbox) take() []chats.Event {
	if len(o.waiting) == 0 {
		return nil
	}
	events := make([]chats.Event, len(o.waiting))
	for i, it := range o.waiting {
		if events[i] = it.event; it.words != nil {
			events[i] = it.words.event()
		}
	}
	o.waiting = nil
	clear(o.live)
	return events
}

// restart forgets what waits: a snapshot of the log has it. What the log does not
// have, words since the last checkpoint and what running steps gave, is given
// back.
func (o *outbox) restart() []chats.Event {
	o.take()
	var events []chats.Event
	for _, e := range o.running {
		events = append(events, e)
	}
	for _, w := range o.unwritten {
		events = append(events, w.event())
	}
	return events
}

func (w *words) event() chats.Event {
	return chats.Event{V: chats.Version, Seq: -1, At: w.at, Turn: w.turn, Body: w.body()}
}

func (w *words) body() chats.AssistantDelta {
	return chats.AssistantDelta{MessageID: w.id, Channel: w.channel, Delta: string(w.text)}
}

// say takes words in, for the screen and for the log.
func (o *outbox) say(turn string, at int64, p piece, text string) {
	o.unwritten.add(turn, at, p, []byte(text))
	if o.holding {
		o.held.add(turn, at, p, []byte(text))
		return
	}
	o.showWords(&words{piece: p, turn: turn, at: at, text: []byte(text)})
}

func (o *outbox) showWords(w *words) {
	defer o.wake()
	if i, ok := o.live[w.piece]; ok {
		grown := o.waiting[i].words
		grown.text = append(grown.text, w.text...)
		return
	}
	o.live[w.piece] = len(o.waiting)
	o.waiting = append(o.waiting, item{words: w})
}

// progress shows what a running step gave so far.
func (o *outbox) progress(id string, e chats.Event) {
	o.running[id] = e
	o.show(piece{id, stepPiece}, e)
}

// show puts in a live event that is whole each time, in the place of the one
// before.
func (o *outbox) show(p piece, e chats.Event) {
	defer o.wake()
	if i, ok := o.live[p]; ok {
		o.waiting[i].event = e
		return
	}
	o.live[p] = len(o.waiting)
	o.waiting = append(o.waiting, item{event: e})
}

// gather gives the words that wait for the log. Until settled, new ones are held
// back from the screen, so that a written event never passes words that it does
// not hold.
func (o *outbox) gather() []*words {
	all := o.unwritten
	o.unwritten = nil
	o.holding = true
	return all
}

// settled puts the written events in the place of the live words and lets the
// held ones go.
func (o *outbox) settled(written []chats.Event) {
	if len(written) > 0 {
		o.waiting = slices.DeleteFunc(o.waiting, func(it item) bool { return it.words != nil })
		for _, e := range written {
			o.waiting = append(o.waiting, item{event: e})
		}
		o.reindex()
		o.wake()
	}
	o.holding = false
	for _, w := range o.held {
		o.showWords(w)
	}
	o.held = nil
}

// add puts an event in that is not words. What it finishes leaves.
func (o *outbox) add(e chats.Event) {
	if end, ok := e.Body.(chats.ToolFinished); ok {
		o.drop(piece{end.ToolUseID, stepPiece})
		delete(o.running, end.ToolUseID)
	}
	for p := range o.live {
		if p.channel != stepPiece {
			delete(o.live, p) // words after this event are shown after it
		}
	}
	o.waiting = append(o.waiting, item{event: e})
	o.wake()
}

// drop takes a live item out that nobody needs to see any more.
func (o *outbox) drop(p piece) {
	i, ok := o.live[p]
	if !ok {
		return
	}
	o.waiting = slices.Delete(o.waiting, i, i+1)
	delete(o.live, p)
	for each, at := range o.live {
		if at > i {
			o.live[each] = at - 1
		}
	}
}

// unsay forgets the words of a message that were not written yet.
func (o *outbox) unsay(message string) {
	for _, channel := range []string{chats.ChannelText, chats.ChannelThought} {
		o.drop(piece{message, channel})
	}
	o.unwritten.drop(message)
	o.held.drop(message)
}

// reindex finds the live items again after some left.
func (o *outbox) reindex() {
	clear(o.live)
	for i, it := range o.waiting {
		if it.words != nil || !it.event.Live() {
			continue
		}
		switch b := it.event.Body.(type) {
		case chats.ToolProgress:
			o.live[piece{b.ToolUseID, stepPiece}] = i
		case chats.Usage:
			o.live[piece{"", usagePiece}] = i
		}
	}
}
