package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// turn is one prompt being answered.
type turn struct {
	*session
	ctx    context.Context
	n      int     // of this session in this process, from 1
	text   string  // the person's new words
	handed string  // what stood before them: an account of an earlier conversation
	blocks []block // the whole prompt

	message string // the id of the message being written, "" for none
	channel string // its update kind
	said    strings.Builder
	chunks  int
	calls   int
	task    bool // it is one of a coordinator's in a run
	slowly  bool // its command takes its time, so that it can be watched and stopped
	written int  // characters, for the usage
}

// What stands before the new message: an account of earlier words, then what the
// person ran and saw.
const (
	earlierEnd = "</earlier-conversation>"
	ranBegin   = "<person-ran>"
	ranEnd     = "</person-ran>"
)

func (a *agent) prompt(ctx context.Context, m message) {
	var p promptParams
	if err := json.Unmarshal(m.Params, &p); err != nil {
		a.conn.refuse(m.ID, codeBadParams, "the prompt cannot be read")
		return
	}
	s := a.session(p.SessionID)
	if s == nil {
		a.conn.refuse(m.ID, codeNotFound, "Resource not found")
		return
	}
	if a.flags.SignedOutPrompt && !a.signedIn() {
		a.conn.refuse(m.ID, codeSignIn, "Authentication required")
		return
	}
	ctx, stop := context.WithCancel(ctx)
	s.mu.Lock()
	if s.running != "" {
		s.mu.Unlock()
		stop()
		a.conn.refuse(m.ID, codeInvalidRequest, "a prompt is running in this session")
		return
	}
	s.running, s.stop, s.deaf = string(m.ID), stop, false
	s.turns++
	t := &turn{session: s, ctx: ctx, n: s.turns, blocks: p.Prompt}
	s.mu.Unlock()
	t.handed, t.text = newWords(p.Prompt)
	t.task = strings.HasPrefix(t.handed, taskBegin)

	a.turns.Go(func() {
		defer stop()
		t.run(m.ID)
	})
}

// run answers the prompt with exactly one message, unless the script took care
// of that or the agent dies.
func (t *turn) run(id json.RawMessage) {
	t.remember()
	result, err := t.play(id)
	t.endMessage()
	t.save()

	t.mu.Lock()
	t.running, t.stop = "", nil
	t.mu.Unlock()

	var refused *wireError
	switch {
	case errors.Is(err, errAnswered):
	case errors.As(err, &refused):
		_ = t.agent.conn.send(message{ID: id, Error: refused}) // a client that is gone needs no answer
	case err != nil && t.ctx.Err() == nil && !errors.Is(err, context.Canceled):
		t.agent.conn.refuse(id, codeInternal, err.Error())
	case err != nil:
		t.agent.conn.answer(id, map[string]any{"stopReason": "cancelled"})
	default:
		t.agent.conn.answer(id, map[string]any{"stopReason": result})
	}
}

// errAnswered says that a script ended its turn in its own way.
var errAnswered = errors.New("answered")

func (t *turn) play(id json.RawMessage) (stopReason string, err error) {
	if what, ok := strings.CutPrefix(t.text, "/test"); ok {
		return t.misbehave(id, strings.TrimSpace(what))
	}
	play := t.crew()
	if play == nil {
		play = t.script().play
	}
	if err := play(t); err != nil {
		return "", err
	}
	t.usage()
	return "end_turn", nil
}

// newWords parts a prompt into the account of an earlier conversation, if there
// is one, and what the person says now: the last text block, behind the output of
// commands that goes with it.
func newWords(blocks []block) (handed, text string) {
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].Type != "text" {
			continue
		}
		text = blocks[i].Text
		break
	}
	if i := strings.LastIndex(text, earlierEnd); i >= 0 {
		handed, text = text[:i+len(earlierEnd)], text[i+len(earlierEnd):]
	}
	// In a run of several agents there are words of others before the own ones.
	if i := max(strings.LastIndex(text, fromConch)+len(fromConch), strings.LastIndex(text, fromOther)+len(fromOther)); i >= len(fromOther) {
		handed, text = handed+text[:i], text[i:]
	}
	text = strings.TrimSpace(text)
	if ran, words, ok := strings.Cut(text, ranEnd); ok && strings.HasPrefix(ran, ranBegin) {
		text = strings.TrimSpace(words)
	}
	return handed, text
}

// remember keeps what the person said before it is answered.
func (t *turn) remember() {
	t.keep(update{"sessionUpdate": "user_message_chunk", "content": textBlock(clip(t.text, maxEntry/4)), "messageId": t.name("user")})
	t.mu.Lock()
	t.rec.Prompts = append(t.rec.Prompts, clip(t.text, 200))
	name := t.rec.Title == "" && !t.rec.NoTitles && t.handed == "" // a chat that is carried on has one
	if name {
		t.rec.Title = "Demo: " + clip(firstLine(t.text), 40)
	}
	title := t.rec.Title
	t.mu.Unlock()
	if name && t.text != "" {
		t.update(update{"sessionUpdate": "session_info_update", "title": title, "updatedAt": t.agent.host.Now().UTC().Format(time.RFC3339)})
	}
	t.save()
}

func (t *turn) name(what string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("%s-%d-%d", what, len(t.rec.Prompts), t.n)
}

// say streams words of the answer.
func (t *turn) say(markdown string) error { return t.stream("agent_message_chunk", markdown) }

// think streams thoughts.
func (t *turn) think(words string) error { return t.stream("agent_thought_chunk", words) }

func (t *turn) stream(channel, words string) error {
	for _, piece := range pieces(words) {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		t.piece(channel, piece)
		if err := t.pause(t.pace()); err != nil {
			return err
		}
	}
	return nil
}

// piece sends one chunk as it is.
func (t *turn) piece(channel, words string) {
	if t.channel != channel {
		t.endMessage()
		t.channel = channel
		t.chunks++
		t.message = fmt.Sprintf("%s-%d", t.name("msg"), t.chunks)
	}
	u := update{"sessionUpdate": channel, "content": textBlock(words)}
	if !t.agent.flags.NoIDs {
		u["messageId"] = t.message
	}
	t.said.WriteString(words)
	t.written += len([]rune(words))
	t.update(u)
}

// endMessage closes the message being written: a step or another channel follows.
func (t *turn) endMessage() {
	if t.said.Len() > 0 {
		t.keep(update{"sessionUpdate": t.channel, "content": textBlock(clip(t.said.String(), maxEntry/4)), "messageId": t.message})
	}
	t.said.Reset()
	t.channel, t.message = "", ""
}

// pace is the wait after a chunk: 15 to 30 ms, always the same row of waits.
func (t *turn) pace() time.Duration {
	d := time.Duration(15+(t.written*7)%16) * time.Millisecond
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rec.Model == "demo-brisk" {
		d /= 4
	}
	return d
}

// pause waits, unless the agent is told to be fast.
func (t *turn) pause(d time.Duration) error {
	if t.agent.fast {
		return t.ctx.Err()
	}
	return wait(t.ctx, d)
}

func (t *turn) plan(entries ...planEntry) {
	u := update{"sessionUpdate": "plan", "entries": entries}
	t.update(u)
	t.keep(u)
}

// usage reports the window as this agent counts it: four characters a token.
func (t *turn) usage() {
	t.mu.Lock()
	used := 0
	for _, e := range t.rec.Entries {
		used += len(e) / 4
	}
	t.mu.Unlock()
	t.update(update{"sessionUpdate": "usage_update", "used": used + t.said.Len()/4, "size": 32000})
}

// permit asks the client whether a call may run. allowed is false when the
// person said no; err is set when the turn was cancelled.
func (t *turn) permit(call *call, options []permissionOption) (allowed bool, err error) {
	t.mu.Lock()
	mode := t.rec.Mode
	said, remembered := t.always[call.kind]
	t.mu.Unlock()
	switch {
	case mode == "auto":
		return true, nil
	case remembered:
		return said, nil
	}
	raw, err := t.agent.conn.call(t.ctx, "session/request_permission", map[string]any{
		"sessionId": t.id, "toolCall": call.whole(), "options": options,
	})
	if err != nil {
		return false, err
	}
	var answer permissionAnswer
	if err := json.Unmarshal(raw, &answer); err != nil {
		return false, fmt.Errorf("read the answer to the permission request: %w", err)
	}
	switch answer.Outcome.Outcome {
	case "selected":
	case "cancelled": // the client's word for a turn that it stopped; the cancel itself may come later
		return false, context.Canceled
	default:
		return false, nil
	}
	for _, o := range options {
		if o.OptionID != answer.Outcome.OptionID {
			continue
		}
		allowed = strings.HasPrefix(o.Kind, "allow")
		if strings.HasSuffix(o.Kind, "_always") {
			t.mu.Lock()
			if t.always == nil {
				t.always = map[string]bool{}
			}
			t.always[call.kind] = allowed
			t.mu.Unlock()
		}
		return allowed, nil
	}
	return false, fmt.Errorf("the client chose %q, which was not offered", answer.Outcome.OptionID)
}

// usual are the options of a permission that concerns what.
func usual(what string) []permissionOption {
	return []permissionOption{
		{"allow", "Yes, this once", "allow_once"},
		{"allow-always", "Yes, and don't ask again for " + what, "allow_always"},
		{"reject", "No", "reject_once"},
		{"reject-always", "No, and never ask again for " + what, "reject_always"},
	}
}

// pieces parts text into chunks of a few words, as a model's stream has them.
func pieces(s string) []string {
	var out []string
	start, words, in := 0, 0, false
	for i, r := range s {
		space := unicode.IsSpace(r)
		if in && space {
			words++
		}
		if !space && !in && words >= 2+len(out)%3 {
			out = append(out, s[start:i])
			start, words = i, 0
		}
		in = !space
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// clip cuts to max characters.
func clip(s string, max int) string {
	if r := []rune(s); len(r) > max {
		return string(r[:max-1]) + "…"
	}
	return s
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}
