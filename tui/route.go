package tui

import (
	"charm.land/bubbletea/v2"

	"conch/tui/card"
	"conch/tui/composer"
	"conch/tui/keys"
)

// place is where a key goes now.
func (m *model) place() keys.Place {
	r := m.room
	switch {
	case m.ask != nil:
		return keys.Asking
	case m.pager != nil:
		return keys.Pager
	case m.picker != nil:
		return keys.Picker
	case m.reader != nil && m.reader.search != nil:
		return keys.Field
	case m.reader != nil:
		return keys.Reader
	case m.sheeted:
		return keys.Sheet
	case m.onRun():
		return m.runPlace()
	case r.search != nil:
		return keys.Field
	}
	switch r.focus {
	case onCard:
		if _, _, typing := r.cards.Cursor(); typing {
			return keys.Field
		}
		return keys.Card
	case onChat:
		return keys.Chat
	case onSide:
		return keys.Side
	}
	switch {
	case r.prompt.Opened():
		return keys.List
	case r.prompt.Empty() && m.bring.shown:
		return keys.Moment
	case r.prompt.Empty():
		return keys.Empty
	}
	return keys.Draft
}

// focusOn moves the keys of a chat.
func (m *model) focusOn(r *room, f focus) {
	if f == onCard && !r.cards.Focus(m.at) {
		f = onPrompt
	}
	if f != onCard {
		r.cards.Blur()
	}
	if f != onChat {
		r.search = nil
	}
	r.focus = f
	r.items.Focus(f == onChat)
	r.prompt.SetFocused(f == onPrompt)
}

// focusNext goes round: a waiting card, the chat, the side pane, the prompt.
func (m *model) focusNext() {
	r := m.room
	for _, f := range []focus{onCard, onChat, onSide, onPrompt} {
		past := map[focus]int{onPrompt: 0, onCard: 1, onChat: 2, onSide: 3}
		if f != onPrompt && past[f] <= past[r.focus] {
			continue
		}
		switch {
		case f == onCard && r.cards.Len() == 0 && pauseOf(r.status) == nil,
			f == onChat && r.items.Empty(),
			f == onSide && m.areas.side == 0 && !m.sideOn:
			continue
		}
		m.focusOn(r, f)
		if f == onSide {
			r.side.start(r)
		}
		return
	}
}

// key routes a key: what lies on top first, then the table, then the part that
// has the focus.
func (m *model) key(k tea.KeyPressMsg) {
	p := m.place()
	last := m.bring.key
	m.bring.pressing, m.bring.key = 0, m.at
	k, ok := m.led(p, k)
	if !ok {
		return
	}
	a, found := m.keys.Find(p, k)
	if a != keys.ClearOrQuit {
		m.again = 0
	}
	if m.onRun() && inRun(m) {
		m.runKey(p, a, found, k)
		return
	}
	switch p {
	case keys.Moment:
		if !m.momentKey(a, last) {
			m.promptKey(a, found, k)
		}
	case keys.Asking:
		if !found || !m.act(a, k) {
			m.askKey(k)
		}
	case keys.Pager:
		m.pagerKey(a, found, k)
	case keys.Picker:
		m.pickerKey(a, found, k)
	case keys.Sheet:
		m.sheetKey(a, found, k)
	case keys.Reader:
		m.readerKey(a, found, k)
	case keys.Card, keys.Field:
		if m.reader != nil {
			m.readerFind(a, found, k)
			return
		}
		m.cardKey(p, a, found, k)
	case keys.Chat:
		m.chatKey(a, found, k)
	case keys.Side:
		m.sideKey(a, found, k)
	default:
		m.promptKey(a, found, k)
	}
}

// promptKey hands a key to the prompt unless the table gives it to the screen.
func (m *model) promptKey(a keys.Action, found bool, k tea.KeyPressMsg) {
	r := m.room
	switch a {
	case keys.Send, keys.Newline, keys.HistoryBack, keys.HistoryForward, keys.HistorySearch, keys.Complete, keys.Unfold:
	default:
		if found && m.act(a, k) {
			return
		}
	}
	before := r.prompt.Empty()
	action, taken := r.prompt.Key(k, m.at)
	switch action {
	case composer.Send:
		m.submit(r)
	case composer.Hold:
		m.later(m.crew.after(composer.HoldTime, releaseMsg{r}))
	case composer.None:
		if a == keys.Send && before && !taken {
			m.submitNothing(r)
		}
	}
}

// cardKey hands a key to the focused card. A field takes everything that is not
// the screen's.
func (m *model) cardKey(p keys.Place, a keys.Action, found bool, k tea.KeyPressMsg) {
	r := m.room
	if r.search != nil {
		m.searchKey(a, found, k)
		return
	}
	if own := a == keys.Interrupt || a == keys.ClearOrQuit || a == keys.Suspend || a == keys.Redraw; found && own && m.act(a, k) {
		return
	}
	std, ok := m.keys.Standard(p, k)
	if ok {
		if out, taken := r.cards.Key(std, m.at); taken {
			m.decided(r, out)
			return
		}
	}
	if a == keys.FocusNext {
		m.focusOn(r, onPrompt)
		return
	}
	if found {
		m.act(a, k)
	}
}

// decided does what a card asked for.
func (m *model) decided(r *room, out card.Outcome) {
	switch out.Kind {
	case card.Answer:
		m.focusOn(r, onPrompt)
		m.do(r, "answer it", func(t talk) error { return t.Answer(out.Card, out.Option) })
	case card.Reply:
		m.focusOn(r, onPrompt)
		m.do(r, "answer it", func(t talk) error { return t.AnswerQuestion(out.Card, out.Reply) })
	case card.Leave:
		m.focusOn(r, onPrompt)
	case card.OpenURL:
		m.copyText("the address", out.URL)
	case card.CarryOn:
		m.focusOn(r, onPrompt)
		m.do(r, "carry on", func(t talk) error { return t.Continue() })
	}
}

// chatKey moves through the items of the chat.
func (m *model) chatKey(a keys.Action, found bool, k tea.KeyPressMsg) {
	r := m.room
	items := r.items
	switch a {
	case keys.ItemNext:
		items.Move(1)
	case keys.ItemBack:
		items.Move(-1)
	case keys.ItemFirst:
		items.First()
	case keys.ItemLast:
		items.Last()
	case keys.ItemToggle:
		items.Toggle()
	case keys.ItemCopy:
		if it, ok := items.Selected(); ok {
			m.copyText("it", it.Copy)
		}
	case keys.ItemOpen:
		if it, ok := items.Selected(); ok {
			m.openFile(r, it.Path, it.Line)
		}
	case keys.Find:
		r.search = newLine(m.th.Widths)
	case keys.FindNext:
		m.foundAgain(items.NextMatch())
	case keys.FindBack:
		m.foundAgain(items.PrevMatch())
	case keys.ItemLeave:
		m.focusOn(r, onPrompt)
	default:
		if found {
			m.act(a, k)
		}
	}
}

func (m *model) foundAgain(ok bool) {
	if !ok {
		m.say("not found; / looks for words", false)
	}
}

// searchKey takes words to find in the chat.
func (m *model) searchKey(a keys.Action, found bool, k tea.KeyPressMsg) {
	r := m.room
	switch {
	case k.Keystroke() == "enter":
		words := r.search.text()
		r.search = nil
		if words != "" && !r.items.Find(words) {
			m.say("not found: "+words, false)
		}
	case a == keys.Interrupt || a == keys.ClearOrQuit:
		r.search = nil
		r.items.Find("")
	case r.search.key(k):
	case found:
		m.act(a, k)
	}
}

// sheetKey hands a key to the sheet unless it is one of those that work
// everywhere.
func (m *model) sheetKey(a keys.Action, found bool, k tea.KeyPressMsg) {
	switch a {
	case keys.SheetUp, keys.SheetDown, keys.SheetOpen, keys.SheetPreview, keys.SheetExport, keys.SheetRename, keys.SheetDelete, keys.SheetAll, keys.Undo, keys.Import:
		found = false
	case keys.Carry:
		if act, taken := m.sheet.Key(tea.KeyPressMsg{Code: 'c', Mod: tea.ModAlt}); taken {
			m.sheetAction(act)
		}
		return
	case keys.Interrupt, keys.OpenSheet:
		if !m.sheet.Cancel() || a == keys.OpenSheet {
			m.closeSheet()
		}
		return
	}
	if found {
		switch a {
		case keys.ClearOrQuit, keys.Suspend, keys.Redraw, keys.Mouse, keys.Help:
		default:
			m.closeSheet()
		}
		if m.act(a, k) {
			return
		}
	}
	std, ok := m.keys.Standard(keys.Sheet, k)
	if !ok {
		return
	}
	if act, taken := m.sheet.Key(std); taken {
		m.sheetAction(act)
	}
}

// mouseEvent routes the mouse by where it is.
func (m *model) mouseEvent(msg tea.MouseMsg) {
	at := msg.Mouse()
	switch ev := msg.(type) {
	case tea.MouseWheelMsg:
		n := 0
		switch ev.Button {
		case tea.MouseWheelUp:
			n = -3
		case tea.MouseWheelDown:
			n = 3
		default:
			return
		}
		m.wheel(at.X, at.Y, n)
	case tea.MouseClickMsg:
		if ev.Button == tea.MouseLeft {
			m.click(at.X, at.Y)
		}
	}
}

func (m *model) wheel(x, y, n int) {
	switch {
	case m.ask != nil:
	case m.pager != nil:
		m.pager.scroll(n)
	case m.picker != nil:
		m.picker.move(sign(n))
	case m.reader != nil:
		if m.reader.items != nil {
			m.reader.items.Scroll(n)
		}
	case m.sheeted:
		m.sheet.Wheel(x, n)
	case m.onRun():
		m.run.pane.Scroll(n)
	default:
		m.room.items.Scroll(n)
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

func (m *model) click(x, y int) {
	r, a := m.room, m.areas
	switch {
	case m.ask != nil || m.pager != nil:
	case m.picker != nil:
		m.picker.click(y - a.picker)
	case m.reader != nil:
		m.clickReader(y)
	case m.sheeted:
		m.sheet.Click(x, y)
	case m.onRun():
		m.clickRun(x, y)
	case y >= a.prompt && y < a.prompt+a.promptRows:
		m.focusOn(r, onPrompt)
		r.prompt.Click(x, y-a.prompt)
	case a.cardRows > 0 && y >= a.cards && y < a.cards+a.cardRows:
		m.focusOn(r, onCard)
	case y >= a.body && y < a.body+a.bodyRows && x < a.main:
		// With words in the prompt a click opens and folds, and the keys stay there.
		if r.items.Click(y-a.body) && (r.focus == onChat || r.prompt.Empty()) {
			m.focusOn(r, onChat)
			return
		}
		m.focusOn(r, onPrompt)
	case y >= a.body && y < a.body+a.bodyRows && a.side > 0:
		r.side.click(m, y-a.body)
	}
}
