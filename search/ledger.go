package search

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ledger is what there is to index and what is in, as of one moment.
type ledger struct {
	at      time.Time
	changes int64
	state   string         // of the index
	stamps  string         // of the sources
	all     []Chat         // newest first; nil when everything is in and they were not asked
	source  map[string]int // of the sources, which has a chat
	in      map[string]*entry
	todo    []Chat // new, changed or not all in, newest first
	gone    []entry
	renamed []Chat // the same words, other facts
}

// entry is a chat that is in.
type entry struct {
	n        int64
	source   int
	chat     Chat // Stamp is "" while it is not all in
	messages int
	sum      int64
}

// stamps of all sources, as one string. They are asked before the chats are, so
// that what changes meanwhile is noticed.
func (ix *Index) stamps() (string, error) {
	list := make([]string, len(ix.sources))
	for i, s := range ix.sources {
		var err error
		if list[i], err = s.Stamp(); err != nil {
			return "", fmt.Errorf("look what there is to search: %w", err)
		}
	}
	b, err := json.Marshal(list)
	return string(b), err
}

// asker is what statements are run on.
type asker interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// fact is what is kept about the index, "" when nothing is.
func fact(ctx context.Context, db asker, name string) (string, error) {
	var value string
	err := db.QueryRowContext(ctx, `SELECT value FROM facts WHERE name = ?`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, classify(err)
}

// compare finds out what is not in. db is nil when there is no index.
func (ix *Index) compare(ctx context.Context, db asker) (*ledger, error) {
	l := &ledger{at: time.Now(), changes: ix.changes.Load()}
	var err error
	if l.stamps, err = ix.stamps(); err != nil {
		return nil, err
	}
	if db != nil {
		done, err := fact(ctx, db, stampsFact)
		if err != nil {
			return nil, err
		}
		if done == l.stamps {
			return l, nil
		}
	}
	if err := l.list(ix.sources); err != nil {
		return nil, err
	}
	l.in = map[string]*entry{}
	if db != nil {
		if l.in, err = ix.entries(ctx, db); err != nil {
			return nil, err
		}
	}
	known := 0
	for i := range l.all {
		c := &l.all[i]
		e, ok := l.in[c.ID]
		if ok {
			known++
		}
		switch {
		case !ok || e.chat.Stamp != c.Stamp || c.Stamp == "":
			l.todo = append(l.todo, *c)
		case !same(&e.chat, c) || e.source != l.source[c.ID]:
			l.renamed = append(l.renamed, *c)
		}
	}
	if known == len(l.in) {
		return l, nil
	}
	for id, e := range l.in {
		if _, ok := l.source[id]; !ok {
			l.gone = append(l.gone, *e)
		}
	}
	return l, nil
}

// forgets reports that the index is to begin anew, so that nothing is left in it
// of chats that are gone: all of other apps', or most of what is in.
func (l *ledger) forgets() bool {
	gone, in, outside := 0, 0, false
	for _, e := range l.gone {
		gone += e.messages
		outside = outside || e.chat.Untrusted
	}
	for _, e := range l.in {
		in += e.messages
	}
	if gone > in/2 {
		return true
	}
	return outside && !slices.ContainsFunc(l.all, func(c Chat) bool { return c.Untrusted })
}

// list asks the sources for all chats.
func (l *ledger) list(sources []Source) error {
	lists := make([][]Chat, len(sources))
	n := 0
	for i, s := range sources {
		var err error
		if lists[i], err = s.Chats(); err != nil {
			return fmt.Errorf("list the chats to search: %w", err)
		}
		n += len(lists[i])
	}
	l.source = make(map[string]int, n)
	all := make([]*Chat, 0, n) // a chat is large to move about
	for i, list := range lists {
		for at := range list {
			c := &list[at]
			if _, twice := l.source[c.ID]; !twice {
				l.source[c.ID] = i
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b *Chat) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(b.ID, a.ID))
	})
	l.all = make([]Chat, len(all))
	for at, c := range all {
		l.all[at] = *c
	}
	return nil
}

// have is what is in of a chat.
func (l *ledger) have(id string) entry {
	if e, ok := l.in[id]; ok {
		return *e
	}
	return entry{}
}

// same reports that two records of a chat say the same of it.
func same(a, b *Chat) bool {
	return a.App == b.App && a.Title == b.Title && a.Project == b.Project && a.From == b.From &&
		a.Untrusted == b.Untrusted && nanos(a.Updated) == nanos(b.Updated)
}

// entries are the chats that are in, or the one of an id.
func entries(ctx context.Context, db asker, id string) (map[string]*entry, error) {
	query, args := `SELECT n, source, id, stamp, app, title, project, sender, untrusted, updated, messages, sum FROM chats`, []any(nil)
	if id != "" {
		query, args = query+` WHERE id = ?`, []any{id}
	}
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, classify(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	in := map[string]*entry{}
	for rows.Next() {
		e := &entry{}
		var updated int64
		if err := rows.Scan(&e.n, &e.source, &e.chat.ID, &e.chat.Stamp, &e.chat.App, &e.chat.Title, &e.chat.Project, &e.chat.From,
			&e.chat.Untrusted, &updated, &e.messages, &e.sum); err != nil {
			return nil, classify(err)
		}
		e.chat.Updated = fromNanos(updated)
		in[e.chat.ID] = e
	}
	return in, classify(rows.Err())
}
