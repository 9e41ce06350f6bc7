package door

import (
	"context"
	"testing"
	"time"

	"conch/engine"
)

// R-69-63: the first prompt waits until the program was told the tools, and no
// longer than it is given.
func TestTheToolsAreWaitedForNoLongerThanGiven(t *testing.T) {
	d := open(t)
	done := d.Opening("", []engine.Tool{saying("note", "kept")})
	defer done()
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if d.Quiet(short, time.Millisecond) {
		t.Error("nobody came, and the tools are said to be known")
	}
	waited := make(chan bool, 1)
	go func() { waited <- d.Quiet(t.Context(), time.Millisecond) }()
	s := client(t, d, nil)
	select {
	case <-waited:
		t.Error("a greeting alone was enough")
	case <-d.Listed():
		t.Error("the tools are listed unasked")
	default:
	}
	if _, err := s.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if !<-waited {
		t.Error("the program was told the tools, and it is not said")
	}
}
