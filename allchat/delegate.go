package allchat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"conch/allchat/record"
	"conch/engine"
	"conch/plain"
)

const (
	delegateName = "delegate"
	delegateWhat = `Give a task to another participant of this run. It returns at once: the task runs, or waits behind the one before it, while you go on. ` +
		`The participant knows nothing of this conversation: the brief has to stand on its own. Name as evidence what it should have before it: a text, or the result of a task that is done. ` +
		`Each participant may have two open tasks, the run sixteen in all. Use collect to get the result.`
	delegateSchema = `{"type":"object","additionalProperties":false,"required":["to","task","brief"],"properties":{
"to":{"type":"string","enum":["worker-1","worker-2"],"description":"Who gets it."},
"task":{"type":"string","pattern":"^[a-z0-9][a-z0-9-]{0,63}$","description":"A name for it that no other task of this run has: small letters, digits, dashes."},
"brief":{"type":"string","minLength":1,"maxLength":16384,"description":"All that is to be known of the task: the goal, where to look, what the result is to say."},
"evidence":{"type":"array","maxItems":8,"description":"What goes along, quoted.","items":{"type":"object","additionalProperties":false,"required":["label"],"properties":{
"label":{"type":"string","minLength":1,"maxLength":200,"description":"What it is, in a few words."},
"text":{"type":"string","description":"The text itself, at most 16 KiB."},
"task":{"type":"string","description":"In place of text: a task whose result goes along."}}}}}}`
)

type delegateArgs struct {
	To       record.Who       `json:"to"`
	Task     string           `json:"task"`
	Brief    string           `json:"brief"`
	Evidence []delegateQuoted `json:"evidence"`
}

type delegateQuoted struct {
	Label string `json:"label"`
	Text  string `json:"text"`
	Task  string `json:"task"`
}

func delegateTool(p *participant) engine.Tool {
	return &tool{
		name: delegateName, what: delegateWhat, schema: delegateSchema,
		row: func(raw json.RawMessage) engine.ToolStart {
			var args delegateArgs
			_ = readArguments(delegateName, raw, &args) // the call says what is wrong with them
			return engine.ToolStart{Subject: plain.Line(strings.TrimSpace(args.Task+" to "+string(args.To)), 200)}
		},
		call: func(ctx context.Context, raw json.RawMessage) (engine.ToolResult, error) {
			var args delegateArgs
			if err := readArguments(delegateName, raw, &args); err != nil {
				return engine.ToolResult{}, err
			}
			return p.r.delegate(p, args)
		},
	}
}

// delegate commits a task and its evidence, and only then gives it out.
func (r *Run) delegate(p *participant, args delegateArgs) (engine.ToolResult, error) {
	t := p.current()
	if t == nil || t.ctx.Err() != nil {
		return engine.ToolResult{}, errors.New("it was not given out: the turn is over")
	}
	bad := &badArguments{tool: delegateName}
	to := r.participant(args.To)
	if to == nil || to == p {
		bad.add("to", "one of "+r.others(), shown(string(args.To)))
		return engine.ToolResult{}, bad
	}
	r.mu.Lock()
	out, waits := to.out, to.serving
	r.mu.Unlock()
	if out != "" {
		return engine.ToolResult{}, fmt.Errorf("%s takes no task any more: its session was ended. Do it yourself, give it to another, or tell the person", to.id)
	}
	brief := r.cleaner.Text(args.Brief)
	if n := max(len(args.Brief), brief.Len()); brief.Len() == 0 || n > record.MaxBrief {
		bad.add("brief", "1 to 16384 bytes", fmt.Sprint(n))
	}
	evidence, texts := r.evidence(args.Evidence, bad)
	if err := bad.orNil(); err != nil {
		return engine.ToolResult{}, err
	}
	for i, e := range evidence {
		if err := r.shelf.put(e.Digest, []byte(texts[i])); err != nil {
			return engine.ToolResult{}, errors.New("it was not given out: the disk would not take the evidence")
		}
	}
	entries := []record.Entry{{By: record.Coordinator, Turn: t.n, Body: record.Delegate(args.Task, to.id, brief, evidence...)}}
	for i, e := range evidence {
		if args.Evidence[i].Task != "" {
			entries = append(entries, record.Entry{By: record.Conch, Turn: t.n, Body: record.EvidenceBound{Label: e.Label, Digest: e.Digest, Task: args.Task}})
		}
	}
	if _, err := r.commit(entries...); err != nil {
		return engine.ToolResult{}, r.notDelegated(args, err)
	}
	r.assign(to, args.Task)
	state := "running"
	if waits {
		state = "waiting behind another task"
	}
	return engine.ToolResult{
		Text: written(map[string]any{"task": args.Task, "to": to.id, "state": state}), View: engine.View{Result: state},
	}, nil
}

// evidence reads what goes along with a task.
func (r *Run) evidence(list []delegateQuoted, bad *badArguments) (all []record.Evidence, texts []string) {
	if len(list) > record.MaxItems {
		bad.add("evidence", "at most 8 items", fmt.Sprint(len(list)))
		return nil, nil
	}
	state := r.now()
	for i, each := range list {
		field := fmt.Sprintf("evidence[%d]", i)
		label := r.cleaner.Line(each.Label, 200)
		if label.Len() == 0 {
			bad.add(field+".label", "a few words", "none")
			continue
		}
		var text record.Text
		switch {
		case each.Task != "" && each.Text != "":
			bad.add(field, "either text or task", "both")
			continue
		case each.Task != "":
			task := state.Task(each.Task)
			if task == nil || task.Status != record.TaskDone {
				bad.add(field+".task", "a task that is done", shown(each.Task))
				continue
			}
			text = task.Result
		default:
			text = r.cleaner.Text(each.Text)
		}
		if n := max(len(each.Text), text.Len()); text.Len() == 0 || n > record.MaxEvidence {
			bad.add(field+".text", "1 to 16384 bytes", fmt.Sprint(n))
			continue
		}
		all = append(all, record.Evidence{Label: label, Digest: text.Digest(), Bytes: int64(text.Len())})
		texts = append(texts, text.String())
	}
	return all, texts
}

// notDelegated says to the model why a task was not given out.
func (r *Run) notDelegated(args delegateArgs, err error) error {
	state := r.now()
	switch record.CodeOf(err) {
	case record.Limit:
		return fmt.Errorf("it was not given out: %s has two open tasks, or the run has had all of its sixteen. Collect a result first, or do it yourself", args.To)
	case record.EventInvalid:
		bad := &badArguments{tool: delegateName}
		bad.add("task", "a name of small letters, digits and dashes, at most 64", shown(args.Task))
		return bad
	case record.TransitionInvalid:
		if state.Task(args.Task) != nil {
			return fmt.Errorf("there is a task %s already: give this one another name", args.Task)
		}
		return errors.New("it was not given out: the turn is over, or the participant isn't ready")
	}
	return errors.New("it was not given out: the record can't be written")
}

// others names those who can be given a task.
func (r *Run) others() string {
	var names []string
	for _, p := range r.parts[1:] {
		names = append(names, string(p.id))
	}
	return strings.Join(names, ", ")
}

func shown(s string) string { return fmt.Sprintf("%q", plain.Line(s, 60)) }

// written is a value as JSON that a person can read too.
func written(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "{}" // words and numbers always encode
	}
	return string(data)
}
