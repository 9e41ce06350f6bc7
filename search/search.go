package search

import "time"

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

// Places is what a Source may have beside: it gives single messages of a chat for
// less than Words costs.
type Places interface {
	// WordsAt is Words for the messages that are wanted, by their place from 0 on.
	WordsAt(id string, want func(n int) bool, each func(n int, w Word) bool) error
}

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
