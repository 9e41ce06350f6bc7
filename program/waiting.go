package program

import (
	"context"
	"fmt"
	"time"

	"conch/engine"
)

// Silence says what a turn waits for that has been without a word for long, and takes
// it back with the next word. It has no lock of its own: the turn's guards it.
type Silence struct {
	limit time.Duration
	tell  func(engine.Event)

	// Retries is the program's own word that it tries again, "" for none: it is said
	// along.
	Retries string

	since time.Time
	said  string
}

// NewSilence begins to count. limit is how long a turn may be silent; tell takes an
// engine.Waiting.
func NewSilence(limit time.Duration, tell func(engine.Event)) Silence {
	return Silence{limit: limit, tell: tell, since: time.Now()}
}

// Stir notes that something came, and takes back what was said to be waited for.
func (s *Silence) Stir() {
	s.since = time.Now()
	s.Say("")
}

// Say tells what is waited for, once; "" takes it back.
func (s *Silence) Say(text string) {
	if text != s.said {
		s.said = text
		s.tell(engine.Waiting{Text: text})
	}
}

// Tick looks at the time: after the limit, and again each time that it has passed
// once more, it says that whom is waited for.
func (s *Silence) Tick(whom string) {
	silent := time.Since(s.since)
	if silent < s.limit {
		return
	}
	text := fmt.Sprintf("waiting for %s, %s without a word", whom, span(silent.Truncate(s.limit)))
	if s.Retries != "" {
		text += ": " + s.Retries
	}
	s.Say(text)
}

// Wait is how the end of a turn is waited for.
type Wait struct {
	Gone  <-chan struct{} // closed when no end can come any more; nil: an end comes all the same
	Stop  func()          // called once, when the turn is to be stopped
	Limit time.Duration   // from Stop until the program is given up
	Look  func()          // called again and again while the turn runs
	Every time.Duration
}

// Await waits for the end of a turn. When ctx is done it stops the turn, and waits on
// for as long as the limit; behind that it is ErrDidNotStop, and the process is to be
// ended. ErrGone is that no end came.
func Await[E any](ctx context.Context, end <-chan E, w Wait) (none E, err error) {
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	done := ctx.Done()
	var overdue <-chan time.Time
	for {
		select {
		case e := <-end:
			return e, nil
		case <-w.Gone:
			select {
			case e := <-end:
				return e, nil
			default:
				return none, ErrGone
			}
		case <-done:
			done = nil
			timer := time.NewTimer(w.Limit)
			defer timer.Stop()
			overdue = timer.C
			w.Stop()
		case <-overdue:
			return none, ErrDidNotStop
		case <-tick.C:
			w.Look()
		}
	}
}
