package transcript

import "github.com/charmbracelet/x/ansi"

import "conch/tui/theme"

const (
	margin    = 2  // cells at the left of every line
	narrowest = 12 // a narrower pane has no margins

	keepItems = 256    // drawn items that are kept out of sight
	keepLines = 20_000 // and their lines
)

// drawn is the store of lines.
type drawn struct {
	generation int32 // of the theme
	frame      int64
	items      []*item // that have lines
	lines      int     // about how many they have
}

// canvas is what a body draws on.
type canvas struct {
	th    *theme.Theme
	inks  inks
	m     ansi.Method
	width int // cells for text, margins taken off
	wide  int // cells for what may pass the measure
	open  bool
	plain bool
	still bool
	now   int64
}

// margins reports whether the pane has room for them.
func (t *Transcript) margins() bool { return t.w >= narrowest && !t.o.Plain }

// textWidth is the room of an item's lines.
func (t *Transcript) textWidth(pane int) int {
	if !t.margins() {
		return max(pane, 1)
	}
	return pane - margin - 1
}

// linesOf draws an item unless it is drawn already.
func (t *Transcript) linesOf(i int) []string {
	it := t.items[i]
	key := drawKey{it.version, int32(t.w), t.drawn.generation}
	had := it.lines != nil
	if !had || it.key != key {
		c := canvas{
			th: t.th, inks: t.inks, m: t.m,
			width: t.textWidth(min(t.w, t.o.Measure)),
			wide:  t.textWidth(t.w),
			open:  it.isOpen(), plain: t.o.Plain, still: t.o.Still, now: t.now,
		}
		was := len(it.lines)
		it.lines, it.fold = it.body.draw(&c)
		if it.lines == nil {
			it.lines = []string{}
		}
		it.key = key
		t.drawn.lines += len(it.lines) - was
		if !had {
			t.drawn.items = append(t.drawn.items, it)
		}
	}
	it.frame = t.drawn.frame
	return it.lines
}

// forget drops the lines of items that are out of reach, once there are many.
func (t *Transcript) forget() {
	d := &t.drawn
	if len(d.items) <= keepItems && d.lines <= keepLines {
		return
	}
	// What the last frames showed stays, if that is little enough.
	for _, reach := range []int64{32, 0} {
		kept := d.items[:0]
		lines := 0
		for _, it := range d.items {
			if it.lines == nil {
				continue
			}
			if it.frame < d.frame-reach {
				it.lines = nil
				continue
			}
			kept = append(kept, it)
			lines += len(it.lines)
		}
		clear(d.items[len(kept):])
		d.items, d.lines = kept, lines
		if len(d.items) <= keepItems && d.lines <= keepLines {
			return
		}
	}
}

// gap is the number of empty lines before an item: one between what is said and
// what is done, none between steps.
func (t *Transcript) gap(i int) int {
	if i == 0 || len(t.linesOf(i)) == 0 {
		return 0
	}
	before := i - 1
	for before > 0 && len(t.linesOf(before)) == 0 {
		before--
	}
	if len(t.linesOf(before)) == 0 {
		return 0
	}
	return gapBetween(t.items[before].body.kind(), t.items[i].body.kind())
}

func gapBetween(a, b Kind) int {
	if quiet(a) && quiet(b) {
		return 0
	}
	return 1
}

// quiet kinds stand under each other without a gap.
func quiet(k Kind) bool {
	switch k {
	case KindStep, KindThought, KindNotice, KindQuestion:
		return true
	}
	return false
}

// height is the number of lines of an item with the gap before it.
func (t *Transcript) height(i int) int { return t.gap(i) + len(t.linesOf(i)) }
