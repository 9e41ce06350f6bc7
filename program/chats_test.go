package program

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// pretend is a process that only ends.
type pretend struct {
	mu    sync.Mutex
	ended int
	now   bool // when it ended nothing was to be waited for
}

func (p *pretend) End(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended++
	_, p.now = ctx.Deadline()
}

func (p *pretend) ends() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

func enter(t *testing.T, cs *Chats[*pretend], id string) (*Chat[*pretend], context.Context, func()) {
	t.Helper()
	c, ctx, leave, err := cs.Enter(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c, ctx, leave
}

func TestAProcessIsKeptBetweenTurns(t *testing.T) {
	cs := &Chats[*pretend]{Idle: time.Hour}
	c, _, leave := enter(t, cs, "a")
	p := new(pretend)
	c.Keep(p)
	leave()
	again, _, leave := enter(t, cs, "a")
	if again.Process() != p || cs.Process("a") != p || cs.Process("b") != nil || p.ends() != 0 {
		t.Errorf("%v, ended %d times", again.Process(), p.ends())
	}
	leave()
	cs.Close()
	if p.ends() != 1 {
		t.Errorf("ended %d times", p.ends())
	}
}

func TestTurnsOfAChatRunOneAfterTheOther(t *testing.T) {
	cs := &Chats[*pretend]{Idle: time.Hour}
	_, _, leave := enter(t, cs, "a")
	_, _, other := enter(t, cs, "b") // another chat waits for nobody
	other()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, _, err := cs.Enter(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second turn: %v", err)
	}
	leave()
	_, _, leave = enter(t, cs, "a")
	leave()
	cs.Close()
}

func TestAnUnusedProcessIsLetGo(t *testing.T) {
	cs := &Chats[*pretend]{Idle: 10 * time.Millisecond}
	p := new(pretend)
	c, _, leave := enter(t, cs, "a")
	c.Keep(p)
	if p.ends() != 0 {
		t.Error("a process in use was let go")
	}
	leave()
	waitUntil(t, "its end", func() bool { return p.ends() == 1 })
	c, _, leave = enter(t, cs, "a")
	if c.Process() != nil {
		t.Error("it is still the chat's")
	}
	leave()
	cs.Close()
}

func TestReleaseStopsWhatRunsAndWaitsForIt(t *testing.T) {
	cs := &Chats[*pretend]{Idle: time.Hour}
	p := new(pretend)
	c, ctx, leave := enter(t, cs, "a")
	c.Keep(p)
	released := make(chan struct{})
	go func() { cs.Release("a"); close(released) }()
	<-ctx.Done()
	if p.ends() != 0 {
		t.Error("the process was ended under the turn")
	}
	leave()
	<-released
	if p.ends() != 1 {
		t.Errorf("ended %d times", p.ends())
	}
	// The conversation can be carried on: with a process of its own.
	c, _, leave = enter(t, cs, "a")
	if c.Process() != nil {
		t.Error("the old process came back")
	}
	leave()
	cs.Release("never seen")
	cs.Close()
}

func TestWhoWaitsForAReleasedChatGetsANewOne(t *testing.T) {
	cs := &Chats[*pretend]{Idle: time.Hour}
	first, ctx, leave := enter(t, cs, "a")
	got := make(chan *Chat[*pretend])
	go func() {
		c, _, leave, err := cs.Enter(context.Background(), "a")
		if err == nil {
			leave()
		}
		got <- c
	}()
	released := make(chan struct{})
	go func() { cs.Release("a"); close(released) }()
	<-ctx.Done()
	leave()
	if c := <-got; c == nil || c == first {
		t.Errorf("%p of %p", c, first)
	}
	<-released
	cs.Close()
}

func TestCloseEndsAllAndNothingStartsAnyMore(t *testing.T) {
	cs := &Chats[*pretend]{Idle: time.Hour}
	var all []*pretend
	for _, id := range []string{"a", "b", "c"} {
		c, _, leave := enter(t, cs, id)
		p := new(pretend)
		c.Keep(p)
		all = append(all, p)
		leave()
	}
	c, _, leave := enter(t, cs, "c")
	c.Retire() // on its way out when Close comes
	leave()
	cs.Close()
	for i, p := range all {
		if p.ends() != 1 {
			t.Errorf("process %d ended %d times", i, p.ends())
		}
	}
	if _, _, _, err := cs.Enter(t.Context(), "a"); !errors.Is(err, ErrLetGo) {
		t.Errorf("after Close: %v", err)
	}
	cs.Close()
}

func TestAProcessThatDoesNotStopIsGivenNoTime(t *testing.T) {
	cs := &Chats[*pretend]{Idle: time.Hour}
	c, _, leave := enter(t, cs, "a")
	p := new(pretend)
	c.Keep(p)
	c.Kill()
	if p.ends() != 1 || !p.now || c.Process() != nil {
		t.Errorf("%+v", p)
	}
	c.Kill() // there is none: nothing happens
	leave()
	cs.Close()
}
