package tui

import (
	"path/filepath"
	"slices"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
	"conch/plain"
	"conch/tui/card"
	"conch/tui/composer"
	"conch/tui/keys"
	"conch/tui/transcript"
)

// focus is where keys go in a chat.
type focus uint8

const (
	onPrompt focus = iota
	onCard
	onChat
	onSide
)

// room is one open chat with all that is seen of it: its items, its prompt and
// draft, its cards. It is touched by Update alone; what the chat itself does
// goes through the worker.
type room struct {
	w      *worker
	id     string // "" until a new chat is made
	folder string
	opened bool
	failed error // why it could not be opened
	again  bool  // another conch held it, and it is tried anew

	status   conversation.Status
	choosing int // choices that the chat was not told of yet
	items    *transcript.Transcript
	prompt   *composer.Composer
	cards    *card.Stack
	focus    focus

	loading  bool // an older page is on its way
	hasOlder bool
	walking  bool   // its folder's files are being listed
	readied  string // the provider that was asked to open its session
	missed   map[string]conversation.Missed
	models   map[string]string // that each provider said it answered with, as far as it is loaded
	shell    *shellRun
	lastText string                // the person's last message
	commands []engine.SlashCommand // the provider's, when last given to the prompt
	ended    string                // the provider of the turn that ended last
	began    int64                 // when it began, in milliseconds since 1970
	ends     int                   // turns that ended
	side     side
	search   *line  // words being typed to find
	heard    bool   // --plain: what was there at the opening was read out
	carried  string // where it was carried on from, until that is said
	seek     string // the message that is to be in view, until it is loaded
	sought   int    // pages that were read for it
	marked   bool   // words are marked that were looked for in all chats
}

// newRoom opens a chat in the background; its prompt takes words at once.
func (m *model) newRoom(id, folder string, first glimpse, open func() (talk, error)) *room {
	r := &room{id: id, folder: folder}
	r.items = transcript.New(m.th, transcript.Options{Still: !m.motion, Plain: m.d.Options.Plain})
	r.prompt = composer.New(m.th, m.history)
	r.prompt.SetKeys(m.promptKeys())
	r.prompt.SetChat(id)
	r.prompt.SetFocused(true)
	r.prompt.SetCommands(m.commandItems(nil))
	r.cards = card.New(m.th)
	r.cards.SetFocusKey(m.keys.First(keys.FocusNext, keys.Draft))
	r.w = newWorker(m.crew, r, first, open, m.d.PanicAt)
	m.rooms = append(m.rooms, r)
	return r
}

// promptKeys are the prompt's own keys, from the table.
func (m *model) promptKeys() composer.Keys {
	return composer.Keys{
		Send: m.keys.Keys(keys.Send), Newline: m.keys.Keys(keys.Newline),
		HistoryBack: m.keys.Keys(keys.HistoryBack), HistoryForward: m.keys.Keys(keys.HistoryForward),
		HistorySearch: m.keys.Keys(keys.HistorySearch), Complete: m.keys.Keys(keys.Complete),
		Open: m.keys.Keys(keys.Unfold), Unqueue: m.keys.First(keys.Unqueue, keys.Draft),
	}
}

// do asks something of the chat; an error is said.
func (m *model) do(r *room, doing string, f func(talk) error) {
	send := m.crew.send
	r.w.do(func(t talk) {
		if err := f(t); err != nil {
			send(troubleMsg{room: r, doing: doing, err: err})
		}
	})
}

// choose does what the person chose for a chat. What they see is the choice from
// the key on: news that were on their way must not show the old one again, and a
// second key goes on from the first.
func (m *model) choose(r *room, doing string, f func(talk) error) {
	send := m.crew.send
	r.choosing++
	r.w.do(func(t talk) {
		if err := f(t); err != nil {
			send(troubleMsg{room: r, doing: doing, err: err})
		}
		send(chosenMsg{room: r, status: t.Status()})
	})
}

// chosen takes in what the chat made of a choice, once none is on its way.
func (m *model) chosen(msg chosenMsg) {
	r := msg.room
	if r.choosing--; r.choosing == 0 {
		r.status = withChoices(r.status, msg.status)
	}
}

// withChoices is st with the choices of another.
func withChoices(st, of conversation.Status) conversation.Status {
	st.Provider, st.Model, st.Effort, st.Mode, st.Native = of.Provider, of.Model, of.Effort, of.Mode, of.Native
	return st
}

// busy reports that a turn or a command of the person's runs.
func (r *room) busy() bool { return r.status.Running || r.shell != nil }

// untouched reports a new chat in which nothing was done.
func (r *room) untouched() bool {
	return r.items.Empty() && r.prompt.Empty() && !r.busy() && len(r.status.Queue) == 0 && r.status.LastSeq <= 0
}

// project is the folder's name.
func (r *room) project() string {
	name := filepath.Base(r.folderNow())
	if name == "." || name == string(filepath.Separator) {
		return "/"
	}
	return plain.Line(name, 40)
}

func (r *room) folderNow() string {
	if r.status.Folder != "" {
		return r.status.Folder
	}
	return r.folder
}

// title is the chat's title, "" when it has none yet.
func (r *room) title() string { return plain.Line(r.status.Title, 200) }

// answering is who answers now.
func (r *room) answering() string {
	if r.status.Running && r.status.Answering != "" {
		return r.status.Answering
	}
	return r.status.Provider
}

// took takes in what happened: events and how things stand.
func (m *model) took(r *room, events []chats.Event, st conversation.Status) {
	for _, e := range events {
		switch b := e.Body.(type) {
		case chats.UserMessage:
			r.began = e.At
			if b.By == "" {
				r.lastText = b.Text
			}
		case chats.Session:
			r.answersWith(b.Engine, b.Model)
		case chats.TurnCompleted:
			r.answersWith(b.Engine, b.Model)
			r.ends++
			r.ended = b.Engine
			m.lookForEdits(r, st.Chat, r.began)
		}
	}
	r.items.Apply(events)
	m.stands(r, st)
}

// answersWith notes the model of a provider.
func (r *room) answersWith(engine, model string) {
	if engine == "" || model == "" {
		return
	}
	if r.models == nil {
		r.models = map[string]string{}
	}
	r.models[engine] = model
}

// stands takes in how things stand.
func (m *model) stands(r *room, st conversation.Status) {
	was := r.status
	r.status = st
	if r.choosing > 0 {
		r.status = withChoices(st, was)
	}
	r.id = st.Chat
	if was.Chat != st.Chat {
		r.prompt.SetChat(st.Chat)
	}
	had := r.cards.Focused()
	r.cards.Set(st.Cards)
	r.cards.SetPause(pauseOf(st))
	if had && !r.cards.Focused() && r.focus == onCard {
		m.focusOn(r, onPrompt)
	}
	words := make([]string, len(st.Queue))
	for i, q := range st.Queue {
		words[i] = plain.Line(q.Text, 200)
	}
	r.prompt.SetQueue(words, st.Held)
	if !slices.Equal(st.Commands, r.commands) {
		r.commands = slices.Clone(st.Commands)
		r.prompt.SetCommands(m.commandItems(st.Commands))
	}
	if was.Provider != st.Provider {
		r.missed = nil
	}
}

func pauseOf(st conversation.Status) *card.Pause {
	if !st.Paused || st.Running {
		return nil
	}
	words := st.Provider + " paused at a limit of its own"
	if st.PausedBy != nil {
		words = "after " + st.PausedBy.Message
	}
	return &card.Pause{ID: st.Turn, Words: words}
}

// ready opens the provider's session ahead, once something of it is needed: its
// models, its commands. One that can't answer is not started.
func (m *model) ready(r *room) {
	if r.readied == r.status.Provider || !r.opened || r.status.ReadOnly || r.status.Provider == "" {
		return
	}
	switch m.health[r.status.Provider].State {
	case engine.NotFound, engine.NeedSignIn, engine.TooOld, engine.Broken:
		return
	}
	r.readied = r.status.Provider
	r.w.do(func(t talk) { t.Open() })
}
