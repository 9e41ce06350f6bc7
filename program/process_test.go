package program

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// begun starts the test's program; stopped ends it.
func begun(t *testing.T, as string) (p *Process, log func() []string) {
	t.Helper()
	var mu sync.Mutex
	var lines []string
	of := &Program{ID: "agent", Name: "Agent", Command: self(t), Log: func(code, line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, code+" "+line)
	}}
	p, err := of.Start(t.Context(), t.TempDir(), []string{"PROGRAM_TEST_AS=" + as})
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	p.Hear(gone)
	t.Cleanup(func() {
		p.Child.End(context.Background())
		close(gone)
		p.Over.Wait()
	})
	return p, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return lines
	}
}

func TestAProcessThatRunsShowsItsLastWords(t *testing.T) {
	p, _ := begun(t, "reads")
	waitUntil(t, "its words", func() bool { return p.Said() == "what it says last\n" })
	for range 3 {
		p.Step()
	}
	p.Begun = true
	if f := p.Failed(errors.New("no")); !p.Alive() || f.Ended != "" || f.Starting || f.Said != "what it says last\n" || f.Error() != "no" {
		t.Errorf("%+v", f)
	}
}

func TestAProcessThatEndedSaysHow(t *testing.T) {
	p, _ := begun(t, "fails")
	f := p.Failed(ErrGone)
	if f.Ended != "exit 3" || !f.Starting || !strings.HasPrefix(f.Said, "it broke here\n") || !errors.Is(f, ErrGone) {
		t.Errorf("%+v", f)
	}
	if p.Alive() {
		t.Error("it is taken to be alive")
	}
}

func TestNoiseIsCountedAndLoggedAtFirst(t *testing.T) {
	p, log := begun(t, "reads")
	for range 3 * maxNoises {
		p.Noise([]byte("what? \x1b[31mno JSON"))
	}
	if n := p.of.Unheard()["noise"]; n != 3*maxNoises || len(log()) != maxNoises || log()[0] != "noise agent: what? no JSON" {
		t.Errorf("counted %d, logged %q", n, log())
	}
	if n := p.TooLong(64 << 20); n.Code != "left-out" || n.Message != "Agent said something too large to take in (64 MB); it is left out." {
		t.Errorf("%+v", n)
	}
}

func TestNothingStartsInAFolderThatIsGone(t *testing.T) {
	p := &Program{Name: "Agent", Command: self(t)}
	gone := filepath.Join(t.TempDir(), "gone")
	var folder NoFolder
	if _, err := p.Start(t.Context(), gone, nil); !errors.As(err, &folder) || folder.Path != gone {
		t.Errorf("%v", err)
	}
}

func TestKindsAreBoundedInLengthAndNumber(t *testing.T) {
	p := new(Program)
	for range 2 {
		for i := range 2 * maxKinds {
			p.Count(fmt.Sprintf("kind %d %s", i, strings.Repeat("k", i)))
		}
	}
	all := p.Unheard()
	if len(all) > maxKinds+1 || all["other"] == 0 {
		t.Errorf("%d kinds, %d others", len(all), all["other"])
	}
	total := 0
	for kind, n := range all {
		total += n
		if len(kind) > 4*maxKindName {
			t.Errorf("a kind of %d bytes", len(kind))
		}
	}
	if total != 4*maxKinds {
		t.Errorf("%d of %d were counted", total, 4*maxKinds)
	}
}
