package conversation

import "conch/chats"

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

	waiting []chats.Event
	live    map[piece]int // index in waiting of a live event that may still grow

	running map[string]chats.Event // the newest progress of each step that runs

	unwritten []*words // since the last checkpoint, in the order of their beginning
	held      []chats.Event
	holding   bool // words are being written: new ones wait in held
}

// words is what came of one message and channel since the last checkpoint.
type words struct {
	piece
	turn string
	at   int64
	text []byte
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
	events := o.waiting
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
	var to *words
	for _, w := range o.unwritten {
		if w.piece == p {
			to = w
		}
	}
	if to == nil {
		to = &words{piece: p, turn: turn, at: at}
		o.unwritten = append(o.unwritten, to)
	}
	to.text = append(to.text, text...)
	e := chats.Event{V: chats.Version, Seq: -1, At: at, Turn: turn, Body: chats.AssistantDelta{MessageID: p.id, Channel: p.channel, Delta: text}}
	if o.holding {
		o.held = append(o.held, e)
		return
	}
	o.show(p, e)
}

// progress shows what a running step gave so far.
func (o *outbox) progress(id string, e chats.Event) {
	o.running[id] = e
	o.show(piece{id, stepPiece}, e)
}

// show puts a live event in, or lengthens the one that waits.
func (o *outbox) show(p piece, e chats.Event) {
	defer o.wake()
	i, ok := o.live[p]
	if !ok {
		o.live[p] = len(o.waiting)
		o.waiting = append(o.waiting, e)
		return
	}
	switch b := e.Body.(type) {
	case chats.AssistantDelta:
		had := o.waiting[i].Body.(chats.AssistantDelta)
		had.Delta += b.Delta
		o.waiting[i].Body = had
	default: // a step's progress and the usage are whole each time
		o.waiting[i] = e
	}
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
		kept := o.waiting[:0]
		for _, e := range o.waiting {
			if _, said := e.Body.(chats.AssistantDelta); !said || !e.Live() {
				kept = append(kept, e)
			}
		}
		clear(o.waiting[len(kept):])
		o.waiting = append(kept, written...)
		o.reindex()
		o.wake()
	}
	o.holding = false
	for _, e := range o.held {
		b := e.Body.(chats.AssistantDelta)
		o.show(piece{b.MessageID, b.Channel}, e)
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
	o.waiting = append(o.waiting, e)
	o.wake()
}

// drop takes a live event out that nobody needs to see any more.
func (o *outbox) drop(p piece) {
	i, ok := o.live[p]
	if !ok {
		return
	}
	o.waiting = append(o.waiting[:i], o.waiting[i+1:]...)
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
	kept := o.unwritten[:0]
	for _, w := range o.unwritten {
		if w.id != message {
			kept = append(kept, w)
		}
	}
	clear(o.unwritten[len(kept):])
	o.unwritten = kept
}

func (o *outbox) reindex() {
	clear(o.live)
	for i, e := range o.waiting {
		if !e.Live() {
			continue
		}
		switch b := e.Body.(type) {
		case chats.ToolProgress:
			o.live[piece{b.ToolUseID, stepPiece}] = i
		case chats.Usage:
			o.live[piece{"", usagePiece}] = i
		}
	}
}
