package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"conch/chats"
	"conch/tui/cells"
)

func working(steps ...chats.PlanStep) *script {
	s := &script{}
	s.says("go").answer(strings.Repeat("line\n\n", 30))
	s.add(chats.Plan{Steps: steps})
	return s
}

var half = []chats.PlanStep{{Title: "look", Status: "done"}, {Title: "guard it", Status: "pending"}, {Title: "run the tests", Status: "active"}, {Title: "tell", Status: "pending"}}

func TestAPlanOutOfSightIsPinnedWhileStepsAreLeft(t *testing.T) {
	s := working(half...)
	tr := screen(s.events, 60, 12)
	pinned := func() string { return ansi.Strip(tr.Pinned(12)) }
	if got := pinned(); got != "" {
		t.Errorf("%q is pinned though the plan is in sight", got)
	}
	tr.Scroll(-3)
	if got, want := pinned(), "  plan  ✓ 1 of 4  → run the tests  ○ tell"; got != want {
		t.Errorf("pinned is %q, want %q", got, want)
	}
	before := tr.top
	tr.SetSize(60, 11) // the line takes a row: it must stand then also
	tr.Lines()
	if pinned() == "" || tr.top != before {
		t.Errorf("the line takes itself away, or moves what is read: %v, then %v", before, tr.top)
	}
	tr.ToEnd()
	if got := pinned(); got != "" {
		t.Errorf("%q is still pinned at the end", got)
	}
	tr.ToStart()
	all := []chats.PlanStep{{Title: "look", Status: "done"}, {Title: "tell", Status: "done"}}
	if tr.Apply(s.add(chats.Plan{Steps: all}).events); pinned() != "" {
		t.Error("a plan that is done is pinned")
	}
	tr.Apply(s.add(chats.Plan{Steps: half}).events)
	if pinned() == "" {
		t.Error("the test needs a plan with steps left")
	}
	if tr.Apply(s.done().events); pinned() != "" {
		t.Error("the plan of a turn that is over is pinned")
	}
}

func TestThePinnedPlanIsCutByCellsAndKeepsTheActiveStep(t *testing.T) {
	var steps []chats.PlanStep
	for i := range 40 {
		status := "pending"
		switch {
		case i < 20:
			status = "done"
		case i == 30:
			status = "active"
		}
		steps = append(steps, chats.PlanStep{Title: fmt.Sprintf("手順 %d 界", i), Status: status})
	}
	tr := screen(working(steps...).events, 60, 12)
	tr.ToStart()
	for _, w := range []int{1, 8, 20, 33, 60, 200} {
		tr.SetSize(w, 12)
		tr.ToStart()
		got := ansi.Strip(tr.Pinned(12))
		if n := cells.Width(tr.m, got); n > w {
			t.Errorf("%d cells in %d: %q", n, w, got)
		}
		if w >= 33 && !strings.Contains(got, "→ 手順 30") {
			t.Errorf("in %d cells the active step is not seen: %q", w, got)
		}
	}
}
