package program

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/engine"
)

// asked is a program whose version question leaves a trace.
func asked(t *testing.T) (p *Program, says func(version string), times func() int, later func()) {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "agent")
	var mu sync.Mutex
	now := time.Now()
	p = &Program{
		ID: "agent", Name: "Agent", Command: path, Env: []string{"PATH=/bin:/usr/bin"}, VersionArgs: []string{"--version"}, Oldest: "0.50.0", Install: "get agent",
		VersionLimit: 20 * time.Second, Remembered: 20 * time.Second,
		Now: func() time.Time { mu.Lock(); defer mu.Unlock(); return now },
	}
	says = func(version string) {
		script := "#!/bin/sh\necho asked >> " + dir + "/asked\necho \"agent version " + version + " (x)\"\n"
		if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	times = func() int { data, _ := os.ReadFile(dir + "/asked"); return strings.Count(string(data), "asked") }
	later = func() { mu.Lock(); defer mu.Unlock(); now = now.Add(time.Minute) }
	return p, says, times, later
}

func nothing(*engine.Health) {}

func TestTheVersionIsAskedOnceForAsLongAsTheFileStaysTheSame(t *testing.T) {
	p, says, times, later := asked(t)
	says("0.40.1")
	for range 3 {
		var asking sync.WaitGroup
		for range 3 {
			asking.Go(func() {
				h := p.Health(t.Context(), func(*engine.Health) { t.Error("asked of a program that is too old") })
				if h.State != engine.TooOld || h.Version != "0.40.1" || h.Next != "get agent" || h.Found != p.Command || h.Problem != "Agent 0.40.1 is too old: Conch needs 0.50.0 or newer." {
					t.Errorf("%+v", h)
				}
			})
		}
		asking.Wait()
		later()
	}
	if times() != 1 {
		t.Errorf("asked %d times", times())
	}
	says("0.60.0-beta.1")
	if h := p.Health(t.Context(), nothing); h.State != engine.Unknown || h.Version != "0.60.0-beta.1" {
		t.Errorf("after an update: %+v", h)
	}
}

func TestAProgramThatIsNotThereIsNamed(t *testing.T) {
	p := &Program{Name: "Agent", Command: "/nowhere/agent", Install: "get agent", Now: time.Now}
	if h := p.Health(t.Context(), nothing); h.State != engine.NotFound || h.Problem != "Agent is not installed." || h.Next != "get agent" {
		t.Errorf("%+v", h)
	}
	p = &Program{Name: "mine", Command: "/nowhere/mine", Now: time.Now}
	if h := p.Health(t.Context(), nothing); h.State != engine.NotFound || h.Problem != "mine can't be started: there is no program /nowhere/mine." || h.Next != "check its command in config.toml" {
		t.Errorf("of one's own: %+v", h)
	}
}

func TestHealthIsRememberedUntilSomethingShowsMore(t *testing.T) {
	p, says, _, later := asked(t)
	says("0.60.0")
	looks := 0
	add := func(h *engine.Health) { looks++; h.Capabilities = []string{"images"} }
	for range 2 {
		if h := p.Health(t.Context(), add); h.State != engine.Unknown || len(h.Capabilities) != 1 || looks != 1 {
			t.Errorf("%+v, looked %d times", h, looks)
		}
	}
	later()
	p.Health(t.Context(), add)
	if looks != 2 {
		t.Errorf("looked %d times", looks)
	}
	for _, c := range []struct {
		r     engine.Result
		state engine.State
		words string
	}{
		{engine.Result{Outcome: engine.Success}, engine.Ready, ""},
		{engine.Result{Outcome: engine.Failed, Problem: engine.SignedOut, Error: "out"}, engine.NeedSignIn, "out"},
		{engine.Result{Outcome: engine.Failed, Problem: engine.Limit, Error: "limit"}, engine.NeedSignIn, "out"}, // shows nothing of it
		{engine.Result{Outcome: engine.Failed, Problem: engine.Unavailable, Error: "broke"}, engine.Broken, "broke"},
		{engine.Result{Outcome: engine.Success}, engine.Ready, ""},
		{engine.Result{Outcome: engine.Failed, Problem: engine.Unavailable, Error: "broke", Accepted: true}, engine.Ready, ""}, // it took the message
	} {
		p.Learn(c.r)
		if h := p.Health(t.Context(), add); h.State != c.state || h.Problem != c.words {
			t.Errorf("after %+v: %+v", c.r, h)
		}
	}
	p.Prove("", "", "")
	if h := p.Health(t.Context(), add); h.State != engine.Unknown {
		t.Errorf("taken back: %+v", h)
	}
}

func TestWhatIsProvedWhileOneLooksIsNotLost(t *testing.T) {
	p, says, _, _ := asked(t)
	says("0.60.0")
	p.Health(t.Context(), func(*engine.Health) { p.Prove(engine.Broken, "broke", "") })
	if h := p.Health(t.Context(), nothing); h.State != engine.Broken {
		t.Errorf("%+v", h)
	}
}

func TestAProgramThatIsNotAskedSaysItsVersionWhenItStarts(t *testing.T) {
	p := &Program{Name: "mine", Command: self(t), Oldest: "2.0.0", Now: time.Now}
	if h := p.Health(t.Context(), nothing); h.State != engine.Unknown || h.Version != "" {
		t.Errorf("%+v", h)
	}
	p.Started("1.0.0")
	if h := p.Health(t.Context(), nothing); h.State != engine.TooOld || h.Version != "1.0.0" || h.Next != "update it" {
		t.Errorf("%+v", h)
	}
}
