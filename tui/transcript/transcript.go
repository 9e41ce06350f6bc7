// Package transcript is the chat on the screen: a list of items made from a
// chat's events, of which only those in sight are drawn.
//
// The cost of a frame does not depend on the length of the chat. The list keeps
// the source text of items and the lines of those that are in reach. It follows
// the end only while the end is in sight, and it never moves what is being read.
// It does no input or output, starts nothing and reads no clock: the root calls
// its methods and draws Lines.
package transcript

import (
	"time"

	"conch/chats"
	"conch/tui/theme"
)

// Options are the choices that hold as long as the program runs.
type Options struct {
	Measure int  // text is at most so wide, in cells; 0 is 100
	Plain   bool // for screen readers: no bars, no rules, nothing on the right edge
	Still   bool // nothing moves: running steps show no growing time
	Zone    *time.Location
}

// Transcript is one chat's list. Its methods are called from one goroutine.
type Transcript struct{}

// New makes an empty list. Call SetSize before Lines.
func New(th *theme.Theme, o Options) *Transcript { return &Transcript{} }

// SetSize sets the pane in cells. Negative counts as 0.
func (t *Transcript) SetSize(width, height int) {}

// SetTheme draws with another theme from now on.
func (t *Transcript) SetTheme(th *theme.Theme) {}

// Apply takes in events in the order in which they happened, live ones and those
// of the log. One that was taken in already changes nothing.
func (t *Transcript) Apply(events []chats.Event) {}

// Prepend puts events that are older than all others before them, oldest first.
// more says that there are still older ones. What is in sight stays where it is.
func (t *Transcript) Prepend(older []chats.Event, more bool) {}

// SetMore says whether the log holds events older than what was applied.
func (t *Transcript) SetMore(more bool) {}

// NeedsOlder reports that the top is in reach and the log has older events:
// read those before the seq and hand them to Prepend. It stays true until
// Prepend was called; the root asks the log once.
func (t *Transcript) NeedsOlder() (before int64, yes bool) { return 0, false }

// Lines are exactly as many as the height, each at most the width in cells and
// not padded. The slice is valid until the next call of a method.
func (t *Transcript) Lines() []string { return nil }

// Empty reports that there is nothing to show.
func (t *Transcript) Empty() bool { return true }

// Following reports that the last line is in sight and stays there.
func (t *Transcript) Following() bool { return true }

// Unseen counts the items that came below what is in sight, for "↓ N new".
func (t *Transcript) Unseen() int { return 0 }

// Scroll moves by lines; below 0 is towards the beginning. The wheel is three.
func (t *Transcript) Scroll(lines int) {}

// Page moves by a page less two lines, -1 up or +1 down.
func (t *Transcript) Page(dir int) {}

// ToEnd shows the end and follows it again.
func (t *Transcript) ToEnd() {}

// ToStart shows the oldest line that is loaded.
func (t *Transcript) ToStart() {}

// GoTo shows a step and, in focus mode, selects it. False: it is not loaded.
func (t *Transcript) GoTo(toolUseID string) bool { return false }

// Click selects the item at the pane's line y and, on the line that bears a fold
// sign, opens or folds it. False: there is nothing at y.
func (t *Transcript) Click(y int) bool { return false }

// Focus turns selecting of items on or off. On selects the last item in sight.
func (t *Transcript) Focus(on bool) {}

// Focused reports that items are selected.
func (t *Transcript) Focused() bool { return false }

// Move selects the next (+1) or previous (-1) item and brings it in sight.
func (t *Transcript) Move(dir int) {}

// First and Last select the ends.
func (t *Transcript) First() {}
func (t *Transcript) Last()  {}

// Toggle opens or folds the selected item.
func (t *Transcript) Toggle() {}

// Selected is the selected item.
func (t *Transcript) Selected() (Item, bool) { return Item{}, false }

// Item is what is known of an item to the outside.
type Item struct {
	Kind      Kind
	ToolUseID string // of a step
	Copy      string // source text, clean: no borders, no breaks of wrapping
	Path      string // file that the item is about, "" for none; as the agent named it
	Line      int    // 1-based line in Path, 0 unknown
	Folds     bool   // it can be opened and folded
	Open      bool
}

// Kind is what an item is.
type Kind uint8

// The kinds of items.
const (
	KindPerson Kind = iota
	KindText
	KindThought
	KindStep
	KindPlan
	KindDivider
	KindNotice
	KindEnd
	KindShell
	KindQuestion
)

// LastAnswer is the source text of the newest answer, "" when there is none.
func (t *Transcript) LastAnswer() string { return "" }

// CodeBlock is the n-th (from 1) block of code of the newest answer that has any.
func (t *Transcript) CodeBlock(n int) (string, bool) { return "", false }

// Find marks words and shows the nearest place above the end of what is in
// sight that holds them. It ignores case. "" ends the search.
func (t *Transcript) Find(query string) (found bool) { return false }

// NextMatch and PrevMatch go to the next place below or above, around the ends.
func (t *Transcript) NextMatch() bool { return false }
func (t *Transcript) PrevMatch() bool { return false }

// Running reports that a step shows a growing time: call Tick about once a
// second. It is never true with Options.Still.
func (t *Transcript) Running() bool { return false }

// Tick tells the time to the steps that run.
func (t *Transcript) Tick(now time.Time) {}

// Flush gives, once each, the lines of the items that are finished, in order. It
// is for plain output, which is written and never drawn again.
func (t *Transcript) Flush() []string { return nil }

// Side is what the side pane shows of the newest turn.
type Side struct {
	Plan  []chats.PlanStep
	Steps []SideStep
	Files []SideFile
}

// SideStep is one step in one line.
type SideStep struct {
	ToolUseID string
	Name      string
	Subject   string
	Result    string
	State     State
}

// SideFile is a file that the turn changed.
type SideFile struct {
	Path           string
	Added, Removed int
}

// State is how a step stands.
type State uint8

// The states of a step.
const (
	Running State = iota
	Waiting       // for the person
	Done
	Failed
	NotRun
	Unknown
)

// Steps gives the newest turn's plan, steps and changed files.
func (t *Transcript) Steps() Side { return Side{} }

// StepLine draws a step of Side in one line of at most width cells.
func (t *Transcript) StepLine(s SideStep, width int) string { return "" }
