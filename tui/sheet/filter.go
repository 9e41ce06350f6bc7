package sheet

import (
	"path"
	"path/filepath"
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

// query is the filter, taken apart.
type query struct {
	words    []string
	app, dir string
	deep     bool // it asks for what no row tells: the time or the speaker of a message
}

// parseQuery takes a typed line apart as far as rows can tell. What begins with a
// slash is a command and filters nothing.
func parseQuery(s string) query {
	var q query
	if isCommand(s) {
		return q
	}
	for _, w := range tokens(strings.ToLower(s)) {
		key, value, cut := strings.Cut(w, ":")
		switch {
		case cut && key == "app":
			q.app = value
		case cut && (key == "in" || key == "folder" || key == "project"):
			q.dir = value
		case cut && value != "" && (key == "since" || key == "until" || key == "from"):
			q.deep = true
		case strings.Trim(w, `"`) != "":
			q.words = append(q.words, strings.Trim(w, `"`))
		}
	}
	return q
}

// tokens are the words of a line; what stands in quotes is one.
func tokens(s string) []string {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		end := strings.IndexAny(s, " \t")
		if s[0] == '"' {
			if i := strings.IndexByte(s[1:], '"'); i >= 0 {
				end = i + 2
			}
		}
		if end < 0 || end > len(s) {
			end = len(s)
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	return out
}

// isCommand reports that a command is being typed where words are.
func isCommand(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "/") }

// filters reports that q leaves out chats by something else than words.
func (q query) filters() bool { return q.app != "" || q.dir != "" || q.deep }

func (q query) matches(e *entry) bool {
	if q.deep {
		return false
	}
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

func (s *Sheet) query() query { return parseQuery(s.filter.Text()) }

func (s *Sheet) refilter() {
	was, _ := s.Selected()
	s.list(was.ID)
}
