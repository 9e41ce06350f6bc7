package home

import (
	"fmt"
	"time"
)

// codex is a rollout of Codex. What is said stands in it twice, as an item and as
// an event; from 0.147 on the event is item_completed.
type codex struct {
	*writer
	newer   bool
	version string
	model   string
	turn    string
	tokens  int
}

func (w *writer) codex() error {
	c := &codex{writer: w, newer: w.rng.IntN(10) < 4}
	c.version = w.one("0.98.0", "0.146.0")
	if c.newer {
		c.version = "0.171.0"
	}
	c.model = w.one("gpt-5.5", "gpt-5.6-luna", "gpt-5-codex")
	w.id = "019" + w.uuid()[3:]
	name := fmt.Sprintf("rollout-%s-%s.jsonl", w.start.Format("2006-01-02T15-04-05"), w.id)
	if w.zipped {
		name += ".zst"
	}
	var err error
	if w.file, err = w.create(w.tally, ".codex", "sessions", w.start.Format("2006"), w.start.Format("01"), w.start.Format("02"), name); err != nil {
		return err
	}
	c.opening()
	if w.kind != kindSilent {
		c.turns()
	}
	if err := w.file.close(w.now); err != nil {
		return err
	}
	if w.kind == kindChat && w.chance(600) {
		w.titleLine = fmt.Sprintf(`{"id":"%s","thread_name":"%s","updated_at":"%s"}`, w.id, w.name(), w.now.UTC().Format(time.RFC3339))
	}
	return nil
}

func (c *codex) record(kind, pattern string, args ...any) {
	ordinal := ""
	if c.newer {
		ordinal = fmt.Sprintf(`"ordinal":%d,`, c.lines)
	}
	c.line = fmt.Appendf(c.line[:0], `{"timestamp":"%s",%s"type":"%s","payload":`, c.at(), ordinal, kind)
	c.line = fmt.Appendf(c.line, pattern, args...)
	c.line = append(c.line, '}')
	c.file.put(c.line)
	if cap(c.line) > 1<<20 {
		c.line = nil
	}
}

// opening is the program's own instructions, the project's and the surroundings.
func (c *codex) opening() {
	source := `"cli"`
	if c.kind == kindHelper {
		source = fmt.Sprintf(`{"subagent":{"thread_spawn":{"parent_thread_id":"019%s","depth":1}}}`, c.uuid()[3:])
	}
	own, project := 14_000, 3_000
	if c.target < 20_000 {
		own, project = 6_000, 800
	}
	c.record("session_meta", `{"id":"%s","timestamp":"%s","cwd":"%s","originator":"codex_cli_rs","cli_version":"%s","source":%s,"model_provider":"openai","base_instructions":{"text":"%s"},"git":{"commit_hash":"%s","branch":"main","repository_url":"https://example.invalid/dev/%s.git"}}`,
		c.id, c.now.UTC().Format(time.RFC3339), c.cwd, c.version, source, c.unsaid(own), c.hex(40), c.project)
	c.record("response_item", `{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions instructions>%s</permissions instructions>"}]}`, c.unsaid(project))
	kinds := ""
	if c.newer {
		kinds = fmt.Sprintf(`,"internal_chat_message_metadata_passthrough":{"turn_id":"%s","create_time":1796058372.39,"content_item_kinds":["agents_md.instructions","environments.environment_context"]}`, c.uuid())
	}
	c.record("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for %s\n\n<INSTRUCTIONS>\n%s\n</INSTRUCTIONS>"},{"type":"input_text","text":"<environment_context>\n  <cwd>%s</cwd>\n  <shell>zsh</shell>\n</environment_context>"}]%s}`,
		c.cwd, c.unsaid(project), c.cwd, kinds)
	if c.late {
		for range 420 {
			c.record("event_msg", `{"type":"agent_reasoning","text":"**%s**"}`, c.unsaid(160))
		}
	}
}

func (c *codex) turns() {
	each := max(1500, c.target/int64(c.size(15, .8, 1, 80)))
	large := c.large
	for turn := 0; c.file.n < c.target || turn == 0; turn++ {
		end := min(c.target, c.file.n+each)
		if turn > 0 && c.chance(10) && c.kind == kindChat { // taken back
			c.begin()
			c.both("user", c.unsaid(100), "")
			c.both("assistant", c.unsaid(150), "final_answer")
			c.record("event_msg", `{"type":"thread_rolled_back","num_turns":1}`)
		}
		c.begin()
		c.both("user", c.words("user", 220, 1.2), "")
		for c.file.n < end {
			if c.chance(600) {
				thought := c.unsaid(c.size(160, .6, 30, 900))
				c.record("event_msg", `{"type":"agent_reasoning","text":"**%s**"}`, thought)
				c.record("response_item", `{"type":"reasoning","summary":[{"type":"summary_text","text":"**%s**"}],"content":null,"encrypted_content":"gAAAA%s"}`, thought, c.blob(c.size(1400, .8, 300, 12_000)))
			}
			if c.chance(350) && !c.full() {
				c.both("assistant", c.words("assistant", 240, .9), "commentary")
			}
			if len(large) > 0 && c.file.n > c.target*3/10 {
				c.largeRecord(large[0])
				large = large[1:]
			} else {
				c.tool(c.fitting(c.size(4200, 1.35, 120, 300_000), end))
			}
			c.count()
		}
		last := c.words("assistant", 650, 1)
		c.both("assistant", last, "final_answer")
		c.record("event_msg", `{"type":"task_complete","turn_id":"%s","last_agent_message":"%s","duration_ms":%d}`, c.turn, last, 2000+c.rng.IntN(600_000))
	}
	for _, n := range large {
		c.largeRecord(n)
	}
}

// words makes up a message, escaped. A helper's is nobody's.
func (c *codex) words(role string, median, spread float64) []byte {
	if c.kind == kindHelper {
		return c.unsaid(c.size(median, spread, 12, 9_000))
	}
	return escaped(nil, c.say(role, median, spread, 30_000, false))
}

func (c *codex) begin() {
	c.turn = c.uuid()
	c.record("event_msg", `{"type":"task_started","turn_id":"%s","model_context_window":258400,"collaboration_mode_kind":"default"}`, c.turn)
	c.record("turn_context", `{"turn_id":"%s","cwd":"%s","approval_policy":"on-request","sandbox_policy":{"type":"workspace-write","network_access":false},"model":"%s","effort":"medium","summary":"auto","current_date":"2026-08-03","timezone":"UTC","user_instructions":"%s"}`,
		c.turn, c.cwd, c.model, c.unsaid(1200))
}

// both writes words as an item and as an event.
func (c *codex) both(role string, words []byte, phase string) {
	part, kind, typed, more := "input_text", "user.text", "UserMessage", ""
	if role == "assistant" {
		part, kind, typed, more = "output_text", "unknown", "AgentMessage", `,"phase":"`+phase+`"`
	}
	passed := ""
	if c.newer {
		passed = fmt.Sprintf(`,"internal_chat_message_metadata_passthrough":{"turn_id":"%s","create_time":1796058372.39,"content_item_kinds":["%s"]}`, c.turn, kind)
	}
	item := func() {
		c.record("response_item", `{"type":"message","role":"%s","content":[{"type":"%s","text":"%s"}]%s%s}`, role, part, words, more, passed)
	}
	event := func() {
		switch {
		case c.newer:
			block := "text"
			if role == "assistant" {
				block = "Text"
			}
			c.record("event_msg", `{"type":"item_completed","thread_id":"%s","turn_id":"%s","item":{"type":"%s","id":"%s","content":[{"type":"%s","text":"%s"}]%s},"started_at_ms":1796058372393,"completed_at_ms":1796058372393}`,
				c.id, c.turn, typed, c.uuid(), block, words, more)
		case role == "user":
			c.record("event_msg", `{"type":"user_message","message":"%s","images":[],"local_images":[],"text_elements":[]}`, words)
		default:
			c.record("event_msg", `{"type":"agent_message","message":"%s"%s}`, words, more)
		}
	}
	if role == "user" {
		item()
		event()
	} else {
		event()
		item()
	}
}

func (c *codex) tool(n int) {
	id := c.mark("call_")
	if !c.chance(800) {
		d := c.printed(max(200, n/3))
		c.record("response_item", `{"type":"custom_tool_call","status":"completed","call_id":"%s","name":"apply_patch","input":"*** Begin Patch\n*** Update File: internal/%s.go\n%s*** End Patch"}`, id, c.stuff.word(c.rng), d)
		c.record("event_msg", `{"type":"patch_apply_end","call_id":"%s","turn_id":"%s","stdout":"Success.","stderr":"","success":true,"changes":{"%s/internal/a.go":{"type":"update","unified_diff":"%s","move_path":null}}}`, id, c.turn, c.cwd, d)
		c.record("response_item", `{"type":"custom_tool_call_output","call_id":"%s","output":"{\"output\":\"Success.\",\"metadata\":{\"exit_code\":0}}"}`, id)
		return
	}
	c.record("response_item", `{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"rg -n %s internal\",\"workdir\":\"%s\",\"yield_time_ms\":10000}","call_id":"%s"}`, c.stuff.word(c.rng), c.cwd, id)
	out := c.printed(max(60, n))
	if c.chance(180) {
		c.record("event_msg", `{"type":"exec_command_end","call_id":"%s","turn_id":"%s","command":["bash","-lc","rg"],"cwd":"%s","parsed_cmd":[{"type":"unknown","cmd":"rg"}],"stdout":"%s","stderr":"","aggregated_output":"","exit_code":0,"duration":{"secs":0,"nanos":4000000},"formatted_output":"","status":"completed"}`,
			id, c.turn, c.cwd, out)
	}
	c.record("response_item", `{"type":"function_call_output","call_id":"%s","output":"Chunk ID: %s\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n%s"}`, id, c.hex(6), out)
}

// count is what a step cost, told after each.
func (c *codex) count() {
	c.tokens += 900 + c.rng.IntN(29_000)
	usage := fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":63,"total_tokens":%d}`, c.tokens, c.tokens/2, c.rng.IntN(900), c.tokens+200)
	if c.newer {
		c.record("token_usage_record", `{"thread_id":"%s","turn_id":"%s","response_id":"resp_%s","usage":%s,"turn_token_usage":%s,"thread_token_usage":%s}`, c.id, c.turn, c.hex(32), usage, usage, usage)
	}
	c.record("event_msg", `{"type":"token_count","info":{"total_token_usage":%s,"last_token_usage":%s,"model_context_window":258400},"rate_limits":{"limit_id":"codex","primary":{"used_percent":%.1f,"window_minutes":10080,"resets_at":1785958530},"secondary":null,"plan_type":"pro"}}`,
		usage, usage, c.rng.Float64()*90)
}

// largeRecord is one line of n bytes: a picture, or a history written again.
func (c *codex) largeRecord(n int) {
	if c.chance(500) {
		id := c.mark("call_")
		c.record("response_item", `{"type":"function_call","name":"view_image","arguments":"{\"path\":\"shot.png\"}","call_id":"%s"}`, id)
		c.record("response_item", `{"type":"function_call_output","call_id":"%s","output":[{"type":"input_image","image_url":"data:image/png;base64,%s"}]}`, id, c.blob(n))
		return
	}
	c.record("compacted", `{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"%s"}]},{"type":"compaction","encrypted_content":"gAAAA%s"}]}`,
		c.stuff.tool(make([]byte, 0, n/2+4400), c.rng, n/2), c.blob(n/2))
}
