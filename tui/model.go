package tui

import (
	"context"
	"runtime/debug"
	"time"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"conch/chats"
	"conch/engine"
	"conch/plain"
	"conch/tui/composer"
	"conch/tui/keys"
	"conch/tui/sheet"
	"conch/tui/theme"
)

// model is the screen: the one tea.Model. Its parts have plain methods and none
// of them knows a message; here a message comes in and a method is called.
type model struct {
	d    Deps
	past *others
	crew *crew
	pace pace
	keys *keys.Table
	zone *time.Location
	at   time.Time // when the message that is handled came
	cmds []tea.Cmd // what the handled message gives rise to

	th     *theme.Theme
	light  bool
	motion bool
	mouse  bool
	looked bool // the terminal has the focus, as far as it says
	clear  bool // keys like shift+enter can be told apart

	w, h  int
	sized bool
	drawn tea.View // the last view that was whole
	areas areas

	rooms   []*room  // open chats, the order in which they were opened
	room    *room    // the one on the screen; never nil
	run     *running // nil: none is open
	history *composer.History
	typed   bool // the history was loaded

	health map[string]engine.Health

	pictures pictures

	unlooked string // the provider that was chosen before its health was known

	// What lies on top, uppermost first.
	ask     *asking
	pager   *pager
	picker  *picker
	reader  *reader
	sheet   *sheet.Sheet
	sheeted bool        // the sheet is open
	rows    []sheet.Row // the chats, nil while they are not known
	gone    *sheet.Row
	back    func() // brings back what was forgotten or cleared, when that came last

	bring    bringing
	finding  finding
	pasts    sheet.List // other apps' chats, as they were last listed
	stamp    string     // of their list
	lastPast string     // the past chat that was read last
	carrying bool       // one is being made a chat of Conch's own

	note       note
	again      int // serial of the ctrl+c that a second one would make a quit; 0 none
	leading    leading
	serial     int
	ticking    bool
	sideOff    bool   // the person closed the side pane
	sideOn     bool   // the side pane was opened where it is not by itself
	known      int    // chats in the store, -1 while it is not known
	previewing string // the chat whose words are being read for the sheet
	reload     bool   // the sheet's rows are on their way
	changed    bool   // and are to be read again after that
	begun      bool   // loadMsg came
	leaving    bool
}

func newModel(d Deps, c *crew) *model {
	table, warnings := keys.New(d.Options.Keys)
	m := &model{
		d: d, past: d.others, crew: c, keys: table, zone: time.Local, at: d.Now(), looked: true,
		motion: d.Options.Motion && !d.Options.ReducedMotion, mouse: d.Options.Mouse,
		light: d.Options.Theme == "light", health: map[string]engine.Health{}, known: -1,
	}
	if d.runs == nil {
		table.Without(runActions...)
	}
	m.th = m.newTheme(ansi.WcWidth)
	m.history = composer.NewHistory(nil)
	if d.History.Add != nil {
		m.history.Saved = func(e composer.Entry) {
			m.later(c.cmd("history", func(context.Context) tea.Msg {
				if err := d.History.Add(e.Text); err != nil {
					d.Log("keep what was typed: %v", err)
				}
				return nil
			}))
		}
	}
	if d.Start.Chat != "" {
		m.room = m.openRoom(d.Start.Chat)
	} else {
		m.room = m.freshRoom(d.Folder)
	}
	m.room.w.front.Store(true)
	if d.Start.First != "" && d.Start.Plan == nil {
		m.room.prompt.SetText(d.Start.First)
		if d.Start.Past == "" { // else they wait until that chat is carried on
			m.submit(m.room)
		}
	}
	if d.Start.Picker {
		m.openSheet(d.Start.Filter)
	}
	if d.Start.Past != "" {
		m.openReader(d.Start.Past, "", nil)
	}
	m.beginRun(d.Start)
	if len(warnings) > 0 {
		m.say(warnings[0], true)
	}
	if d.Start.Note != "" {
		m.say(plain.Line(d.Start.Note, 400), false)
	}
	return m
}

// openRoom opens a chat that is there.
func (m *model) openRoom(id string) *room {
	open, store := m.d.Open, m.d.Store
	var first glimpse
	if store != nil && !m.d.Options.Plain { // plain lines are said once, when all is known
		first = func() ([]chats.Event, bool, error) { return store.Peek(id, firstPage) }
	}
	return m.newRoom(id, m.d.Folder, first, func() (talk, error) { return asTalk(open(id)) })
}

// freshRoom opens a new chat for a folder.
func (m *model) freshRoom(folder string) *room {
	open := m.d.New
	return m.newRoom("", folder, nil, func() (talk, error) { return asTalk(open(folder)) })
}

func (m *model) newTheme(widths ansi.Method) *theme.Theme {
	signs := theme.Unicode()
	if m.d.Options.ASCII {
		signs = theme.ASCII()
	}
	th := theme.New(m.light, !m.d.Options.NoColor && m.d.Options.Theme != "none", signs)
	th.Widths = widths
	return th
}

// retheme draws everything with another theme.
func (m *model) retheme(widths ansi.Method) {
	m.th = m.newTheme(widths)
	for _, r := range m.rooms {
		r.items.SetTheme(m.th)
		r.prompt.SetTheme(m.th)
		r.cards.SetTheme(m.th)
	}
	if m.run != nil {
		m.run.setTheme(m.th)
	}
	if m.sheet != nil {
		m.sheet.SetTheme(m.th)
	}
	if m.bring.card != nil {
		m.bring.card.SetTheme(m.th)
	}
	if m.reader != nil && m.reader.items != nil {
		m.reader.items.SetTheme(m.th)
	}
}

// Init asks for what the first frame does not need.
func (m *model) Init() tea.Cmd {
	cmds := m.cmds
	m.cmds = nil
	// The first frame waits for no question and no file.
	cmds = append(cmds, m.crew.after(loadTime, loadMsg{}))
	if m.d.Options.Theme == "" || m.d.Options.Theme == "auto" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// Update takes a message in. A panic ends the screen in order.
func (m *model) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			m.crew.caught("update", r, debug.Stack())
			cmd = tea.Quit
		}
	}()
	if m.crew.crashed() != nil {
		return m, nil
	}
	m.at = m.d.Now()
	m.keepPace(msg)
	m.update(msg)
	cmds := m.cmds
	m.cmds = nil
	switch len(cmds) {
	case 0:
		return m, nil
	case 1:
		return m, cmds[0]
	}
	return m, tea.Batch(cmds...)
}

// View draws. A panic ends the screen in order, with the last whole view.
func (m *model) View() (v tea.View) {
	defer func() {
		if r := recover(); r != nil {
			m.crew.caught("view", r, debug.Stack())
			m.crew.run("end", func(context.Context) { m.crew.quit() })
			v = m.drawn
		}
	}()
	if m.crew.crashed() != nil {
		return m.drawn
	}
	m.drawn = m.view()
	return m.drawn
}

// later adds a command to what the handled message gives rise to.
func (m *model) later(cmd tea.Cmd) {
	if cmd != nil {
		m.cmds = append(m.cmds, cmd)
	}
}

// note is one line for the person at the bottom of the screen.
type note struct {
	words  string
	bad    bool
	serial int
}

// noteTime is how long a note stands.
const noteTime = 6 * time.Second

// say shows a line for a while.
func (m *model) say(words string, bad bool) {
	m.serial++
	m.note = note{words: words, bad: bad, serial: m.serial}
	m.later(m.crew.after(noteTime, forgetMsg{m.serial}))
}

// has is what is there for actions to work on.
func (m *model) has() keys.Need {
	r := m.room
	has := keys.Need(0)
	for _, c := range []struct {
		yes  bool
		need keys.Need
	}{
		{r.busy(), keys.Turn},
		{len(r.status.Queue) > 0, keys.Queue},
		{r.cards.Len() > 0, keys.Waiting},
		{r.items.HasAnswer(), keys.Answer},
		{len(m.d.Editor) > 0, keys.Editor},
		{!r.status.ReadOnly, keys.Write},
		{r.status.Paused && !r.status.Running, keys.Pause},
		{!r.items.Empty(), keys.Said},
		{r.status.LastEnd != nil && r.status.LastEnd.Detail != "", keys.Trouble},
		{m.gone != nil || m.back != nil || m.clearedBefore(), keys.Gone},
	} {
		if c.yes {
			has |= c.need
		}
	}
	return has
}

// engine finds a provider by its id.
func (m *model) engine(id string) engine.Engine {
	for _, e := range m.d.Engines {
		if e.Info().ID == id {
			return e
		}
	}
	return nil
}
