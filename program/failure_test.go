package program

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"conch/child"
	"conch/engine"
)

func TestWhatGoesWrongIsASentenceWithANextStep(t *testing.T) {
	p := &Program{Name: "Agent", Command: "agent", Oldest: "1.2.0", Install: "get agent"}
	own := &Program{Name: "mine", Command: "/opt/mine", Oldest: "1.2.0"}
	const carryOn = ", or carry on with another provider"
	for _, c := range []struct {
		of      *Program
		err     error
		says    string
		next    string
		problem engine.Problem
	}{
		{p, fmt.Errorf("start agent: %w", child.ErrNotFound), "Agent is not installed: agent was not found.", "get agent", engine.Unavailable},
		{own, fmt.Errorf("start mine: %w", child.ErrNotFound), "mine is not installed: /opt/mine was not found.", "check its command in config.toml", engine.Unavailable},
		{p, NoFolder{"/code/gone"}, "The folder of this chat is not there: /code/gone.", "make it again, or carry the chat on in another folder with -C", engine.NoProblem},
		{p, TooOld{"1.1.9"}, "Agent 1.1.9 is too old: Conch needs 1.2.0 or newer.", "get agent", engine.Unavailable},
		{own, TooOld{"1.1.9"}, "mine 1.1.9 is too old: Conch needs 1.2.0 or newer.", "update it", engine.Unavailable},
		{p, Late{"it did not start", 30 * time.Second}, "Agent is taking too long: it did not start within 30 s.", "send the message again" + carryOn, engine.Unavailable},
		{p, TooBig{64 << 20}, "Agent could not be heard: its answer was too large to take in (64 MB).", "ask for less at once and send the message again", engine.NoProblem},
		{p, ErrGone, "Agent stopped.", "send the message again: it is started anew", engine.Unavailable},
		{p, &Failure{Err: ErrGone, Ended: "exit 3", Said: "noise\nit broke."}, "Agent stopped (exit 3): it broke.", "send the message again: it is started anew", engine.Unavailable},
		{p, errors.New("no\nidea"), "Agent could not be used: no idea.", "conch doctor", engine.Unavailable},
	} {
		r := c.of.Explain(c.err)
		if r.Outcome != engine.Failed || r.Error != c.says || r.Next != c.next || r.Problem != c.problem {
			t.Errorf("%v:\n%+v", c.err, r)
		}
	}
	for _, err := range []error{context.Canceled, ErrLetGo, &Failure{Err: context.DeadlineExceeded, Said: "words"}} {
		if r := p.Explain(err); r.Outcome != engine.Interrupted || r.Error != "" || r.Problem != engine.NoProblem {
			t.Errorf("%v: %+v", err, r)
		}
	}
	if r := p.Explain(&Failure{Err: ErrGone, Said: "words"}); r.Detail != "words" {
		t.Errorf("its last words are missing: %+v", r)
	}
}

func TestWhatAProviderAnsweredIsSaidInItsOwnWords(t *testing.T) {
	for _, c := range []struct {
		problem     engine.Problem
		words, says string
		next        string
	}{
		{engine.SignedOut, "", "Agent is not signed in.", ""},
		{engine.SignedOut, "bad key", "Agent is not signed in: bad key.", ""},
		{engine.Limit, "5 hours", "Agent has reached a limit: 5 hours.", "wait a while, or carry on with another provider"},
		{engine.TooLong, "too long.", "The chat is too long for Agent: too long.", "start a new chat, or carry on with another provider"},
		{engine.Unavailable, "503", "Agent cannot be reached: 503.", "send the message again, or carry on with another provider"},
		{engine.NoProblem, "odd", "Agent answered with an error: odd.", "send the message again, or carry on with another provider"},
		{engine.NoProblem, "", "Agent answered with an error: it did not say which.", "send the message again, or carry on with another provider"},
	} {
		if r := Answered("Agent", c.problem, c.words); r.Outcome != engine.Failed || r.Error != c.says || r.Next != c.next || r.Problem != c.problem {
			t.Errorf("%+v", r)
		}
	}
}
