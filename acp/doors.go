package acp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"conch/door"
	"conch/engine"
)

// passage is the way from a session to Conch's own tools: its door, and what the
// program is told of it when the session is opened. nil: the session has none.
type passage struct {
	door   *door.Door
	opened func() // ends the door's opening
	place  Instructions
	tools  string // the digest of the tools it was opened with
	said   bool   // that the program does not use it
}

// settledFor is how long a program asks a door nothing when it has found out all
// that it wants to know.
const settledFor = 60 * time.Millisecond

// toolsDigest is the short form of a set of tools, to see that it has changed; ""
// for none.
func toolsDigest(tools []engine.Tool) string {
	if len(tools) == 0 {
		return ""
	}
	h := sha256.New()
	for _, t := range tools {
		for _, part := range []string{t.Name(), t.Description(), string(t.Schema())} {
			h.Write([]byte(part))
			h.Write([]byte{0})
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// wantsDoor reports that a session needs a door, and that the program can be told
// of one.
func (p *process) wantsDoor(in engine.TurnInput) bool {
	agent := p.e.agent
	only := agent.Quirks.OnlyTools
	switch {
	case !p.caps.mcpHTTP && p.e.opts.Self == "":
		return false
	case only != nil:
		return slices.ContainsFunc(in.Tools, func(t engine.Tool) bool { return slices.Contains(only, t.Name()) })
	}
	return len(in.Tools) > 0 || agent.Instructions == FromDoor && in.SystemAppend != ""
}

// openDoor makes the door of a session that is about to be opened. A session opens
// without one rather than not at all.
func (p *process) openDoor(in engine.TurnInput) *passage {
	if !p.wantsDoor(in) {
		return nil
	}
	log := func(code, line string) { p.e.program.Logf(code, "%s", line) }
	d, err := door.Open(door.Options{Version: cmp.Or(p.e.opts.ClientVersion, "dev"), Log: log})
	if err != nil {
		p.e.program.Logf("door", "%v", err)
		return nil
	}
	p.mu.Lock()
	select {
	case <-p.gone:
		p.mu.Unlock()
		p.shut(d)
		return nil
	default:
	}
	p.doors = append(p.doors, d)
	p.mu.Unlock()
	return &passage{
		door: d, place: p.e.agent.Instructions, tools: toolsDigest(in.Tools),
		opened: d.Opening(p.doorWords(in), offered(p.e.agent, in.Tools)),
	}
}

// doorWords are the instructions that the door gives.
func (p *process) doorWords(in engine.TurnInput) string {
	if p.e.agent.Instructions == FromDoor {
		return in.SystemAppend
	}
	return ""
}

// abandon ends the door of a session that was not opened after all: nothing may come
// through it.
func (p *process) abandon(w *passage) {
	if w == nil {
		return
	}
	p.mu.Lock()
	p.doors = slices.DeleteFunc(p.doors, func(d *door.Door) bool { return d == w.door })
	p.mu.Unlock()
	p.shut(w.door)
}

func (p *process) shut(d *door.Door) {
	if err := d.Close(); err != nil {
		p.e.program.Logf("door", "%v", err)
	}
}

// shutDoors ends the doors of a process that is gone.
func (p *process) shutDoors() {
	p.mu.Lock()
	doors := p.doors
	p.doors = nil
	p.mu.Unlock()
	for _, d := range doors {
		p.shut(d)
	}
}

// servers is the list of servers that a session is opened with.
func (w *passage) servers(p *process) []any {
	if w == nil {
		return []any{}
	}
	if p.caps.mcpHTTP {
		return []any{map[string]any{
			"type": "http", "name": door.Name, "url": w.door.URL(),
			"headers": []any{map[string]any{"name": "Authorization", "value": "Bearer " + w.door.Key()}},
		}}
	}
	return []any{map[string]any{
		"name": door.Name, "command": p.e.opts.Self, "args": []any{"door-shim"},
		"env": []any{
			map[string]any{"name": door.EnvURL, "value": w.door.URL()},
			map[string]any{"name": door.EnvKey, "value": w.door.Key()},
		},
	}}
}

// settle waits until the program has been told the tools, for a while: some answer
// before they have asked for them, and a call in the first second would fail.
func (w *passage) settle(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if w.door.Quiet(ctx, settledFor) {
		w.opened()
	} // else the opening goes on until the first turn begins: it is only slow
}

// listed reports that the program has been told the tools.
func (w *passage) listed() bool {
	select {
	case <-w.door.Listed():
		return true
	default:
		return false
	}
}

// told gives the digest of the instructions that the door gave the program; ok is
// false when it gave none.
func (w *passage) told() (digest string, ok bool) {
	if w == nil || w.place != FromDoor {
		return "", false
	}
	words, ok := w.door.Greeted()
	return digestOf(words), ok
}

// throughDoor has the door answer for the turn. The end must be called before the
// turn's own.
func (t *turn) throughDoor(ctx context.Context, in engine.TurnInput) (end func()) {
	w := t.s.way
	if w == nil {
		return func() {}
	}
	tools := offered(t.e.agent, in.Tools)
	t.rows.tools, t.rows.renamed = map[string]bool{}, map[string]string{}
	for i, tool := range tools {
		t.rows.tools[tool.Name()] = true
		if own := in.Tools[i].Name(); own != tool.Name() {
			t.rows.renamed[own] = tool.Name()
		}
	}
	return w.door.Begin(ctx, door.Turn{
		Tools: tools, Instructions: t.s.p.doorWords(in), Emit: t.doorRow,
		IDs: t.key + ".", Images: t.s.p.caps.image && !t.e.agent.Quirks.NoImages,
	})
}

// doorRow takes the row of a call through the door into the turn.
func (t *turn) doorRow(ev engine.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.silence.Stir()
	switch row := ev.(type) {
	case engine.ToolStart:
		t.heard = true
		t.sure()
		t.words.settle()
		t.rows.came(t.rows.offeredAs(row.Name))
	case engine.ToolEnd:
		t.rows.inside--
	}
	t.emit(ev)
}

// sayUnused says once that a program had no use of its door, so that the person
// knows why it can't search their other chats.
func (t *turn) sayUnused(tools int) {
	w := t.s.way
	if w == nil || w.said || tools == 0 || w.listed() {
		return
	}
	w.said = true
	message := t.e.agent.Name + " did not connect to Conch's own tools, so it can't use them in this chat."
	if hint := t.e.agent.DoorHint; hint != "" {
		message += " " + hint
	}
	t.emit(engine.Notice{Code: "door-unused", Message: message})
}
