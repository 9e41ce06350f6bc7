package tui

import (
	"context"
	"strings"
	"testing"

	"conch/engine"
)

// plans is a turn with a plan below a long answer; it waits until it is stopped.
func plans(ctx context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
	sink.Emit(engine.Text{MessageID: "a", Delta: "first words\n\n" + strings.Repeat("line\n\n", 30)})
	sink.Emit(engine.MessageDone{MessageID: "a"})
	sink.Emit(engine.Plan{Steps: []engine.PlanStep{{Title: "look", Status: "done"}, {Title: "mend it", Status: "active"}, {Title: "tell", Status: "pending"}}})
	<-ctx.Done()
	return engine.Result{Outcome: engine.Interrupted, Accepted: true}
}

func TestThePlanIsPinnedAboveTheRuleWhileItIsOutOfSight(t *testing.T) {
	p := newPlace(t)
	tt := start(t, 80, 24, p.deps(t, ready("codex", plans)))
	const pin = "  plan  ✓ 1 of 3  → mend it  ○ tell"
	pinned := func(s string) bool {
		lines := strings.Split(s, "\n")
		for i, line := range lines[1:] {
			if lines[i] == pin && strings.HasPrefix(line, "──") {
				return true
			}
		}
		return false
	}
	tt.says("go")
	tt.sees("✓ look  → mend it  ○ tell")
	if s := tt.shown(); strings.Contains(s, "1 of 3") {
		t.Errorf("a plan in sight is said twice:\n%s", s)
	}
	tt.press("pgup")
	tt.until("the pinned plan", pinned)
	tt.resize(80, 19)
	tt.seesNot("1 of 3")
	tt.resize(80, 24)
	tt.until("the pinned plan again", pinned)
	tt.press("ctrl+t") // the whole plan in the side pane
	tt.sees("→ mend it")
	tt.seesNot("1 of 3")
	tt.press("ctrl+t")
	tt.until("the pinned plan again", pinned)
	tt.press("esc")
	tt.rests()
	tt.seesNot("1 of 3")
}
