package home

import (
	"fmt"
	"strings"
)

// claude is a chat of Claude Code. The order of keys is that of 1.0 and 2.0, or
// of 2.1: there type stands after the message, of any length, in a line of the
// assistant's and before it in one of the person's.
type claude struct {
	*writer
	old     bool
	newest  bool // 2.1.331: what went to the model is written again
	model   string
	around  string // the keys that every line has
	parent  string // JSON: the line before
	version string
	aside   bool // a helper speaks
}

func (w *writer) claude() error {
	c := &claude{writer: w, old: w.rng.IntN(10) < 3, parent: "null"}
	c.version = w.one("2.1.76", "2.1.207", "2.1.331", "2.1.331")
	if c.old {
		c.version = w.one("1.0.51", "2.0.36")
	}
	c.newest = c.version == "2.1.331"
	c.model = w.one("claude-opus-4-8", "claude-sonnet-5", "claude-haiku-4-5", "claude-sonnet-4-5-20250929")
	w.id = w.uuid()
	c.around = fmt.Sprintf(`"userType":"external","cwd":"%s","sessionId":"%s","version":"%s","gitBranch":"main"`, w.cwd, w.id, c.version)
	if !c.old {
		c.around += fmt.Sprintf(`,"entrypoint":"cli","slug":"%s"`, strings.ReplaceAll(w.stuff.phrase(w.rng, 3), " ", "-"))
	}
	var err error
	folder := strings.ReplaceAll(w.cwd, "/", "-")
	if w.file, err = w.create(w.tally, ".claude", "projects", folder, w.id+".jsonl"); err != nil {
		return err
	}
	c.opening()
	if w.kind == kindChat {
		c.turns()
	}
	c.ending()
	if err := w.file.close(w.now); err != nil {
		return err
	}
	if c.old || w.kind != kindChat || w.target < 400_000 || w.rng.IntN(2) == 0 {
		return nil
	}
	return c.subagent(folder)
}

// user writes a line of the person's role; content is JSON.
func (c *claude) user(content []byte, more string) {
	id := c.uuid()
	if c.old {
		c.put(`{"parentUuid":%s,"isSidechain":%t,%s,"type":"user","message":{"role":"user","content":%s},"uuid":"%s","timestamp":"%s"%s}`,
			c.parent, c.aside, c.around, content, id, c.at(), more)
	} else {
		c.put(`{"parentUuid":%s,"isSidechain":%t,"promptId":"%s","type":"user","message":{"role":"user","content":%s},"uuid":"%s","timestamp":"%s"%s,%s}`,
			c.parent, c.aside, c.uuid(), content, id, c.at(), more, c.around)
	}
	c.parent = `"` + id + `"`
}

// prompt is what the person typed, as a string or as blocks.
func (c *claude) prompt(text []byte) {
	more := ""
	if !c.old {
		more = `,"permissionMode":"default"`
	}
	if c.chance(200) {
		c.user(fmt.Appendf(nil, `[{"type":"text","text":"%s"}]`, text), more)
		return
	}
	c.user(fmt.Appendf(nil, `"%s"`, text), more)
}

// step is one request to the model: the lines of its answer share the ids.
type step struct{ message, request string }

func (c *claude) step() step { return step{c.mark("msg_01"), c.mark("req_011")} }

// assistant writes one block of a reply.
func (c *claude) assistant(s step, stop string, block []byte) { c.reply(s, c.model, stop, block) }

func (c *claude) reply(s step, model, stop string, block []byte) {
	id := c.uuid()
	r := c.rng
	message := fmt.Appendf(make([]byte, 0, len(block)+600), `{"model":"%s","id":"%s","type":"message","role":"assistant","content":[%s],"stop_reason":%s,"stop_sequence":null,`+
		`"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":0},`+
		`"output_tokens":%d,"service_tier":"standard","server_tool_use":{"web_search_requests":0,"web_fetch_requests":0}}}`,
		model, s.message, block, stop, r.IntN(40), r.IntN(9000), r.IntN(180_000), r.IntN(9000), r.IntN(3000))
	if c.old {
		c.put(`{"parentUuid":%s,"isSidechain":%t,%s,"message":%s,"requestId":"%s","type":"assistant","uuid":"%s","timestamp":"%s"}`,
			c.parent, c.aside, c.around, message, s.request, id, c.at())
	} else {
		c.put(`{"parentUuid":%s,"isSidechain":%t,"message":%s,"requestId":"%s","type":"assistant","uuid":"%s","timestamp":"%s","effort":"medium",%s}`,
			c.parent, c.aside, message, s.request, id, c.at(), c.around)
	}
	c.parent = `"` + id + `"`
}

func text(escaped []byte) []byte { return fmt.Appendf(nil, `{"type":"text","text":"%s"}`, escaped) }

func (c *claude) think(s step) {
	var words []byte
	if c.chance(700) {
		words = c.unsaid(c.size(400, .9, 30, 5000))
	}
	c.assistant(s, "null", fmt.Appendf(nil, `{"type":"thinking","thinking":"%s","signature":"%s"}`, words, c.blob(c.size(900, .7, 200, 6000))))
}

// attach writes a line of what the program attached.
func (c *claude) attach(body, rendered string) {
	id := c.uuid()
	c.put(`{"parentUuid":%s,"isSidechain":false,"attachment":%s,"type":"attachment","uuid":"%s","timestamp":"%s"%s,%s}`, c.parent, body, id, c.at(), rendered, c.around)
	c.parent = `"` + id + `"`
}

// opening is what stands before the first words.
func (c *claude) opening() {
	if c.newest {
		for _, what := range []string{"environment", "skill_listing", "agent_listing_delta", "date"} {
			c.attach(fmt.Sprintf(`{"type":"%s","content":"%s"}`, what, c.unsaid(400)),
				fmt.Sprintf(`,"rendered":[{"content":"<system-reminder>%s</system-reminder>"}],"renderedRole":"system"`, c.unsaid(400)))
		}
		n := 3_000
		if c.target > 400_000 {
			n = 30_000
		}
		c.attach(fmt.Sprintf(`{"type":"prompt_snapshot","systemPrompt":["%s"]}`, c.unsaid(n)), "")
	}
	if c.old {
		if c.chance(400) { // titles of other chats were written into this one
			c.put(`{"type":"summary","summary":"%s","leafUuid":"%s"}`, c.stuff.title(c.rng), c.uuid())
		}
	} else {
		c.put(`{"type":"permission-mode","permissionMode":"default","sessionId":"%s"}`, c.id)
		c.put(`{"type":"file-history-snapshot","messageId":"%s","snapshot":{"messageId":"%s","trackedFileBackups":{},"timestamp":"%s"},"isSnapshotUpdate":false}`, c.uuid(), c.uuid(), c.at())
	}
	if c.chance(350) {
		c.user([]byte(`"Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages."`), `,"isMeta":true`)
		c.user([]byte(`"<command-name>/clear</command-name>\n            <command-message>clear</command-message>\n            <command-args></command-args>"`), "")
	}
	if c.late {
		for range 420 {
			c.put(`{"type":"system","subtype":"local_command","isSidechain":false,"content":"<local-command-stdout>%s</local-command-stdout>","timestamp":"%s","uuid":"%s",%s}`,
				c.unsaid(200), c.at(), c.uuid(), c.around)
		}
	}
}

// ending is what stands after the last words.
func (c *claude) ending() {
	if !c.old {
		c.put(`{"type":"last-prompt","lastPrompt":"%s","leafUuid":%s,"sessionId":"%s"}`, c.unsaid(60), c.parent, c.id)
	}
	if c.kind == kindChat && c.chance(60) {
		c.file.torn(fmt.Appendf(nil, `{"parentUuid":%s,"isSidechain":false,"type":"user","message":{"role":"user","content":"%s`, c.parent, c.unsaid(40)))
	}
}

// subagent is a helper's own transcript, in a folder named for the chat.
func (c *claude) subagent(folder string) error {
	t := &tally{}
	made, err := c.create(t, ".claude", "projects", folder, c.id, "subagents", "agent-"+c.hex(17)+".jsonl")
	if err != nil {
		return err
	}
	t.is = kindAgent
	c.more = append(c.more, t)
	c.file, c.aside, c.parent = made, true, "null"
	want := c.target * int64(5+c.rng.IntN(20)) / 100
	for made.n < want {
		c.user(fmt.Appendf(nil, `"%s"`, c.unsaid(500)), `,"agentId":"`+c.hex(17)+`"`)
		for range 3 + c.rng.IntN(22) {
			s := c.step()
			c.assistant(s, "null", text(c.unsaid(250)))
			if c.tool(s, c.size(4000, 1.3, 100, 120_000)); made.n > want {
				break
			}
		}
	}
	return made.close(c.now)
}

// agent is a helper's transcript beside the chats, as 2.0 left them.
func (w *writer) agent() error {
	c := &claude{writer: w, old: true, aside: true, parent: "null", model: "claude-haiku-4-5"}
	w.id = w.uuid()
	c.around = fmt.Sprintf(`"userType":"external","cwd":"%s","sessionId":"%s","version":"2.0.36","gitBranch":"main","agentId":"%s"`, w.cwd, w.id, w.hex(8))
	var err error
	if w.file, err = w.create(w.tally, ".claude", "projects", strings.ReplaceAll(w.cwd, "/", "-"), "agent-"+w.hex(12)+".jsonl"); err != nil {
		return err
	}
	for range 1 + w.rng.IntN(4) {
		c.user(fmt.Appendf(nil, `"<purpose>%s</purpose>"`, w.unsaid(1500)), "")
		c.assistant(c.step(), `"end_turn"`, text(w.unsaid(600)))
	}
	return w.file.close(w.now)
}
