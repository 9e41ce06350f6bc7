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
	"strings"
	"time"

	"conch/engine"
	"conch/tui/complete"
	"conch/tui/edit"
	"conch/tui/theme"
)

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

// Message is a draft that was taken.
type Message struct {
	// Text is whole: chips are opened. A command keeps its slash, a shell line
	// has no mark. A Prompt may begin with a slash or a mark, when it was pasted:
	// then it must reach nobody as a command.
	Text        string
	Kind        Kind
	Attachments []engine.Attachment
	Files       []string // paths named with @, each once, as they were inserted
}

// Composer is one chat's prompt. Use New.
type Composer struct {
	th          *theme.Theme
	keys        Keys
	buf         *edit.Buffer
	width, rows int
	top         int // first row that is drawn
	placeholder string
	focused     bool

	pictures int // pasted so far

	queue []string
	held  bool // the queue was held back by a stop

	history *History
	chat    string
	browse  *browse
	search  *search

	completion completion
	commands   []complete.Item
	files      *complete.Files
	wantsFiles bool

	burst burst
	now   time.Time // of the last key
}

// New makes an empty prompt of 80 cells and 8 rows. history may be shared
// between the prompts of one screen; nil makes one of its own.
func New(th *theme.Theme, history *History) *Composer {
	if history == nil {
		history = NewHistory(nil)
	}
	c := &Composer{th: th, keys: DefaultKeys(), buf: edit.New(th.Widths), history: history, focused: true, rows: 8}
	c.closeCompletion()
	c.SetWidth(80)
	return c
}

// SetTheme draws with another theme from now on.
func (c *Composer) SetTheme(th *theme.Theme) {
	c.th = th
	c.buf.SetMethod(th.Widths)
	if c.search != nil {
		c.search.query.SetMethod(th.Widths)
	}
}

// SetKeys changes the keys of the composer's own actions.
func (c *Composer) SetKeys(k Keys) { c.keys = k }

// SetWidth says how wide the rows of Lines and Popup are; below one counts as
// one.
func (c *Composer) SetWidth(width int) {
	c.width = max(width, 1)
	c.buf.SetWidth(c.inner())
	if c.search != nil {
		c.search.query.SetWidth(c.inner())
	}
}

// SetMaxRows bounds the rows of Lines; below one counts as one. A text that is
// longer scrolls inside.
func (c *Composer) SetMaxRows(rows int) { c.rows = max(rows, 1) }

// SetPlaceholder gives the words that stand in an empty prompt.
func (c *Composer) SetPlaceholder(words string) { c.placeholder = words }

// SetFocused says whether keys go to the prompt; one without the focus keeps its
// text and draws its bar muted.
func (c *Composer) SetFocused(focused bool) { c.focused = focused }

// SetChat says whose entries "this chat" are in the history.
func (c *Composer) SetChat(id string) { c.chat = id }

// SetQueue shows the messages that wait, oldest first. held: a stop held them
// back, and they go when the person sends.
func (c *Composer) SetQueue(words []string, held bool) { c.queue, c.held = words, held }

// Take empties the prompt into a message and the history. It reports false when
// there is nothing to send.
func (c *Composer) Take() (Message, bool) {
	if c.blank() {
		return Message{}, false
	}
	m := Message{Text: c.buf.Text(), Kind: c.Kind()}
	switch m.Kind {
	case Shell:
		m.Text = strings.TrimSpace(strings.TrimSpace(m.Text)[1:])
	case Command:
		m.Text = strings.TrimSpace(m.Text)
	}
	for _, a := range c.buf.Atoms() {
		if att, ok := a.Value.(engine.Attachment); ok {
			m.Attachments = append(m.Attachments, att)
		}
	}
	if m.Kind == Prompt {
		m.Files = complete.Mentions(c.typedText())
	}
	c.keep()
	c.empty()
	c.afterTake()
	return m, true
}

// typedText is the draft without what is folded: a paste names no files.
func (c *Composer) typedText() string { return c.buf.Draft().Shown() }

// Clear empties the prompt and puts the draft into the history, from where up
// brings it back. An open history search is closed first, and alone. It reports
// whether there was anything.
func (c *Composer) Clear() bool {
	if c.search != nil {
		return c.Cancel()
	}
	had := !c.buf.Empty() || c.Opened() || c.browse != nil
	c.keep()
	c.empty()
	return had
}

// keep puts the draft, and every other one that browsing left behind, into the
// history.
func (c *Composer) keep() {
	c.keepOthers()
	if !c.blank() {
		c.history.add(c.buf.Draft(), c.chat, c.now)
	}
}

func (c *Composer) empty() {
	c.buf.Reset()
	c.browse, c.top, c.burst = nil, 0, burst{after: c.burst.after}
	c.closeCompletion()
}

// Put brings a message back into the prompt, before what is there. A picture
// stands again where its name stands in the text.
func (c *Composer) Put(text string, attachments []engine.Attachment) {
	rest := !c.buf.Empty()
	c.buf.Top()
	c.insert(text)
	for _, a := range attachments {
		if len(a.Data) == 0 || !c.Replace(attachmentAtom(a).Text, a) {
			c.buf.InsertAtom(attachmentAtom(a))
		}
	}
	if rest {
		c.buf.Insert("\n", edit.Pasted)
	}
	c.buf.Bottom()
	c.closeCompletion()
}

// Text is the whole draft with its chips opened.
func (c *Composer) Text() string { return c.buf.Text() }

// SetText replaces the draft, as one step that undo takes back. A mark at its
// start makes it a command or a shell line only when the draft was one.
func (c *Composer) SetText(s string) {
	c.buf.SetText(strings.TrimSuffix(s, "\n"))
	c.closeCompletion()
}

// Empty reports that there is nothing in the prompt, not even blanks.
func (c *Composer) Empty() bool { return c.buf.Empty() }

// blank reports that there is nothing to send.
func (c *Composer) blank() bool { return strings.TrimSpace(c.buf.Kept()) == "" }

// Kind is what the draft is now.
func (c *Composer) Kind() Kind {
	text := c.buf.Kept()
	if !c.buf.Typed() || len(text) < 2 {
		return Prompt
	}
	switch text[0] {
	case '!':
		if strings.TrimSpace(text[1:]) != "" {
			return Shell
		}
	case '/':
		word := text[1:]
		if i := strings.IndexAny(word, " \t\n"); i >= 0 {
			word = word[:i]
		}
		// "/usr/bin/env is gone" is no command.
		if word != "" && !strings.Contains(word, "/") {
			return Command
		}
	}
	return Prompt
}

// Undo and Redo step through the edits since the prompt was last empty.
func (c *Composer) Undo() bool { c.closeCompletion(); return c.buf.Undo() }
func (c *Composer) Redo() bool { c.closeCompletion(); return c.buf.Redo() }
