package acp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"conch/engine"
	"conch/program"
)

// session is an open session of a process.
type session struct {
	p      *process
	id     string
	cwd    string
	digest string // of the instructions it was told
	stands string // the resume id that it stands in for; "" for none
	lost   bool   // that one could not be carried on
	begun  bool   // it has had a prompt
	way    *passage

	mu       sync.Mutex // before a turn's own
	turn     *turn      // takes what arrives; nil: what arrives is history
	turned   bool       // it has had a turn in this process: nothing that arrives is a replay
	settings settings
	commands []engine.SlashCommand
	title    string
	plan     []engine.PlanStep // the last one
	usage    engine.Usage
	asks     string          // the mode that was last set
	last     time.Time       // of the last update
	late     map[string]bool // set when pieces came after the last turn's answer: the ids of its messages
	news     news            // what was not told to a sink yet
}

// news marks what has changed since a sink was told.
type news struct{ settings, commands, title, usage bool }

// update takes one session/update in. It is called by the reader only.
func (s *session) update(u object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
	known := true
	switch kind := u.text("sessionUpdate"); kind {
	case "available_commands_update":
		if _, ok := u.items("availableCommands"); !ok {
			return // null where a list belongs: nothing is known
		}
		commands := readCommands(u)
		s.news.commands = s.news.commands || !slices.Equal(commands, s.commands)
		s.commands = commands
	case "current_mode_update":
		s.moved(u.firstText("currentModeId", "modeId"))
	case "config_option_update":
		before := s.settings.mode.current
		s.settings.read(u, s.p.e.agent.OpenModes)
		s.news.settings = true
		after := s.settings.mode.current
		s.settings.mode.current = before
		s.moved(after)
	case "session_info_update":
		title := program.OneLine(u.text("title"), maxName)
		s.news.title = s.news.title || title != s.title && title != ""
		s.title = title
	case "usage_update":
		s.readUsage(u)
	case "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan":
		if s.turn != nil {
			s.turn.update(kind, u)
		} else if s.turned {
			s.p.breached(breachBetween)
		}
		return
	case "user_message_chunk":
		return // a replay, or an echo of what was just sent
	default:
		known = false
		s.p.e.program.Count("session/update " + kind)
	}
	if s.turn != nil && known {
		s.turn.stir()
		s.tell(s.turn.tell)
	}
}

// moved takes in which mode the program is in now. One that was not set here is
// said: the person's "always" can move it, and so can the program.
func (s *session) moved(mode string) {
	if mode == "" || mode == s.settings.mode.current {
		return
	}
	s.settings.mode.current = mode
	s.news.settings = true
	if s.turn != nil && mode != s.asks {
		s.turn.tell(s.modeNotice(mode))
	}
}

func (s *session) modeNotice(mode string) engine.Event {
	name := mode
	for _, c := range s.settings.mode.list {
		if c.ID == mode {
			name = c.Name
		}
	}
	return engine.Notice{
		Code:    "mode-changed",
		Message: fmt.Sprintf("%s is now in its mode %s.", s.p.e.agent.Name, program.OneLine(name, maxName)),
	}
}

func (s *session) readUsage(u object) {
	before := s.usage
	if n := u.count("used"); n != nil {
		s.usage.ContextUsed = n
	}
	if n := u.count("size"); n != nil && *n > 0 {
		s.usage.ContextSize = n
	}
	if cost := u.object("cost"); cost != nil {
		if amount, ok := cost.float("amount"); ok && amount >= 0 {
			s.usage.Cost = &amount
			s.usage.Currency = program.OneLine(cost.text("currency"), 8)
		}
	}
	if model := u.object("_meta").text("_claude/model"); model != "" && s.turn != nil {
		s.turn.model = program.OneLine(model, maxName)
	}
	s.news.usage = s.news.usage || !sameUsage(before, s.usage)
}

func sameUsage(a, b engine.Usage) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// tell emits what no sink was told yet. s.mu is held.
func (s *session) tell(emit func(engine.Event)) {
	if s.news.settings {
		emit(s.settings.offered())
	}
	if s.news.commands {
		emit(engine.Commands{List: slices.Clone(s.commands)})
	}
	if s.news.title {
		emit(engine.Title{Text: s.title})
	}
	if s.news.usage {
		emit(s.usage)
	}
	s.news = news{}
}

// answered is the prompt's answer, as the reader sees it.
func (s *session) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		s.turn.after = true
	}
}

// quietFor is how long nothing has come.
func (s *session) quietFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.last)
}

// model is the model as far as it is known. s.mu is held.
func (s *session) model() string {
	if id := s.settings.model.current; id != "" {
		return id
	}
	if s.p.model != "" {
		return s.p.model
	}
	if name := s.p.e.agent.ModelEnv; name != "" {
		return s.p.e.variable(name)
	}
	return ""
}

// resumeID is what carries the session on in another process.
func (s *session) resumeID() string {
	if !validSession(s.id) {
		return ""
	}
	return s.digest + ":" + s.id
}

// AppSession gives the program's own id of a session.
func (e *Engine) AppSession(resumeID string) string {
	_, session, _ := parseResume(resumeID)
	return session
}

// digestOf is the short form of instructions, to see that they have changed.
func digestOf(instructions string) string {
	sum := sha256.Sum256([]byte(instructions))
	return hex.EncodeToString(sum[:8])
}

const maxSessionID = 256

func validSession(id string) bool {
	return id != "" && len(id) <= maxSessionID && utf8.ValidString(id) &&
		!strings.ContainsFunc(id, unicode.IsControl)
}

// parseResume reads a resume id: "<16 hex>:<session id>", or the same two as an
// object {digest, sessionId}.
func parseResume(id string) (digest, session string, ok bool) {
	if o := parse(json.RawMessage(id)); o != nil {
		digest, session = o.text("digest"), o.text("sessionId")
	} else {
		digest, session, _ = strings.Cut(id, ":")
	}
	if len(digest) != 16 || !validSession(session) {
		return "", "", false
	}
	if _, err := hex.DecodeString(digest); err != nil {
		return "", "", false
	}
	return digest, session, true
}
