package search

import (
	"context"
	"maps"
)

// in is what was in the index at one of its states. Its map is not changed any
// more: whoever comes later makes another.
type in struct {
	state string // of the index; "" is none
	chats map[string]*entry
}

// entries are the chats that are in. They are asked for only when the index has
// changed since they were: there may be thousands, of which one has grown.
func (ix *Index) entries(ctx context.Context, db asker) (map[string]*entry, error) {
	state, err := fact(ctx, db, stateFact)
	if err != nil {
		return nil, err
	}
	ix.mu.Lock()
	was := ix.in
	ix.mu.Unlock()
	if state != "" && was.state == state {
		return was.chats, nil
	}
	chats, err := entries(ctx, db, "")
	if err != nil {
		return nil, err
	}
	ix.remember(in{state, chats})
	return chats, nil
}

func (ix *Index) remember(now in) {
	ix.mu.Lock()
	ix.in = now
	ix.mu.Unlock()
}

const mostChanged = 64 // chats that are asked for one by one after a catch-up

// changedIn follows a catch-up of this process: what it has put in or taken out is
// asked for again, and the rest is as it was. The index can't have changed
// otherwise: the lock is held.
func (ix *Index) changedIn(ctx context.Context, db asker, l *ledger) error {
	if len(l.todo)+len(l.renamed)+len(l.gone) > mostChanged {
		ix.remember(in{})
		return nil
	}
	state, err := fact(ctx, db, stateFact)
	if err != nil {
		return err
	}
	chats := maps.Clone(l.in)
	for _, e := range l.gone {
		delete(chats, e.chat.ID)
	}
	for _, list := range [][]Chat{l.todo, l.renamed} {
		for _, c := range list {
			now, err := entries(ctx, db, c.ID)
			if err != nil {
				return err
			}
			delete(chats, c.ID)
			maps.Copy(chats, now)
		}
	}
	ix.remember(in{state, chats})
	return nil
}
