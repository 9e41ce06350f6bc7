package tui

import (
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"charm.land/bubbletea/v2"

	"conch/conversation"
)

// resets keeps what a ticker was set to.
type resets []time.Duration

func (r *resets) Reset(d time.Duration) { *r = append(*r, d) }

func TestFramesRestWhileNothingHappens(t *testing.T) {
	p := newPlace(t)
	d := p.deps(t, ready("codex")).filled()
	d.New = func(string) (*conversation.Manager, error) { return nil, context.Canceled }
	now := time.Unix(1_790_000_000, 0)
	d.Now = func() time.Time { return now }
	c := newCrew(context.Background())
	defer func() { c.close(); c.wait() }()
	m := newModel(d, c)
	var set resets
	m.pace.ticker = &set

	const frame = time.Second / framesPerSecond
	key := tea.KeyPressMsg{Code: 'x', Text: "x"}
	for i, step := range []struct {
		after time.Duration
		msg   tea.Msg
		want  []time.Duration // that it was set to by now
	}{
		{0, key, nil},
		{restAfter, restMsg{}, []time.Duration{restFrame}},
		{time.Hour, key, []time.Duration{restFrame, frame}},
		{restAfter - 1, key, []time.Duration{restFrame, frame}},
		{1, restMsg{}, []time.Duration{restFrame, frame}}, // of the first key
		{restAfter - 1, restMsg{}, []time.Duration{restFrame, frame, restFrame}},
	} {
		now = now.Add(step.after)
		m.Update(step.msg)
		if !slices.Equal(set, step.want) {
			t.Errorf("step %d: set to %v, want %v", i, set, step.want)
		}
	}
}

// leaves is a program that ends at once.
type leaves struct{}

func (leaves) Init() tea.Cmd                         { return tea.Quit }
func (l leaves) Update(tea.Msg) (tea.Model, tea.Cmd) { return l, nil }
func (leaves) View() tea.View                        { return tea.View{} }

// TestBubbleTeaHasATickerThatCanRest fails with a version that has none any more:
// Conch works with it, but it costs more at rest and its first screen is later.
func TestBubbleTeaHasATickerThatCanRest(t *testing.T) {
	prog := tea.NewProgram(leaves{}, tea.WithInput(nil), tea.WithOutput(io.Discard))
	if tickerOf(prog) != nil {
		t.Error("it has one before it runs")
	}
	if _, err := prog.Run(); err != nil {
		t.Fatal(err)
	}
	if tickerOf(prog) == nil || frames() != framesPerSecond {
		t.Error("its ticker can't be found")
	}
}
