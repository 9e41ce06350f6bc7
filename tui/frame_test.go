package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"conch/engine"
)

// An answer that streams in writes what is new and no more, in a chat that fills
// the screen; a whole screen would be 4,000 bytes a frame.
func TestAFrameWritesOnlyWhatChanged(t *testing.T) {
	var before strings.Builder
	for i := range 60 {
		fmt.Fprintf(&before, "Line %d of an answer that fills the screen.\n\n", i)
	}
	const words = 120
	began, goOn := make(chan struct{}), make(chan struct{})
	tt := start(t, 100, 40, newPlace(t).deps(t, ready("codex", func(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		sink.Emit(engine.Text{MessageID: "a", Delta: before.String()})
		close(began)
		<-goOn
		for i := range words {
			sink.Emit(engine.Text{MessageID: "a", Delta: fmt.Sprintf("word%03d ", i)})
			time.Sleep(10 * time.Millisecond)
		}
		sink.Emit(engine.MessageDone{MessageID: "a"})
		return engine.Result{Outcome: engine.Success, Accepted: true}
	})))
	tt.s.prog.Send(tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset})
	tt.says("go")
	<-began
	tt.sees("Line 59")
	tt.settled()
	was := len(tt.out.bytes())
	close(goOn)
	tt.sees("word119")
	raw := tt.out.bytes()[was:]
	frames := strings.Count(raw, ansi.SetModeSynchronizedOutput)
	if frames < 10 {
		t.Fatalf("only %d frames were drawn as one each", frames)
	}
	if most := 400 * frames; len(raw) > most {
		t.Errorf("%d bytes in %d frames, %d a frame", len(raw), frames, len(raw)/frames)
	}
	if all := tt.out.bytes(); strings.Contains(all[strings.Index(all, "Line 59"):], "\x1b[2J") {
		t.Error("the screen was cleared")
	}
	t.Logf("%d bytes in %d frames, %d a frame", len(raw), frames, len(raw)/frames)
}

// With the clock of a turn running a second costs a few bytes.
func TestATickWritesAFewBytes(t *testing.T) {
	d := newPlace(t).deps(t, ready("codex", stays("I begin")))
	d.Options.Motion = true
	tt := start(t, 100, 40, d)
	tt.says("go")
	tt.sees("working · 1 s")
	was := len(tt.out.bytes())
	tt.sees("working · 3 s")
	if n := len(tt.out.bytes()) - was; n > 300 {
		t.Errorf("%d bytes for two ticks", n)
	}
}

// Without motion a turn that runs writes nothing until something happens.
func TestWithoutMotionARunningTurnRests(t *testing.T) {
	tt := start(t, 100, 40, newPlace(t).deps(t, ready("codex", stays("I begin"))))
	tt.says("go")
	tt.sees("I begin", "working")
	tt.settled()
	was := len(tt.out.bytes())
	time.Sleep(2500 * time.Millisecond)
	if n := len(tt.out.bytes()) - was; n > 0 {
		t.Errorf("%d bytes: %q", n, tt.out.bytes()[was:])
	}
}
