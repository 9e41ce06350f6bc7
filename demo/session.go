package demo

import (
	"context"
	"encoding/json"
	"sync"
)

// session is one conversation that is open in this process.
type session struct {
	agent *agent
	id    string

	mu      sync.Mutex
	rec     record
	scratch *scratch
	running string // the id of the prompt that runs, "" for none
	stop    context.CancelFunc
	deaf    bool            // ignores cancel
	always  map[string]bool // by a call's kind: what the person said once and for all
	turns   int
	door    *door  // to tools of the client's; nil: there are none
	rules   string // what the client told the session
}

func (a *agent) open(rec record) *session {
	if rec.Mode == "" {
		rec.Mode = "default"
	}
	if a.flags.AutoMode {
		rec.Mode = "auto"
	}
	if rec.Model == "" {
		rec.Model = "demo-calm"
	}
	if rec.Effort == "" {
		rec.Effort = "low"
	}
	s := &session{agent: a, id: rec.ID, rec: rec}
	a.mu.Lock()
	a.sessions[s.id] = s
	a.mu.Unlock()
	return s
}

// equip gives the session what it was opened with: tools, and rules.
func (s *session) equip(ctx context.Context, p openParams) {
	door := openDoor(ctx, p.Servers)
	s.mu.Lock()
	door, s.door = s.door, door
	if p.Meta.Rules != "" {
		s.rules = p.Meta.Rules
	}
	s.mu.Unlock()
	door.close() // of before
}

// update sends one session/update.
func (s *session) update(u update) {
	_ = s.agent.conn.notify("session/update", map[string]any{"sessionId": s.id, "update": u}) // a client that is gone ends the turn by ctx
}

// state is the part that new, load and resume answer alike.
func (s *session) state() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	result := map[string]any{}
	if !s.agent.flags.NoModes {
		result["modes"] = map[string]any{
			"currentModeId": s.rec.Mode,
			"availableModes": []any{
				map[string]any{"id": "default", "name": "Default", "description": "Asks before it changes a file or runs a command"},
				map[string]any{"id": "plan", "name": "Plan", "description": "Only looks, and says what it would do"},
				map[string]any{"id": "auto", "name": "Auto", "description": "Asks for nothing"},
			},
		}
	}
	if !s.agent.flags.NoOptions {
		result["configOptions"] = s.optionsLocked()
	}
	return result
}

func (s *session) options() []option {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.optionsLocked()
}

func (s *session) optionsLocked() []option {
	return []option{
		{ID: "model", Name: "Model", Category: "model", Type: "select", CurrentValue: s.rec.Model, Options: []choice{
			{"demo-calm", "Demo Calm", "Writes at reading speed"},
			{"demo-brisk", "Demo Brisk", "Writes four times as fast"},
		}},
		{ID: "effort", Name: "Thinking", Category: "thought_level", Type: "select", CurrentValue: s.rec.Effort, Options: []choice{
			{"low", "Low", "Thinks in one sentence"}, {"high", "High", "Thinks in a few"},
		}},
		{ID: "titles", Name: "Name chats", Description: "Whether it gives a chat its title", Type: "boolean", CurrentValue: !s.rec.NoTitles},
	}
}

func (s *session) setMode(id string) bool {
	if id != "default" && id != "plan" && id != "auto" || s.agent.flags.NoModes {
		return false
	}
	s.mu.Lock()
	s.rec.Mode = id
	s.mu.Unlock()
	return true
}

func (s *session) setOption(id string, value json.RawMessage) bool {
	if s.agent.flags.NoOptions {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "titles" {
		var on bool
		if json.Unmarshal(value, &on) != nil {
			return false
		}
		s.rec.NoTitles = !on
		return true
	}
	var word string
	if json.Unmarshal(value, &word) != nil {
		return false
	}
	for _, o := range s.optionsLocked() {
		for _, c := range o.Options {
			if o.ID != id || c.Value != word {
				continue
			}
			if id == "model" {
				s.rec.Model = word
			} else {
				s.rec.Effort = word
			}
			return true
		}
	}
	return false
}

// announce tells the commands.
func (s *session) announce() {
	list := []any{}
	for _, c := range scripts {
		one := map[string]any{"name": c.name, "description": c.about}
		if c.hint != "" {
			one["input"] = map[string]any{"hint": c.hint}
		}
		list = append(list, one)
	}
	list = append(list, map[string]any{
		"name": "test", "description": "Misbehave on purpose, for testing (\"/test help\" lists how)",
		"input": map[string]any{"hint": "what"},
	})
	s.update(update{"sessionUpdate": "available_commands_update", "availableCommands": list})
}

// replay tells the conversation again, each message whole.
func (s *session) replay() {
	s.mu.Lock()
	kept := append([]json.RawMessage(nil), s.rec.Entries...)
	s.mu.Unlock()
	for _, raw := range kept {
		_ = s.agent.conn.notify("session/update", map[string]any{"sessionId": s.id, "update": raw}) // as update
	}
}

// keep adds to what a load replays.
func (s *session) keep(u update) {
	raw, err := encode(u)
	if err != nil || len(raw) > maxEntry {
		return
	}
	s.mu.Lock()
	s.rec.Entries = append(s.rec.Entries, raw)
	s.mu.Unlock()
}

func (s *session) save() {
	s.mu.Lock()
	rec := s.rec.bounded()
	s.rec = rec
	s.mu.Unlock()
	s.agent.store.save(rec)
}

func (s *session) cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil && !s.deaf {
		s.stop()
	}
}

func (s *session) cancelPrompt(id string) {
	s.mu.Lock()
	running := s.running == id
	s.mu.Unlock()
	if running {
		s.cancel()
	}
}

func (s *session) close() {
	s.mu.Lock()
	stop, scratch, door := s.stop, s.scratch, s.door
	s.scratch, s.door = nil, nil
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
	scratch.remove()
	door.close()
}
