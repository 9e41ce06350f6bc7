package tui

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/engine"
)

// listener is what a screen reader hears.
type listener struct {
	t    *testing.T
	in   *io.PipeWriter
	mu   sync.Mutex
	out  strings.Builder
	over chan struct{}
	exit Exit
	err  error
}

func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

func (l *listener) heard() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.String()
}

func listen(t *testing.T, d Deps) *listener {
	t.Helper()
	r, w := io.Pipe()
	l := &listener{t: t, in: w, over: make(chan struct{})}
	d.Input, d.Output, d.Options.Plain = r, l, true
	go func() {
		defer close(l.over)
		l.exit, l.err = Run(context.Background(), d)
	}()
	t.Cleanup(func() {
		w.Close()
		select {
		case <-l.over:
		case <-time.After(20 * time.Second):
			t.Error("it does not end")
		}
	})
	return l
}

func (l *listener) types(line string) {
	l.t.Helper()
	if _, err := io.WriteString(l.in, line+"\n"); err != nil {
		l.t.Fatal(err)
	}
}

func (l *listener) hears(words ...string) {
	l.t.Helper()
	for _, w := range words {
		l.waits(w, func(s string) bool { return strings.Contains(s, w) })
	}
}

func (l *listener) waits(what string, ok func(string) bool) {
	l.t.Helper()
	limit := time.Now().Add(10 * time.Second)
	for !ok(l.heard()) {
		if time.Now().After(limit) {
			l.t.Fatalf("%q was not said:\n%s", what, l.heard())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestPlainSaysEachThingOnceAndNothingElse(t *testing.T) {
	codex := ready("codex", answers("It is **the cart**."), wants("Bash", "git push"))
	l := listen(t, newPlace(t).deps(t, codex))
	l.hears("/help lists what else there is.", "> ")
	l.types("why?")
	l.hears("codex is working.", "It is the cart.", "codex is done.")
	l.types("push it")
	l.hears("codex asks to be allowed: Bash git push", "Answer with /y once, /n no")
	l.types("y")
	l.types("/3")
	l.hears("It was: allow")
	l.hears("ok\n")
	l.in.Close()
	select {
	case <-l.over:
	case <-time.After(10 * time.Second):
		t.Fatalf("it does not end:\n%s", l.heard())
	}
	l.hears("carry on:  conch --resume " + l.exit.Chat)
	got := l.heard()
	for _, never := range []string{"\x1b", "\r", "▌", "─", "│"} {
		if strings.Contains(got, never) {
			t.Errorf("%q was written:\n%s", never, got)
		}
	}
	if n := strings.Count(got, "It is the cart."); n != 1 {
		t.Errorf("the answer was said %d times:\n%s", n, got)
	}
}

func TestPlainDoesNotCallAStoppedTurnDone(t *testing.T) {
	codex := ready("codex", stays("I begin"), answers("and on"))
	l := listen(t, newPlace(t).deps(t, codex))
	l.types("go")
	l.waits("the message", func(string) bool { n, _ := codex.heard(); return n == 1 })
	l.types("/stop")
	l.hears("turn ended: stopped")
	l.types("go on")
	l.hears("and on", "codex is done.")
	if n := strings.Count(l.heard(), "is done."); n != 1 {
		t.Errorf("%d turns are called done:\n%s", n, l.heard())
	}
}

func TestPlainPicksFromAList(t *testing.T) {
	p := newPlace(t)
	claude := ready("claude-code", answers("from the other one"))
	l := listen(t, p.deps(t, ready("codex", answers("one")), claude))
	l.types("first")
	l.hears("codex is done.")
	l.types("/provider")
	l.hears("2  claude-code")
	l.types("2")
	l.hears("claude-code answers from the next message")
	l.types("second")
	l.hears("from the other one", "claude-code is done.")
	l.types("/chats")
	l.hears("1  first, shop, claude-code")
	l.types("")
	l.types("/new")
	l.types("a third")
	l.hears("you: a third")
}

func TestPlainAsksAFormFieldByField(t *testing.T) {
	got := make(chan engine.Answer, 1)
	codex := ready("codex", func(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		got <- sink.Question(ctx, engine.Question{ID: "q", Title: "How?", Fields: []engine.Field{
			{Name: "layout", Label: "Layout", Kind: "choice", Required: true, Options: []engine.Choice{{ID: "short", Name: "Short"}, {ID: "full", Name: "Full"}}},
			{Name: "copies", Label: "Copies", Kind: "integer"},
			{Name: "tax", Label: "Tax", Kind: "boolean"},
		}})
		return engine.Result{Outcome: engine.Success, Accepted: true}
	})
	l := listen(t, newPlace(t).deps(t, codex))
	l.types("ask me")
	l.hears("asks: How?")
	for _, line := range []string{"/answer", "3", "2", "many", "4", "y"} {
		l.types(line)
	}
	l.hears("Use the numbers from 1 to 2.", "That is no whole number.")
	a := <-got
	if a.Values["layout"] != "full" || a.Values["copies"] != int64(4) || a.Values["tax"] != true {
		t.Errorf("answered %+v", a)
	}
}

func TestPlainRunsTheDemoWhenNobodyIsThere(t *testing.T) {
	missing := &scripted{id: "codex", health: engine.Health{State: engine.NotFound, Next: "npm i -g @openai/codex"}}
	l := listen(t, newPlace(t).deps(t, missing, ready("demo", answers("I am the demo."))))
	l.hears("> ")
	time.Sleep(50 * time.Millisecond)
	l.types("")
	l.hears("I am the demo.")
}
