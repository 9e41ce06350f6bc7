package acp

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"conch/engine"
	"conch/program"
)

// rows are the steps of a turn: one for each call id, merged from whatever comes
// in whatever order. The turn's lock is held.
type rows struct {
	turn  *turn
	cwd   string
	list  []*call
	named map[string]*call

	tools   map[string]bool   // those of the door, by name
	renamed map[string]string // the names under which tools are offered, by those of their rows
	early   map[string]int    // calls that came through the door before their notice, by tool
	through int               // calls that came through the door
	inside  int               // those of them that run
}

// neverRan is the reason of a call that still waited for an answer.
const neverRan = "stopped before it ran"

// A program that makes up call ids without end is bounded.
const maxCalls = 5000

// call is one call of a tool as far as it is known. A field that an update does
// not name keeps its value.
type call struct {
	id, key string
	tool    string // the program's own name for the tool; "" when it gives none
	first   string // the title of the first notice
	title   string
	kind    string
	status  string
	input   json.RawMessage
	output  json.RawMessage // rawOutput
	text    string          // what its content says
	paths   []string        // locations, path or path:line
	also    []string        // paths that its request and its announcement do not share
	diffs   []engine.Diff
	facts   facts

	announced string // the title under which it was announced, before any request
	echoes    bool   // that title stood in its arguments once, and may be taken from them
	foreign   bool   // it was said to change or run something
	door      string // the tool of the door that it is to; "" for the program's own
	claimed   bool   // it came through the door, which draws it

	asked    bool   // its permission was asked for
	answered bool   // and answered
	drawn    bool   // ToolStart was emitted
	ended    bool   // ToolEnd was emitted
	refused  string // why the program itself did not run it
	shown    row    // what the sink knows
}

// row is what is shown of a call.
type row struct {
	name    string
	kind    engine.ToolKind
	subject string
	output  string
	input   string
	view    engine.View
}

// update merges a tool_call, a tool_call_update or the call of a permission. nil:
// it has no id.
func (r *rows) update(u object) *call {
	c := r.merge(u, false)
	if c == nil {
		return nil
	}
	r.draw(c)
	return c
}

func (r *rows) merge(u object, asking bool) *call {
	id := u.text("toolCallId")
	if id == "" {
		return nil
	}
	c := r.named[id]
	if c != nil && c.ended && asking && !r.turn.stopped {
		c = nil // what is asked for under the id of a call that is over is another call
	}
	if c == nil {
		if len(r.list) >= maxCalls {
			return nil
		}
		c = &call{id: id, key: r.turn.key + "." + program.OneLine(id, maxName)}
		if r.named == nil {
			r.named = map[string]*call{}
		}
		r.named[id] = c
		r.list = append(r.list, c)
		r.turn.sure()
		r.turn.words.settle()
		c.first = u.text("title")
	}
	r.turn.heard = true
	if !c.ended {
		c.take(r.turn.e.agent, u, asking)
		r.whose(c)
	}
	return c
}

// take merges the fields that an update names.
func (c *call) take(agent Agent, u object, asking bool) {
	meta := u.object("_meta")
	if name := toolName(agent, c, u, meta); name != "" {
		c.tool = name
	}
	if !asking && c.announced == "" {
		c.announced = u.text("title")
	}
	c.notice(u.text("kind"))
	if title := u.text("title"); title != "" && (!asking || c.title == "") {
		// A request often has another, lesser title: the bare tool (Copilot), the
		// arguments as JSON (Qwen).
		c.title = title
	}
	if kind := u.text("kind"); kind != "" {
		c.kind = kind
	}
	if status := u.text("status"); !asking {
		switch status {
		case "pending", "in_progress", "completed", "failed":
			c.status = status
		}
	}
	switch {
	case !u.has("rawInput"):
	case asking:
		c.takeAsked(u["rawInput"])
	default:
		c.input = u["rawInput"]
	}
	if u.has("rawOutput") {
		c.output = u["rawOutput"]
	}
	if locations, ok := u.objects("locations"); ok {
		c.paths = locationsOf(locations, c.paths, asking)
	}
	if content, ok := u.objects("content"); ok {
		c.takeContent(content, asking)
	}
	c.echoes = c.echoes || c.announced != "" && (c.holds(c.announced) || strings.Contains(string(u["rawInput"]), c.announced))
	c.facts.take(c, meta)
	if why := meta.object("claudeCode").text("nonExecutionKind"); why != "" {
		c.refused = why
	}
}

// takeAsked takes the input of a request. It often says less than what was
// announced (OpenCode), which stays then; but what it names, and not the
// announcement, is what would be allowed.
func (c *call) takeAsked(input json.RawMessage) {
	asked := call{input: input}
	command, path := asked.command(), asked.path()
	known := c.allPaths()
	if c.inputLess() || command != "" && command != c.command() || path != "" && !slices.Contains(known, path) {
		c.also, c.input = known, input
		return
	}
	c.also = asked.allPaths()
}

// inputLess reports that nothing but an empty input is known.
func (c *call) inputLess() bool { return len(parse(c.input)) == 0 }

// draw starts, updates or ends the row, as far as what is known has changed.
func (r *rows) draw(c *call) {
	if c.ended || !c.drawn && (!c.ready() || c.mayBeDoors(r.tools)) {
		return
	}
	if c.hidden() {
		if c.ended = c.over(); c.ended {
			c.letGo()
		}
		return
	}
	now := c.row(r.turn.e.agent, r.cwd)
	if !c.drawn {
		c.drawn = true
		c.shown = now
		r.turn.emit(engine.ToolStart{
			ToolUseID: c.key, Name: now.name, Kind: now.kind, Subject: now.subject,
			Input: rawInput(now.input), View: now.view,
		})
		if now.output != "" && !c.over() {
			r.turn.emit(engine.ToolUpdate{ToolUseID: c.key, Output: now.output})
		}
	} else if !c.over() {
		if u, changed := change(c, now); changed {
			c.shown = now
			r.turn.emit(u)
		}
	}
	r.takeTodos(c)
	if c.over() {
		if u, changed := change(c, row{name: now.name, subject: now.subject, input: now.input}); changed {
			r.turn.emit(u)
		}
		c.shown = now
		r.end(c, c.result(), c.why(), now)
	}
}

// rawInput is an input as JSON; none is nil.
func rawInput(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

func (c *call) over() bool { return c.status == "completed" || c.status == "failed" }

// change is what a sink is to be told so that it knows now.
func change(c *call, now row) (engine.ToolUpdate, bool) {
	u := engine.ToolUpdate{ToolUseID: c.key}
	changed := false
	if now.name != "" && now.name != c.shown.name {
		u.Name, changed = now.name, true
	}
	if now.subject != "" && now.subject != c.shown.subject {
		u.Subject, changed = now.subject, true
	}
	if now.output != "" && now.output != c.shown.output {
		u.Output, changed = now.output, true
	}
	if now.input != "" && now.input != c.shown.input {
		u.Input, changed = rawInput(now.input), true
	}
	if !reflect.DeepEqual(now.view, engine.View{}) && !reflect.DeepEqual(now.view, c.shown.view) {
		u.View, changed = now.view, true
	}
	return u, changed
}

// result is how the call went. A command that ended with another exit status
// than 0 failed, whatever the program says.
func (c *call) result() engine.ToolStatus {
	switch {
	case c.refused != "":
		return engine.ToolNotRun
	case c.status == "failed", c.facts.failed(), c.invalid():
		return engine.ToolError
	}
	return engine.ToolSuccess
}

// why says in our words why a call that the program itself held back did not run.
func (c *call) why() string {
	switch c.refused {
	case "":
		return ""
	case "user-rejected":
		return neverRan
	}
	return "the program did not allow it"
}

func (r *rows) end(c *call, status engine.ToolStatus, reason string, now row) {
	c.ended = true
	r.turn.emit(engine.ToolEnd{ToolUseID: c.key, Status: status, Output: now.output, Reason: reason, View: now.view})
	c.letGo()
}

// letGo lets go of what a row that is over was made of: a turn has many.
func (c *call) letGo() {
	c.input, c.output, c.text, c.paths, c.also, c.diffs = nil, nil, "", nil, nil, nil
	c.facts, c.shown = facts{}, row{}
}

// close ends a row from our side.
func (r *rows) close(c *call, status engine.ToolStatus, reason string) {
	if c.ended {
		return
	}
	if !c.drawn {
		c.ended = true // held, and got no further: it leaves no row
		return
	}
	r.end(c, status, reason, c.shown)
}

// declined ends the row of a call that was not allowed. What the program says of
// it later changes nothing.
func (r *rows) declined(c *call, reason string) {
	if c.door != "" && !c.claimed && !c.ended && !c.drawn {
		// It never comes to the door, so its row is drawn here.
		r.unhide(c)
	}
	r.close(c, engine.ToolNotRun, reason)
}

// stopAll closes what is open when Stop comes: what waited for an answer never
// ran, the rest was stopped.
func (r *rows) stopAll() {
	for _, c := range r.list {
		if c.asked && !c.answered {
			r.declined(c, neverRan)
		} else {
			r.close(c, engine.ToolError, "stopped")
		}
	}
}

// closeAll closes what is still open at the end of the turn.
func (r *rows) closeAll(interrupted bool) {
	if interrupted {
		r.stopAll()
		return
	}
	for _, c := range r.list {
		if c.asked && !c.answered {
			r.declined(c, "the turn ended before it was answered")
		} else {
			r.close(c, engine.ToolUnknown, "")
		}
	}
}

// unhide draws a call of the door's that does not come there.
func (r *rows) unhide(c *call) {
	now := c.row(r.turn.e.agent, r.cwd)
	c.drawn, c.shown = true, now
	r.turn.emit(engine.ToolStart{ToolUseID: c.key, Name: now.name, Kind: now.kind, Subject: now.subject, Input: rawInput(now.input), View: now.view})
}

// any reports that a row was drawn.
func (r *rows) any() bool {
	if r.through > 0 {
		return true
	}
	for _, c := range r.list {
		if c.drawn {
			return true
		}
	}
	return false
}

// running names the step that runs now; "" when none does.
func (r *rows) running() string {
	for i := len(r.list) - 1; i >= 0; i-- {
		if c := r.list[i]; c.drawn && !c.ended {
			return program.OneLine(c.shown.name+" "+c.shown.subject, 80)
		}
	}
	return ""
}

// takeTodos makes the todo list of a program that sends no plan (OpenCode) the
// plan.
func (r *rows) takeTodos(c *call) {
	if c.tool == "todowrite" {
		r.turn.takePlan(parse(c.input), "todos")
	}
}
