package conversation

import (
	"slices"
	"strings"
	"time"

	"conch/chats"
	"conch/engine"
)

// Status is a copy; it may be kept.
type Status struct {
	Chat     string
	Title    string
	Folder   string
	ReadOnly bool // another conch holds the chat
	Provider string
	Model    string // chosen or reported; "" unknown
	Effort   string
	Mode     engine.Mode
	Native   string // the provider's own mode, as it says
	// NativeChosen: the person chose Native; else the provider is only in it.
	NativeChosen bool
	Running      bool
	Turn         string
	Since        time.Time // the turn's start
	Stopping     bool
	Waits        string    // what is waited for between turns: "until make test succeeds"; Stop ends it
	WaitsUntil   time.Time // when it is given up
	Waiting      string    // what a silent turn waits for, one sentence
	SilentAt     time.Time // when the turn fell silent, while Waiting is set
	Afresh       bool      // the chat was cleared, and nothing was said since
	Answering    string    // the provider of the running turn; Provider may be the next one
	Queue        []Message
	Cards        []Card // what waits for the person, oldest first
	Commands     []engine.SlashCommand
	Offers       engine.Offers
	Usage        engine.Usage
	UsageAt      time.Time
	Limits       []engine.Window // as the provider reported them last
	LimitsAt     time.Time
	LastEnd      *chats.TurnCompleted

	Held    bool   // the queue waits for Release or the next Send
	HeldWhy string // one sentence: why it is held
	Pending string // what the person chose for the next message while a turn runs, one sentence
	Paused  bool   // the last turn stopped at a limit: Continue carries on
	// PausedBy says why, when it was Conch that paused it; nil: a limit of the provider's.
	PausedBy *chats.Pause
	Shells   int    // commands of the person's whose output goes with the next message
	News     int    // finished messages, cards and ends of turns since Seen
	Cleared  bool   // what is above the last ContextCleared is handed over to nobody: Unclear takes it back
	LastSeq  int64  // of the newest event in the log, -1 for none
	Trouble  string // the log can't be written: one sentence; "" when all is well
	Dropped  int    // events that came after the end of their turn, or made no sense
}

// Card is a permission or a question that waits for the person. One of the two
// is set.
type Card struct {
	ID string
	// Permission has the options that the provider sent: those for this call
	// first, then those of an unknown kind, then those that reach further.
	Permission *engine.Permission
	Question   *engine.Question
	Why        string // why it is asked
	AskedBy    string // the provider's name
	At         time.Time
}

// facts is what Status says besides what others keep. All of it is guarded by
// Manager.mu.
type facts struct {
	title    string
	given    string // the provider's title, as it said last
	readOnly bool
	lastEnd  *chats.TurnCompleted
	held     string // why the queue is held; "" when it is not
	waiting  waiting
	news     int
	lastSeq  int64
	cleared  []int64 // clears that stand, oldest first
	said     bool    // something since the last of them
	trouble  string
	dropped  int
}

// statusNow makes the copy. mu is held.
func (m *Manager) statusNow() Status {
	f, c := &m.status, &m.chosen
	own := m.tie(c.provider)
	s := Status{
		Chat: m.ID(), Title: f.title, Folder: m.folder, ReadOnly: f.readOnly,
		Provider: c.provider, Model: c.of(c.provider).Model, Effort: c.of(c.provider).Effort, Mode: c.mode,
		Native: own.offers.Mode, Queue: slices.Clone(m.queue), Cards: make([]Card, 0, len(m.cards)),
		Commands: own.commands, Offers: own.offers, Usage: own.usage, UsageAt: own.usageAt, LastEnd: f.lastEnd,
		Limits: own.limits, LimitsAt: own.limitsAt,
		Afresh: len(f.cleared) > 0 && !f.said,
		Held:   f.held != "" && len(m.queue) > 0, Shells: len(m.shells), News: f.news, LastSeq: f.lastSeq,
		Trouble: f.trouble, Dropped: f.dropped,
		Cleared: len(f.cleared) > 0,
		Paused:  m.turn == nil && f.lastEnd != nil && f.lastEnd.Paused,
	}
	if a := m.await; a != nil && a.end != nil {
		s.Waits, s.WaitsUntil = a.what.Says, a.until
	}
	if s.Paused {
		s.PausedBy = f.lastEnd.Pause
	}
	if s.Model == "" {
		s.Model = own.model
	}
	if s.Model == "" {
		s.Model = own.offers.Model
	}
	if s.Effort == "" {
		s.Effort = own.offers.Effort
	}
	if native := c.of(c.provider).NativeMode; native != "" {
		s.Native, s.NativeChosen = native, true
	}
	if s.Held {
		s.HeldWhy = f.held
	}
	for _, each := range m.cards {
		s.Cards = append(s.Cards, each.Card)
	}
	if t := m.turn; t != nil {
		s.Running, s.Turn, s.Since, s.Stopping = true, t.id, t.began, t.stopped
		s.Answering = t.who
		s.Pending = c.pending(t)
		s.Waiting, s.SilentAt = f.waiting.says, f.waiting.since
		if s.Waiting == "" {
			s.SilentAt = time.Time{}
		}
	}
	return s
}

// pending says what the person chose for the next message while t runs.
func (c *choices) pending(t *turn) string {
	if t.who == "" {
		return ""
	}
	var parts []string
	own := c.of(c.provider)
	if c.provider != t.who {
		parts = append(parts, c.provider+" answers")
	} else {
		if own.Model != t.options.Model {
			parts = append(parts, "the model is "+orDefault(own.Model))
		}
		if own.Effort != t.options.Effort {
			parts = append(parts, "the effort is "+orDefault(own.Effort))
		}
		if own.NativeMode != t.options.NativeMode {
			parts = append(parts, "its own mode is "+orDefault(own.NativeMode))
		}
	}
	if c.mode != t.options.Mode && engine.Stricter(c.mode, t.options.Mode) == t.options.Mode {
		parts = append(parts, string(c.mode)+" holds")
	}
	if len(parts) == 0 {
		return ""
	}
	return "from the next message on " + strings.Join(parts, ", ")
}

func orDefault(s string) string {
	if s == "" {
		return "the provider's default"
	}
	return s
}

// Seen sets Status.News back to nothing: the person looks at the chat now.
func (m *Manager) Seen() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.news = 0
}

// Healed lists the sessions that were gone and told again while this Manager
// was open, oldest first.
func (m *Manager) Healed() []Healed {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.healed)
}

// Healed is a provider's session that was gone: the chat was told again and went
// on.
type Healed struct {
	Provider string
	At       time.Time
	Message  string // as the chat's notice says it
}
