package modelapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"conch/engine"
)

// dropped is a connection that broke, or a stream that ended before its end.
type dropped struct{ err error }

func (d dropped) Error() string { return "the connection broke: " + d.err.Error() }
func (d dropped) Unwrap() error { return d.err }

// lateUsage is how long the figures may come behind the end of the words.
const lateUsage = 5 * time.Second

var errNoEnd = errors.New("the answer ended in the middle")

// request is what is asked next.
func (t *turn) request() request {
	q := t.e.nowQuirks()
	r := request{
		model: t.model, system: t.system, history: t.s.history, tools: t.tools, most: t.most(q),
		session: t.s.id, quirks: q, host: t.e.at.base.Hostname(),
	}
	if !q.of(t.model, noEffort) {
		r.effort = t.in.Options.Effort
	}
	if len(r.tools) == 0 {
		r.history = flat(r.history)
	}
	if q.of(t.model, noPictures) {
		r.history = pictureless(r.history)
	}
	return r
}

// once sends a request and takes its answer in. What of it was shown stands in the
// answer, also with an error.
func (t *turn) once(ctx context.Context, r request, shown sayer) (*answer, error) {
	a := &answer{shown: shown, unheard: t.e.program.Count}
	body, err := t.e.dialect.body(r)
	if err != nil {
		return a, fmt.Errorf("write the request: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	in := t.e.open(ctx, body)
	defer func() {
		cancel()
		for range in.pieces { // its goroutine ends with this
		}
	}()
	tick := time.NewTicker(min(t.e.times.Silence, t.e.times.Dead, time.Second))
	defer tick.Stop()
	read := t.e.dialect.reader(a)
	for {
		select {
		case <-ctx.Done():
			return a, ctx.Err()
		case <-tick.C:
			t.silence.Tick(t.e.name)
			if a.ended && in.quiet() > lateUsage {
				return a, a.close()
			}
			if in.quiet() > t.e.times.Dead {
				return a, dropped{fmt.Errorf("nothing came for %s", t.e.times.Dead)}
			}
		case p, ok := <-in.pieces:
			if !ok {
				return a, t.over(a, errNoEnd)
			}
			t.silence.Stir()
			switch {
			case p.err != nil:
				return a, t.over(a, p.err)
			case p.whole:
				err = read.whole(p.data)
			default:
				err = read.event(p.name, p.data)
			}
			if err != nil {
				return a, t.e.hide(err)
			}
			if a.over || a.ended && p.whole {
				return a, a.close()
			}
		}
	}
}

// over judges the end of a stream.
func (t *turn) over(a *answer, err error) error {
	var no *refusal
	var out keyless
	switch {
	case errors.As(err, &no), errors.As(err, &out), errors.Is(err, errTooMuch), errors.Is(err, context.Canceled):
		return err
	case a.ended:
		return a.close() // all was said, and only the end of the stream is missing
	}
	return dropped{err}
}

// piece is one event of a stream, or an answer in one piece, or the end.
type piece struct {
	name  string
	data  []byte
	whole bool
	err   error
}

// incoming is a stream as it is read by a goroutine of its own. Its pieces are
// closed when that has ended.
type incoming struct {
	pieces chan piece
	heard  atomic.Int64 // when the last byte came
}

func (in *incoming) quiet() time.Duration { return time.Since(time.Unix(0, in.heard.Load())) }

// Read notes when bytes come: comments keep a stream alive too.
type alive struct {
	r  io.Reader
	in *incoming
}

func (a alive) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	a.in.heard.Store(time.Now().UnixNano())
	return n, err
}

// open sends a request. Its goroutine ends soon after ctx is done.
func (e *Engine) open(ctx context.Context, body []byte) *incoming {
	in := &incoming{pieces: make(chan piece, 64)}
	in.heard.Store(time.Now().UnixNano())
	e.work.Go(func() {
		defer close(in.pieces)
		give := func(p piece) bool {
			select {
			case in.pieces <- p:
				return true
			case <-ctx.Done():
				return false
			}
		}
		if err := e.stream(ctx, body, in, give); err != nil {
			give(piece{err: err})
		}
	})
	return in
}

// stream sends a request and gives the events of its answer.
func (e *Engine) stream(ctx context.Context, body []byte, in *incoming, give func(piece) bool) error {
	res, err := e.do(ctx, http.MethodPost, e.at.to(e.dialect.path()), body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return e.hide(refused(res, e.opts.Now()))
	}
	from := alive{res.Body, in}
	if kind := res.Header.Get("Content-Type"); strings.HasPrefix(kind, "application/json") {
		data, err := io.ReadAll(io.LimitReader(from, maxStream+1))
		if err == nil && len(data) > maxStream {
			err = errTooMuch
		}
		if err != nil {
			return err
		}
		give(piece{data: data, whole: true})
		return nil
	}
	events := newEvents(from)
	for {
		name, data, err := events.next()
		if errors.Is(err, io.EOF) {
			return errNoEnd
		}
		if err != nil {
			return err
		}
		if !give(piece{name: name, data: data}) {
			return ctx.Err()
		}
	}
}

// saying shows an answer as it comes.
type saying struct {
	t             *turn
	text, thought string // ids of the messages, "" before the first word
	id            string
}

func (t *turn) saying() *saying { return &saying{t: t, id: t.key + "." + shortID()} }

func (s *saying) say(delta string) {
	s.t.accept()
	s.text = s.id + ".t"
	s.t.sink.Emit(engine.Text{MessageID: s.text, Delta: delta})
}

func (s *saying) think(delta string) {
	s.t.accept()
	s.thought = s.id + ".r"
	s.t.sink.Emit(engine.Thought{MessageID: s.thought, Delta: delta})
}

// done ends what was said, or takes it back.
func (s *saying) done(retract bool) {
	for _, id := range []string{s.thought, s.text} {
		switch {
		case id == "":
		case retract:
			s.t.sink.Emit(engine.Retract{MessageID: id})
		default:
			s.t.sink.Emit(engine.MessageDone{MessageID: id})
		}
	}
}

// silent shows nothing.
type silent struct{}

func (silent) say(string)   {}
func (silent) think(string) {}
