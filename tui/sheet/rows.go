package sheet

import "slices"

// List is chats made ready to be listed, newest first.
type List struct {
	rows []entry
	at   map[string]int // by id
}

// Ready makes chats ready. It takes time for many of them, touches no sheet and
// may run on any goroutine.
func Ready(rows []Row) List {
	l := List{rows: make([]entry, len(rows)), at: make(map[string]int, len(rows))}
	for i, r := range rows {
		l.rows[i] = newEntry(r)
	}
	slices.SortStableFunc(l.rows, func(a, b entry) int { return b.Updated.Compare(a.Updated) })
	for i := range l.rows {
		l.at[l.rows[i].ID] = i
	}
	return l
}

// Len is the number of chats.
func (l List) Len() int { return len(l.rows) }

func (l List) find(id string) (*entry, bool) {
	i, ok := l.at[id]
	if !ok {
		return nil, false
	}
	return &l.rows[i], true
}

// at is the row with a place: those of Conch's own chats come first, then those
// of other apps, then what only a search knows.
func (s *Sheet) at(i int) *entry {
	if i < len(s.own.rows) {
		return &s.own.rows[i]
	}
	if i -= len(s.own.rows); i < len(s.past.rows) {
		return &s.past.rows[i]
	}
	return &s.more[i-len(s.past.rows)]
}

func (s *Sheet) byID(id string) (*entry, bool) {
	if e, ok := s.own.find(id); ok {
		return e, true
	}
	if e, ok := s.past.find(id); ok {
		return e, true
	}
	for i := range s.more {
		if s.more[i].ID == id {
			return &s.more[i], true
		}
	}
	return nil, false
}

// all is the number of chats there are.
func (s *Sheet) all() int { return len(s.own.rows) + len(s.past.rows) + len(s.more) }

// block is one thing in the list: a heading, or the row of a place in order.
type block struct {
	place   int // -1: a heading
	heading string
	tall    int // lines
}

// list puts the rows that match in order, and keeps a chat chosen.
func (s *Sheet) list(chosen string) {
	q := s.query()
	parts := s.matching(q)
	s.order, s.blocks = s.order[:0], s.blocks[:0]
	headed := 0
	for _, p := range parts {
		if len(p.rows) > 0 {
			headed++
		}
	}
	for _, p := range parts {
		if len(p.rows) == 0 {
			continue
		}
		if headed > 1 {
			s.blocks = append(s.blocks, block{place: -1, heading: p.heading, tall: 1})
		}
		for _, i := range p.rows {
			tall := 1
			if h := s.hits[s.at(i).ID]; h != nil && h.Snippet != "" {
				tall = 2
			}
			s.blocks = append(s.blocks, block{place: len(s.order), tall: tall})
			s.order = append(s.order, i)
		}
	}
	s.chosen = max(min(s.chosen, len(s.order)-1), 0)
	if at := slices.IndexFunc(s.order, func(i int) bool { return s.at(i).ID == chosen }); at >= 0 {
		s.chosen = at
	}
}

// part is rows that stand together under a heading.
type part struct {
	heading string
	rows    []int
}

// matching are the rows that match. Where words are looked for, or all folders are
// wanted as one, they are one part, newest first.
func (s *Sheet) matching(q query) []part {
	close := s.found != nil && len(s.found.Close) > 0
	match := func(i int) bool {
		e := s.at(i)
		if s.hits[e.ID] != nil {
			return true
		}
		return !close && q.matches(e)
	}
	var own, past []int
	for i := range s.own.rows {
		if match(i) {
			own = append(own, i)
		}
	}
	for i := range s.past.rows {
		if i += len(s.own.rows); match(i) {
			past = append(past, i)
		}
	}
	if s.mixed || s.found != nil {
		all := s.merge(own, past)
		for k := range s.more {
			if i := len(s.own.rows) + len(s.past.rows) + k; match(i) {
				all = s.merge(all, []int{i})
			}
		}
		return []part{{rows: all}}
	}
	here, away := part{heading: "this folder"}, part{heading: "other folders"}
	if s.keys.All != "" {
		away.heading += " · " + s.keys.All + " shows all as one"
	}
	for _, i := range own {
		if s.at(i).Folder == s.folder {
			here.rows = append(here.rows, i)
		} else {
			away.rows = append(away.rows, i)
		}
	}
	others := part{heading: "from other apps", rows: past}
	if len(away.rows) == 0 && s.keys.All != "" {
		others.heading += " · " + s.keys.All + " shows all as one"
	}
	return []part{here, away, others}
}

// merge makes one list, newest first, of two that are.
func (s *Sheet) merge(a, b []int) []int {
	if len(a) == 0 {
		return b
	}
	out := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if s.at(b[0]).Updated.After(s.at(a[0]).Updated) {
			out, b = append(out, b[0]), b[1:]
		} else {
			out, a = append(out, a[0]), a[1:]
		}
	}
	return append(append(out, a...), b...)
}
