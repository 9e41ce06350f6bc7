package acp

import (
	"cmp"
	"fmt"
	"strings"

	"conch/engine"
	"conch/program"
)

type channel int

const (
	channelText channel = iota
	channelThought
)

// words are the messages of a turn. A message ends at a step or at the turn's
// end; until then it may be taken back, when its stream broke and it is sent
// again: under a new id, after the program's word for it, or behind one of its
// own notices. The turn's lock is held.
type words struct {
	turn *turn
	n    int
	open [2]*message // the one that grows, of each channel
	held []*message  // those before it since the last step, not yet done
	last channel     // which one grew last

	wires map[string]bool // the program's own ids of messages
	total int             // bytes said in the turn
}

// maxWords is how many bytes a turn may say. No answer comes near; a program that
// never ends would fill the memory.
const maxWords = 64 << 20

// message is one message on its way. kept is its text, to see whether a later
// one begins with it.
type message struct {
	id, wire string
	channel  channel
	kept     strings.Builder
	resent   *message // an earlier one that this may be the repetition of
}

// add puts a piece to the message it belongs to.
func (w *words) add(ch channel, wire, text string) {
	before := w.total
	if w.total += len(text); w.total > maxWords {
		if before <= maxWords {
			w.turn.emit(engine.Notice{Code: "left-out", Message: fmt.Sprintf("%s says more than can be taken in (%d MB); the rest is left out.", w.turn.e.agent.Name, maxWords>>20)})
		}
		return
	}
	if other := w.open[1-ch]; other != nil && w.last != ch {
		w.retire(1 - ch)
	}
	w.last = ch
	m := w.open[ch]
	if m != nil && wire != "" && m.wire != wire {
		w.retire(ch)
		m = nil
	}
	if m == nil {
		w.n++
		m = &message{id: fmt.Sprintf("%s.m%d", w.turn.key, w.n), wire: wire, channel: ch, resent: w.before(ch)}
		w.open[ch] = m
	}
	if wire != "" {
		w.ids()[wire] = true
	}
	m.kept.WriteString(text)
	if ch == channelText {
		w.turn.emit(engine.Text{MessageID: m.id, Delta: text})
	} else {
		w.turn.emit(engine.Thought{MessageID: m.id, Delta: text})
	}
	w.compare(m)
}

// before is the newest held message of a channel.
func (w *words) before(ch channel) *message {
	for i := len(w.held) - 1; i >= 0; i-- {
		if w.held[i].channel == ch {
			return w.held[i]
		}
	}
	return nil
}

// compare sees whether a message repeats an earlier, unfinished one.
func (w *words) compare(m *message) {
	old := m.resent
	if old == nil {
		return
	}
	was, is := old.kept.String(), m.kept.String()
	switch {
	case strings.HasPrefix(is, was):
		m.resent = nil
		w.retract(old)
	case !strings.HasPrefix(was, is):
		m.resent = nil
	}
}

// ids are those that the program gave to the turn's messages.
func (w *words) ids() map[string]bool {
	if w.wires == nil {
		w.wires = map[string]bool{}
	}
	return w.wires
}

// retire ends the growing of a message, which is not its end yet. One that is
// only the shorter beginning of an earlier one broke off once more.
func (w *words) retire(ch channel) {
	m := w.open[ch]
	if m == nil {
		return
	}
	w.open[ch] = nil
	if m.resent != nil {
		w.turn.emit(engine.Retract{MessageID: m.id})
		return
	}
	w.held = append(w.held, m)
}

func (w *words) retract(m *message) {
	for i, each := range w.held {
		if each == m {
			w.held = append(w.held[:i:i], w.held[i+1:]...)
			w.turn.emit(engine.Retract{MessageID: m.id})
			return
		}
	}
}

// retractAll takes back what came since the last step: it is sent again.
func (w *words) retractAll() {
	for ch := range w.open {
		if m := w.open[ch]; m != nil {
			m.resent = nil
			w.retire(channel(ch))
		}
	}
	for _, m := range w.held {
		w.turn.emit(engine.Retract{MessageID: m.id})
	}
	w.held = nil
}

// settle ends every message: a step begins, or the turn is over.
func (w *words) settle() {
	for ch := range w.open {
		if m := w.open[ch]; m != nil {
			m.resent = nil
			w.retire(channel(ch))
		}
	}
	for _, m := range w.held {
		w.turn.emit(engine.MessageDone{MessageID: m.id})
	}
	w.held = nil
}

// chunk takes a piece of the answer or of the thinking. The program's own
// notices are no words of the model.
func (t *turn) chunk(ch channel, u object) {
	text := t.e.blockText(u.object("content"))
	meta := u.object("_meta")
	t.usage.addCall(meta)
	if text == "" {
		return // some programs send an empty piece to carry their figures
	}
	if mode, ok := strings.CutPrefix(text, "[MODE_UPDATE] "); ok && t.e.agent.Quirks.WritesMode && ch == channelText && !strings.Contains(mode, "\n") {
		t.words.retire(channelText)
		mode = strings.TrimSpace(mode)
		t.s.settings.mode.current = mode
		t.s.news.settings = true
		t.emit(t.s.modeNotice(mode))
		return
	}
	if note, ok := t.e.ownNotice(text, meta); ok && ch == channelText {
		t.notice(note)
		return
	}
	if t.doubtful(piece{ch, u.text("messageId"), text}) {
		return
	}
	t.say(piece{ch, u.text("messageId"), text})
}

// say takes a piece in as the turn's own.
func (t *turn) say(p piece) {
	t.heard, t.silence.Retries = true, ""
	if p.channel == channelText {
		t.spoken, t.failing, t.decline = true, false, false
	}
	t.words.add(p.channel, p.wire, p.text)
}

// notice passes a program's own line on. A message before it may be sent again.
func (t *turn) notice(line string) {
	t.sure()
	t.words.retire(channelText)
	t.words.retire(channelThought)
	t.failing = strings.HasPrefix(line, "Error: ")
	line = program.OneLine(line, maxSentence)
	t.noticed = line
	t.emit(engine.Notice{Code: "provider", Message: line})
}

// ownNotice knows the words of a program that are not the model's: Claude marks
// them, Copilot begins them with Info: or Error:.
func (e *Engine) ownNotice(text string, meta object) (string, bool) {
	if meta.object("claudeCode").text("kind") == "informational" {
		return strings.TrimPrefix(strings.ReplaceAll(text, "**", ""), "Notice: "), true
	}
	if e.agent.Quirks.NoticeLines && (strings.HasPrefix(text, "Info: ") || strings.HasPrefix(text, "Error: ")) {
		return text, true
	}
	return "", false
}

// blockText is a content block as text; what cannot be one is named briefly.
func (e *Engine) blockText(block object) string {
	switch kind := block.text("type"); kind {
	case "text":
		return block.text("text")
	case "image", "audio":
		return "[" + kind + "]"
	case "resource_link":
		name, uri := block.firstText("title", "name"), block.text("uri")
		return fmt.Sprintf("[%s](%s)", cmp.Or(name, uri), uri)
	case "resource":
		resource := block.object("resource")
		return cmp.Or(resource.text("text"), "["+cmp.Or(resource.text("uri"), "file")+"]")
	case "":
		return ""
	default:
		e.program.Count("content " + kind)
		return ""
	}
}
