package tui

import (
	"time"

	"charm.land/bubbletea/v2"

	"conch/conversation"
	"conch/engine"
	"conch/tui/keys"
)

// againTime is how quickly a second ctrl+c must follow to leave.
const againTime = time.Second

// act does an action of the table. It reports false for one that is not the
// screen's, so that the key goes on to the part that has the focus.
func (m *model) act(a keys.Action, k tea.KeyPressMsg) bool {
	e, ok := m.keys.Entry(a)
	if !ok {
		return false
	}
	if a == keys.Suspend && windows {
		return false // undo, in the prompt
	}
	if why := e.Why(m.has()); why != "" && a != keys.Send {
		m.say(why, false)
		return true
	}
	if a == keys.ProviderPick {
		m.pickNth(m.keys.Number(a, k))
		return true
	}
	return m.perform(a)
}

// perform does an action that can be done now.
func (m *model) perform(a keys.Action) bool {
	r := m.room
	switch a {
	case keys.FocusNext:
		m.focusNext()
	case keys.Provider:
		m.openSwitcher()
	case keys.Model:
		m.openModels()
	case keys.Effort:
		m.openEfforts()
	case keys.Mode:
		m.nextMode()
	case keys.Run:
		m.toRun("")
	case keys.OpenSheet:
		m.openSheet("")
	case keys.Steps:
		m.toggleSide()
	case keys.ScrollUp:
		r.items.Page(-1)
	case keys.ScrollDown:
		r.items.Page(1)
	case keys.Follow:
		r.items.ToEnd()
	case keys.Mouse:
		m.toggleMouse()
	case keys.Help:
		m.openHelp()
	case keys.Redraw:
		m.later(tea.ClearScreen)
	case keys.NewChat:
		m.newChat()
	case keys.EditPrompt:
		m.editPrompt(r)
	case keys.Unqueue:
		m.unqueue(r)
	case keys.Steer:
		m.steerDraft(r)
	case keys.CopyAnswer:
		m.copyText("the answer", r.items.LastAnswer())
	case keys.HistorySearch:
		m.focusOn(r, onPrompt)
		r.prompt.Search()
	case keys.PastePicture:
		m.pastePicture(r)
	case keys.Unfold:
		if !r.prompt.Expand() {
			m.say("no paste is folded", false)
		}
	case keys.Interrupt:
		m.interrupt()
	case keys.ClearOrQuit:
		m.clearOrQuit()
	case keys.Quit:
		m.quit()
	case keys.Suspend:
		m.later(tea.Suspend)
	case keys.Continue:
		m.do(r, "carry on", func(t talk) error { return t.Continue() })
	default:
		return m.performMore(a)
	}
	return true
}

// performMore does what has a command and no key.
func (m *model) performMore(a keys.Action) bool {
	r := m.room
	switch a {
	case keys.Export:
		m.export(r.id)
	case keys.Delete:
		m.askDelete(r)
	case keys.Undo:
		m.undo()
	case keys.Clear:
		m.clearChat(r)
	case keys.Memory:
		m.openMemory()
	case keys.MemoryForget: // see pickerKey
	case keys.Handoff:
		send := m.crew.send
		r.w.do(func(t talk) {
			provider, block := t.LastHandoff()
			send(handoffMsg{room: r, provider: provider, block: block})
		})
	case keys.Details:
		m.showDetails(r)
	case keys.SignIn:
		m.askSignIn(r.status.Provider)
	case keys.Carry:
		m.carryTyped("")
	case keys.Import:
		m.openMoment()
	case keys.MomentYes, keys.MomentLater: // see momentKey
	default:
		return false
	}
	return true
}

// interrupt is esc: it closes what is on top, then leaves the chat's items, then
// stops the turn. It never touches the draft.
func (m *model) interrupt() {
	r := m.room
	switch {
	case m.ask != nil:
		m.ask = nil
	case m.pager != nil:
		m.pager = nil
	case m.picker != nil:
		m.picker = nil
	case m.reader != nil:
		m.closeReader()
	case m.sheeted:
		if !m.sheet.Cancel() {
			m.closeSheet()
		}
	case r.search != nil:
		r.search = nil
	case r.focus == onPrompt && r.prompt.Cancel():
	case !r.busy() && r.unmark():
	case r.focus == onChat || r.focus == onSide:
		r.items.Find("")
		m.focusOn(r, onPrompt)
		if m.sideOn {
			m.sideOn = false
		}
	case m.sideOn:
		m.sideOn = false
	case r.shell != nil:
		r.shell.cancel()
	case r.status.Running && r.status.Stopping:
		m.say("already stopping", false)
	case r.status.Running:
		r.status.Stopping = true // until the chat says so itself
		r.w.do(func(t talk) { t.Stop() })
	case r.focus == onCard:
		m.focusOn(r, onPrompt)
	case r.status.Waits != "":
		r.w.do(func(t talk) { t.Stop() })
	}
}

// clearOrQuit is ctrl+c: the draft goes into the history, or the turn is
// stopped; a second one within a second leaves.
func (m *model) clearOrQuit() {
	r := m.room
	if m.again != 0 {
		m.again = 0
		m.quit()
		return
	}
	words := ""
	switch {
	case m.ask != nil || m.pager != nil || m.picker != nil || m.reader != nil || m.sheeted || r.search != nil:
		m.ask, m.pager, m.picker, m.reader, r.search = nil, nil, nil, nil, nil
		m.closeSheet()
	case r.prompt.Clear():
		words = "cleared; up brings it back"
	case r.busy():
		m.interruptNow()
		words = "stopping"
	}
	again := m.keys.First(keys.ClearOrQuit, keys.Everywhere) + " again leaves"
	if words != "" {
		again = words + " · " + again
	}
	m.say(again, false)
	m.again = m.note.serial
	m.later(m.crew.after(againTime, againMsg{serial: m.again, words: words}))
}

// interruptNow stops what runs in the chat on the screen, wherever the focus is.
func (m *model) interruptNow() {
	r := m.room
	if r.shell != nil {
		r.shell.cancel()
		return
	}
	r.status.Stopping = true
	r.w.do(func(t talk) { t.Stop() })
}

// quit leaves, after a question when something still runs.
func (m *model) quit() {
	running := 0
	if m.run != nil && m.run.alive() {
		m.asks("A run is open. Leave it? It is interrupted then, and can be carried on later.", "leave", m.leave)
		return
	}
	for _, r := range m.rooms {
		if (r.status.Running && !r.status.Stopping) || r.shell != nil {
			running++
		}
	}
	if running == 0 {
		m.leave()
		return
	}
	words := "A turn is still running here. Stop it and leave?"
	switch {
	case running > 1:
		words = count(running, "chat", "chats") + " are still working. Stop them and leave?"
	case !m.room.busy():
		words = "Another chat is still working. Stop it and leave?"
	}
	m.asks(words, "leave", m.leave)
}

func (m *model) leave() {
	m.leaving = true
	m.later(tea.Quit)
}

func (m *model) toggleMouse() {
	m.mouse = !m.mouse
	if m.mouse {
		m.say("the mouse scrolls and clicks; "+m.keyOf(keys.Mouse)+" gives it back to the terminal", false)
	} else {
		m.say("the mouse is the terminal's: select text with it; "+m.keyOf(keys.Mouse)+" takes it again", false)
	}
}

// keyOf is what the person presses for an action, or types where it has no key.
func (m *model) keyOf(a keys.Action) string {
	e, _ := m.keys.Entry(a)
	return firstOf(m.keys.First(a, keys.Empty), e.Name())
}

func (m *model) unqueue(r *room) {
	send := m.crew.send
	r.w.do(func(t talk) {
		msg, ok := t.Unqueue()
		send(unqueuedMsg{room: r, msg: msg, ok: ok})
	})
}

// nextMode goes round the four modes in the order ask, auto-read, auto-edit,
// plan.
func (m *model) nextMode() {
	r := m.room
	order := []engine.Mode{engine.ModeAsk, engine.ModeAutoRead, engine.ModeAutoEdit, engine.ModePlan}
	next := order[0]
	for i, each := range order {
		if each == r.status.Mode {
			next = order[(i+1)%len(order)]
		}
	}
	if r.status.Native != "" && nativeAsksNothing(r.status) {
		next = engine.DefaultMode
	}
	m.setMode(r, next)
}

func (m *model) setMode(r *room, mode engine.Mode) {
	r.status.Mode = mode // until the chat says so itself
	m.choose(r, "set the mode", func(t talk) error { return t.SetMode(mode) })
	m.say(string(mode)+": "+modeWords(mode), false)
}

// modeWords says what a mode does.
func modeWords(mode engine.Mode) string {
	switch mode {
	case engine.ModePlan:
		return "reads and plans, changes nothing, runs nothing"
	case engine.ModeAsk:
		return "asks before everything, reading too"
	case engine.ModeAutoRead:
		return "reads the project by itself, asks for the rest"
	case engine.ModeAutoEdit:
		return "reads and edits the project by itself, asks for the rest"
	}
	return ""
}

func nativeAsksNothing(st conversation.Status) bool {
	for _, c := range st.Offers.Modes {
		if c.ID == st.Native || c.Name == st.Native {
			return c.AsksNothing
		}
	}
	return false
}
