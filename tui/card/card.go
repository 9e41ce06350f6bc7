// Package card draws what waits for the person, permissions and questions, and
// takes the keys that answer it.
//
// No key answers a card that was not focused, nor in the first 300 ms of its
// focus, and Enter is no answer to a permission. A card that goes takes the
// focus with it: the next one must be focused anew. All text of agents passes
// package plain.
package card

import (
	"time"

	"charm.land/bubbletea/v2"

	"conch/conversation"
	"conch/engine"
	"conch/tui/theme"
)

// Quiet is how long after its focus a card takes no key.
const Quiet = 300 * time.Millisecond

// Kind is what the screen is asked to do.
type Kind int

const (
	None    Kind = iota
	Answer       // Manager.Answer(Card, Option)
	Reply        // Manager.AnswerQuestion(Card, Reply)
	Leave        // the focus goes back to the composer
	OpenURL      // the person asked to open URL, or to copy it where nothing opens it
	CarryOn      // after a pause
)

// Outcome is what a key gave.
type Outcome struct {
	Kind   Kind
	Card   string
	Option string // "" declines
	Reply  engine.Answer
	URL    string
}

// Pause is a turn that stopped at a limit and can be carried on.
type Pause struct {
	ID, Words string
}

// Stack is the cards of one chat, oldest first; one is shown.
type Stack struct{}

// New makes an empty stack.
func New(th *theme.Theme) *Stack { return &Stack{} }

// SetTheme draws with another theme from now on.
func (s *Stack) SetTheme(th *theme.Theme) {}

// Set gives the cards that wait, as Manager.Status has them. The card that is
// shown stays shown, and focused, while it is among them.
func (s *Stack) Set(cards []conversation.Card) {}

// SetPause shows a pause when no card waits; nil takes it away.
func (s *Stack) SetPause(p *Pause) {}

// Len is the number of cards that wait.
func (s *Stack) Len() int { return 0 }

// Focus lets the card that is shown take keys, Quiet after at. It reports false
// when nothing waits.
func (s *Stack) Focus(at time.Time) bool { return false }

// Blur takes the focus away; what was typed into a question stays.
func (s *Stack) Blur() {}

// Focused reports that keys go to the card.
func (s *Stack) Focused() bool { return false }

// Key takes a key. It reports false for a key that is not the card's while it is
// not focused, and for those of the screen (esc, ctrl chords) always.
func (s *Stack) Key(k tea.KeyPressMsg, at time.Time) (Outcome, bool) { return Outcome{}, false }

// Paste goes into the focused field of a question; elsewhere it is dropped.
func (s *Stack) Paste(text string, at time.Time) {}

// Lines draws the shown card in at most rows rows of exactly width cells; nil
// when nothing waits.
func (s *Stack) Lines(width, rows int) []string { return nil }

// Cursor is the cell in the last Lines where the terminal's cursor stands; ok is
// false when the card takes no text now.
func (s *Stack) Cursor() (x, y int, ok bool) { return 0, 0, false }
