//go:build !windows

package main

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"conch/allchat"
	"conch/allchat/record"
)

// Section 15, R-217-40, checklist 10: what the fixture agent can do wrong, one by one and
// over the real wire. The other participant's task is done each time, and the
// coordinator's turn comes to its end.
func TestWhatAnAgentDoesWrongHarmsNobodyElse(t *testing.T) {
	p := newPlace(t)
	const ok = record.Code("")
	for _, c := range []struct {
		does string
		want record.Code // of its task, "" for one that is done
		out  bool        // its session is ended: it takes no turn until the run is renewed
		not  string      // words that are nowhere in the record
	}{
		{does: "/test chunks 7", want: ok},
		{does: "/test malformed", want: ok},
		{does: "/test unknown", want: ok},
		{does: "/test null", want: ok},
		{does: "/test utf8", want: ok},
		{does: "/test banner", want: ok},
		{does: "/test huge 33", want: ok},
		{does: "/test foreign", want: record.ResponseInvalid, out: true},
		{does: "/test cancelled", want: record.ResponseInvalid, out: true},
		{does: "/test crash 3", want: record.Unavailable},
		{does: "/test sign-in", want: record.SignedOut},
		{does: "/test error -32603 broken", want: record.Unavailable},
		{does: "/test hostile", want: ok, not: "\x1b"},
	} {
		t.Run(c.does, func(t *testing.T) {
			run := beginRun(t, runsOf(t, p, boss{}), p, "boss")
			defer func() {
				if err := run.Cancel(context.Background()); err != nil && record.CodeOf(err) != record.StateInvalid {
					t.Error(err)
				}
			}()
			if err := run.Say(context.Background(), c.does+splitAt+"Say hello"); err != nil {
				t.Fatal(err)
			}
			s := waits(t, run, "the end", idle)
			task, other := s.State.Task("for-worker-1"), s.State.Task("for-worker-2")
			if task == nil || other == nil || other.Status != record.TaskDone {
				t.Fatalf("%+v %+v", task, other)
			}
			if task.Code != c.want || (task.Status == record.TaskDone) != (c.want == ok) {
				t.Errorf("%s ended as %s with the code %q: %q", c.does, task.Status, task.Code, s.Participants[1].Problem)
			}
			if out := s.Participants[1].Out != ""; out != c.out || s.Participants[2].Out != "" {
				t.Errorf("out: %q, the other's: %q", s.Participants[1].Out, s.Participants[2].Out)
			}
			last := s.State.Events[len(s.State.Events)-1]
			if last.Kind() != record.KindTurnCompleted {
				t.Errorf("the turn ended with %s", last.Kind())
			}
			if c.not != "" && strings.Contains(task.Result.String(), c.not) {
				t.Errorf("%q is in the record", c.not)
			}
		})
	}
}

var aPid = regexp.MustCompile(`\b[0-9]{2,}\b`)

// R-217-45, checklist 11: the end of a run is that of every program, within three
// seconds, a grandchild that takes no hint included; what was silent, too.
func TestTheEndOfARunIsThatOfEveryProgram(t *testing.T) {
	p := newPlace(t)
	run := beginRun(t, runsOf(t, p, boss{}), p, "boss")
	if err := run.Say(context.Background(), "/test grandchild"+splitAt+"/test silent"); err != nil {
		t.Fatal(err)
	}
	s := waits(t, run, "the grandchild", func(s allchat.Snapshot) bool {
		task := s.State.Task("for-worker-1")
		return task != nil && task.Status == record.TaskDone
	})
	pid, err := strconv.Atoi(aPid.FindString(s.State.Task("for-worker-1").Result.String()))
	if err != nil || syscall.Kill(pid, 0) != nil {
		t.Fatalf("no grandchild in %q: %v", s.State.Task("for-worker-1").Result, err)
	}
	began := time.Now()
	if err := run.Cancel(context.Background()); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	for late := time.Now().Add(patience); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("the grandchild %d lives", pid)
		}
	}
	t.Logf("every program had ended after %v", took)
	s = run.Snapshot()
	if task := s.State.Task("for-worker-2"); task.Status != record.TaskBroken || task.Code != record.Cancelled || s.State.Phase() != record.PhaseCancelled {
		t.Errorf("%+v, %s", task, s.State.Phase())
	}
}
