// Package card draws what waits for the person, permissions and questions, and
// takes the keys that answer it.
//
// No key answers a card that was not focused, nor in the first 300 ms of its
// focus, and Enter is no answer to a permission. What is allowed was on the
// screen whole: a key that allows a call whose words are cut shows the rest
// first. A card that goes takes the focus with it: the next one must be focused
// anew. All text of agents passes package plain.
package card

import (
	"slices"
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
	OpenURL      // the person asked to open URL; where nothing opens it, it is copied
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

// Stack is the cards of one chat, oldest first; one is shown. Use New.
type Stack struct {
	th       *theme.Theme
	focusKey string
	whole    bool

	cards []conversation.Card
	pause *Pause
	faces map[string]face // what is drawn of each card that waits
	shown string          // id of the card that is shown; "" when none waits

	focused bool
	since   time.Time

	cursor struct {
		x, y int
		ok   bool
	}
}

// face is one card's side to the person. It lives as long as the card waits.
type face interface {
	// key takes a key of a focused card. ok is false for one that is not its.
	key(k tea.KeyPressMsg) (o Outcome, ok bool)
	paste(text string)
	// draw gives exactly wide rows, at most rows of them, without the bar.
	draw(d drawing) []string
	// caret is the cell of the last draw where text is typed.
	caret() (x, y int, ok bool)
}

// drawing is what a face needs to draw itself.
type drawing struct {
	th       *theme.Theme
	width    int
	rows     int
	focused  bool
	place    string // "1 of 3", "" for one card alone
	focusKey string
}

// New makes an empty stack.
func New(th *theme.Theme) *Stack {
	return &Stack{th: th, focusKey: "tab", faces: map[string]face{}}
}

// SetTheme draws with another theme from now on.
func (s *Stack) SetTheme(th *theme.Theme) { s.th = th }

// SetFocusKey names the key that focuses a card, for its last row.
func (s *Stack) SetFocusKey(name string) { s.focusKey = name }

// SetWhole asks that of every call the changes are shown whole from the start, and that
// nothing is allowed before the end of them was on the screen. An option is then called
// by its own name.
func (s *Stack) SetWhole() { s.whole = true }

// Set gives the cards that wait, as Manager.Status has them. The card that is
// shown stays shown, and focused, while it is among them; what was typed into a
// question stays as long as it waits.
func (s *Stack) Set(cards []conversation.Card) {
	s.cards = cards
	faces := map[string]face{}
	for _, c := range cards {
		if f, ok := s.faces[c.ID]; ok {
			faces[c.ID] = f
		} else if c.Permission != nil {
			p := newPermission(c)
			p.whole, p.details = s.whole, s.whole
			faces[c.ID] = p
		} else if c.Question != nil {
			faces[c.ID] = newQuestion(c)
		}
	}
	if s.pausing() {
		faces[s.shown] = s.faces[s.shown]
	}
	s.faces = faces
	s.show()
}

// SetPause shows a pause when no card waits; nil takes it away.
func (s *Stack) SetPause(p *Pause) {
	if s.pausing() && (p == nil || p.ID != s.pause.ID) {
		delete(s.faces, s.shown)
	}
	s.pause = p
	s.show()
}

// show picks the card to show; one that is gone takes the focus with it.
func (s *Stack) show() {
	if _, ok := s.faces[s.shown]; ok && s.shown != "" && !(s.pausing() && len(s.cards) > 0) {
		return
	}
	next := ""
	for _, c := range s.cards {
		if s.faces[c.ID] != nil {
			next = c.ID
			break
		}
	}
	if next == "" && s.pause != nil {
		next = pauseID(s.pause)
		s.faces[next] = &pauseCard{*s.pause}
	}
	if next != s.shown {
		s.Blur()
	}
	s.shown = next
}

// pausing reports that the pause is what is shown.
func (s *Stack) pausing() bool { return s.pause != nil && s.shown == pauseID(s.pause) }

// pauseID cannot be the id of a card.
func pauseID(p *Pause) string { return "\x00" + p.ID }

// Len is the number of cards that wait, a pause not counted.
func (s *Stack) Len() int { return len(s.cards) }

// Shown is the id of the card that is shown; "" when none is.
func (s *Stack) Shown() string {
	if s.pausing() {
		return s.pause.ID
	}
	return s.shown
}

// Focus lets the card that is shown take keys, Quiet after at. It reports false
// when nothing waits.
func (s *Stack) Focus(at time.Time) bool {
	if s.shown == "" {
		return false
	}
	if !s.focused {
		s.focused, s.since = true, at
	}
	return true
}

// Blur takes the focus away; what was typed into a question stays.
func (s *Stack) Blur() { s.focused = false }

// Focused reports that keys go to the card.
func (s *Stack) Focused() bool { return s.focused && s.shown != "" }

// Key takes a key. It reports false for every key while no card is focused, and
// always for those of the screen: esc, function keys, ctrl and alt chords that no
// field of text takes. at is when the key came.
func (s *Stack) Key(k tea.KeyPressMsg, at time.Time) (Outcome, bool) {
	if !s.Focused() || screenKey(k) {
		return Outcome{}, false
	}
	if s.quiet(at) {
		return Outcome{}, true
	}
	if k.Keystroke() == "tab" {
		s.Blur()
		return Outcome{Kind: Leave}, true
	}
	o, ok := s.faces[s.shown].key(k)
	if o.Kind != None {
		o.Card = s.Shown()
	}
	if o.Kind == Answer || o.Kind == Reply || o.Kind == CarryOn {
		s.Blur()
	}
	return o, ok || k.Text != ""
}

// quiet reports that the focus is too young for a key. A clock that went back
// counts as young.
func (s *Stack) quiet(at time.Time) bool { return at.Sub(s.since) < Quiet }

// screenKey are the keys that a card never takes.
func screenKey(k tea.KeyPressMsg) bool {
	switch k.Keystroke() {
	case "esc", "shift+tab", "ctrl+c", "ctrl+z", "ctrl+l", "ctrl+o", "ctrl+p", "ctrl+t", "ctrl+g", "ctrl+r":
		return true
	}
	return k.Code >= tea.KeyF1 && k.Code <= tea.KeyF12
}

// Paste goes into the focused field of a question; elsewhere, and in the first
// moments of the focus, it is dropped. It reports whether a card had the focus.
func (s *Stack) Paste(text string, at time.Time) bool {
	if !s.Focused() {
		return false
	}
	if !s.quiet(at) {
		s.faces[s.shown].paste(text)
	}
	return true
}

// Lines draws the shown card in at most rows rows of exactly width cells; nil
// when nothing waits.
func (s *Stack) Lines(width, rows int) []string {
	s.cursor.ok = false
	f := s.faces[s.shown]
	if f == nil || s.shown == "" || width < 1 || rows < 1 {
		return nil
	}
	d := drawing{th: s.th, width: max(width-barWidth, 1), rows: rows, focused: s.Focused(), focusKey: s.focusKey}
	if len(s.cards) > 1 {
		i := slices.IndexFunc(s.cards, func(c conversation.Card) bool { return c.ID == s.shown })
		d.place = place(i+1, len(s.cards))
	}
	lines := f.draw(d)
	if len(lines) > rows {
		lines = lines[:rows]
	}
	x, y, ok := f.caret()
	s.cursor.x, s.cursor.y, s.cursor.ok = min(x+barWidth, width-1), y, ok && d.focused && y < len(lines)
	return withBar(s.th, lines, width, d.focused)
}

// Cursor is the cell in the last Lines where the terminal's cursor stands; ok is
// false when the card takes no text now.
func (s *Stack) Cursor() (x, y int, ok bool) { return s.cursor.x, s.cursor.y, s.cursor.ok }
