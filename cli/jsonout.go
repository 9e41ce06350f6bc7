package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
	"conch/plain"
)

// jsonOutput prints one event a line. Its shapes are documented and stable: a
// field is added, never renamed.
type jsonOutput struct {
	printer
	now   func() time.Time
	asked map[string]chats.PermissionRequested
	steps map[string]*step
	live  map[string]string // by channel and message: what was printed ahead of the log
	used  string            // the last usage
}

// step is what was printed of one.
type step struct {
	name, title, output string
	at                  time.Time
}

// updateEvery bounds how often one running step is printed again.
const updateEvery = 200 * time.Millisecond

type jsonSession struct {
	Type      string `json:"type"`
	Chat      string `json:"chat"`
	Provider  string `json:"provider"`
	Model     string `json:"model"`
	Restarted string `json:"restarted"`
}

// jsonText is a piece of a message; those with one message id are one message.
type jsonText struct {
	Type    string `json:"type"` // text or thought
	Text    string `json:"text"`
	Message string `json:"message"`
}

// jsonRetract takes a message back: its stream broke, and it comes again under
// another id.
type jsonRetract struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

type jsonTool struct {
	Type   string     `json:"type"` // tool-start, tool-update or tool-end
	ID     string     `json:"id"`
	Name   string     `json:"name"`
	Title  string     `json:"title"`
	Status string     `json:"status,omitempty"`
	Output string     `json:"output,omitempty"`
	Diff   []jsonDiff `json:"diff,omitempty"`
	MS     *int64     `json:"ms,omitempty"`
	Reason string     `json:"reason,omitempty"`
}

type jsonDiff struct {
	Path string  `json:"path"`
	Old  *string `json:"old"`
	New  *string `json:"new"`
}

type jsonPermission struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	ToolID   string `json:"tool_id"`
	Tool     string `json:"tool"`
	Summary  string `json:"summary"`
	Decision string `json:"decision"`
	Why      string `json:"why"`
}

type jsonPlan struct {
	Type  string         `json:"type"`
	Steps []jsonPlanStep `json:"steps"`
}

type jsonPlanStep struct {
	Title  string `json:"title"`
	Status string `json:"status"`
}

type jsonUsage struct {
	Type string `json:"type"`
	engine.Usage
}

type jsonNotice struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

type jsonDone struct {
	Type    string       `json:"type"`
	Chat    string       `json:"chat"`
	Outcome string       `json:"outcome"`
	Error   string       `json:"error"`
	Problem string       `json:"problem"`
	Paused  bool         `json:"paused"`
	Pause   *chats.Pause `json:"pause"`
	Next    string       `json:"next,omitempty"`
}

// refused is the end of a turn that did not begin.
func (o *jsonOutput) refused(f *failure, problem engine.Problem) {
	o.put(jsonDone{"done", "", string(engine.Failed), plain.Line(f.say, 0), string(problem), false, nil, plain.Line(f.next, 0)})
}

func (o *jsonOutput) broken() error { return o.err }

func (o *jsonOutput) put(v any) { o.printf("%s\n", jsonLine(v)) }

// jsonLine gives one line of JSON. It never fails: what it is given are the
// types above.
func jsonLine(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return []byte("{}")
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func (o *jsonOutput) event(e chats.Event, s conversation.Status) {
	switch b := e.Body.(type) {
	case chats.Session:
		o.put(jsonSession{"session", s.Chat, b.Engine, plain.Line(b.Model, 0), b.Restarted})
	case chats.AssistantDelta:
		o.piece(e.Live(), b)
	case chats.AssistantDone:
		if b.Retracted {
			o.put(jsonRetract{"retract", b.MessageID})
		}
	case chats.ToolStarted:
		o.start(b)
	case chats.ToolProgress:
		o.progress(b)
	case chats.ToolFinished:
		o.finish(b)
	case chats.PermissionRequested:
		if o.asked == nil {
			o.asked = map[string]chats.PermissionRequested{}
		}
		o.asked[b.PermissionID] = b
	case chats.PermissionResolved:
		o.resolved(b)
	case chats.Plan:
		p := jsonPlan{Type: "plan", Steps: []jsonPlanStep{}}
		for _, each := range b.Steps {
			p.Steps = append(p.Steps, jsonPlanStep{plain.Line(each.Title, 0), each.Status})
		}
		o.put(p)
	case chats.Usage:
		o.usage(b)
	case chats.Notice:
		o.put(jsonNotice{"notice", b.Code, plain.Text(b.Message)})
	case chats.TurnCompleted:
		o.put(jsonDone{"done", s.Chat, b.Outcome, plain.Line(b.Error, 0), b.Problem, b.Paused, b.Pause, plain.Line(b.Next, 0)})
	}
}

// piece prints words as they come. The written event that takes the place of the
// live ones holds them all again: of it only the rest is printed.
func (o *jsonOutput) piece(live bool, b chats.AssistantDelta) {
	if o.live == nil {
		o.live = map[string]string{}
	}
	key, words := b.Channel+" "+b.MessageID, b.Delta
	switch {
	case live:
		o.live[key] += words
	default:
		words = strings.TrimPrefix(words, o.live[key])
		delete(o.live, key)
	}
	text := plain.Text(words)
	if text == "" {
		return
	}
	kind := "text"
	if b.Channel == chats.ChannelThought {
		kind = "thought"
	}
	o.put(jsonText{kind, text, b.MessageID})
}

func (o *jsonOutput) usage(b chats.Usage) {
	u := jsonUsage{Type: "usage"}
	if string(b.Usage) == o.used || json.Unmarshal(b.Usage, &u.Usage) != nil {
		return
	}
	o.used = string(b.Usage)
	o.put(u)
}

func (o *jsonOutput) start(b chats.ToolStarted) {
	if o.steps == nil {
		o.steps = map[string]*step{}
	}
	st := &step{name: plain.Line(b.Name, 0), title: plain.Line(b.Subject, 0), at: o.now()}
	o.steps[b.ToolUseID] = st
	o.put(jsonTool{Type: "tool-start", ID: b.ToolUseID, Name: st.name, Title: st.title, Diff: diffsOf(b.View)})
}

func (o *jsonOutput) progress(b chats.ToolProgress) {
	st := o.steps[b.ToolUseID]
	if st == nil {
		return
	}
	fuller := b.Name != "" && b.Name != st.name || b.Subject != "" && b.Subject != st.title
	if b.Name != "" {
		st.name = plain.Line(b.Name, 0)
	}
	if b.Subject != "" {
		st.title = plain.Line(b.Subject, 0)
	}
	grown := b.Output != "" && b.Output != st.output && o.now().Sub(st.at) >= updateEvery
	if !fuller && !grown {
		return
	}
	if b.Output != "" {
		st.output = b.Output
	}
	st.at = o.now()
	o.put(jsonTool{Type: "tool-update", ID: b.ToolUseID, Name: st.name, Title: st.title, Output: plain.Text(b.Output), Diff: diffsOf(b.View)})
}

func (o *jsonOutput) finish(b chats.ToolFinished) {
	t := jsonTool{Type: "tool-end", ID: b.ToolUseID, Status: b.Status, Output: plain.Text(b.Output), Diff: diffsOf(b.View), MS: &b.DurationMs, Reason: plain.Line(b.Reason, 0)}
	if st := o.steps[b.ToolUseID]; st != nil {
		t.Name, t.Title = st.name, st.title
	}
	o.put(t)
}

func (o *jsonOutput) resolved(b chats.PermissionResolved) {
	asked := o.asked[b.PermissionID]
	delete(o.asked, b.PermissionID)
	why := b.Why
	if why == "" {
		why = asked.Why
	}
	if why == "" {
		why = b.By
	}
	o.put(jsonPermission{"permission", b.PermissionID, asked.ToolUseID, plain.Line(asked.ToolName, 0), plain.Text(asked.Summary), b.Decision, plain.Line(why, 0)})
}

// diffsOf reads a view's diffs as they are printed.
func diffsOf(raw json.RawMessage) []jsonDiff {
	var v engine.View
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	var out []jsonDiff
	for _, d := range v.Diffs {
		out = append(out, jsonDiff{plain.Line(d.Path, 0), harmless(d.Old), harmless(d.New)})
	}
	return out
}

func harmless(s *string) *string {
	if s == nil {
		return nil
	}
	clean := plain.Text(*s)
	return &clean
}
