package transcript

import "conch/plain"

// Mark marks words wherever they are drawn, as long as nothing is looked for with
// Find. It moves nothing.
func (t *Transcript) Mark(words []string) {
	t.marks = nil
	for _, w := range words {
		if w = plain.Line(w, 200); w != "" {
			t.marks = append(t.marks, w)
		}
	}
}

// GoToMessage shows a message by its id, at the first of the marked words in it,
// and, in focus mode, selects it. False: it is not loaded.
func (t *Transcript) GoToMessage(id string) bool {
	if id == "" || t.h == 0 || t.w == 0 {
		return false
	}
	for i, it := range t.items {
		if messageOf(it) == id {
			t.match = place{i, t.lineOf(i)}
			t.showMatch()
			return true
		}
	}
	return false
}

func messageOf(it *item) string {
	switch b := it.body.(type) {
	case *person:
		return b.message
	case *text:
		return b.message
	}
	return ""
}

// lineOf is the line of an item with one of the marked words, its first one when
// there is none.
func (t *Transcript) lineOf(i int) int {
	was := t.query
	defer func() { t.query = was }()
	for _, w := range t.marks {
		if !has(t.items[i].body.source(), w) {
			continue
		}
		t.query = w
		if y, ok := t.lineWith(i, place{}, +1, 1); ok {
			return y
		}
	}
	return t.gap(i)
}

// Offset is how many lines below the first one in sight the match is that is
// shown, -1 for none.
func (t *Transcript) Offset() int {
	if t.match.item < 0 || t.match.item >= len(t.items) || t.h == 0 || t.w == 0 {
		return -1
	}
	t.settlePlace()
	if t.match.before(t.top) {
		return -1
	}
	n := t.match.line - t.top.line
	for i := t.top.item; i < t.match.item; i++ {
		n += t.height(i)
	}
	return n
}

// Walk is Move for reading: an item that goes on out of sight is read on first.
func (t *Transcript) Walk(dir int) {
	if !t.focus || t.sel < 0 || t.sel >= len(t.items) || t.h == 0 || t.w == 0 {
		t.Move(dir)
		return
	}
	t.settlePlace()
	start, end := place{t.sel, t.gap(t.sel)}, place{t.sel, max(t.height(t.sel)-1, 0)}
	bottom := t.move(t.top, t.h-1)
	switch {
	case dir > 0 && bottom.before(end) && !end.before(t.top),
		dir < 0 && start.before(t.top) && !end.before(t.top):
		t.Scroll(dir * max(t.h/2, 1))
	default:
		t.Move(dir)
	}
}

// Reached is how far the list is read: the number of the last item in sight, of
// how many.
func (t *Transcript) Reached() (n, of int) {
	if len(t.items) == 0 || t.h == 0 || t.w == 0 {
		return 0, len(t.items)
	}
	t.settlePlace()
	return t.move(t.top, t.h-1).item + 1, len(t.items)
}
