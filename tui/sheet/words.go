package sheet

import (
	"cmp"
	"strings"

	"conch/tui/cells"
)

// invitation is what stands where nothing is typed.
func (s *Sheet) invitation(room int) string {
	if !s.finds {
		return "type to filter your chats"
	}
	words := "type to search all that was said"
	if more := words + " · app: project: since: from:me narrow it"; cells.Width(s.th.Widths, more) <= room {
		return more
	}
	return words
}

// snippet is the line of a chat that matches, below its title.
func (s *Sheet) snippet(h *Hit, chosen bool, width int) string {
	th, m := s.th, s.th.Widths
	lead := "   "
	if chosen {
		lead = th.Accent.Render(th.Signs.Bar) + "  "
	}
	text, marks, at := h.Snippet, h.Marks, 0
	room := max(width-4, 1)
	if h.Mine {
		who := "you: "
		lead += th.Muted.Render(who)
		room = max(room-len(who), 1)
	}
	if len(marks) > 0 && cells.Width(m, text[:marks[0][1]]) > room*3/4 {
		// What matches is in sight, with some words before it.
		for at < marks[0][0] && cells.Width(m, text[at:marks[0][1]]) > room/2 {
			first, _ := cells.First(m, text[at:])
			at += len(first)
		}
		if i := strings.IndexByte(text[at:marks[0][0]], ' '); i >= 0 {
			at += i + 1
		}
		text = text[at:]
		lead += th.Muted.Render(th.Signs.Ellipsis)
		room = max(room-cells.Width(m, th.Signs.Ellipsis), 1)
	}
	on := make([]bool, len(text))
	for _, mark := range marks {
		for i := max(mark[0]-at, 0); i < mark[1]-at; i++ {
			on[i] = true
		}
	}
	quiet := func(t string) string { return th.Muted.Render(t) }
	words := cells.Paint(m, text, func(i int) bool { return on[i] }, func(t string) string { return th.Strong.Render(t) }, quiet)
	return cells.Fill(m, lead+cells.Cut(m, words, room, th.Muted.Render(th.Signs.Ellipsis)), width, "")
}

// message is the line below the list; "" for none.
func (s *Sheet) message() string {
	th := s.th
	switch {
	case s.ask == deleting:
		return th.Attention.Render("delete “"+newEntry(s.about).title+"”?") + "  " + th.Accent.Render("y") + " deletes · any other key keeps it"
	case s.note != "":
		return s.note
	case s.deleted != nil:
		return "deleted “" + newEntry(*s.deleted).title + "” · " + th.Accent.Render(cmp.Or(s.keys.Undo, "/undo")) + " brings it back"
	case isCommand(s.filter.Text()):
		return th.Muted.Render(s.keys.Open + " does it: /import  /carry  /export  /rename title  /delete")
	case s.found != nil && s.found.Hint != "":
		return th.Muted.Render(s.found.Hint)
	case s.found != nil && len(s.found.Close) > 0 && len(s.order) > 0:
		return "Nothing has it as typed; close to it: " + th.Strong.Render(strings.Join(s.found.Close, ", "))
	case s.going != "":
		return th.Muted.Render(s.going)
	case s.fresh != "" && s.filter.Empty():
		return th.Muted.Render(s.fresh)
	}
	return ""
}

// emptyWords say why there is no row, and one thing to do.
func (s *Sheet) emptyWords() []string {
	next := func(words string) string { return s.th.Signs.Next + " " + words }
	q := s.query()
	switch {
	case s.loading:
		return []string{s.th.Signs.Running + " reading your chats"}
	case s.all() == 0:
		return []string{"No chats yet.", "What you send is kept here, and can be carried on from here."}
	case s.pending:
		return []string{s.th.Signs.Running + " searching"}
	case q.filters() && len(q.words) > 0:
		return []string{"No chat has these words there.", next("take the part with : out to search everywhere")}
	case q.filters():
		return []string{"No chat is like that.", next(s.keys.Back + " takes the filter away")}
	case s.found != nil && len(q.words) > 1:
		return []string{"No chat has all of these words.", next("fewer words find more · " + s.keys.Back + " takes them away")}
	}
	return []string{"No chat has these words.", next(s.keys.Back + " takes the filter away")}
}

// hint is a key and what it does.
type hint struct{ key, words string }

// hintsNow are at most five, those that work now.
func (s *Sheet) hintsNow() []hint {
	row, any := s.Selected()
	k := s.keys
	switch {
	case s.reading:
		return []hint{{strings.TrimSpace(k.Up + " " + k.Down), "move"}, {k.Open, "open"}, {k.Preview, "list"}, {k.Back, "back"}}
	case !any:
		return []hint{{k.Back, "back"}}
	case row.Past:
		return []hint{{k.Open, "open"}, {k.Carry, "carry on here"}, {k.Export, "export"}, {k.Preview, "preview"}, {k.Back, "back"}}
	}
	return []hint{{k.Open, "open"}, {k.Preview, "preview"}, {k.Export, "export"}, {k.Rename, "rename"}, {k.Delete, "delete"}}
}

// hints draws them; they are dropped from the right.
func (s *Sheet) hints(width int) string {
	out, used := "", 0
	for _, h := range s.hintsNow() {
		if h.key == "" {
			continue // it was taken away
		}
		w := cells.Width(s.th.Widths, h.key+" "+h.words) + 1
		if used > 0 {
			w += 2
		}
		if used+w > width {
			break
		}
		if used > 0 {
			out += "  "
		}
		out += " " + s.th.Accent.Render(h.key) + " " + s.th.Muted.Render(h.words)
		used += w
	}
	return out
}
