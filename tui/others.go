package tui

import (
	"context"
	"time"

	"conch/pastchats"
	"conch/search"
)

// What the screen asks of other apps' chats and of the search. All of it is asked
// off the screen's own goroutine.
type (
	// pastApps finds other apps' chats and brings them in: *pastchats.Service.
	pastApps interface {
		Look(context.Context) (pastchats.Status, error)
		LookAgain(context.Context) (pastchats.Status, error)
		BringIn(ctx context.Context, apps []string, progress func(pastchats.Progress)) (pastchats.Result, error)
		NotNow() error
	}
	// pastStore has those that were brought in: *pastchats.Store.
	pastStore interface {
		List() ([]pastchats.Entry, error)
		Stamp() (string, error)
		Find(id string) (pastchats.Entry, error)
		Messages(id string, each func(pastchats.Message) bool) error
		MessagesAt(id string, want func(n int) bool, each func(n int, m pastchats.Message) bool) error
	}
	// finder finds words in all chats: *search.Index.
	finder interface {
		Search(context.Context, search.Query, search.Options) (search.Results, error)
		Behind() (wait, of int)
	}
)

// others are other apps' chats as the screen knows them; nil for what is not
// there.
type others struct {
	apps  pastApps
	store pastStore
	find  finder
	parse func(typed string, now time.Time) search.Query
}

func othersOf(d Deps) *others {
	o := &others{parse: search.Parse}
	if d.Past != nil {
		o.apps = d.Past
		if store := d.Past.Store(); store != nil {
			o.store = store
		}
	}
	if d.Search != nil {
		o.find = d.Search
	}
	return o
}
