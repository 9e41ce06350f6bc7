package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
)

// filter is what a query asks of chats and of a message's time.
type filter struct {
	apps, projects []string // as alike makes them
	since, until   int64    // seconds
	mine           bool
}

func newFilter(q Query) filter {
	f := filter{mine: q.FromMe}
	for _, a := range q.Apps {
		f.apps = append(f.apps, alike(a))
	}
	for _, p := range q.Projects {
		f.projects = append(f.projects, strings.ToLower(strings.TrimRight(p, `/\`)))
	}
	f.since, f.until = bounds(q.Since, q.Until)
	return f
}

func (f filter) byTime() bool { return f.since != math.MinInt64 || f.until != math.MaxInt64 }
func (f filter) byChat() bool { return len(f.apps) > 0 || len(f.projects) > 0 }

// alike is a name without what people leave out or type otherwise.
func alike(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' || r == '_' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// kind is what the chat filters look at.
type kind struct{ app, project, from string }

func kindOf(c Chat) kind { return kind{c.App, c.Project, c.From} }

// among says which kinds of chats the filters leave. A name that is one of theirs
// means only that one; any other means all that begin so.
func (f filter) among(all []kind) func(kind) bool {
	apps := chosen(f.apps, all, func(k kind) []string {
		names := []string{alike(k.app)}
		if label, _, ok := strings.Cut(k.from, ", in "); ok || k.from != "" {
			names = append(names, alike(label))
		} else {
			names = append(names, "conch")
		}
		return names
	}, func(name, typed string) bool {
		return strings.HasPrefix(name, typed) || name != "" && strings.TrimSuffix(typed, "cli") == name
	})
	projects := chosen(f.projects, all, func(k kind) []string { return []string{strings.ToLower(k.project)} }, strings.Contains)
	return func(k kind) bool { return apps(k) && projects(k) }
}

// chosen makes the test of one filter.
func chosen(typed []string, all []kind, names func(kind) []string, near func(name, typed string) bool) func(kind) bool {
	if len(typed) == 0 {
		return func(kind) bool { return true }
	}
	exact := map[string]bool{}
	for _, t := range typed {
		exact[t] = slices.ContainsFunc(all, func(k kind) bool { return slices.Contains(names(k), t) })
	}
	return func(k kind) bool {
		return slices.ContainsFunc(typed, func(t string) bool {
			return slices.ContainsFunc(names(k), func(name string) bool { return name == t || !exact[t] && near(name, t) })
		})
	}
}

// scope is a part of the index that is searched: rowids from lo to hi, and of
// those only the ones of some pieces, as a JSON list, unless that is "".
type scope struct {
	lo, hi int64
	pieces string
	ends   bool // hi is the end of a piece
}

// maxScopes is how many spans of rowids are searched one after another; of more,
// all rows between them are looked at.
const maxScopes = 32

// scopes are the parts of the index that the filters leave, newest first.
func (f *finding) scopes() ([]scope, error) {
	if !f.filter.byChat() && !f.filter.byTime() && f.o.Except == "" {
		return []scope{{hi: math.MaxInt64}}, nil
	}
	if !f.filter.byChat() && !f.filter.byTime() {
		return f.around()
	}
	chats, err := f.allowed()
	if err != nil {
		return nil, err
	}
	rows, err := f.db.QueryContext(f.ctx, `SELECT number, messages, since, until FROM pieces
		WHERE since < ? AND until >= ? AND (? = '' OR chat IN (SELECT value FROM json_each(?))) ORDER BY number DESC`,
		f.filter.until, f.filter.since, chats, cmp.Or(chats, "[]"))
	if err != nil {
		return nil, classify(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	var spans, partial []scope
	for rows.Next() {
		var number, count, since, until int64
		if err := rows.Scan(&number, &count, &since, &until); err != nil {
			return nil, classify(err)
		}
		s := scope{lo: rowid(number, 0, false), hi: rowid(number, int(count)-1, true), ends: true}
		if since < f.filter.since || until >= f.filter.until {
			partial = append(partial, s)
			continue
		}
		spans = append(spans, s)
	}
	if err := rows.Err(); err != nil {
		return nil, classify(err)
	}
	for _, s := range partial {
		if s, ok, err := f.inTime(s); err != nil {
			return nil, err
		} else if ok {
			spans = append(spans, s)
		}
	}
	return joined(spans), nil
}

// around leaves out one chat.
func (f *finding) around() ([]scope, error) {
	rows, err := f.db.QueryContext(f.ctx, `SELECT p.number FROM pieces p JOIN chats c ON c.n = p.chat WHERE c.id = ? ORDER BY p.number DESC`, f.o.Except)
	if err != nil {
		return nil, classify(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	var list []scope
	hi := int64(math.MaxInt64)
	for rows.Next() {
		var number int64
		if err := rows.Scan(&number); err != nil {
			return nil, classify(err)
		}
		if lo := rowid(number+1, 0, false); lo <= hi {
			list = append(list, scope{lo: lo, hi: hi})
		}
		hi = rowid(number, 0, false) - 1
	}
	return append(list, scope{hi: hi}), classify(rows.Err())
}

// inTime narrows a piece down to its messages in the time that is asked for.
func (f *finding) inTime(s scope) (scope, bool, error) {
	number, _ := placeOf(s.lo)
	var packed []byte
	if err := f.db.QueryRowContext(f.ctx, `SELECT times FROM pieces WHERE number = ?`, number).Scan(&packed); err != nil {
		return s, false, classify(err)
	}
	from, to := inside(unpack(packed), f.filter.since, f.filter.until)
	return scope{lo: rowid(number, from, false), hi: rowid(number, to-1, true)}, from < to, nil
}

// joined puts spans that touch together, newest first. Too many become one that
// names its pieces.
func joined(spans []scope) []scope {
	slices.SortFunc(spans, func(a, b scope) int { return cmp.Compare(b.lo, a.lo) })
	var list []scope
	for _, s := range spans {
		if n := len(list); n > 0 {
			above, _ := placeOf(list[n-1].lo)
			number, _ := placeOf(s.hi)
			_, place := placeOf(list[n-1].lo)
			// Behind a piece's last message there is nothing.
			if s.ends && above == number+1 && place == 0 {
				list[n-1].lo = s.lo
				continue
			}
		}
		list = append(list, s)
	}
	if len(list) <= maxScopes {
		return list
	}
	numbers := func(yield func(int64) bool) {
		for _, s := range spans {
			if number, _ := placeOf(s.lo); !yield(number) {
				return
			}
		}
	}
	return []scope{{lo: spans[len(spans)-1].lo, hi: spans[0].hi, pieces: listOf(numbers)}}
}

// allowed are the chats that the filters leave, as a JSON list; "" for all.
func (f *finding) allowed() (string, error) {
	if !f.filter.byChat() && f.o.Except == "" {
		return "", nil
	}
	kinds, err := f.kinds(f.ctx)
	if err != nil {
		return "", err
	}
	all := make([]kind, 0, len(kinds))
	for k := range kinds {
		all = append(all, k)
	}
	for _, c := range f.ledger.todo {
		all = append(all, kindOf(c))
	}
	fits := f.filter.among(all)
	f.fits = fits
	var fit []string
	for k, list := range kinds {
		if fits(k) {
			fit = append(fit, list)
		}
	}
	return "[" + strings.Join(fit, ",") + "]", nil
}

// kinds are the chats that are in the index by what the filters look at: lists of
// numbers with commas between them.
func (f *finding) kinds(ctx context.Context) (map[kind]string, error) {
	rows, err := f.db.QueryContext(ctx, `SELECT app, project, sender, group_concat(n) FROM chats WHERE id <> ? GROUP BY app, project, sender`, f.o.Except)
	if err != nil {
		return nil, classify(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	kinds := map[kind]string{}
	for rows.Next() {
		var k kind
		var list string
		if err := rows.Scan(&k.app, &k.project, &k.from, &list); err != nil {
			return nil, classify(err)
		}
		kinds[k] = list
	}
	return kinds, classify(rows.Err())
}
