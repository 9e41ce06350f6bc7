package pastchats

import (
	"context"
	"errors"
	"os"
	"testing"
)

func TestAChatThatBreaksPartWayKeepsWhatItHadAndIsTriedAgain(t *testing.T) {
	w := newWorld(t, "opencode")
	c := w.apps[0].say("s1", "one", "two", "three")
	w.bringIn()
	all := c.chat.words
	c.chat.words = all[:1]
	c.do = func(context.Context, *talk) error { return errors.New("input/output error") }
	c.touch()
	if r := w.bringIn(); r.Skipped != 1 || r.Updated != 0 || r.Messages != 3 {
		t.Errorf("%+v", r)
	}
	id := pastID("opencode", "s1")
	if got := w.said(id); got != "user: one\nassistant: two\nuser: three\n" {
		t.Errorf("a part took the place of the whole: %q", got)
	}

	d := w.apps[0].say("s2", "four", "five")
	whole := d.chat.words
	d.chat.words = whole[:1]
	d.do = c.do
	if r := w.bringIn(); r.Added != 1 {
		t.Errorf("%+v", r)
	}
	c.chat.words, c.do = all, nil
	d.chat.words, d.do = whole, nil // the files are as they were: only the reading failed
	if r := w.bringIn(); r.Read != 2 || r.Updated != 1 || r.Messages != 5 {
		t.Errorf("%+v", r)
	}
	if r := w.bringIn(); r.Read != 0 {
		t.Errorf("read once more: %+v", r)
	}
}

func TestWhoAsksWhileALookIsGivenUpGetsOneOfTheirOwn(t *testing.T) {
	w := newWorld(t, "codex")
	a := w.apps[0]
	a.say("a", "one")
	a.block = make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	over, given := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		_, _ = w.Look(ctx)
	}()
	until(t, "the first look", func() bool { n, _ := a.counts(); return n == 1 })
	waiting := func(want int) func() bool {
		return func() bool {
			w.Service.mu.Lock()
			defer w.Service.mu.Unlock()
			n := 0
			if w.looking != nil {
				n = w.looking.waiters
			}
			return n == want
		}
	}
	a.mu.Lock() // no look ends before it is free again
	cancel()
	until(t, "nobody waits", waiting(0))
	go func() {
		defer close(given)
		if st, err := w.Look(context.Background()); err != nil || st.Found() != 1 {
			t.Errorf("%+v %v", st, err)
		}
	}()
	until(t, "somebody waits", waiting(1))
	a.mu.Unlock()
	close(a.block)
	<-given
	<-over
}

func TestALogThatIsEmptyIsLostAndComesAgain(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].say("a", "one")
	w.bringIn()
	id := pastID("codex", "a")
	if err := os.Truncate(w.Store().logPath(id), 0); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if c := w.Check(ctx); c.Problem != "The words of one past chat are lost." {
		t.Errorf("%+v", c)
	}
	if _, err := w.Repair(ctx); err != nil {
		t.Fatal(err)
	}
	if c, got := w.Check(ctx), w.said(id); c.Problem != "" || got != "user: one\n" {
		t.Errorf("%+v %q", c, got)
	}
}
