package home

import "fmt"

// turns writes what was said and done, until the file is as large as it should be.
func (c *claude) turns() {
	each := max(1500, c.target/int64(c.size(18, .8, 1, 90)))
	large := c.large
	for turn := 0; c.file.n < c.target || turn == 0; turn++ {
		end := min(c.target, c.file.n+each)
		c.ask(turn)
		for c.file.n < end {
			s := c.step()
			if c.newest && c.chance(12) && !c.full() {
				c.queued()
			}
			if c.chance(450) {
				c.think(s)
			}
			if c.chance(500) && !c.full() {
				c.assistant(s, "null", text(escaped(nil, c.say("assistant", 300, 1.1, 30_000, false))))
			}
			if len(large) > 0 && c.file.n > c.target*3/10 {
				c.largeResult(s, large[0])
				large = large[1:]
				continue
			}
			c.tool(s, c.fitting(c.size(3600, 1.35, 120, 260_000), end))
			c.between()
		}
		c.answer()
		if turn == 0 && !c.old {
			c.put(`{"type":"ai-title","sessionId":"%s","aiTitle":"%s"}`, c.id, c.name())
		}
	}
	for _, n := range large {
		c.largeResult(c.step(), n)
	}
}

// fitting keeps one result from being much larger than what is left of a turn.
func (w *writer) fitting(n int, end int64) int {
	if left := int(end - w.file.n); n > 2*left {
		return max(400, left)
	}
	return n
}

// ask is the person's words that begin a turn, and what the program adds to them.
func (c *claude) ask(turn int) {
	if turn > 0 && c.chance(10) { // rewound: the next prompt has the same parent
		parent := c.parent
		c.prompt(c.unsaid(120))
		c.assistant(c.step(), `"end_turn"`, text(c.unsaid(200)))
		c.parent = parent
	}
	words := escaped(nil, c.say("user", 240, 1.5, 60_000, false))
	c.prompt(words)
	if c.chance(30) {
		most := int(min(900_000, max(30_000, c.target/4)))
		c.user(fmt.Appendf(nil, `[{"type":"text","text":"%s"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}]`,
			escaped(nil, c.say("user", 90, .6, 900, false)), c.blob(c.size(180_000, .8, 20_000, most))), "")
	}
	if c.chance(100) {
		c.user(fmt.Appendf(nil, `"<system-reminder>\n%s\n</system-reminder>"`, c.unsaid(600)), `,"isMeta":true`)
	}
	if c.newest { // what went to the model: the person's words again
		c.put(`{"type":"api-request-blob","sessionId":"%s","hash":"%s","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>\n%s\n</system-reminder>"},{"type":"text","text":"%s"}]}}`,
			c.id, c.hex(64), c.unsaid(700), words)
		c.put(`{"type":"api-request","sessionId":"%s","id":"%s","timestamp":"%s","version":"%s","querySource":"cli","shapeHash":"%s","params":{"model":"%s","betas":["claude-code-20250219"],"max_tokens":128000},"keep":%d,"tail":["%s","%s"]}`,
			c.id, c.uuid(), c.at(), c.version, c.hex(64), c.model, c.rng.IntN(90), c.hex(64), c.hex(64))
	}
}

// queued is what the person typed while the model worked. It is a message only as
// an attachment; the same words stand in two more places.
func (c *claude) queued() {
	words := escaped(nil, c.say("user", 80, .7, 900, false))
	c.put(`{"type":"queue-operation","operation":"enqueue","timestamp":"%s","sessionId":"%s","content":"%s"}`, c.at(), c.id, words)
	c.attach(fmt.Sprintf(`{"type":"queued_command","prompt":"%s","source_uuid":"%s","commandMode":"prompt","origin":{"kind":"human"},"humanTurn":true}`, words, c.uuid()),
		fmt.Sprintf(`,"rendered":[{"content":"<system-reminder>\nThe user sent a new message while you were working:\n%s\n</system-reminder>"}],"renderedRole":"system"`, words))
}

// between is what stands among the steps.
func (c *claude) between() {
	if c.old && c.chance(12) { // helpers in the same file, as it was once done
		c.aside = true
		for range 1 + c.rng.IntN(3) {
			s := c.step()
			c.user(fmt.Appendf(nil, `"%s"`, c.unsaid(300)), "")
			c.assistant(s, "null", text(c.unsaid(400)))
			c.tool(s, c.size(3000, 1, 100, 40_000))
		}
		c.aside = false
	}
	if !c.old && c.chance(20) {
		var kept []byte
		for i := range 3 + c.rng.IntN(37) {
			if i > 0 {
				kept = append(kept, ',')
			}
			kept = fmt.Appendf(kept, `"internal/%s/%s%d.go":{"backupFileName":"%s@v%d","version":%d,"backupTime":"%s"}`,
				c.stuff.word(c.rng), c.stuff.word(c.rng), i, c.hex(16), i+1, i+1, c.now.UTC().Format("2006-01-02T15:04:05.000Z"))
		}
		c.put(`{"type":"file-history-snapshot","messageId":"%s","snapshot":{"messageId":"%s","trackedFileBackups":{%s},"timestamp":"%s"},"isSnapshotUpdate":true}`, c.uuid(), c.uuid(), kept, c.at())
	}
}

// answer is the reply that ends a turn, and what follows it.
func (c *claude) answer() {
	s := c.step()
	if c.chance(250) { // one reply, two lines
		c.assistant(s, "null", text(escaped(nil, c.say("assistant", 400, 1, 20_000, false))))
		c.assistant(s, `"end_turn"`, text(escaped(nil, c.say("assistant", 700, 1, 40_000, true))))
	} else {
		c.assistant(s, `"end_turn"`, text(escaped(nil, c.say("assistant", 700, 1, 40_000, false))))
	}
	if !c.old {
		c.put(`{"parentUuid":%s,"isSidechain":false,"type":"system","subtype":"turn_duration","durationMs":%d,"messageCount":%d,"timestamp":"%s","uuid":"%s","isMeta":false,%s}`,
			c.parent, c.rng.IntN(900_000), c.rng.IntN(90), c.at(), c.uuid(), c.around)
	}
	if c.chance(20) {
		c.reply(c.step(), "<synthetic>", `"stop_sequence"`, text([]byte("API Error: 529 overloaded")))
	}
	if c.chance(30) {
		c.user(fmt.Appendf(nil, `"This session is being continued from a previous conversation that ran out of context. %s"`, c.unsaid(c.size(6000, .5, 2000, 20_000))),
			`,"isVisibleInTranscriptOnly":true,"isCompactSummary":true`)
	}
}

// tool is a call and its result of about n bytes, which stands there twice: as it
// went to the model, and as the program keeps it.
func (c *claude) tool(s step, n int) {
	id := c.mark("toolu_01")
	path := fmt.Sprintf("%s/internal/%s/%s.go", c.cwd, c.stuff.word(c.rng), c.stuff.word(c.rng))
	out := c.printed(max(60, n/2))
	var name, input, kept string
	body := fmt.Sprintf(`"%s"`, out)
	switch roll := c.rng.IntN(100); {
	case roll < 42:
		name, input = "Bash", fmt.Sprintf(`{"command":"go test ./... 2>&1 | grep -n '%s' | head -%d","description":"%s"}`, c.stuff.word(c.rng), 5+c.rng.IntN(85), c.stuff.phrase(c.rng, 5))
		kept = fmt.Sprintf(`{"stdout":"%s","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}`, out)
	case roll < 72:
		name, input = "Read", fmt.Sprintf(`{"file_path":"%s","offset":%d,"limit":%d}`, path, c.rng.IntN(900), 50+c.rng.IntN(1900))
		kept = fmt.Sprintf(`{"type":"text","file":{"filePath":"%s","content":"%s","numLines":%d,"startLine":1,"totalLines":%d}}`, path, out, c.rng.IntN(900), 900+c.rng.IntN(1100))
	case roll < 88:
		name = "Edit"
		before, after := c.printed(c.size(500, 1, 40, 6000)), c.printed(c.size(700, 1, 40, 8000))
		input = fmt.Sprintf(`{"file_path":"%s","old_string":"%s","new_string":"%s","replace_all":false}`, path, before, after)
		body = fmt.Sprintf(`"The file %s has been updated."`, path)
		kept = fmt.Sprintf(`{"filePath":"%s","oldString":"%s","newString":"%s","originalFile":"%s","structuredPatch":[{"oldStart":%d,"oldLines":8,"newStart":%d,"newLines":9,"lines":["-a","+b"]}],"userModified":false,"replaceAll":false}`,
			path, before, after, out, c.rng.IntN(90), c.rng.IntN(90))
	case roll < 96:
		name, input = "Grep", fmt.Sprintf(`{"pattern":"%s","path":"%s","output_mode":"content"}`, c.stuff.word(c.rng), c.cwd)
		kept = fmt.Sprintf(`{"mode":"content","numFiles":0,"filenames":[],"content":"%s","numLines":%d}`, out, c.rng.IntN(300))
	default: // text blocks that are nobody's words
		name, input = "mcp__"+c.stuff.word(c.rng)+"__look", fmt.Sprintf(`{"query":"%s"}`, c.stuff.phrase(c.rng, 4))
		body = fmt.Sprintf(`[{"type":"text","text":"%s"}]`, out)
		kept = body
	}
	c.call(s, id, name, input)
	if !c.old && name == "Bash" && c.chance(250) { // progress: a message inside, or what was printed so far
		if c.chance(100) {
			c.put(`{"parentUuid":%s,"isSidechain":%t,"type":"progress","data":{"type":"agent_progress","message":{"type":"user","message":{"role":"user","content":[{"type":"text","text":"%s"}]}}},"toolUseID":"%s","timestamp":"%s","uuid":"%s",%s}`,
				c.parent, c.aside, c.unsaid(300), id, c.at(), c.uuid(), c.around)
		} else {
			c.put(`{"parentUuid":%s,"isSidechain":%t,"type":"progress","data":{"type":"bash_progress","output":"%s","fullOutput":"%s","elapsedTimeSeconds":%d,"totalLines":%d,"timeoutMs":120000},"toolUseID":"%s","timestamp":"%s","uuid":"%s",%s}`,
				c.parent, c.aside, c.printed(300), c.printed(min(n, 8000)), c.rng.IntN(60), c.rng.IntN(400), id, c.at(), c.uuid(), c.around)
		}
	}
	c.result(id, body, kept)
}

func (c *claude) call(s step, id, name, input string) {
	caller := ""
	if !c.old {
		caller = `,"caller":{"type":"direct"}`
	}
	c.assistant(s, `"tool_use"`, fmt.Appendf(nil, `{"type":"tool_use","id":"%s","name":"%s","input":%s%s}`, id, name, input, caller))
}

// result writes the line of a tool result in one of the ways in which it is seen.
func (c *claude) result(id, body, kept string) {
	more := `,"toolUseResult":` + kept
	if kept == "" {
		more = ""
	}
	if !c.old {
		more += `,"sourceToolAssistantUUID":` + c.parent
	}
	var block []byte
	switch roll := c.rng.IntN(100); {
	case roll < 78:
		block = fmt.Appendf(nil, `[{"tool_use_id":"%s","type":"tool_result","content":%s,"is_error":%t}]`, id, body, c.chance(40))
	case roll < 97:
		block = fmt.Appendf(nil, `[{"type":"tool_result","tool_use_id":"%s","content":%s}]`, id, body)
	case roll < 99 || c.aside || c.full():
		block = fmt.Appendf(nil, `[{"type": "tool_result", "tool_use_id": "%s", "content": %s}]`, id, body)
	default: // the person said something too
		block = fmt.Appendf(nil, `[{"tool_use_id":"%s","type":"tool_result","content":%s},{"type":"text","text":"%s"}]`, id, body, escaped(nil, c.say("user", 80, .7, 900, false)))
	}
	c.user(block, more)
}

// largeResult is a result that fills one line of n bytes: a picture or a text.
func (c *claude) largeResult(s step, n int) {
	id := c.mark("toolu_01")
	c.call(s, id, "mcp__browser__screenshot", `{"fullPage":true}`)
	var body string
	if c.chance(600) {
		body = fmt.Sprintf(`[{"type":"image","source":{"type":"base64","data":"%s","media_type":"image/png"}}]`, c.blob(n))
	} else {
		body = fmt.Sprintf(`[{"type":"text","text":"%s"}]`, c.stuff.tool(make([]byte, 0, n+4400), c.rng, n))
	}
	c.user(fmt.Appendf(nil, `[{"tool_use_id":"%s","type":"tool_result","content":%s}]`, id, body), "")
}
