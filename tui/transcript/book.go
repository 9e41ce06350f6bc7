package transcript

import "conch/chats"

// book is what the list remembers of the events, so that a later one finds its
// item.
type book struct {
	first, last int64 // seqs that were taken in; -1: none

	turn  *turn // the newest
	texts map[textKey]*item
	steps map[string]*item // that have not ended, by their tool use id
	asks  map[string]*item // permissions and questions that wait, by their id

	// Events of things whose beginning is older than what is loaded.
	orphans []chats.Event

	engine string // who answers, as far as is known
	mode   string
	chosen string // who was chosen last, and its own mode
	native string
}

// turn is the newest turn.
type turn struct {
	id      string
	started int64
	plan    *item
	steps   []*item
	divider bool // it says already who answers
}

// textKey names a message of the assistant. Providers may use an id again in
// another turn.
type textKey struct{ turn, message, channel string }

func newBook() book {
	return book{
		first: -1, last: -1,
		texts: map[textKey]*item{},
		steps: map[string]*item{},
		asks:  map[string]*item{},
	}
}

func (b *book) running() bool {
	for _, it := range b.steps {
		if it.body.(*step).state == Running {
			return true
		}
	}
	return false
}

// taken reports that an event of the log was taken in before, and notes it.
func (b *book) taken(seq int64) bool {
	if b.first < 0 {
		b.first, b.last = seq, seq
		return false
	}
	if seq >= b.first && seq <= b.last {
		return true
	}
	b.first = min(b.first, seq)
	b.last = max(b.last, seq)
	return false
}
