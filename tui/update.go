package tui

import (
	"errors"
	"fmt"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"conch/chats"
	"conch/conversation"
	"conch/plain"
	"conch/tui/composer"
	"conch/tui/keys"
)

// update routes a message to the method that is for it.
func (m *model) update(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		m.key(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.MouseMsg:
		m.mouseEvent(msg)
	case tea.WindowSizeMsg:
		m.w, m.h, m.sized = max(msg.Width, 0), max(msg.Height, 0), true
	case tea.FocusMsg:
		m.looked = true
		m.seen(m.room)
	case tea.BlurMsg:
		m.looked = false
	case tea.BackgroundColorMsg:
		if light := !msg.IsDark(); light != m.light {
			m.light = light
			m.retheme(m.th.Widths)
		}
	case tea.ModeReportMsg:
		m.modeReport(msg)
	case tea.KeyboardEnhancementsMsg:
		m.clear = msg.SupportsKeyDisambiguation()
	case tea.ResumeMsg:
		m.later(tea.ClearScreen)
	case loadMsg:
		m.load()
	case glimpseMsg:
		m.glimpsed(msg)
	case openedMsg:
		m.opened(msg)
	case newsMsg:
		m.news(msg)
	case olderMsg:
		m.older(msg)
	case chosenMsg:
		m.chosen(msg)
	case troubleMsg:
		m.trouble(msg)
	case saidMsg:
		m.say(msg.words, msg.bad)
	case tickMsg:
		m.tick()
	case forgetMsg:
		if msg.serial == m.note.serial {
			m.note = note{}
		}
	case againMsg:
		if msg.serial == m.again {
			m.again = 0
		}
		if msg.serial == m.note.serial {
			m.note.words = msg.words
		}
	case releaseMsg:
		if msg.room.prompt.Release(m.at) == composer.Send {
			m.submit(msg.room)
		}
	case historyMsg:
		m.typedBefore(msg)
	default:
		if !m.updateRun(msg) {
			m.updateMore(msg)
		}
	}
	m.settle()
}

// updateMore routes the results of what the person asked for.
func (m *model) updateMore(msg tea.Msg) {
	switch msg := msg.(type) {
	case healthMsg:
		m.healthKnown(msg)
	case missedMsg:
		msg.room.missed = msg.missed
		m.refreshPicker()
	case signedInMsg:
		m.say(msg.id+" is signed in, it says", false)
		m.checkHealth()
	case signInMsg:
		m.signIn(msg)
	case handoffMsg:
		m.showHandoff(msg)
	case rowsMsg:
		m.rowsKnown(msg)
	case previewMsg:
		m.previewKnown(msg)
	case renamedMsg:
		m.readRows()
	case deletedMsg:
		m.deleted(msg)
	case foundMsg:
		m.foundKnown(msg)
	case slowMsg:
		m.slowFound(msg)
	case behindMsg:
		m.behindKnown(msg)
	case lookMsg:
		m.lookKnown(msg)
	case countMsg:
		m.countOn(msg)
	case pressedMsg:
		m.pressed(msg)
	case progressMsg:
		m.progress(msg)
	case broughtMsg:
		m.brought(msg)
	case readMsg:
		m.readKnown(msg)
	case memoryMsg:
		m.memoryKnown(msg)
	case forgotMsg:
		m.forgot(msg)
	case memoryBackMsg:
		m.memoryBack()
	case memoryEditMsg:
		m.runMemoryEditor(msg)
	case memoryEditedMsg:
		m.memoryEdited(msg)
	case memoryKeptMsg:
		m.memoryKept(msg)
	case filesEditedMsg:
		m.filesEdited(msg)
	case filesBackMsg:
		m.filesBack(msg)
	case clearedMsg:
		m.cleared(msg)
	case carriedMsg:
		m.carried(msg)
	case unqueuedMsg:
		m.unqueued(msg)
	case filesMsg:
		msg.room.walking = false
		msg.room.prompt.SetFiles(msg.files)
	case pictureMsg:
		if msg.err == nil {
			msg.room.prompt.Replace(msg.text, msg.a)
		}
	case clipboardMsg:
		m.picturePasted(msg)
	case copiedMsg:
		if msg.result.Sequence != "" {
			m.later(tea.Raw(msg.result.Sequence))
		}
		m.say(msg.result.Words, !msg.result.Confirmed && msg.result.Sequence == "")
	case shellMsg:
		// The lines of the command are drawn anew; nothing else changes.
	case shellEndMsg:
		m.shellEnded(msg)
	case editMsg:
		m.runEditor(msg)
	case editedMsg:
		m.readEdited(msg)
	case editTextMsg:
		m.edited(msg)
	}
}

// settle does what may have become due by a message, whatever it was.
func (m *model) settle() {
	r := m.room
	before, yes := r.items.NeedsOlder()
	if seeks := m.seekOn(r); seeks {
		before, yes = r.items.Oldest(), true
	}
	if yes && r.hasOlder && !r.loading && r.opened && !m.d.Options.Plain {
		r.loading = true
		send := m.crew.send
		r.w.do(func(t talk) {
			events, more, err := t.Before(before, page)
			send(olderMsg{room: r, events: events, more: more, err: err})
		})
	}
	if !r.walking && r.prompt.WantsFiles() {
		r.walking = true
		m.walkFiles(r)
	}
	if r.prompt.Kind() == composer.Command {
		m.ready(r)
	}
	if m.sheeted && m.past.find != nil {
		m.wantFound()
	}
	if m.sheeted && m.reader == nil && m.sized && !m.d.Options.Plain {
		m.wantPreview()
	}
	if !m.ticking && m.motion && (r.busy() || m.onRun() && m.run.works()) {
		m.ticking = true
		m.later(m.crew.after(tickTime, tickMsg{}))
	}
}

func (m *model) modeReport(msg tea.ModeReportMsg) {
	if msg.Mode != ansi.ModeUnicodeCore {
		return
	}
	switch msg.Value {
	case ansi.ModeReset, ansi.ModeSet, ansi.ModePermanentlySet:
		m.retheme(ansi.GraphemeWidth) // Bubble Tea turns the mode on for the same answers
	}
}

// glimpsed shows the end of a chat that is not open yet. The same events come
// again when it is: the list of items knows them.
func (m *model) glimpsed(msg glimpseMsg) {
	r := msg.room
	if r.opened || r.failed != nil {
		return
	}
	r.items.Apply(msg.events)
	r.items.SetMore(msg.more)
	r.items.ToEnd()
}

// opened takes in a chat that is open now, or that cannot be.
func (m *model) opened(msg openedMsg) {
	r := msg.room
	if msg.err != nil {
		r.failed = msg.err
		m.d.Log("open chat: %v", msg.err)
		m.say(openFailed(msg.err), true)
		return
	}
	r.opened = true
	if msg.readErr != nil {
		m.d.Log("read chat: %v", msg.readErr)
		m.say("part of this chat can't be read; what can is shown", true)
	}
	r.hasOlder = msg.more
	first := r.items.Empty()
	m.took(r, msg.events, msg.status)
	r.items.SetMore(msg.more)
	if first {
		r.items.ToEnd()
	}
	switch {
	case r.status.ReadOnly && r.again && !r.prompt.Empty():
		m.say("this chat is open in another conch, so nothing is sent from here", true)
	case r.status.ReadOnly:
		m.say("this chat is open in another conch: you can read it here", false)
	case r.again && !r.prompt.Empty():
		m.say("the other conch has left this chat · enter sends your words", false)
	}
	m.seen(r)
	m.chooseReady()
	if r.carried != "" && r == m.room {
		m.sayCarried(r)
	}
}

func openFailed(err error) string {
	switch {
	case errors.Is(err, chats.ErrNotFound):
		return "there is no such chat any more → ctrl+p lists those that are there"
	case errors.Is(err, chats.ErrFull):
		return "the disk is full → make room, then try again"
	case errors.Is(err, chats.ErrUnwritable):
		return "the chats can't be written: the folder or the disk is read-only"
	}
	return "the chat can't be opened: " + plain.Line(err.Error(), 200)
}

// news takes in what happened in a chat.
func (m *model) news(msg newsMsg) {
	r := msg.room
	was := r.status
	m.learnPictures(msg.events)
	m.took(r, msg.events, msg.status)
	m.notify(r, was)
	if r == m.room {
		m.seen(r)
	}
}

// seen tells a chat that the person looks at it.
func (m *model) seen(r *room) {
	if m.looked && r == m.room && r.opened && r.status.News > 0 && !m.sheeted {
		r.status.News = 0
		r.w.do(func(t talk) { t.Seen() })
	}
}

func (m *model) older(msg olderMsg) {
	r := msg.room
	r.loading = false
	if msg.err != nil {
		r.hasOlder = false
		r.items.SetMore(false)
		m.d.Log("read older events: %v", msg.err)
		m.say("what is older can't be read", true)
		return
	}
	r.hasOlder = msg.more
	r.items.Prepend(msg.events, msg.more)
}

// trouble says that something asked of a chat failed, and brings a message that
// was not sent back into the prompt.
func (m *model) trouble(msg troubleMsg) {
	m.d.Log("%s: %v", msg.doing, msg.err)
	if msg.back != nil {
		msg.room.prompt.Put(msg.back.Text, msg.back.Attachments)
	}
	switch {
	case errors.Is(msg.err, chats.ErrReadOnly):
		m.say("this chat is open in another conch, so nothing is sent from here", true)
	case errors.Is(msg.err, chats.ErrFull):
		m.say("the disk is full → make room, then try again", true)
	default:
		m.say(fmt.Sprintf("can't %s: %s", msg.doing, plain.Line(msg.err.Error(), 300)), true)
	}
}

// paste goes to what has the keys. It never answers and never sends.
func (m *model) paste(text string) {
	r := m.room
	m.bring.pressing, m.bring.key = 0, m.at
	switch m.place() {
	case keys.RunEmpty, keys.RunDraft, keys.Players, keys.Timeline:
		m.pasteRun(text)
	case keys.Asking, keys.Pager:
	case keys.Picker:
		m.picker.filter(plain.Line(text, 200))
	case keys.Sheet:
		m.sheet.Paste(text)
	case keys.Reader:
	case keys.Card, keys.Field:
		if m.reader != nil {
			m.reader.search.paste(text)
			return
		}
		if m.onRun() {
			m.pasteRun(text)
			return
		}
		if r.search != nil {
			r.search.paste(text)
			return
		}
		r.cards.Paste(text, m.at)
	default:
		if r.focus != onPrompt {
			m.focusOn(r, onPrompt)
		}
		for _, p := range r.prompt.Paste(text).Pictures {
			m.readPicture(r, p)
		}
	}
}

func (m *model) unqueued(msg unqueuedMsg) {
	if !msg.ok {
		m.say("no message waits", false)
		return
	}
	m.focusOn(msg.room, onPrompt)
	msg.room.prompt.Put(msg.msg.Text, msg.msg.Attachments)
}

// send sends a message, or queues it. It comes back when it can't be taken.
func (m *model) send(r *room, msg conversation.Message) {
	m.wroteOn()
	r.unmark()
	send := m.crew.send
	r.items.ToEnd()
	back := func(err error) { send(troubleMsg{room: r, doing: "send it", err: err, back: &msg}) }
	r.w.add(job{lost: back, do: func(t talk) {
		if err := t.Send(msg); err != nil {
			back(err)
		}
	}})
}
