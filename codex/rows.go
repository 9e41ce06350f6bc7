package codex

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"

	"conch/engine"
	"conch/plain"
	"conch/program"
	"conch/redact"
)

// rows are the steps of a turn, one for each item that is one. The turn's lock is
// held.
type rows struct {
	turn *turn
	list []*row
	by   map[string]*row
}

// row is a step as it is shown.
type row struct {
	key     string
	item    item
	name    string
	subject string
	out     strings.Builder // what came of a command's output in pieces
	told    int             // of it, bytes that the sink knows
	asked   bool            // its approval waits
	ended   bool
}

// Items of no end are bounded.
const maxRows = 5000

const (
	neverRan = "stopped before it ran"
	// How much of a running command's output comes before it is told again.
	outputStep = 2 << 10
)

// step tells how an item is shown; ok is false for what is no step.
func step(it item, cwd string) (name string, kind engine.ToolKind, subject string, ok bool) {
	switch it.Type {
	case "commandExecution":
		name, kind, subject = command(it.Actions, it.Command, cwd)
	case "fileChange":
		name, kind, subject = "Edit", changeKind(it.Changes), changed(it.Changes, cwd)
	case "mcpToolCall":
		name, kind, subject = it.Server+": "+it.Tool, engine.KindOther, arguments(it.Arguments)
	case "webSearch":
		name, kind, subject = "WebSearch", engine.KindFetch, it.Query
	case "imageView":
		name, kind, subject = "Read", engine.KindRead, within(it.Path, cwd)
	case "userMessage", "agentMessage", "reasoning", "plan", "hookPrompt", "contextCompaction", "dynamicToolCall", "functionCallOutput", "":
		return "", "", "", false
	default:
		name, kind = it.Type, engine.KindOther
	}
	return program.OneLine(name, maxName), kind, program.OneLine(subject, 1000), true
}

// command names a command by what Codex makes of its parts.
func command(actions []action, whole, cwd string) (name string, kind engine.ToolKind, subject string) {
	same := func(kind string) bool {
		for _, a := range actions {
			if a.Type != kind {
				return false
			}
		}
		return len(actions) > 0
	}
	var paths, lines []string
	for _, a := range actions {
		paths = append(paths, within(cmp.Or(a.Path, a.Name), cwd))
		lines = append(lines, a.Command)
	}
	switch {
	case same("read"):
		return "Read", engine.KindRead, strings.Join(paths, ", ")
	case same("search"):
		var what []string
		for _, a := range actions {
			what = append(what, strings.TrimSpace(a.Query+" "+within(a.Path, cwd)))
		}
		return "Grep", engine.KindSearch, strings.Join(what, ", ")
	case same("listFiles"):
		return "List", engine.KindSearch, strings.Join(lines, " && ")
	}
	return "Bash", engine.KindExecute, cmp.Or(unwrapped(whole), strings.Join(lines, " && "))
}

// unwrapped is a command without the shell that Codex runs it by.
func unwrapped(command string) string {
	for _, shell := range []string{"/bin/bash -lc ", "/bin/zsh -lc ", "/bin/sh -lc ", "bash -lc ", "zsh -lc ", "sh -c "} {
		inner, ok := strings.CutPrefix(command, shell)
		if !ok || inner == "" {
			continue
		}
		if quote := inner[0]; (quote == '\'' || quote == '"') && len(inner) > 1 && inner[len(inner)-1] == quote {
			inner = inner[1 : len(inner)-1]
			if quote == '\'' {
				inner = strings.ReplaceAll(inner, `'\''`, "'")
			}
		}
		return inner
	}
	return command
}

// within is a path as the chat's folder sees it.
func within(path, cwd string) string {
	if rel, err := filepath.Rel(cwd, path); err == nil && filepath.IsAbs(path) && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return rel
	}
	return path
}

func arguments(raw json.RawMessage) string {
	if s := strings.TrimSpace(string(raw)); s != "{}" && s != "null" {
		return s
	}
	return ""
}

func (r *rows) started(it item) {
	switch it.Type {
	case "agentMessage", "reasoning", "userMessage":
		return
	}
	r.draw(it)
}

func (r *rows) draw(it item) *row {
	name, kind, subject, ok := step(it, r.turn.cwd)
	if !ok || it.ID == "" {
		return nil
	}
	if known := r.by[it.ID]; known != nil {
		return known
	}
	if len(r.list) >= maxRows {
		return nil
	}
	each := &row{key: r.turn.key + "." + program.OneLine(it.ID, maxName), item: it, name: name, subject: subject}
	if r.by == nil {
		r.by = map[string]*row{}
	}
	r.by[it.ID] = each
	r.list = append(r.list, each)
	r.turn.heard = true
	r.turn.words.step()
	r.turn.emit(engine.ToolStart{ToolUseID: each.key, Name: name, Kind: kind, Subject: subject, Input: input(it), View: view(it)})
	return each
}

// input is what the row keeps of an item's arguments.
func input(it item) json.RawMessage {
	var v any
	switch it.Type {
	case "commandExecution":
		v = map[string]any{"command": unwrapped(it.Command), "cwd": it.Cwd}
	case "fileChange":
		var paths []string
		for _, c := range it.Changes {
			paths = append(paths, c.Path)
		}
		v = map[string]any{"paths": paths}
	case "mcpToolCall":
		if json.Valid(it.Arguments) {
			return it.Arguments
		}
		return nil
	default:
		return nil
	}
	b, _ := json.Marshal(v)
	return b
}

func view(it item) engine.View {
	v := engine.View{ExitCode: it.ExitCode}
	switch it.Type {
	case "fileChange":
		v.Diffs = diffs(it.Changes)
		for _, c := range it.Changes {
			v.Locations = append(v.Locations, c.Path)
		}
	case "commandExecution":
		for _, a := range it.Actions {
			if a.Path != "" {
				v.Locations = append(v.Locations, a.Path)
			}
		}
	case "imageView":
		v.Locations = []string{it.Path}
	}
	return v
}

// output takes a piece of a running command's output.
func (r *rows) output(id, text string) {
	each := r.by[id]
	if each == nil || each.ended || each.out.Len() > 4<<20 {
		return
	}
	each.out.WriteString(text)
	if each.out.Len()-each.told >= outputStep || each.told == 0 {
		each.told = each.out.Len()
		r.turn.emit(engine.ToolUpdate{ToolUseID: each.key, Output: tail(each.out.String())})
	}
}

// tail is the end of an output, harmless and without secrets.
func tail(text string) string {
	if len(text) > 8*maxOutput {
		text = text[len(text)-8*maxOutput:]
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
	}
	text, _ = redact.Redact(plain.Text(text))
	if runes := []rune(text); len(runes) > maxOutput {
		text = string(runes[len(runes)-maxOutput:])
	}
	return text
}

// completed takes an item's end.
func (r *rows) completed(it item) {
	switch it.Type {
	case "agentMessage", "plan":
		r.turn.words.done(it.ID, it.Text, false)
		return
	case "reasoning":
		r.turn.words.done(it.ID, "", true)
		return
	case "contextCompaction":
		r.turn.emit(engine.Compacted{})
		return
	}
	each := r.draw(it)
	if each == nil || each.ended {
		return
	}
	each.item = it
	status, reason := status(it)
	r.end(each, status, reason, outputOf(it))
}

func (r *rows) end(each *row, status engine.ToolStatus, reason, output string) {
	each.ended = true
	if output == "" {
		output = each.out.String()
	}
	r.turn.emit(engine.ToolEnd{ToolUseID: each.key, Status: status, Output: tail(output), Reason: reason, View: view(each.item)})
	each.out.Reset() // a turn has many rows, and nobody needs it again
	each.item = item{Type: each.item.Type, ID: each.item.ID}
}

// status says how an item went. A command is a success only when it came to its
// end with no exit status but 0.
func status(it item) (engine.ToolStatus, string) {
	switch it.Status {
	case "declined":
		return engine.ToolNotRun, "it was not allowed"
	case "failed":
		return engine.ToolError, ""
	case "completed", "":
		if it.ExitCode != nil && *it.ExitCode != 0 {
			return engine.ToolError, ""
		}
		return engine.ToolSuccess, ""
	}
	return engine.ToolUnknown, ""
}

func outputOf(it item) string {
	switch {
	case it.Output != "":
		return it.Output
	case it.Error != nil && it.Error.Message != "":
		return it.Error.Message
	case it.Result != nil:
		var parts []string
		for _, c := range it.Result.Content {
			if c.Type == "text" {
				parts = append(parts, c.Text)
			} else {
				parts = append(parts, "["+c.Type+"]")
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

// declined ends the row of an item that was not allowed.
func (r *rows) declined(id, reason string) {
	if each := r.by[id]; each != nil && !each.ended {
		r.end(each, engine.ToolNotRun, reason, "")
	}
}

func (r *rows) waits(id string, asked bool) {
	if each := r.by[id]; each != nil {
		each.asked = asked
	}
}

// stopAll closes what is open when Stop comes: Codex leaves it open.
func (r *rows) stopAll() {
	for _, each := range r.list {
		switch {
		case each.ended:
		case each.asked:
			r.end(each, engine.ToolNotRun, neverRan, "")
		default:
			r.end(each, engine.ToolError, "stopped", "")
		}
	}
}

// closeAll closes what is still open at the end of the turn.
func (r *rows) closeAll(interrupted bool) {
	if interrupted {
		r.stopAll()
		return
	}
	for _, each := range r.list {
		switch {
		case each.ended:
		case each.asked:
			r.end(each, engine.ToolNotRun, "the turn ended before it was answered", "")
		default:
			r.end(each, engine.ToolUnknown, "", "")
		}
	}
}

// running names the step that runs now; "" when none does.
func (r *rows) running() string {
	for i := len(r.list) - 1; i >= 0; i-- {
		if each := r.list[i]; !each.ended {
			return program.OneLine(each.name+" "+each.subject, 80)
		}
	}
	return ""
}
