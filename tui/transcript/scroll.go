package transcript

// lastTop is the top that shows the end.
func (t *Transcript) lastTop() place {
	left := t.h
	for i := len(t.items) - 1; i >= 0; i-- {
		n := t.height(i)
		if n >= left {
			return place{i, n - left}
		}
		left -= n
	}
	return place{}
}

// settlePlace makes top the first line in sight. It never makes the list follow:
// what shrinks is no wish of the person's.
func (t *Transcript) settlePlace() {
	if len(t.items) == 0 || t.h == 0 {
		t.top = place{}
		return
	}
	end := t.lastTop()
	if t.follow {
		t.top = end
		return
	}
	t.top.item = min(max(t.top.item, 0), len(t.items)-1)
	t.top.line = min(max(t.top.line, 0), max(t.height(t.top.item)-1, 0))
	if end.before(t.top) {
		t.top = end
	}
}

// move gives the place some lines below p, or above it for n < 0; it ends at the
// ends of the list.
func (t *Transcript) move(p place, n int) place {
	for n < 0 {
		if p.line >= -n {
			p.line += n
			return p
		}
		n += p.line
		if p.item == 0 {
			return place{}
		}
		p.item--
		p.line = t.height(p.item)
	}
	for n > 0 {
		left := t.height(p.item) - p.line
		if n < left {
			p.line += n
			return p
		}
		if p.item == len(t.items)-1 {
			return place{p.item, max(t.height(p.item)-1, 0)}
		}
		n -= left
		p = place{item: p.item + 1}
	}
	return p
}

// Scroll moves by lines; below 0 is towards the beginning. The wheel is three.
func (t *Transcript) Scroll(lines int) {
	if len(t.items) == 0 || t.h == 0 || t.w == 0 || lines == 0 {
		return
	}
	t.settlePlace()
	end := t.lastTop()
	to := t.move(t.top, lines)
	if !to.before(end) {
		t.ToEnd()
		return
	}
	t.top = to
	t.unfollow()
}

// Page moves by a page less two lines, -1 up or +1 down.
func (t *Transcript) Page(dir int) { t.Scroll(dir * max(t.h-2, 1)) }

// ToEnd shows the end and follows it again.
func (t *Transcript) ToEnd() {
	t.follow = true
	t.fresh = -1
}

// ToStart shows the oldest line that is loaded.
func (t *Transcript) ToStart() { t.show(place{}) }

// show puts a line at the top. The list follows afterwards only if the end is in
// sight.
func (t *Transcript) show(p place) {
	if len(t.items) == 0 || t.h == 0 || t.w == 0 {
		return
	}
	if end := t.lastTop(); !p.before(end) {
		t.ToEnd()
		return
	}
	t.top = p
	t.unfollow()
}

func (t *Transcript) unfollow() { t.follow = false }

// Following reports that the last line is in sight and stays there.
func (t *Transcript) Following() bool { return t.follow }

// Unseen counts the items that came or grew below what is in sight, for
// "↓ N new".
func (t *Transcript) Unseen() int {
	if t.follow || t.fresh < 0 || len(t.items) == 0 || t.h == 0 || t.w == 0 {
		return 0
	}
	t.settlePlace()
	last := t.move(t.top, t.h-1)
	first := last.item + 1
	if last.line < t.height(last.item)-1 {
		first = last.item // its end is out of sight
	}
	return max(len(t.items)-max(t.fresh, first), 0)
}

// touched notes that an item came or changed, for Unseen.
func (t *Transcript) touched(i int) {
	if !t.follow && (t.fresh < 0 || i < t.fresh) && i >= t.top.item {
		t.fresh = i
	}
}

// NeedsOlder reports that the top is in reach and the log has older events:
// read those before the seq and hand them to Prepend. It is true until then, so
// ask the log once.
func (t *Transcript) NeedsOlder() (before int64, yes bool) {
	if !t.more || t.book.first < 0 || t.h == 0 || t.w == 0 {
		return 0, false
	}
	t.settlePlace()
	above := t.top.line
	for i := t.top.item - 1; i >= 0; i-- {
		if above += t.height(i); above >= 2*t.h {
			return 0, false
		}
	}
	return t.book.first, true
}

// Oldest is the seq of the first event that was taken in.
func (t *Transcript) Oldest() int64 { return t.book.first }

// Lines are exactly as many as the height, each at most the width in cells and
// not padded. The slice is valid until the next call of a method.
func (t *Transcript) Lines() []string {
	t.drawn.frame++
	out := t.out[:0]
	if t.w > 0 && len(t.items) > 0 {
		t.settlePlace()
		for p := t.top; len(out) < t.h && p.item < len(t.items); p = (place{item: p.item + 1}) {
			lines := t.linesOf(p.item)
			gap := t.gap(p.item)
			for ; p.line < gap && len(out) < t.h; p.line++ {
				out = append(out, "")
			}
			for y := p.line - gap; y < len(lines) && len(out) < t.h; y++ {
				out = append(out, t.line(p.item, y, lines[y]))
			}
		}
	}
	for len(out) < t.h {
		out = append(out, "")
	}
	t.out = out
	t.forget()
	return out
}

// line puts the margin before a line, and marks what is found and selected.
func (t *Transcript) line(i, y int, s string) string {
	if t.query != "" || len(t.marks) > 0 {
		s = t.marked(s)
	}
	if !t.margins() {
		return s
	}
	it := t.items[i]
	person := it.body.kind() == KindPerson || it.body.kind() == KindShell
	switch {
	case t.focus && i == t.sel && y == 0:
		return t.inks.accent.paint(t.th.Signs.Cursor) + " " + s
	case t.focus && i == t.sel:
		return t.inks.accent.paint(t.th.Signs.Bar) + " " + s
	case person && s == "":
		return t.inks.person.paint(t.th.Signs.Bar)
	case person:
		return t.inks.person.paint(t.th.Signs.Bar) + " " + s
	case s == "":
		return ""
	}
	return "  " + s
}
