package sheet

import (
	"strings"

	"conch/plain"
)

// Hit is the place in a chat that matches what was typed.
type Hit struct {
	Row     Row    // its chat, for one that the lists don't have
	Message string // id
	N       int    // the message's place in the chat, from 0
	Mine    bool   // the person said it
	Snippet string // one line of it
	Marks   [][2]int
}

// Found is what a search gave.
type Found struct {
	Hits  []Hit    // at most one a chat
	Chats int      // chats that match, at least
	More  bool     // there are more than are here
	Close []string // spellings that were tried, for nothing matched as typed
	Hint  string   // a sentence, when it could not be looked for as typed
	Words []string // what is marked in a preview
}

// Searching says that a search for what is typed now is under way. What the one
// before found stays until SetFound. slow is for one that takes its time.
func (s *Sheet) Searching(slow bool) { s.pending, s.slow = true, slow }

// Pending reports that what is found is of other words than those typed.
func (s *Sheet) Pending() bool { return s.pending }

// SetFound gives what a search found; nil when nothing is looked for. The
// selection stays where the person put it, else it is the first row. The action is
// that of a key that waited for it.
func (s *Sheet) SetFound(f *Found) Action {
	was, _ := s.Selected()
	s.found, s.pending, s.slow = f, false, false
	s.hits = nil
	if f != nil {
		s.hits = make(map[string]*Hit, len(f.Hits))
		for i := range f.Hits {
			h := &f.Hits[i]
			h.clean()
			s.hits[h.Row.ID] = h
		}
	}
	s.addFound()
	s.list(was.ID)
	if !s.steered {
		s.chosen = 0
	}
	waited := s.opens
	s.opens = false
	if row, any := s.Selected(); waited && any && f != nil {
		return Action{Kind: Open, Row: row}
	}
	return Action{}
}

// early reports that a row that was never looked at would be opened: words were
// typed and enter pressed before what they find is there. It is opened then; a
// second enter opens what is shown.
func (s *Sheet) early() bool {
	if !s.pending || s.steered || s.opens {
		return false
	}
	s.opens = true
	return true
}

// WantsMore reports that the last of what was found is in reach and there is more.
func (s *Sheet) WantsMore() bool {
	return s.found != nil && s.found.More && !s.pending && s.chosen >= len(s.order)-5
}

// addFound keeps the chats of hits that no list has.
func (s *Sheet) addFound() {
	s.more = nil
	if s.found == nil {
		return
	}
	for _, h := range s.found.Hits {
		if _, ok := s.byID(h.Row.ID); !ok {
			s.more = append(s.more, newEntry(h.Row))
		}
	}
}

// clean makes sure that a snippet is harmless and that its marks are in it.
func (h *Hit) clean() {
	h.Snippet = strings.TrimRight(h.Snippet, " ")
	if line := plain.Line(h.Snippet, 0); line != h.Snippet {
		h.Snippet, h.Marks = line, nil
	}
	for _, m := range h.Marks {
		if m[0] < 0 || m[0] > m[1] || m[1] > len(h.Snippet) {
			h.Marks = nil
			break
		}
	}
	h.unmark()
}

// unmark takes the marks of Markdown out that stand in the way of reading a line.
func (h *Hit) unmark() {
	if !strings.Contains(h.Snippet, "**") && !strings.Contains(h.Snippet, "`") {
		return
	}
	var out strings.Builder
	at := make([]int, len(h.Snippet)+1) // where a byte has gone
	for i := 0; i < len(h.Snippet); i++ {
		at[i] = out.Len()
		switch {
		case h.Snippet[i] == '`':
		case strings.HasPrefix(h.Snippet[i:], "**"):
			i++
			at[i] = out.Len()
		default:
			out.WriteByte(h.Snippet[i])
		}
	}
	at[len(h.Snippet)] = out.Len()
	for i, m := range h.Marks {
		h.Marks[i] = [2]int{at[m[0]], at[m[1]]}
	}
	h.Snippet = out.String()
}

// Match is where the chosen chat matches; ok is false when it does by its title
// or the like.
func (s *Sheet) Match() (Hit, bool) {
	row, any := s.Selected()
	h := s.hits[row.ID]
	if !any || h == nil {
		return Hit{}, false
	}
	return *h, true
}

// Marked are the words that are looked for, to be marked in a preview.
func (s *Sheet) Marked() []string {
	if s.found == nil {
		return nil
	}
	return s.found.Words
}

// Listed is a row as it is listed, with the line that matches.
type Listed struct {
	Row
	Snippet string
}

// Listed gives all rows that are listed, in order.
func (s *Sheet) Listed() []Listed {
	out := make([]Listed, len(s.order))
	for i, at := range s.order {
		out[i].Row = s.at(at).Row
		if h := s.hits[out[i].ID]; h != nil {
			out[i].Snippet = h.Snippet
		}
	}
	return out
}

// Choose selects a row by its id.
func (s *Sheet) Choose(id string) {
	for i, at := range s.order {
		if s.at(at).ID == id {
			s.steer(i)
		}
	}
}

// Closest are the spellings that were tried because nothing matched as typed.
func (s *Sheet) Closest() string {
	if s.found == nil {
		return ""
	}
	return strings.Join(s.found.Close, ", ")
}
