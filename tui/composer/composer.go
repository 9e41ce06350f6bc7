// Package composer is the prompt: text of several lines on grapheme clusters,
// readline's keys, history, chips for long pastes and pictures, completion of
// commands and files, a shell line.
//
// It is a struct with plain methods: the screen hands keys and pastes in and
// gets lines, a cursor and actions back. It owns no time, starts nothing and
// reads no file; what needs a disk or a clock is done by the screen and handed
// in. No draft is ever lost: what leaves the prompt is sent or in the history.
package composer

import (
	"time"

	"charm.land/bubbletea/v2"

	"conch/engine"
	"conch/tui/complete"
	"conch/tui/theme"
)

// HoldTime is how long an Enter is held that came in one burst with the text
// before it, as a paste does in a terminal without bracketed paste.
const HoldTime = 20 * time.Millisecond

// Action is what a key asks the screen to do.
type Action int

const (
	None Action = iota
	Send        // take the message with Take and send it
	Hold        // call Release after HoldTime
)

// Kind is what a draft is.
type Kind int

const (
	Prompt  Kind = iota // words for the agent
	Command             // begins with a slash that was typed
	Shell               // begins with an exclamation mark that was typed
)

// Keys are the keys of the composer's own actions, by the names that
// tea.Key.String and Keystroke give. Editing keys are readline's and fixed.
type Keys struct {
	Send, Newline, HistoryBack, HistoryForward, HistorySearch, Complete, Open []string
	Unqueue                                                                   string // only shown
}

// DefaultKeys are those of the key table.
func DefaultKeys() Keys {
	return Keys{
		Send: []string{"enter"}, Newline: []string{"shift+enter", "alt+enter", "ctrl+j"},
		HistoryBack: []string{"up"}, HistoryForward: []string{"down"}, HistorySearch: []string{"ctrl+r"},
		Complete: []string{"tab", "enter"}, Open: []string{"alt+o"}, Unqueue: "alt+up",
	}
}

// Message is a draft that was taken.
type Message struct {
	Text        string // whole: chips are opened; a shell line has no mark, a command keeps its slash
	Kind        Kind
	Attachments []engine.Attachment
	Files       []string // paths named with @, in order, as they were inserted
}

// Pasted says what a paste may be besides text.
type Pasted struct {
	// Pictures are the paths of image files when the paste is nothing else. The
	// text is in the prompt already; Replace puts a chip there once the screen
	// has read a file and the agent takes pictures.
	Pictures []Picture
}

// Picture is a path in the prompt that names an image.
type Picture struct {
	Text string // as it stands in the prompt
	Path string // without quotes and backslashes
}

// Composer is one chat's prompt.
type Composer struct{}

// New makes an empty prompt. history may be shared between prompts; nil makes
// one of its own.
func New(th *theme.Theme, history *History) *Composer { return &Composer{} }

// SetTheme, SetKeys, SetWidth, SetMaxRows, SetPlaceholder and SetFocused say how
// it is drawn. A width or a number of rows below one counts as one. An unfocused
// prompt keeps its text and shows no accent.
func (c *Composer) SetTheme(th *theme.Theme)    {}
func (c *Composer) SetKeys(k Keys)              {}
func (c *Composer) SetWidth(width int)          {}
func (c *Composer) SetMaxRows(rows int)         {}
func (c *Composer) SetPlaceholder(words string) {}
func (c *Composer) SetFocused(focused bool)     {}

// SetChat says whose entries "this chat" are in the history.
func (c *Composer) SetChat(id string) {}

// SetQueue shows the messages that wait, oldest first. held: they were held
// back by a stop and go when the person sends.
func (c *Composer) SetQueue(words []string, held bool) {}

// SetCommands gives what a slash completes, Conch's first, then the agent's.
// Insert is the command with its slash.
func (c *Composer) SetCommands(items []complete.Item) {}

// SetFiles gives what an at sign completes.
func (c *Composer) SetFiles(f *complete.Files) {}

// WantsFiles reports once that a completion of files began: the screen walks
// the folder and calls SetFiles.
func (c *Composer) WantsFiles() bool { return false }

// Key takes a key. The second result is false for a key that means nothing here
// now, such as ctrl+d in an empty prompt or tab without a list: it is the
// screen's. at is when the key came.
func (c *Composer) Key(k tea.KeyPressMsg, at time.Time) (Action, bool) { return None, false }

// Release decides an Enter that was held: Send when it ended a line that was
// typed, None when it belonged to a paste. It does nothing when no Enter is held.
func (c *Composer) Release(at time.Time) Action { return None }

// Paste takes a bracketed paste of any size. It never sends and is never a
// command. Line ends become LF; a long one becomes a chip.
func (c *Composer) Paste(s string) Pasted { return Pasted{} }

// Attach puts a chip for a picture or a file at the cursor.
func (c *Composer) Attach(a engine.Attachment) {}

// Replace puts an attachment's chip where text stands, the last one of them. It
// reports false, and does nothing, when the text is gone.
func (c *Composer) Replace(text string, a engine.Attachment) bool { return false }

// Take empties the prompt into a message and the history. It reports false when
// there is nothing to send.
func (c *Composer) Take() (Message, bool) { return Message{}, false }

// Clear empties the prompt and puts the draft into the history, from where up
// brings it back. An open list or search is closed with it. It reports whether
// there was anything.
func (c *Composer) Clear() bool { return false }

// Cancel closes what is open on top of the prompt (a list, the history search)
// and reports whether there was something. The draft stays.
func (c *Composer) Cancel() bool { return false }

// Put brings a message back into the prompt, before what is there.
func (c *Composer) Put(text string, attachments []engine.Attachment) {}

// Text is the whole draft with its chips opened; SetText replaces it, as one
// step that undo takes back. Neither is for sending.
func (c *Composer) Text() string     { return "" }
func (c *Composer) SetText(s string) {}

// Empty reports that there is nothing in the prompt, not even blanks.
func (c *Composer) Empty() bool { return true }

// Kind is what the draft is now.
func (c *Composer) Kind() Kind { return Prompt }

// Opened reports that a list or the history search is open.
func (c *Composer) Opened() bool { return false }

// Expand opens the chip at the cursor, or the last one, into its text.
func (c *Composer) Expand() bool { return false }

// Undo and Redo step through the edits since the prompt was last empty.
func (c *Composer) Undo() bool { return false }
func (c *Composer) Redo() bool { return false }

// Search opens the history search; a second one looks further back.
func (c *Composer) Search() {}

// Click puts the cursor at a cell of Lines; a chip under it opens.
func (c *Composer) Click(x, y int) {}

// Popup is what stands above the prompt (and its rule): the open list or the
// history search; nil when there is none. Rows are exactly as wide as the prompt.
func (c *Composer) Popup() []string { return nil }

// Lines are the prompt's rows and below them the queue's, each exactly as wide
// as was set; at least one.
func (c *Composer) Lines() []string { return []string{""} }

// Cursor is the cell in Lines where the terminal's cursor stands.
func (c *Composer) Cursor() (x, y int) { return 0, 0 }
