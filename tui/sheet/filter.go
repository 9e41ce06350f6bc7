package sheet

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"conch/plain"
)

// The bounds of what is kept of a chat for its row.
const (
	maxTitle = 200
	maxName  = 60
	maxLast  = 400
)

func newEntry(r Row) entry {
	e := entry{Row: r,
		title:   plain.Line(r.Title, maxTitle),
		project: plain.Line(r.Project, maxName),
		branch:  plain.Line(r.Branch, maxName),
		app:     plain.Line(r.Provider, maxName),
		last:    unmarked(plain.Line(r.LastWords, maxLast)),
	}
	if e.project == "" && r.Folder != "" {
		e.project = plain.Line(path.Base(filepath.ToSlash(r.Folder)), maxName)
	}
	if e.title == "" {
		e.title = "no title"
		if e.last != "" {
			e.title = e.last
		}
	}
	e.hay = strings.ToLower(strings.Join([]string{e.title, e.project, plain.Line(r.Folder, 400), e.app, e.branch, e.last}, "\n"))
	return e
}

// query is what was typed: words that must all be in a row, and an app or a
// folder that must be its own.
type query struct {
	words    []string
	app, dir string
}

func parseQuery(s string) query {
	var q query
	for _, w := range strings.Fields(strings.ToLower(s)) {
		switch key, value, _ := strings.Cut(w, ":"); {
		case key == "app" && strings.Contains(w, ":"):
			q.app = value
		case (key == "in" || key == "folder") && strings.Contains(w, ":"):
			q.dir = value
		default:
			q.words = append(q.words, w)
		}
	}
	return q
}

func (q query) matches(e *entry) bool {
	if q.app != "" && !strings.Contains(strings.ToLower(e.app), q.app) {
		return false
	}
	if q.dir != "" && !strings.Contains(strings.ToLower(e.Folder+"/"+e.project), q.dir) {
		return false
	}
	for _, w := range q.words {
		if !strings.Contains(e.hay, w) {
			return false
		}
	}
	return true
}

// refilter lists what matches: this folder's chats first unless all are mixed,
// the newest first in each part. The chosen chat stays chosen while it matches.
func (s *Sheet) refilter() {
	was, _ := s.Selected()
	s.list(was.ID)
}

func (s *Sheet) list(chosen string) {
	q := parseQuery(s.filter.Text())
	s.order = s.order[:0]
	for i := range s.rows {
		if q.matches(&s.rows[i]) {
			s.order = append(s.order, i)
		}
	}
	slices.SortStableFunc(s.order, func(a, b int) int {
		x, y := &s.rows[a], &s.rows[b]
		if !s.mixed {
			if c := cmp.Compare(s.away(y), s.away(x)); c != 0 {
				return -c
			}
		}
		return y.Updated.Compare(x.Updated)
	})
	s.here = 0
	for _, i := range s.order {
		if !s.mixed && s.away(&s.rows[i]) == 0 {
			s.here++
		}
	}
	s.chosen = max(min(s.chosen, len(s.order)-1), 0)
	if at := slices.IndexFunc(s.order, func(i int) bool { return s.rows[i].ID == chosen }); at >= 0 {
		s.chosen = at
	}
}

// away is 0 for a chat of this folder and 1 for every other one.
func (s *Sheet) away(e *entry) int {
	if e.Folder == s.folder {
		return 0
	}
	return 1
}

// parted reports that the list shows this folder and the others under headings.
func (s *Sheet) parted() bool { return s.here > 0 && s.here < len(s.order) }
