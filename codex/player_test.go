package codex

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also the app-server that the tests drive: a player of
// recordings of the real one.
func TestMain(m *testing.M) {
	if path := os.Getenv("CODEX_TEST_PLAY"); path != "" {
		os.Exit(play(path))
	}
	goleak.VerifyTestMain(m)
}

// recorded is one message of a recording.
type recorded struct {
	Dir string         `json:"dir"` // in: from the program
	Msg map[string]any `json:"msg"`
}

func (r recorded) method() string { s, _ := r.Msg["method"].(string); return s }
func (r recorded) id() string     { return fmt.Sprint(r.Msg["id"]) }

func readRecording(path string) ([]recorded, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []recorded
	for line := range strings.Lines(string(data)) {
		var r recorded
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// player plays a recording: what is asked in it is answered as it was, and what the
// program said goes out as far as the recording waits for nothing.
type player struct {
	all []recorded
	at  int
	now bool // a turn runs
	in  *bufio.Reader
	out *json.Encoder
}

func play(path string) int {
	if to := os.Getenv("CODEX_TEST_ENV"); to != "" {
		if err := os.WriteFile(to, []byte(strings.Join(os.Environ(), "\n")), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	all, err := readRecording(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p := &player{all: all, in: bufio.NewReader(os.Stdin), out: json.NewEncoder(os.Stdout)}
	for {
		m, ok := p.hear()
		if !ok {
			return 0
		}
		p.serve(m)
	}
}

func (p *player) hear() (map[string]any, bool) {
	line, err := p.in.ReadBytes('\n')
	if path := os.Getenv("CODEX_TEST_HEARD"); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			os.Exit(1)
		}
		f.Write(line) //nolint:errcheck // a test sees that it is missing
		f.Close()
	}
	var m map[string]any
	if json.Unmarshal(line, &m) != nil {
		return nil, err == nil
	}
	return m, true
}

func (p *player) say(m map[string]any) { p.out.Encode(m) } //nolint:errcheck // the end of the other side

// serve answers a request of the client's, and plays on behind a turn's start.
func (p *player) serve(m map[string]any) {
	method, _ := m["method"].(string)
	id, asked := m["id"]
	if method == "" || !asked {
		return
	}
	if p.misbehaves(method, id, m) {
		return
	}
	switch method {
	case "account/read":
		p.say(map[string]any{"id": id, "result": map[string]any{"account": nil, "requiresOpenaiAuth": false}})
		return
	case "model/list":
		p.say(map[string]any{"id": id, "result": map[string]any{"data": []any{}}})
		return
	}
	at, answer := p.find(method)
	if at < 0 {
		p.say(map[string]any{"id": id, "error": map[string]any{"code": -32600, "message": "not in the recording: " + method}})
		return
	}
	answer = clone(answer)
	answer["id"] = id
	switch method {
	case "thread/start", "thread/resume":
		p.opened(answer)
		p.say(answer)
	case "turn/start", "turn/interrupt", "turn/steer":
		p.at = at + 1
		p.now = p.now || method == "turn/start"
		p.say(answer)
		p.on(at + 1)
	default:
		p.say(answer)
	}
}

// misbehaves does what CODEX_TEST_AS says instead of what was recorded.
func (p *player) misbehaves(method string, id any, m map[string]any) bool {
	answer := func(result map[string]any) bool {
		p.say(map[string]any{"id": id, "result": result})
		return true
	}
	params, _ := m["params"].(map[string]any)
	switch as := os.Getenv("CODEX_TEST_AS"); as + " " + method {
	case "deaf turn/interrupt":
		return true
	case "mute turn/start":
		p.say(map[string]any{"method": "test/now", "params": map[string]any{}})
		return true
	case "slow turn/start":
		p.say(map[string]any{"method": "test/now", "params": map[string]any{}})
		for path := os.Getenv("CODEX_TEST_GO"); ; time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(path); err == nil {
				return false // the client has stopped the turn meanwhile
			}
		}
	case "signed-out account/read":
		return answer(map[string]any{"account": nil, "requiresOpenaiAuth": true})
	case "old initialize":
		return answer(map[string]any{"userAgent": "conch/0.99.0 (Debian)"})
	case "strange initialize":
		p.say(map[string]any{"id": id, "error": map[string]any{"code": -32600, "message": "Invalid request: unknown variant"}})
		return true
	case "crashing turn/start":
		fmt.Fprintln(os.Stderr, "it broke")
		os.Exit(3)
	case "babbling turn/start":
		fmt.Fprintln(os.Stdout, "what? \x1b[31mno JSON")
		fmt.Fprintln(os.Stdout, `{"neither":"method nor id"}`)
		fmt.Fprintln(os.Stdout, `[1,2`)
		os.Exit(0)
	case "other thread/resume":
		return answer(map[string]any{"thread": map[string]any{"id": "01a22d73-0000-7000-8000-000000000000", "turns": []any{1, 2}}, "activePermissionProfile": map[string]any{"id": "conch"}})
	case "short thread/resume":
		return answer(map[string]any{"thread": map[string]any{"id": params["threadId"], "turns": []any{}}, "activePermissionProfile": map[string]any{"id": "conch"}})
	}
	return false
}

// find is the next request of a method in the recording, and its answer.
func (p *player) find(method string) (int, map[string]any) {
	for i := p.at; i < len(p.all); i++ {
		if p.all[i].Dir == "out" && p.all[i].method() == method {
			for _, r := range p.all[i:] {
				if r.Dir == "in" && r.method() == "" && r.id() == p.all[i].id() {
					return i, r.Msg
				}
			}
			return i, map[string]any{"result": map[string]any{}} // an old one never answers
		}
	}
	return -1, nil
}

func clone(m map[string]any) map[string]any {
	b, _ := json.Marshal(m)
	var out map[string]any
	_ = json.Unmarshal(b, &out)
	return out
}

// opened makes the answer that of a thread in this home, with Conch's permissions.
func (p *player) opened(answer map[string]any) {
	result, _ := answer["result"].(map[string]any)
	thread, _ := result["thread"].(map[string]any)
	if thread == nil {
		return
	}
	if os.Getenv("CODEX_TEST_UNSEALED") == "" {
		result["activePermissionProfile"] = map[string]any{"id": cmp.Or(os.Getenv("CODEX_TEST_PROFILE"), "conch")}
	}
	path := filepath.Join(os.Getenv("CODEX_HOME"), "sessions", "2026", "11", "30", fmt.Sprintf("rollout-2026-11-30T17-08-32-%s.jsonl", thread["id"]))
	thread["path"] = path
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		os.WriteFile(path, []byte(`{"type":"session_meta"}`+"\n"), 0o600) //nolint:errcheck // a test sees that it is missing
	}
}

// on plays from a place of the recording until it waits for something that the
// client has not said.
func (p *player) on(i int) {
	for ; i < len(p.all); i++ {
		r := p.all[i]
		switch {
		case r.Dir == "in" && r.method() == "":
			// Answers are given where they are asked for.
		case r.Dir == "in":
			p.now = p.now && r.method() != "turn/completed"
			p.say(r.Msg)
		case r.method() == "turn/start" && p.now:
			// It steered the running turn, as another request had before.
		case r.method() == "turn/interrupt", r.method() == "turn/steer":
			p.say(map[string]any{"method": "test/now", "params": map[string]any{}})
			p.at = i
			return
		case r.method() != "":
			p.at = i
			return
		default:
			if !p.awaitAnswer(r.id()) {
				os.Exit(0)
			}
		}
	}
	p.at = i
}

// awaitAnswer waits for the client's answer to a request of the program's.
func (p *player) awaitAnswer(id string) bool {
	for {
		m, ok := p.hear()
		if !ok {
			return false
		}
		if m["method"] == nil && fmt.Sprint(m["id"]) == id {
			return true
		}
		p.serve(m)
	}
}
