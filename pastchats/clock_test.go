package pastchats

import (
	"context"
	"testing"
	"time"
)

// A machine without a clock's battery begins in 1970, and a clock can be set to
// anything.
func TestAWrongClockHindersNothing(t *testing.T) {
	for _, year := range []int{1970, 2100} {
		w := newWorld(t, "codex", "hermes")
		w.clock.at = time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		w.apps[0].say("a", "one", "two")
		w.apps[1].say("b", "three")
		if st := w.look(); st.Found() != 2 || st.Fresh() != 2 {
			t.Errorf("%d: the look: %+v", year, st)
		}
		if r := w.bringIn(); r.Added != 2 || r.Skipped != 0 || !r.At.Equal(w.clock.now()) {
			t.Errorf("%d: %+v", year, r)
		}
		w.clock.forward(time.Hour)
		if r := w.bringIn(); r.Read != 0 {
			t.Errorf("%d: read again: %+v", year, r)
		}
		w.clock.forward(-2 * time.Hour) // it was set right, or wrong
		w.apps[0].say("c", "four")
		if st, err := w.Look(context.Background()); err != nil || st.Fresh() != 1 {
			t.Errorf("%d: a look of the future is kept: %+v %v", year, st, err)
		}
		if r := w.bringIn(); r.Added != 1 {
			t.Errorf("%d: %+v", year, r)
		}
		if list := w.list(); len(list) != 3 || list[0].Created.Year() != 1970 {
			t.Errorf("%d: %+v", year, list)
		}
		again := w.again()
		if st, err := again.Look(context.Background()); err != nil || st.Last == nil || st.Last.Added != 1 || st.Brought != 3 {
			t.Errorf("%d: %+v %v", year, st, err)
		}
		if n, err := again.Remove(context.Background()); n != 3 || err != nil {
			t.Errorf("%d: %d %v", year, n, err)
		}
	}
}
