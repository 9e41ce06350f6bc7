package acp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/engine"
)

func TestAnIdleProcessIsLetGoAndOpenedAgain(t *testing.T) {
	times := quick()
	times.Idle = 50 * time.Millisecond
	e := demoEngine(t, "", times)
	in := input(t, "hello")
	s, _ := turnWith(t, e, in)
	p := func() *process { return e.chats.Process("chat") }
	limit := time.After(20 * time.Second)
	for p() != nil {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-limit:
			t.Fatal("the process is still there")
		}
	}
	in.ResumeID, in.Prompt = resumeOf(s), "/recall"
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || resumeOf(s) != in.ResumeID {
		t.Errorf("%+v", r)
	}
}

func TestReleaseStopsARunningTurn(t *testing.T) {
	e := demoEngine(t, "", quick())
	s := newTape()
	ended := make(chan engine.Result, 1)
	go func() { ended <- e.Turn(context.Background(), input(t, "/test silent"), s) }()
	s.wait(t, "the session", func(events []engine.Event) bool { return len(events) > 0 })
	e.Release("chat")
	select {
	case r := <-ended:
		if r.Outcome != engine.Interrupted {
			t.Errorf("%+v", r)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the turn goes on")
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if r := e.Turn(context.Background(), input(t, "hi"), newTape()); r.Outcome != engine.Interrupted {
		t.Errorf("after Close: %+v", r)
	}
}

func TestStopBeforeTheProgramHasStarted(t *testing.T) {
	e := demoEngine(t, "-never-start", quick())
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	r := e.Turn(ctx, input(t, "hi"), newTape())
	if r.Outcome != engine.Interrupted || r.Accepted || time.Since(start) > 10*time.Second {
		t.Errorf("%+v after %s", r, time.Since(start))
	}
}

func TestChatsRunSideBySide(t *testing.T) {
	e := demoEngine(t, "", quick())
	var wait sync.WaitGroup
	for _, id := range []string{"a", "b", "c"} {
		wait.Go(func() {
			s := newTape()
			in := engine.TurnInput{ConversationID: id, Prompt: "/test echo words of " + id, Cwd: os.TempDir()}
			if r := e.Turn(context.Background(), in, s); r.Outcome != engine.Success || !strings.Contains(said(s), "words of "+id) {
				t.Errorf("%s: %+v, said %q", id, r, said(s))
			}
		})
	}
	wait.Wait()
	pids := map[int]bool{}
	for _, id := range []string{"a", "b", "c"} {
		pids[e.chats.Process(id).Child.Pid()] = true
	}
	if len(pids) != 3 {
		t.Errorf("%d processes for three chats", len(pids))
	}
}

func TestAFolderThatIsGoneIsSaid(t *testing.T) {
	e := demoEngine(t, "", quick())
	in := input(t, "hi")
	in.Cwd = filepath.Join(in.Cwd, "gone")
	_, r := turnWith(t, e, in)
	if r.Outcome != engine.Failed || !strings.Contains(r.Error, "gone") || r.Next == "" {
		t.Errorf("%+v", r)
	}
}

func TestAProgramThatDiedBetweenTwoTurnsIsStartedAgain(t *testing.T) {
	e := demoEngine(t, "", quick())
	in := input(t, "my cat is called Tom")
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success {
		t.Fatalf("%+v", r)
	}
	first := e.chats.Process("chat")
	first.Child.End(context.Background())
	in.ResumeID, in.Prompt = resumeOf(s), "/recall"
	s, r = turnWith(t, e, in)
	if r.Outcome != engine.Success || !strings.Contains(said(s), "Tom") || s.sessions[0].Restarted != "" {
		t.Errorf("%+v, said %q", r, said(s))
	}
}

func TestAfterTheSignInTheNextMessageGoesThrough(t *testing.T) {
	e := demoEngine(t, "-signed-out", quick())
	in := input(t, "hello")
	if _, r := turnWith(t, e, in); r.Problem != engine.SignedOut {
		t.Fatalf("%+v", r)
	}
	how, ok := e.SignIn(context.Background())
	if !ok {
		t.Fatal("no sign-in")
	}
	cmd := exec.Command(how.Args[0], how.Args[1:]...)
	cmd.Env = how.Env
	cmd.Stdin = strings.NewReader("\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, r := turnWith(t, e, in); r.Outcome != engine.Success {
		t.Errorf("%+v", r)
	}
	if h := e.Health(context.Background()); h.State != engine.Ready || h.Problem != "" {
		t.Errorf("%+v", h)
	}
}

func TestTheProgramsOwnSessionsAreListed(t *testing.T) {
	e := demoEngine(t, "", quick())
	in := input(t, "hello")
	s, _ := turnWith(t, e, in)
	_, id, _ := parseResume(resumeOf(s))
	list, ok, err := e.Sessions(context.Background(), in.Cwd)
	if err != nil || !ok || len(list) != 1 || list[0].ID != id || list[0].Cwd != in.Cwd || list[0].Title == "" {
		t.Errorf("%+v %v %v, want %s", list, ok, err, id)
	}
	if list, _, _ := e.Sessions(context.Background(), "/elsewhere"); len(list) != 0 {
		t.Errorf("elsewhere: %+v", list)
	}
	none := demoEngine(t, "-no-list", quick())
	if _, ok, err := none.Sessions(context.Background(), ""); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}

func TestAMoveToAnotherModeIsSaid(t *testing.T) {
	e := demoEngine(t, "", quick())
	s, _ := turnWith(t, e, input(t, "/test mode plan"))
	if !strings.Contains(s.text(), "notice mode-changed: Demo agent is now in its mode ") {
		t.Errorf("not said:\n%s", s.text())
	}
}

func TestAProgramThatIgnoresStopIsGoneWithinThreeSeconds(t *testing.T) { // R-69-30, R-69-35, checklist 17
	t.Parallel()
	e, signals := scriptEngine(t, script(t, `{"ignore":["session/cancel","stdin-eof"]}`, hello, opened, asked, says("one"),
		`{"spawn":"sleep 600"}`, `{"mark":"spawned-now"}`, `{"hang":true}`), Timings{})
	ctx, cancel := context.WithCancel(context.Background())
	s := newTape()
	var stopped time.Time
	go func() {
		defer cancel()
		for range 3000 {
			if _, err := os.Stat(filepath.Join(signals, "spawned-now")); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		stopped = time.Now()
	}()
	r := e.Turn(ctx, input(t, "hi"), s)
	took := time.Since(stopped)
	if r.Outcome != engine.Interrupted || !r.Accepted || took > 3*time.Second {
		t.Errorf("%+v after %s", r, took)
	}
	raw, err := os.ReadFile(filepath.Join(signals, "spawned"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	if !gone(pid) {
		t.Errorf("the helper %d is still there", pid)
	}
	t.Logf("over %s after Stop", took)
}
