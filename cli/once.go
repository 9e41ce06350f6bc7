package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
	"conch/plain"
)

// once is conch -p: one turn without the screen. Nobody is asked: what the mode
// and --allow don't cover is declined.
func (a *app) once(ctx context.Context, words []string) error {
	if a.flags.resume.given && a.flags.resume.chat == "" {
		return wrong(`conch -p --resume <chat> "…"`, "-p can't show a picker; name the chat")
	}
	if err := a.openEngines(); err != nil {
		return err
	}
	if err := a.checkFlags(); err != nil {
		return err
	}
	folder, err := a.folder()
	if err != nil {
		return err
	}
	chat, rest, pastID, err := a.toCarryOn(folder, words)
	if err != nil {
		return err
	}
	message, err := a.message(rest)
	if err != nil {
		return err
	}
	if pastID != "" {
		if chat, err = a.carry(ctx, pastID, folder); err != nil {
			return err
		}
	}
	for _, w := range a.notes() {
		a.note("%s", w)
	}
	m, err := a.openOnce(ctx, chat, folder)
	if err != nil {
		return err
	}
	turn := &onceTurn{app: a, m: m, out: a.output(), fresh: chat == ""}
	status, err := turn.play(ctx, message)
	if closeErr := m.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("close the chat: %w", closeErr)
	}
	a.status = status
	return err
}

// toCarryOn is toResume, which also takes a past chat's id: that becomes a chat of
// Conch's own once there is a message for it.
func (a *app) toCarryOn(folder string, words []string) (chat string, rest []string, pastID string, err error) {
	if isPast(a.flags.resume.chat) {
		e, err := a.findPast(a.flags.resume.chat)
		return "", words, e.ID, err
	}
	chat, rest, err = a.toResume(folder, words)
	return chat, rest, "", err
}

func (a *app) openOnce(ctx context.Context, chat, folder string) (*conversation.Manager, error) {
	if chat == "" {
		return a.newChat(ctx, folder, true)
	}
	m, err := a.openChat(ctx, chat, true, true)
	if err != nil {
		return nil, err
	}
	if m.Status().ReadOnly {
		_ = m.Close() // nothing was done with it
		return nil, &failure{say: "another conch is writing this chat", next: "close it there, or start a new chat", status: statusFailed}
	}
	if now := m.Status().Mode; a.flags.mode != "" && string(now) != a.flags.mode {
		a.note("the chat stays in %s, which is stricter than %s", now, a.flags.mode)
	}
	return m, nil
}

// output is how the turn is printed.
func (a *app) output() onceOutput {
	if a.flags.json {
		return &jsonOutput{printer: printer{w: a.host.Stdout}, now: a.host.Now}
	}
	return &textOutput{printer: printer{w: a.host.Stdout}, note: a.note}
}

// onceOutput prints a turn as it happens.
type onceOutput interface {
	event(e chats.Event, s conversation.Status)
	refused(f *failure, problem engine.Problem) // the turn did not begin
	broken() error                              // stdout can no longer be written
}

// onceTurn is one turn without the screen.
type onceTurn struct {
	app   *app
	m     *conversation.Manager
	out   onceOutput
	fresh bool // the chat begins with it
	end   *chats.TurnCompleted
}

// Events are taken at most this often, so that a flood is merged.
const takeEvery = 20 * time.Millisecond

func (t *onceTurn) play(ctx context.Context, message string) (int, error) {
	if f, problem := t.notReady(ctx); f != nil {
		t.out.refused(f, problem)
		return 0, f
	}
	if err := t.m.Send(conversation.Message{Text: message}); err != nil {
		f := notSent(err)
		t.out.refused(f, engine.NoProblem)
		return 0, f
	}
	stopped := ctx.Done()
	pause := time.NewTicker(takeEvery)
	defer pause.Stop()
	for !t.take() {
		select {
		case <-t.m.Changed():
		case <-stopped:
			stopped = nil
			t.m.Stop()
		}
		<-pause.C
		if stopped != nil && t.out.broken() != nil {
			stopped = nil
			t.m.Stop() // nobody reads on
		}
	}
	return t.status(ctx)
}

// notSent says why a message was not taken.
func notSent(err error) *failure {
	f := &failure{say: "the message was refused: " + err.Error(), status: statusFailed, err: err}
	switch {
	case errors.Is(err, chats.ErrFull):
		f.say, f.next = "the disk is full, so your message can't be kept and wasn't sent", "make room, then send it again"
	case errors.Is(err, chats.ErrUnwritable):
		f.say, f.next = "the chats folder can't be written, so your message wasn't sent", "conch doctor says what is wrong with it"
	}
	return f
}

// take prints what is new. It reports the end of the turn.
func (t *onceTurn) take() bool {
	events, s := t.m.Take()
	for _, e := range events {
		if end, ok := e.Body.(chats.TurnCompleted); ok {
			t.end = &end
		}
		t.out.event(e, s)
	}
	return t.end != nil && !s.Running
}

// notReady says why the provider can't answer, where that is known before a turn.
func (t *onceTurn) notReady(ctx context.Context) (*failure, engine.Problem) {
	id := t.m.Status().Provider
	e := t.app.engineOf(id)
	if e == nil {
		return &failure{say: fmt.Sprintf("this chat is with %s, which is not set up here", plain.Line(id, 60)), next: "--provider names another: " + strings.Join(t.app.engineIDs(), ", "), status: statusNotReady}, engine.Unavailable
	}
	if id == demoID && t.app.picked == demoID && t.fresh {
		t.app.note("no agent is ready here, so the demo answers: it is scripted, with no model behind it (conch doctor says how to get one)")
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	switch h := e.Health(ctx); h.State {
	case engine.NotFound, engine.NeedSignIn, engine.TooOld:
		say := h.Problem
		if say == "" {
			say = e.Info().Name + " can't be used: " + string(h.State)
		}
		problem := engine.Unavailable
		if h.State == engine.NeedSignIn {
			problem = engine.SignedOut
		}
		return &failure{say: say, next: h.Next, status: statusNotReady}, problem
	}
	return nil, engine.NoProblem
}

// status is what the end of the turn comes to.
func (t *onceTurn) status(ctx context.Context) (int, error) {
	if err := t.out.broken(); err != nil && !interrupted(ctx) {
		return statusFailed, nil //nolint:nilerr // nobody is there to be told
	}
	if trouble := t.m.Status().Trouble; trouble != "" {
		t.app.note("%s", trouble)
	}
	switch engine.Outcome(t.end.Outcome) {
	case engine.Success:
		return statusDone, nil
	case engine.Interrupted:
		return statusInterrupted, &failure{say: "stopped; what it had said is in the chat", next: "conch --resume " + t.m.ID(), status: statusInterrupted}
	}
	f := &failure{say: t.end.Error, next: t.end.Next, status: statusFailed}
	if f.say == "" {
		f.say = "the turn failed"
	}
	if engine.Problem(t.end.Problem) == engine.SignedOut {
		f.status = statusNotReady
	}
	return f.status, f
}
