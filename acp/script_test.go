package acp

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A script tells a pretend program what to do, one step a line. Beside the steps
// of the cases it knows "hex" (raw bytes), "fill" (that many bytes between "raw"
// and "end") and "mark" (a file that the test waits for).
type scriptStep struct {
	Expect  string          `json:"expect"`
	Reply   json.RawMessage `json:"reply"`
	Error   json.RawMessage `json:"error"`
	ReplyTo string          `json:"reply_to"`
	Send    json.RawMessage `json:"send"`
	Raw     *string         `json:"raw"`
	Hex     string          `json:"hex"`
	Fill    int             `json:"fill"`
	End     string          `json:"end"`
	NL      *bool           `json:"nl"`
	Stderr  string          `json:"stderr"`
	Times   int             `json:"times"`
	Sleep   int             `json:"sleep_ms"`
	Repeat  int             `json:"repeat"`
	Spawn   string          `json:"spawn"`
	Exit    *int            `json:"exit"`
	Hang    bool            `json:"hang"`
	Ignore  []string        `json:"ignore"`
	Mark    string          `json:"mark"`
	Door    string          `json:"door"` // see visit
}

type scripted struct {
	signals string
	in      chan rpc
	eof     chan struct{}
	open    map[string]json.RawMessage // ids of requests by method
	last    json.RawMessage
	early   []rpc
	ignore  map[string]bool
	servers json.RawMessage // the params of the last opening
}

// runScript is the main function of the scripted program.
func runScript(path, signals string) int {
	raw, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	s := &scripted{
		signals: signals, in: make(chan rpc, 100), eof: make(chan struct{}),
		open: map[string]json.RawMessage{}, ignore: map[string]bool{},
	}
	heard, err := os.Create(filepath.Join(signals, "heard.ndjson"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	go func() {
		r := bufio.NewReaderSize(os.Stdin, 1<<20)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				close(s.eof)
				return
			}
			fmt.Fprintf(heard, `{"ms":%d,"msg":%s}`+"\n", time.Now().UnixMilli(), bytes.TrimSpace(line))
			var m rpc
			if json.Unmarshal(line, &m) == nil {
				s.in <- m
			}
		}
	}()
	for _, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\n")) {
		var step scriptStep
		if err := json.Unmarshal(line, &step); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		if code, over := s.do(step); over {
			return code
		}
	}
	s.hang()
	return 0
}

func (s *scripted) do(step scriptStep) (code int, over bool) {
	for _, what := range step.Ignore {
		s.ignore[what] = true
	}
	if step.Sleep > 0 {
		time.Sleep(time.Duration(step.Sleep) * time.Millisecond)
	}
	if step.Expect != "" && !s.expect(step.Expect) {
		return 0, true
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": s.last}
	if step.ReplyTo != "" {
		answer["id"] = s.open[step.ReplyTo]
	}
	switch {
	case step.Reply != nil:
		answer["result"] = step.Reply
		s.write(append(must(answer), '\n'))
	case step.Error != nil:
		answer["error"] = step.Error
		s.write(append(must(answer), '\n'))
	case step.Send != nil:
		s.write(bytes.Repeat(append(bytes.TrimSpace(step.Send), '\n'), max(step.Repeat, 1)))
	case step.Raw != nil || step.Hex != "":
		s.raw(step)
	case step.Stderr != "":
		for range max(step.Times, 1) {
			os.Stderr.WriteString(step.Stderr)
		}
	case step.Spawn != "":
		cmd := exec.Command("sh", "-c", "exec "+step.Spawn)
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2, true
		}
		os.WriteFile(filepath.Join(s.signals, "spawned"), fmt.Appendf(nil, "%d", cmd.Process.Pid), 0o600)
	case step.Door != "":
		s.visit(step.Door)
	case step.Mark != "":
		os.WriteFile(filepath.Join(s.signals, step.Mark), nil, 0o600)
	case step.Exit != nil:
		return *step.Exit, true
	case step.Hang:
		s.hang()
		return 0, true
	}
	return 0, false
}

func (s *scripted) raw(step scriptStep) {
	var line []byte
	if step.Raw != nil {
		line = []byte(*step.Raw)
	}
	bin, _ := hex.DecodeString(step.Hex)
	line = append(line, bin...)
	line = append(line, bytes.Repeat([]byte("x"), step.Fill)...)
	line = append(line, step.End...)
	if step.NL == nil || *step.NL {
		line = append(line, '\n')
	}
	s.write(line)
}

func (s *scripted) write(b []byte) { os.Stdout.Write(b) }

// expect waits for a request, a notification, or an answer to one's own.
func (s *scripted) expect(what string) bool {
	matches := func(m rpc) bool {
		if id, ok := strings.CutPrefix(what, "response:"); ok {
			return m.isAnswer() && string(m.ID) == id
		}
		return m.Method == what
	}
	take := func(m rpc) {
		if m.isCall() {
			s.open[m.Method] = m.ID
			s.last = m.ID
			if parse(m.Params).has("mcpServers") {
				s.servers = m.Params
			}
		}
	}
	for i, m := range s.early {
		if matches(m) {
			s.early = append(s.early[:i:i], s.early[i+1:]...)
			take(m)
			return true
		}
	}
	eof := s.eof
	if s.ignore["stdin-eof"] {
		eof = nil
	}
	for {
		select {
		case m := <-s.in:
			if matches(m) {
				take(m)
				return true
			}
			s.early = append(s.early, m)
		case <-eof:
			if len(s.in) > 0 {
				continue
			}
			return false
		case <-time.After(time.Hour):
		}
	}
}

func (s *scripted) hang() {
	for s.ignore["stdin-eof"] {
		time.Sleep(time.Hour)
	}
	<-s.eof
}

// heard is what the scripted program was sent.
func heard(t *testing.T, signals string) []rpc {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(signals, "heard.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	var list []rpc
	for _, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\n")) {
		var each struct {
			Msg rpc `json:"msg"`
		}
		if json.Unmarshal(line, &each) == nil {
			list = append(list, each.Msg)
		}
	}
	return list
}

// scriptEngine is an engine for a program that follows a script.
func scriptEngine(t *testing.T, path string, timings Timings) (e *Engine, signals string) {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	signals = t.TempDir()
	return testEngine(t, testAgent(t, Agent{}, "ACP_TEST_SCRIPT="+abs, "ACP_TEST_SIGNALS="+signals), timings), signals
}

// lines writes a script from its lines.
func script(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Steps that most scripts begin with, and pieces of a turn.
const (
	hello  = `{"expect":"initialize","reply":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[]}}`
	opened = `{"expect":"session/new","reply":{"sessionId":"sess-1"}}`
	asked  = `{"expect":"session/prompt"}`
	done   = `{"reply":{"stopReason":"end_turn"}}`
)

func says(text string) string {
	return updates(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + string(must(text)) + `}}`)
}

func updates(update string) string {
	return `{"send":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess-1","update":` + update + `}}}`
}
