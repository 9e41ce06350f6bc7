package tui

import (
	"context"
	"errors"
	"strings"
	"time"

	"charm.land/bubbletea/v2"

	"conch/engine"
	"conch/pastchats"
	"conch/plain"
	"conch/tui/cells"
	"conch/tui/keys"
	"conch/tui/transcript"
)

// reader is a past chat that is read: another app's, over the chat and the sheet.
// Nothing in it can be changed.
type reader struct {
	id     string
	entry  pastchats.Entry
	items  *transcript.Transcript // nil while it is read
	failed string

	want   string // the message to be in view, once the size is known
	search *line  // words being typed to find
	sought string // words that were looked for
}

// readMsg: a past chat was read, or could not be.
type readMsg struct {
	id    string
	entry pastchats.Entry
	items *transcript.Transcript
	err   error
}

// openReader reads a past chat, with a message in view and words marked.
func (m *model) openReader(id, message string, words []string) {
	m.reader = &reader{id: id, want: message}
	m.picker, m.pager = nil, nil
	store := m.past.store
	if store == nil {
		m.reader.failed = "there are no chats of other apps here"
		return
	}
	th, o := m.th, transcript.Options{Still: true, Plain: m.d.Options.Plain}
	m.later(m.crew.cmd("read", func(ctx context.Context) tea.Msg {
		entry, err := store.Find(id)
		if err != nil {
			return readMsg{id: id, err: err}
		}
		var said pastItems
		err = store.Messages(id, func(msg pastchats.Message) bool {
			said.add(msg)
			return ctx.Err() == nil
		})
		// The list is made here: nobody else has it until it is handed over.
		items := transcript.New(th, o)
		items.Apply(said.events)
		items.SetMore(false)
		items.Mark(words)
		return readMsg{id: id, entry: entry, items: items, err: err}
	}))
}

func (m *model) readKnown(msg readMsg) {
	r := m.reader
	if r == nil || r.id != msg.id {
		return
	}
	if msg.err != nil {
		m.d.Log("read past chat: %v", msg.err)
	}
	if msg.items == nil || msg.err != nil && msg.items.Empty() {
		r.failed = readFailed(msg.err)
		return
	}
	r.entry, r.items = msg.entry, msg.items
	r.items.SetTheme(m.th)
	m.lastPast = r.id
	if msg.err != nil {
		m.say("part of this chat can't be read; what can is shown", true)
	}
}

func readFailed(err error) string {
	switch {
	case errors.Is(err, pastchats.ErrNotFound):
		return "there is no such past chat any more"
	case errors.Is(err, pastchats.ErrBadID):
		return "this is not the id of a past chat"
	case err == nil:
		return "nothing was said in this chat"
	}
	return "this chat can't be read: " + plain.Line(err.Error(), 200)
}

func (m *model) closeReader() {
	m.reader = nil
	m.seen(m.room)
}

// readerKey moves through a past chat.
func (m *model) readerKey(a keys.Action, found bool, k tea.KeyPressMsg) {
	r := m.reader
	switch a {
	case keys.Interrupt:
		m.closeReader()
		return
	case keys.Carry:
		m.carry(r.id)
		return
	case keys.SheetExport:
		m.export(r.id)
		return
	case keys.ClearOrQuit, keys.Suspend, keys.Redraw, keys.Mouse, keys.Help:
		m.act(a, k)
		return
	}
	if r.items != nil && m.readItems(r, a, k) {
		return
	}
	if found && a != keys.ItemToggle {
		e, _ := m.keys.Entry(a)
		if e.Group == keys.OnItem || a == keys.ScrollUp || a == keys.ScrollDown {
			return // there is nothing to move through yet
		}
		m.closeReader()
		m.closeSheet()
		m.act(a, k)
	}
}

// readItems does what is done with the items; false for another key.
func (m *model) readItems(r *reader, a keys.Action, k tea.KeyPressMsg) bool {
	items := r.items
	switch a {
	case keys.ItemNext:
		items.Walk(1)
	case keys.ItemBack:
		items.Walk(-1)
	case keys.ItemFirst:
		items.First()
	case keys.ItemLast:
		items.Last()
	case keys.ItemToggle:
		if it, ok := items.Selected(); ok && it.Folds {
			items.Toggle()
		} else {
			items.Page(1)
		}
	case keys.ItemCopy:
		if it, ok := items.Selected(); ok {
			m.copyText("it", it.Copy)
		}
	case keys.Find:
		r.search = newLine(m.th.Widths)
	case keys.FindNext:
		m.readAgain(r, items.NextMatch())
	case keys.FindBack:
		m.readAgain(r, items.PrevMatch())
	case keys.ScrollUp:
		items.Page(-1)
	case keys.ScrollDown:
		items.Page(1)
	default:
		switch k.Keystroke() {
		case "home":
			items.First()
		case "end":
			items.Last()
		default:
			return false
		}
	}
	return true
}

func (m *model) readAgain(r *reader, ok bool) {
	if !ok && r.sought == "" {
		m.say("/ looks for words first", false)
		return
	}
	m.foundAgain(ok)
}

// readerFind takes words to find in a past chat.
func (m *model) readerFind(a keys.Action, found bool, k tea.KeyPressMsg) {
	r := m.reader
	switch {
	case k.Keystroke() == "enter":
		words := r.search.text()
		r.search = nil
		if words == "" {
			return
		}
		r.sought = words
		if !r.items.Find(words) {
			m.say("not found: "+plain.Line(words, 100), false)
		}
	case a == keys.Interrupt || a == keys.ClearOrQuit:
		r.search, r.sought = nil, ""
		r.items.Find("")
	case r.search.key(k):
	case found:
		m.act(a, k)
	}
}

// readerLines draws a past chat: what it is, its items, what can be done.
func (m *model) readerLines() (lines []string, x, y int) {
	r, th, w, h := m.reader, m.th, m.w, m.h
	rule := th.Muted.Render(strings.Repeat(th.Signs.Rule, w))
	short := h <= shortRows
	foot := m.footer()
	rows := max(h-2-len(foot)-1, 0)
	if short {
		rows++
	}
	r.settle(w, rows)
	lines = append(lines, m.readerHead(r, w))
	if !short {
		lines = append(lines, rule)
	}
	switch {
	case r.failed != "":
		lines = append(lines, "", "  "+cells.Cut(th.Widths, th.Error.Render(th.Signs.Failed)+" "+r.failed, max(w-2, 1), th.Signs.Ellipsis))
	case r.items == nil:
		lines = append(lines, "", "  "+th.Muted.Render(th.Signs.Running+" reading"))
	default:
		lines = append(lines, r.items.Lines()...)
	}
	for len(lines) < h-len(foot)-1 {
		lines = append(lines, "")
	}
	x, y = -1, -1
	if r.search != nil {
		shown, col := r.search.draw(max(w-10, 1))
		lines = append(lines, cells.Cut(th.Widths, " "+th.Accent.Render("find")+"  "+shown, w, ""))
		x, y = 7+col, len(lines)-1
	} else {
		lines = append(lines, rule)
	}
	return append(lines, foot...)[:h], x, y
}

// settle gives the items their room, and shows what is to be in view when they
// have it for the first time.
func (r *reader) settle(width, rows int) {
	if r.items == nil {
		return
	}
	r.items.SetSize(width, rows)
	if rows > 0 && !r.items.Focused() {
		r.items.ToEnd()
		r.items.Focus(true)
		r.items.GoToMessage(r.want)
	}
}

func (m *model) readerHead(r *reader, w int) string {
	th := m.th
	if r.items == nil {
		return cells.Fill(th.Widths, " "+th.Muted.Render("a past chat"), w, th.Signs.Ellipsis)
	}
	e := r.entry
	where := plain.Line(firstOf(e.Label, e.Source), 40)
	if project := plain.Line(e.Project, 40); project != "" {
		where += " · " + project
	}
	left := " " + th.Muted.Render(where+" · ") + th.Strong.Render(firstOf(plain.Line(e.Title, 200), "no title"))
	right := "read-only"
	if n, of := r.items.Reached(); of > 0 {
		right += " · " + number(n) + " of " + number(of)
	}
	if days := m.days(e.Created, e.Updated); days != "" && w >= 72 {
		right += " · " + days
	}
	return cells.Sides(th.Widths, left, th.Muted.Render(right)+" ", w, min(w/2, 30), th.Signs.Ellipsis)
}

// days are the first and the last day of a chat.
func (m *model) days(from, to time.Time) string {
	if to.IsZero() {
		return ""
	}
	from, to = from.In(m.zone), to.In(m.zone)
	last := to.Format("2 Jan 2006")
	switch {
	case from.IsZero() || from.Year() < 1990 || from.Format("2 Jan 2006") == last:
		return last
	case from.Year() == to.Year():
		return from.Format("2 Jan") + " – " + last
	}
	return from.Format("2 Jan 2006") + " – " + last
}

// readerHints are what can be done with a past chat.
func (m *model) readerHints() []hint {
	r := m.reader
	switch {
	case r.search != nil:
		return []hint{{keys.Interrupt, "back"}}
	case r.items == nil:
		return []hint{{keys.Interrupt, "back"}}
	case r.sought != "":
		return []hint{{keys.FindNext, "next"}, {keys.FindBack, "before"}, {keys.Find, "find"}, {keys.Carry, m.carryWords(r.entry)}, {keys.Interrupt, "back"}}
	}
	return []hint{{keys.Carry, m.carryWords(r.entry)}, {keys.Find, ""}, {keys.ItemCopy, "copy"}, {keys.SheetExport, ""}, {keys.Interrupt, "back"}}
}

// carryWords say who would answer a past chat.
func (m *model) carryWords(e pastchats.Entry) string {
	if id := m.answersFor(e.Source); id != "" {
		return "carry on with " + id
	}
	return "carry on here"
}

// answersFor is the provider that carries on an app's chats, "" when it isn't
// ready or is none of ours: then another one answers.
func (m *model) answersFor(source string) string {
	if source == "copilot-cli" {
		source = "copilot"
	}
	if m.engine(source) == nil {
		return ""
	}
	switch h, ok := m.health[source]; {
	case !ok, h.State == engine.Ready, h.State == engine.Unknown:
		return source
	}
	return ""
}

// clickReader selects the item at a line of the screen, and opens or folds it.
func (m *model) clickReader(y int) {
	head := 2
	if m.h <= shortRows {
		head = 1
	}
	if m.reader.items != nil {
		m.reader.items.Click(y - head)
	}
}
