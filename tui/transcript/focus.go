package transcript

import (
	"strings"

	"conch/plain"
	"conch/tui/markdown"
)

// Focus turns selecting of items on or off. On selects the last item in sight.
func (t *Transcript) Focus(on bool) {
	t.focus = on
	if !on || len(t.items) == 0 || t.h == 0 || t.w == 0 {
		t.sel = -1
		return
	}
	if t.sel >= 0 {
		return
	}
	t.settlePlace()
	last := t.move(t.top, t.h-1)
	t.sel = last.item
	for t.sel > 0 && len(t.linesOf(t.sel)) == 0 {
		t.sel--
	}
}

// Focused reports that items are selected.
func (t *Transcript) Focused() bool { return t.focus }

// Move selects the next (+1) or previous (-1) item and brings it in sight.
func (t *Transcript) Move(dir int) {
	if !t.focus || len(t.items) == 0 {
		return
	}
	for i := t.sel + dir; i >= 0 && i < len(t.items); i += dir {
		if len(t.linesOf(i)) > 0 {
			t.selectItem(i)
			return
		}
	}
	if dir < 0 { // the first item: show what is above its first line, too
		t.reveal(t.sel)
	}
}

// First and Last select the ends.
func (t *Transcript) First() {
	if t.focus && len(t.items) > 0 {
		t.selectItem(0)
	}
}

// Last selects the newest item and follows the end.
func (t *Transcript) Last() {
	if t.focus && len(t.items) > 0 {
		t.selectItem(len(t.items) - 1)
		t.ToEnd()
	}
}

func (t *Transcript) selectItem(i int) {
	t.sel = i
	t.reveal(i)
}

// reveal brings an item in sight: whole, or its beginning.
func (t *Transcript) reveal(i int) {
	if t.h == 0 || t.w == 0 || i < 0 || i >= len(t.items) {
		return
	}
	t.settlePlace()
	start := place{i, t.gap(i)}
	end := place{i, max(t.height(i)-1, 0)}
	bottom := t.move(t.top, t.h-1)
	switch {
	case start.before(t.top):
		t.show(start)
	case bottom.before(end):
		top := t.move(end, 1-t.h)
		if start.before(top) { // taller than the pane
			top = start
		}
		t.show(top)
	}
	if t.follow && i < len(t.items)-1 {
		// What is selected must not be pushed out of sight.
		t.top = t.lastTop()
		t.unfollow()
	}
}

// Toggle opens or folds the selected item.
func (t *Transcript) Toggle() {
	if t.focus && t.sel >= 0 && t.sel < len(t.items) {
		t.toggle(t.sel)
	}
}

// toggle opens or folds an item. Its first line stays where it is.
func (t *Transcript) toggle(i int) {
	it := t.items[i]
	if !it.foldable() || t.h == 0 || t.w == 0 {
		return
	}
	t.settlePlace()
	following := t.follow && i == len(t.items)-1
	it.toggle()
	if following {
		t.ToEnd() // the newest item: its end is what is followed
		return
	}
	t.unfollow()
	if (place{i, t.gap(i)}).before(t.top) {
		t.top = place{i, t.gap(i)}
	}
	t.reveal(i)
}

// Click selects the item at the pane's line y and, on the line that bears a fold
// sign and on the row of a step, opens or folds it. False: there is nothing at y.
func (t *Transcript) Click(y int) bool {
	if y < 0 || y >= t.h || len(t.items) == 0 || t.w == 0 {
		return false
	}
	t.settlePlace()
	p := t.top
	for ; y > 0; y-- {
		next := t.move(p, 1)
		if next == p {
			return false // below the end
		}
		p = next
	}
	t.focus = true
	t.sel = p.item
	it := t.items[p.item]
	line := p.line - t.gap(p.item)
	if line >= 0 && (line == it.fold || line == 0 && it.body.kind() == KindStep) {
		t.toggle(p.item)
	}
	return true
}

// Selected is the selected item.
func (t *Transcript) Selected() (Item, bool) {
	if !t.focus || t.sel < 0 || t.sel >= len(t.items) {
		return Item{}, false
	}
	it := t.items[t.sel]
	out := Item{
		Kind:  it.body.kind(),
		Copy:  plain.Text(it.body.source()),
		Folds: it.foldable(),
		Open:  it.foldable() && it.isOpen(),
	}
	if s, ok := it.body.(*step); ok {
		k := s.known()
		out.ToolUseID = s.id
		out.Path, out.Line = plain.Line(k.path, 0), k.line
	}
	return out, true
}

// HasAnswer reports that LastAnswer has something. It is cheap.
func (t *Transcript) HasAnswer() bool {
	for i := len(t.items) - 1; i >= 0; i-- {
		if x, ok := t.items[i].body.(*text); ok && !x.thought {
			return true
		}
	}
	return false
}

// LastAnswer is the source text of the newest answer, "" when there is none.
func (t *Transcript) LastAnswer() string {
	s, _ := t.answer(func(string) bool { return true })
	return s
}

// CodeBlock is the n-th (from 1) block of code of the newest answer that has any.
func (t *Transcript) CodeBlock(n int) (string, bool) {
	var blocks []string
	t.answer(func(s string) bool {
		blocks = markdown.CodeBlocks(s)
		return len(blocks) > 0
	})
	if n < 1 || n > len(blocks) {
		return "", false
	}
	return blocks[n-1], true
}

// answer finds the newest answer that is wanted, cleaned.
func (t *Transcript) answer(wanted func(string) bool) (string, bool) {
	for i := len(t.items) - 1; i >= 0; i-- {
		if x, ok := t.items[i].body.(*text); ok && !x.thought && strings.TrimSpace(x.source()) != "" {
			if s := plain.Text(x.source()); wanted(s) {
				return s, true
			}
		}
	}
	return "", false
}

// GoTo shows a step and, in focus mode, selects it. False: it is not loaded.
func (t *Transcript) GoTo(toolUseID string) bool {
	for i := len(t.items) - 1; i >= 0; i-- {
		s, ok := t.items[i].body.(*step)
		if !ok || s.id != toolUseID {
			continue
		}
		if t.focus {
			t.sel = i
		}
		t.reveal(i)
		return true
	}
	return false
}
