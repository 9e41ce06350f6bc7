package search

import (
	"context"
	"time"

	"conch/chats"
)

// Chat is what a source says of one chat.
type Chat struct {
	ID        string
	App       string // a provider's or an app's id; "conch" for a chat of several
	Title     string
	Project   string
	From      string // "Claude Code, in shop"; "" for a chat of Conch's own
	Untrusted bool   // another app's: material from outside
	Updated   time.Time
	Stamp     string // changes whenever the chat's words do
}

// Word is one message.
type Word struct {
	ID   string // message id
	Role string // user or assistant
	Text string
	At   time.Time
}

// Source is a place with chats: Conch's own, or those of other apps.
type Source interface {
	// Stamp changes whenever Chats would give something else. It is cheap.
	Stamp() (string, error)
	// Chats lists all of them.
	Chats() ([]Chat, error)
	// Words reads a chat's messages in order, redacted. each returns false to
	// stop.
	Words(id string, each func(Word) bool) error
}

// Own makes Conch's own chats a source.
func Own(store *chats.Store) Source { return own{store} }

type own struct{ store *chats.Store }

func (own) Stamp() (string, error)              { return "", nil }
func (own) Chats() ([]Chat, error)              { return nil, nil }
func (own) Words(string, func(Word) bool) error { return nil }

// Index is the search index in CONCH_HOME/conch.db. Methods may be called from
// several goroutines; several processes may use one file.
type Index struct{}

// Open opens the index below home (CONCH_HOME). Nothing is made before CatchUp,
// and a damaged file is made anew. log gets what is for the program's own log.
func Open(home string, log func(code, line string), sources ...Source) (*Index, error) {
	return &Index{}, nil
}

// Changed says that a source has changed: a catch-up that runs goes on until it
// has what there is now, and Follow begins one.
func (ix *Index) Changed() {}

// Follow catches up once and then after each Changed, until ctx ends.
func (ix *Index) Follow(ctx context.Context) {}

// CatchUp brings the index up to the sources and returns when it is.
func (ix *Index) CatchUp(ctx context.Context) error { return nil }

// Behind is how many chats wait to be indexed, of how many. It is cheap.
func (ix *Index) Behind() (wait, of int) { return 0, 0 }

// Close lets go of the file.
func (ix *Index) Close() error { return nil }

// Query is what was typed, taken apart.
type Query struct {
	Words    []string // each must be there, as a word or its beginning
	Phrases  []string // in this order
	Apps     []string // app:
	Projects []string // project:
	Since    time.Time
	Until    time.Time // exclusive
	FromMe   bool      // from:me
	Typed    string
}

// Parse takes a typed line apart: words, "quoted phrases", app:, project:,
// since:, until: (2026, 2026-10, 2026-10-03, today, yesterday, 3d, 2w, 6m) and
// from:me. What is no filter is a word; it never fails. now dates the relative ones.
func Parse(typed string, now time.Time) Query { return Query{} }

// Empty reports that nothing is asked for: no word and no filter.
func (q Query) Empty() bool { return true }

// Options of one search.
type Options struct {
	Limit   int    // hits, 20 when 0
	PerChat int    // hits of one chat, all when 0
	Except  string // a chat to leave out
	// Newest orders by time alone, which is cheaper; else by relevance with
	// recency.
	Newest bool
}

// Results of one search.
type Results struct {
	Total int // messages that match; at least this many when More
	More  bool
	Chats int // chats that they are in
	Hits  []Hit
	Close []string // spellings that were tried because nothing matched exactly
	Hint  string   // one sentence when the search could not be done as typed
	Wait  int      // chats not indexed yet; they were read instead as far as there was time
	Took  time.Duration
}

// Hit is one message that matches.
type Hit struct {
	Chat    Chat
	Message string // id
	N       int    // place in the chat, from 0
	Role    string
	At      time.Time
	Snippet string   // one line, redacted and harmless, about 160 characters
	Marks   [][2]int // byte ranges of Snippet that match
}

// Search finds messages. A filter without words gives the newest chats that it
// leaves, each by its first message.
func (ix *Index) Search(ctx context.Context, q Query, o Options) (Results, error) {
	return Results{}, nil
}
