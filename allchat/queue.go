package allchat

import (
	"strings"
	"sync"

	"conch/allchat/record"
	"conch/engine"
)

// queue holds what an engine emitted until the run has taken it in, so that the engine
// never waits for the disk. It is bounded: behind one update too many nothing more gets
// in, and the session ends with an error.
type queue struct {
	wake chan struct{} // holds one; also told of what came too late to be taken

	mu    sync.Mutex
	list  []update
	bytes int
	full  bool
}

// update is an event; of words that follow each other in one message it has them all.
type update struct {
	event engine.Event
	more  []string
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// put takes an event in.
func (q *queue) put(e engine.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.full {
		return
	}
	q.bytes += sizeOf(e)
	if !q.joins(e) {
		q.list = append(q.list, update{event: e})
	}
	q.full = q.bytes > record.MaxUpdateBytes || len(q.list) > record.MaxUpdates
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// joins adds words to those of the same message that wait at the end.
func (q *queue) joins(e engine.Event) bool {
	text, ok := e.(engine.Text)
	if !ok || len(q.list) == 0 {
		return false
	}
	last := &q.list[len(q.list)-1]
	if before, ok := last.event.(engine.Text); !ok || before.MessageID != text.MessageID {
		return false
	}
	last.more = append(last.more, text.Delta)
	return true
}

// take gives what waits, in its order, and whether there was too much.
func (q *queue) take() (events []engine.Event, full bool) {
	q.mu.Lock()
	list := q.list
	full = q.full
	q.list, q.bytes = nil, 0
	q.mu.Unlock()
	for _, each := range list {
		if text, ok := each.event.(engine.Text); ok && len(each.more) > 0 {
			text.Delta += strings.Join(each.more, "")
			each.event = text
		}
		events = append(events, each.event)
	}
	return events, full
}

// sizeOf is about how many bytes an event holds.
func sizeOf(e engine.Event) int {
	const each = 64
	n := each
	view := func(v engine.View) {
		n += len(v.Result)
		for _, d := range v.Diffs {
			n += len(d.Path)
			for _, text := range []*string{d.Old, d.New} {
				if text != nil {
					n += len(*text)
				}
			}
		}
		for _, l := range v.Locations {
			n += len(l)
		}
	}
	switch e := e.(type) {
	case engine.Text:
		return len(e.Delta) // the words alone: small pieces are joined
	case engine.Thought:
		n += len(e.Delta)
	case engine.ToolStart:
		n += len(e.Name) + len(e.Subject) + len(e.Input)
		view(e.View)
	case engine.ToolUpdate:
		n += len(e.Name) + len(e.Subject) + len(e.Input) + len(e.Output)
		view(e.View)
	case engine.ToolEnd:
		n += len(e.Output) + len(e.Reason)
		view(e.View)
	case engine.Plan:
		for _, s := range e.Steps {
			n += len(s.Title)
		}
	case engine.Notice:
		n += len(e.Message)
	case engine.Compacted:
		n += len(e.Summary)
	}
	return n
}
