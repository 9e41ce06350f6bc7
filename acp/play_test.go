package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A recording is what once crossed the pipe to a real program, one message a
// line: {"dir":"out"|"in","msg":{…}}, out being what a client sent. The player is
// that program again: asked by a client, it says what was said then.

type crossed struct {
	Dir string          `json:"dir"`
	Msg json.RawMessage `json:"msg"`
}

type rpc struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (m rpc) isCall() bool   { return m.Method != "" && m.ID != nil }
func (m rpc) isAnswer() bool { return m.Method == "" && m.ID != nil }

func readRecording(path string) ([]crossed, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []crossed
	for i, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\n")) {
		var c crossed
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		list = append(list, c)
	}
	return list, nil
}

func (c crossed) parsed() (m rpc) {
	_ = json.Unmarshal(c.Msg, &m)
	return m
}

// chapter is what the program did about one request of the client.
type chapter struct {
	method, session, key string
	id                   string
	steps                []step
	used, answered       bool
}

// step is one thing done: say a line, wait for an answer to a request of the
// program's own, or wait for the client to cancel.
type step struct {
	say        json.RawMessage
	answer     bool // say is the answer to the chapter's request
	waitAnswer string
	waitCancel bool
}

// chapters sorts a recording by the requests of the client. What came while
// several were open belongs to the oldest.
func chapters(list []crossed) []*chapter {
	var all, open []*chapter
	last := &chapter{}
	for _, c := range list {
		m := c.parsed()
		switch {
		case c.Dir == "out" && m.Method == "session/new" && !strings.HasPrefix(parse(m.Params).text("cwd"), "/home/dev/"):
			// A request that was meant to be wrong: nobody asks it again.
		case c.Dir == "out" && m.isCall():
			ch := &chapter{method: m.Method, id: string(m.ID), session: sessionOf(m.Params), key: settingOf(m.Params)}
			all = append(all, ch)
			open = append(open, ch)
		case c.Dir == "out" && m.isAnswer():
			at(open, last).steps = append(at(open, last).steps, step{waitAnswer: string(m.ID)})
		case c.Dir == "out" && m.Method == "session/cancel":
			for _, ch := range open {
				if ch.method == "session/prompt" {
					ch.steps = append(ch.steps, step{waitCancel: true})
					break
				}
			}
		case c.Dir == "in" && m.isAnswer():
			for i, ch := range open {
				if ch.id == string(m.ID) {
					ch.steps = append(ch.steps, step{say: c.Msg, answer: true})
					ch.answered = true
					open = append(open[:i:i], open[i+1:]...)
					last = ch
					break
				}
			}
		case c.Dir == "in":
			ch := at(open, last)
			for _, other := range open {
				if id := sessionOf(m.Params); id != "" && other.session == id {
					ch = other
					break
				}
			}
			ch.steps = append(ch.steps, step{say: c.Msg})
		}
	}
	return all
}

func at(open []*chapter, last *chapter) *chapter {
	if len(open) > 0 {
		return open[0]
	}
	return last
}

func sessionOf(params json.RawMessage) string { return parse(params).text("sessionId") }

func settingOf(params json.RawMessage) string {
	o := parse(params)
	return o.text("modeId") + o.text("modelId") + o.text("configId") + "=" + o.text("value")
}

// player is the program of a recording.
type player struct {
	out      *bufio.Writer // written out before it waits: an answer goes with what follows it
	in       *bufio.Reader
	chapters []*chapter
	signals  string
	cancels  int
	answers  map[string]bool // to requests of the program's own, that came before they were waited for
	made     int
	backlog  []rpc // requests that came while a chapter was being played
	noResume bool
}

// play is the main function of the player.
func play(path, signals string) int {
	list, err := readRecording(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	p := &player{out: bufio.NewWriterSize(os.Stdout, 1<<20), in: bufio.NewReaderSize(os.Stdin, 1<<20), chapters: chapters(list), signals: signals, answers: map[string]bool{}}
	for _, ch := range p.chapters {
		p.noResume = p.noResume || ch.method == "session/load"
	}
	for {
		m, ok := p.next()
		if !ok {
			return 0
		}
		if m.isCall() && !p.answer(m) {
			p.out.Flush()
			return 1 // the recording ends in the middle: the program died there
		}
	}
}

func (p *player) next() (rpc, bool) {
	if len(p.backlog) > 0 {
		m := p.backlog[0]
		p.backlog = p.backlog[1:]
		return m, true
	}
	return p.read()
}

func (p *player) read() (m rpc, ok bool) {
	if p.out.Flush() != nil {
		return m, false
	}
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		return m, false
	}
	return m, json.Unmarshal(line, &m) == nil
}

// answer plays the chapter of a request. false: the recording breaks off in it.
func (p *player) answer(m rpc) bool {
	ch := p.find(m)
	if ch == nil {
		p.improvise(m)
		return true
	}
	ch.used = true
	asking := false
	for _, s := range ch.steps {
		switch {
		case s.waitAnswer != "":
			asking = false
			// It may have come before the cancel, or after it.
			if !p.answers[s.waitAnswer] && !p.await(func(got rpc) bool { return got.isAnswer() && string(got.ID) == s.waitAnswer }) {
				return false
			}
			delete(p.answers, s.waitAnswer)
		case s.waitCancel:
			p.cancels++
			// When this has been counted, all before it was taken in.
			p.say(map[string]any{"jsonrpc": "2.0", "method": fmt.Sprintf("_test/cancel-%d", p.cancels)})
			p.out.Flush()
			name := filepath.Join(p.signals, fmt.Sprintf("cancel-%d", p.cancels))
			state := ""
			if asking {
				state = "asking"
			}
			if os.WriteFile(name+".new", []byte(state), 0o600) != nil || os.Rename(name+".new", name) != nil {
				return false
			}
			if !p.await(func(got rpc) bool { return got.Method == "session/cancel" }) {
				return false
			}
		case s.answer:
			o := parse(s.say)
			o["id"] = m.ID
			if m.Method == "initialize" && p.noResume {
				withoutResume(o)
			}
			p.say(o)
		case os.Getenv("ACP_TEST_HOLD") != "" && endsStep(s.say, os.Getenv("ACP_TEST_HOLD")):
			// The step goes on for ever.
			if !p.await(func(got rpc) bool { return got.Method == "session/cancel" }) {
				return false
			}
			p.say(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{"stopReason": "cancelled"}})
			return true
		default:
			asking = asking || parse(s.say).text("method") == "session/request_permission"
			p.say(s.say)
		}
	}
	return ch.answered
}

// endsStep reports an update that ends a step of a tool that runs commands.
func endsStep(say json.RawMessage, kind string) bool {
	update := parse(say).object("params").object("update")
	status := update.text("status")
	return (status == "completed" || status == "failed") &&
		(update.text("kind") == kind || strings.Contains(string(say), "shell") || strings.Contains(string(say), "Bash") || strings.Contains(string(say), "exit"))
}

// await reads until ok; other requests are kept for later.
func (p *player) await(ok func(rpc) bool) bool {
	for {
		m, more := p.read()
		if !more {
			return false
		}
		if ok(m) {
			return true
		}
		if m.isAnswer() {
			p.answers[string(m.ID)] = true
		}
		if m.isCall() {
			p.backlog = append(p.backlog, m)
		}
	}
}

// find is the chapter of a request: the next of its method, for its session, with
// its setting.
func (p *player) find(m rpc) *chapter {
	session, key := sessionOf(m.Params), settingOf(m.Params)
	methods := []string{m.Method}
	if m.Method == "session/load" {
		methods = append(methods, "session/resume") // the recorded client could do both
	}
	for _, method := range methods {
		for _, ch := range p.chapters {
			if !ch.used && ch.method == method && ch.key == key && ch.session == session {
				return ch
			}
		}
	}
	return nil
}

// improvise answers what the recorded client never asked.
func (p *player) improvise(m rpc) {
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	switch m.Method {
	case "session/new":
		p.made++
		answer["result"] = map[string]any{"sessionId": fmt.Sprintf("made-up-%d", p.made)}
	case "session/prompt":
		session := sessionOf(m.Params)
		if !strings.HasPrefix(session, "made-up-") {
			answer["error"] = map[string]any{"code": -32602, "message": "not in the recording: " + m.Method}
			break
		}
		blocks, _ := parse(m.Params).objects("prompt")
		p.say(map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": map[string]any{
			"sessionId": session, "update": map[string]any{
				"sessionUpdate": "agent_message_chunk",
				"content":       map[string]any{"type": "text", "text": "(no part of the recording) I was told: " + blocks[0].text("text")},
			},
		}})
		answer["result"] = map[string]any{"stopReason": "end_turn"}
	case "session/set_mode", "session/set_config_option", "session/set_model", "session/close", "authenticate":
		answer["result"] = map[string]any{}
	default:
		answer["error"] = map[string]any{"code": -32602, "message": "not in the recording: " + m.Method}
	}
	p.say(answer)
}

func (p *player) say(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	// The recorded folder is the one that the test really has.
	if here := os.Getenv("ACP_TEST_CWD"); here != "" {
		raw = bytes.ReplaceAll(raw, []byte(os.Getenv("ACP_TEST_RECORDED_CWD")), []byte(here))
	}
	_, _ = p.out.Write(append(raw, '\n'))
}

// recordedFolder is the working folder of a recording.
func recordedFolder(list []crossed) string {
	for _, c := range list {
		if cwd := parse(c.parsed().Params).text("cwd"); c.Dir == "out" && strings.HasPrefix(cwd, "/") {
			return cwd
		}
	}
	return "/home/dev/shop"
}

// withoutResume takes session/resume from what was offered: the recording is of
// a load, which a client that can resume would not ask for.
func withoutResume(answer object) {
	result := answer.object("result")
	caps := result.object("agentCapabilities")
	sessions := caps.object("sessionCapabilities")
	if sessions == nil {
		return
	}
	delete(sessions, "resume")
	caps["sessionCapabilities"] = must(sessions)
	result["agentCapabilities"] = must(caps)
	answer["result"] = must(result)
}

func must(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// agentOf is the row of the table for a folder of recordings.
func agentOf(folder string) Agent {
	for _, a := range Agents("conch") {
		if strings.HasPrefix(folder, a.Command+"-") || strings.HasPrefix(folder, a.ID) || strings.HasPrefix(folder, "qwen") && a.ID == "qwen" {
			return a
		}
	}
	return Agent{}
}
