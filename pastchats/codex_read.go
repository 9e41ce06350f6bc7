package pastchats

import (
	"context"
	"errors"
	"math"
	"strings"
)

// codexForks is how many threads a fork's talk may be put together from.
const codexForks = 32

// codexWholeFile bounds a file of the TypeScript program.
const codexWholeFile = 64 << 20

func (c *codex) read(ctx context.Context, f chatFile, chat *talk) error {
	t, err := c.thread(f)
	if err != nil {
		return err
	}
	err = c.readThread(ctx, t, f.Key, chat)
	for _, p := range f.Also {
		if err == nil || ctx.Err() != nil {
			break
		}
		twin, terr := c.thread(chatFile{Key: f.Key, Path: p})
		if terr != nil {
			continue
		}
		var other talk
		terr = c.readThread(ctx, twin, f.Key, &other)
		if terr == nil && len(other.words) > 0 || len(other.words) > len(chat.words) {
			*chat, err = other, terr
		}
	}
	if name := c.titles[f.Key]; name != "" {
		chat.Title = name
	}
	if chat.Cwd == "" {
		chat.Cwd = t.head.cwd
	}
	return err
}

// readThread reads one rollout and what it goes on from.
func (c *codex) readThread(ctx context.Context, f codexFile, key string, chat *talk) error {
	s := &codexReading{chat: chat, words: c.words, own: key, until: math.MaxInt64}
	if f.kind == codexWhole {
		return c.readWhole(f, s)
	}
	err := c.readLines(ctx, f, s)
	if errors.Is(err, errBase) {
		err = c.readFork(ctx, f, key, s.head, chat)
	}
	return err
}

// readLines reads one rollout.
func (c *codex) readLines(ctx context.Context, f codexFile, s *codexReading) error {
	r, err := c.open(f)
	if err != nil {
		return err
	}
	defer r.Close()
	lr := c.home.borrow()
	defer c.home.giveBack(lr)
	long, err := lr.each(reading{ctx, r}, maxLine, s.line)
	if long > 0 {
		s.chat.Damaged = true
	}
	if errors.Is(err, errBase) {
		return err
	}
	s.finish()
	return err
}

// readFork puts a fork by reference together: the lines of the threads that it
// goes on from, each up to where the next one left it, then its own.
func (c *codex) readFork(ctx context.Context, f codexFile, key string, head codexHead, chat *talk) error {
	type part struct {
		file  codexFile
		until int64
	}
	var before []part // the nearest first
	seen := map[string]bool{key: true}
	until := int64(math.MaxInt64)
	for base := head.base; base.thread != ""; {
		until = min(until, base.end)
		file, ok := c.threads[base.thread]
		if !ok || seen[base.thread] || len(before) == codexForks || file.kind == codexWhole {
			chat.Damaged = true // what is not there cannot be told
			break
		}
		seen[base.thread] = true
		before = append(before, part{file, until})
		base = c.baseOf(ctx, file)
	}
	for i := len(before) - 1; i >= 0; i-- {
		s := &codexReading{chat: chat, words: c.words, until: before[i].until, based: true}
		if err := c.readLines(ctx, before[i].file, s); err != nil {
			if ctx.Err() != nil {
				return err
			}
			chat.Damaged = true
		}
	}
	chat.Cwd = ""
	return c.readLines(ctx, f, &codexReading{chat: chat, words: c.words, own: key, until: math.MaxInt64, based: true})
}

// baseOf reads what a thread goes on from: it stands behind the program's own
// instructions, where no look reaches.
func (c *codex) baseOf(ctx context.Context, f codexFile) codexBase {
	r, err := c.open(f)
	if err != nil {
		return codexBase{}
	}
	defer r.Close()
	lr := c.home.borrow()
	defer c.home.giveBack(lr)
	var base codexBase
	_, _ = lr.each(reading{ctx, r}, maxLine, func(line []byte) error { // reading it again tells of an error
		if head, ok, _ := codexHeader(line); ok {
			base = head.base
			return errStop
		}
		return nil
	})
	return base
}

// readWhole reads a file of the TypeScript program. What stands before a cut is
// kept.
func (c *codex) readWhole(f codexFile, s *codexReading) error {
	b, err := c.home.whole(c.root, f.path, codexWholeFile)
	if err != nil {
		return err
	}
	if !s.whole(b) {
		s.chat.Damaged = true
	}
	s.finish()
	return nil
}

// codexReading is one rollout being read. Rollouts of most versions say
// everything twice, as what was shown (events) and as what the model was given
// (items). The events count for both sides as soon as one of them has words of
// the person; until then both are kept.
type codexReading struct {
	chat  *talk
	words *codexWords
	own   string // the thread's id, "" for a thread that another goes on from
	until int64  // lines from this ordinal on are not part of the talk
	based bool   // what it goes on from is read already

	met     bool // the header was there
	head    codexHead
	decided bool // the events count
	events  talk
	items   talk

	metaCwd, turnCwd, partCwd string
}

// A message without a role stands for turns that were taken back: so many as at
// says. One without a text is a picture alone.
const takenBack Role = ""

func (s *codexReading) line(b []byte) error {
	if codexSkips(b, s.decided) {
		return nil
	}
	var kind, payload, at, ordinal, id, role, record, content value
	v := value(b)
	if !v.members(func(name []byte, val value) bool {
		switch string(name) {
		case "type":
			kind = val
		case "payload":
			payload = val
		case "timestamp":
			at = val
		case "ordinal":
			ordinal = val
		case "id":
			id = val
		case "role":
			role = val
		case "record_type":
			record = val
		case "content":
			content = val
		}
		return true
	}) {
		s.chat.Damaged = true
		return nil
	}
	if ordinal != nil && ordinal.int() >= s.until {
		return nil
	}
	switch {
	case payload.isObject():
		return s.wrapped(kind, payload, at)
	case kind.is("message") && role != nil && content != nil:
		s.item(v, s.head.at)
	case kind == nil && record == nil && id.isString() && !s.met:
		s.met = true
		s.head, _, _ = codexHeader(b)
	}
	return nil
}

func (s *codexReading) wrapped(kind, payload, at value) error {
	switch {
	case kind.is("event_msg"):
		s.event(payload, s.at(at))
	case kind.is("response_item"):
		if !s.decided {
			s.item(payload, s.at(at))
		}
	case kind.is("turn_context"):
		payload.members(func(name []byte, val value) bool {
			switch string(name) {
			case "model":
				if !val.is(s.chat.Model) && val.isString() {
					s.chat.Model = val.text()
				}
			case "cwd":
				if s.turnCwd == "" {
					s.turnCwd = val.text()
				}
			}
			return true
		})
	case kind.is("session_meta") && !s.met:
		s.met = true
		s.head, _ = codexSession(payload)
		if s.head.at == 0 {
			s.head.at = when(at)
		}
		s.metaCwd = s.head.cwd
		switch {
		case s.own == "":
		case s.head.helper:
			s.events, s.items = talk{}, talk{}
			return errStop
		case s.head.base.thread != "" && !s.based:
			return errBase
		}
	}
	return nil
}

func (s *codexReading) at(line value) int64 {
	if at := when(line); at != 0 {
		return at
	}
	return s.head.at
}

// event reads what was shown.
func (s *codexReading) event(payload value, at int64) {
	var kind, text, sort, item, turns, thread, name value
	payload.members(func(key []byte, val value) bool {
		switch string(key) {
		case "type":
			kind = val
		case "message":
			text = val
		case "kind":
			sort = val
		case "item":
			item = val
		case "num_turns":
			turns = val
		case "thread_id":
			thread = val
		case "thread_name":
			name = val
		}
		return true
	})
	switch {
	case kind.is("user_message"):
		if sort == nil || string(sort) == "null" || sort.is("plain") {
			s.said(User, s.words.typed(text.text()), at)
		}
	case kind.is("agent_message"):
		s.said(Assistant, text.text(), at)
	case kind.is("item_completed"):
		var who, content value
		item.members(func(key []byte, val value) bool {
			switch string(key) {
			case "type":
				who = val
			case "content":
				content = val
			}
			return true
		})
		switch {
		case who.is("UserMessage"):
			s.said(User, s.words.typed(codexItemText(content)), at)
		case who.is("AgentMessage"):
			s.said(Assistant, codexItemText(content), at)
		}
	case kind.is("thread_rolled_back"):
		s.takeBack(turns.int())
	case kind.is("thread_name_updated"):
		if s.own != "" && thread.is(s.own) {
			if title := name.text(); strings.TrimSpace(title) != "" {
				s.chat.Title = title
			}
		}
	}
}

// codexItemText is the text of an item that was shown: its parts of the type
// text, which the agent's writes with a capital.
func codexItemText(content value) string {
	if content.isString() {
		return content.text()
	}
	var parts []string
	content.items(func(part value) bool {
		if strings.EqualFold(part.get("type").text(), "text") {
			if text := part.get("text").text(); strings.TrimSpace(text) != "" {
				parts = append(parts, text)
			}
		}
		return true
	})
	return strings.Join(parts, "\n\n")
}

// said adds an event.
func (s *codexReading) said(role Role, text string, at int64) {
	blank := strings.TrimSpace(text) == ""
	if role == User && !blank && !s.decided {
		s.decide()
	}
	if blank && role == Assistant {
		return
	}
	to := &s.events
	if s.decided {
		to = s.chat
	}
	to.say(role, text, at)
}

func (s *codexReading) decide() {
	s.decided = true
	s.chat.takeOver(&s.events)
	s.items = talk{}
}

// finish takes the items where there were no events of the person's.
func (s *codexReading) finish() {
	if !s.decided {
		s.chat.takeOver(&s.items)
	}
	s.events, s.items = talk{}, talk{}
	for _, cwd := range []string{s.metaCwd, s.turnCwd, s.partCwd} {
		if s.chat.Cwd == "" {
			s.chat.Cwd = cwd
		}
	}
}

// takeBack takes the last turns away.
func (s *codexReading) takeBack(turns int64) {
	switch {
	case turns <= 0:
	case s.decided:
		s.chat.takeBack(turns)
	default:
		s.events.say(takenBack, "", turns)
		s.items.say(takenBack, "", turns)
	}
}

// takeOver adds what another chat holds, in order.
func (c *talk) takeOver(from *talk) {
	for _, m := range from.words {
		if m.role == takenBack {
			c.takeBack(m.at)
			continue
		}
		c.words = append(c.words, m)
		c.bytes += len(m.text)
	}
	c.gone += from.gone
	*from = talk{}
}

// takeBack takes the last messages of the person away, and all that came after
// each.
func (c *talk) takeBack(turns int64) {
	to := len(c.words)
	for i := to - 1; i >= 0 && turns > 0; i-- {
		if c.words[i].role == User {
			to, turns = i, turns-1
		}
	}
	for _, m := range c.words[to:] {
		c.bytes -= len(m.text)
	}
	clear(c.words[to:])
	c.words = c.words[:to]
}

// whole reads a file of the TypeScript program.
func (s *codexReading) whole(b []byte) bool {
	var list value
	v := parse(trimStart(b))
	v.partial(func(key []byte, val value, _ bool) bool {
		switch string(key) {
		case "session":
			s.head, _ = codexSession(val)
			s.metaCwd = s.head.cwd
		case "items":
			list = val
		}
		return true
	})
	list.items(func(item value) bool {
		s.item(item, s.head.at)
		return true
	})
	end, ok := skip(v, 0)
	return ok && end == len(v)
}
