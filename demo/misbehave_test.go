package demo

import (
	"errors"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// Each misbehaviour, by what a client sees of it.
func TestMisbehaviours(t *testing.T) {
	for _, m := range []struct {
		prompt string
		stop   string
		says   string // a part of the words
		check  func(*testing.T, *client)
	}{
		{"/test", "end_turn", "/test crash", nil},
		{"/test nonsense", "end_turn", "/test crash", nil},
		{"/test chunks 7", "end_turn", "chunk 7 of 7", func(t *testing.T, c *client) {
			if n := len(c.updates("agent_message_chunk")); n != 7 {
				t.Errorf("%d chunks", n)
			}
		}},
		{"/test echo", "end_turn", `"text": "/test echo"`, nil},
		{"/test long 32", "end_turn", "## Part 10", func(t *testing.T, c *client) {
			if n := len(c.words("agent_message_chunk")); n < 31<<10 || n > 33<<10 {
				t.Errorf("%d bytes", n)
			}
		}},
		{"/test flood 2000 1", "end_turn", "flood over: 2000 updates", func(t *testing.T, c *client) {
			if n := len(c.updates("agent_message_chunk")); n != 2001 {
				t.Errorf("%d chunks", n)
			}
		}},
		{"/test retry", "end_turn", "fortThe answer", func(t *testing.T, c *client) {
			ids := map[any]bool{}
			for _, u := range c.updates("agent_message_chunk") {
				ids[u["messageId"]] = true
			}
			if len(ids) != 2 {
				t.Errorf("%d message ids", len(ids))
			}
		}},
		{"/test hostile", "end_turn", "\x1b]52;c;", func(t *testing.T, c *client) {
			if !strings.Contains(contentText(c.updates("tool_call_update")[0]), "\u202e") {
				t.Error("the output is harmless")
			}
		}},
		{"/test slow 1", "end_turn", "First this. Then that.", nil},
		{"/test stop max_tokens", "max_tokens", "", nil},
		{"/test stop", "refusal", "", nil},
		{"/test cancelled", "cancelled", "Nobody stopped me", nil},
		{"/test error 429 too many requests", "429", "", nil},
		{"/test sign-in", "-32000", "", nil},
		{"/test silent 1", "end_turn", "Here I am", nil},
		{"/test ignore-cancel 1", "end_turn", "still going", nil},
		{"/test foreign", "end_turn", "Only this is mine.", func(t *testing.T, c *client) {
			sessions := map[any]bool{}
			for _, m := range c.seen {
				if params, ok := m["params"].(map[string]any); ok {
					sessions[params["sessionId"]] = true
				}
			}
			if len(sessions) != 5 {
				t.Errorf("sessions %v", sessions)
			}
		}},
		{"/test malformed", "end_turn", "Before. After.", func(t *testing.T, c *client) {
			if len(c.raw) < 5 {
				t.Errorf("lines %q", c.raw)
			}
		}},
		{"/test banner", "end_turn", "Before. After.", func(t *testing.T, c *client) {
			if len(c.raw) == 0 {
				t.Error("no banner")
			}
		}},
		{"/test unknown", "end_turn", "After; an unknown request was answered with: no (-32601).", func(t *testing.T, c *client) {
			if n := len(c.updates("hologram")); n != 2 {
				t.Errorf("%d of an unknown kind", n)
			}
		}},
		{"/test null", "end_turn", "Before. After.", func(t *testing.T, c *client) {
			if u := c.updates("plan")[0]; u["entries"] != nil {
				t.Errorf("entries %v", u["entries"])
			}
		}},
		{"/test utf8", "end_turn", "Before. ", nil},
		{"/test huge 2", "end_turn", "0123456789abcde\n", nil},
		{"/test huge 1 step", "end_turn", "Before. After.", nil},
		{"/test huge 1 answer", "end_turn", "Before. ", nil},
		{"/test stderr 300000", "end_turn", "Much was said", func(t *testing.T, c *client) {
			if n := len(c.errs.String()); n < 300_000 {
				t.Errorf("%d bytes", n)
			}
		}},
		{"/test orphan", "end_turn", "nobody announced", func(t *testing.T, c *client) {
			if n := len(c.updates("tool_call")); n != 0 {
				t.Errorf("%d announced", n)
			}
		}},
		{"/test open", "end_turn", "still open", nil},
		{"/test bash 1", "end_turn", "Built.", func(t *testing.T, c *client) {
			if n := len(c.updates("tool_call_update")); n < 7 {
				t.Errorf("%d updates", n)
			}
		}},
		{"/test bash 0 ask", "end_turn", "Built.", nil},
		{"/test rows 12", "end_turn", "a lot of reading", func(t *testing.T, c *client) {
			if n := len(c.updates("tool_call")); n != 12 {
				t.Errorf("%d rows", n)
			}
		}},
		{"/test diff 50", "end_turn", "Changed.", nil},
		{"/test permission", "end_turn", "The answer was selected allow.", nil},
		{"/test permission allow_always reject_once", "end_turn", "The answer was selected allow.", func(t *testing.T, c *client) {
			options := c.asked()["options"].([]any)
			if len(options) != 2 || options[0].(map[string]any)["kind"] != "allow_always" {
				t.Errorf("options %v", options)
			}
		}},
		{"/test permission none", "end_turn", "The answer was", func(t *testing.T, c *client) {
			if options, ok := c.asked()["options"].([]any); !ok || len(options) != 0 {
				t.Errorf("options %v", options)
			}
		}},
		{"/test permission same", "end_turn", "The answer was", nil},
		{"/test permission tool=edit path=/x/y.go", "end_turn", "The answer was", func(t *testing.T, c *client) {
			if call := c.asked()["toolCall"].(map[string]any); call["kind"] != "edit" || call["title"] != "Edit /x/y.go" {
				t.Errorf("call %v", call)
			}
		}},
		{"/test permission tool=fetch", "end_turn", "The answer was", nil},
		{"/test permissions 50", "end_turn", "What came back: 1: selected allow, 2: selected allow, 3: selected allow.", nil},
		{"/test form", "end_turn", `"action":"accept"`, nil},
		{"/test url", "end_turn", `"action":"accept"`, func(t *testing.T, c *client) {
			if c.asked()["url"] == nil {
				t.Error("no address")
			}
		}},
		{"/test bad-form", "end_turn", "What came back", nil},
		{"/test title A new name", "end_turn", "", func(t *testing.T, c *client) {
			all := c.updates("session_info_update")
			if all[len(all)-1]["title"] != "A new name" {
				t.Errorf("titles %v", all)
			}
		}},
		{"/test mode auto", "end_turn", "", func(t *testing.T, c *client) {
			if len(c.updates("current_mode_update")) != 1 {
				t.Error("no mode")
			}
		}},
		{"/test plan", "end_turn", "", nil},
		{"/test commands 9", "end_turn", "", func(t *testing.T, c *client) {
			all := c.updates("available_commands_update")
			if n := len(all[len(all)-1]["availableCommands"].([]any)); n != 9 {
				t.Errorf("%d commands", n)
			}
		}},
	} {
		t.Run(m.prompt, func(t *testing.T) {
			c := start(t, t.TempDir())
			answer := c.ask
			c.ask = func(method string, params map[string]any) any {
				switch method {
				case "elicitation/create", "session/request_permission":
					return answer(method, params)
				}
				return errors.New("no")
			}
			stop, said := c.prompt(c.open(), m.prompt)
			if stop != m.stop || !strings.Contains(said, m.says) {
				t.Errorf("ended %s with %q", stop, said[max(0, len(said)-600):])
			}
			if m.check != nil {
				m.check(t, c)
			}
		})
	}
}

// asked is what the agent's first request of the turn held.
func (c *client) asked() map[string]any {
	for _, m := range c.seen {
		if m["method"] != nil && m["id"] != nil {
			return m["params"].(map[string]any)
		}
	}
	c.t.Fatal("nothing was asked")
	return nil
}

func TestEveryMisbehaviourIsTried(t *testing.T) {
	raw, err := os.ReadFile("misbehave_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for name := range misbehaviours() {
		if !strings.Contains(string(raw), `"/test `+name) {
			t.Errorf("%s is not tried", name)
		}
	}
}

func TestItAnswersIdsFromZeroAndWithdraws(t *testing.T) {
	c := start(t, t.TempDir())
	c.ask = func(string, map[string]any) any { return nil }
	session := c.open()
	id := c.begin("session/prompt", promptOf(session, "/test withdraw 20"))
	var asked any
	for {
		m := c.read()
		if m["method"] == "session/request_permission" {
			asked = m["id"]
		}
		if m["method"] == "$/cancel_request" {
			if got := m["params"].(map[string]any)["requestId"]; got != asked || asked != float64(0) {
				t.Errorf("withdrew %v of %v", got, asked)
			}
			c.send(map[string]any{"id": asked, "result": map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}})
			break
		}
	}
	c.until(id)
	if said := c.words("agent_message_chunk"); !strings.Contains(said, "withdrawn, then cancelled") {
		t.Errorf("said %q", said)
	}
}

func TestItSendsAfterItsEnd(t *testing.T) {
	for prompt, want := range map[string]string{"/test late 1": "session/update", "/test late-ask": "session/request_permission", "/test twice": ""} {
		c := start(t, t.TempDir())
		session := c.open()
		id := c.begin("session/prompt", promptOf(session, prompt))
		c.until(id)
		for {
			m := c.read()
			if want == "" && m["method"] == nil && m["id"] == float64(id) || want != "" && m["method"] == want {
				break
			}
		}
	}
}

func TestItDiesInMidSentence(t *testing.T) {
	c := start(t, t.TempDir())
	session := c.open()
	c.begin("session/prompt", promptOf(session, "/test crash 7"))
	for m := c.read(); m != nil; m = c.read() {
		if m["method"] == nil && m["id"] == float64(c.next) {
			t.Errorf("answered %v", m)
		}
	}
	err := <-c.ended
	c.ended <- err
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 7 {
		t.Errorf("ended with %v", err)
	}
	if !strings.Contains(c.errs.String(), "fatal: the demo agent was told to die") {
		t.Errorf("stderr %q", c.errs.String())
	}
}

func TestItIgnoresACancel(t *testing.T) {
	c := start(t, t.TempDir())
	session := c.open()
	id := c.begin("session/prompt", promptOf(session, "/test ignore-cancel 1"))
	for c.words("agent_message_chunk") == "" {
		c.read()
	}
	c.notify("session/cancel", map[string]any{"sessionId": session})
	if m := c.until(id); m["result"].(map[string]any)["stopReason"] != "end_turn" {
		t.Errorf("answered %v", m)
	}
}

func TestItsWordsAreNoUTF8(t *testing.T) {
	c := start(t, t.TempDir())
	session := c.open()
	id := c.begin("session/prompt", promptOf(session, "/test utf8"))
	bad := 0
	for line := range c.lines {
		if !utf8.ValidString(line) {
			bad++
		}
		if strings.Contains(line, `"stopReason"`) {
			break
		}
	}
	if bad != 2 {
		t.Errorf("%d lines are not UTF-8 (prompt %d)", bad, id)
	}
}

func TestHowItStarts(t *testing.T) {
	t.Run("slowly", func(t *testing.T) {
		c := start(t, t.TempDir(), "--slow-start=50ms")
		before := time.Now()
		c.initialize()
		if d := time.Since(before); d < 50*time.Millisecond {
			t.Errorf("after %v", d)
		}
	})
	t.Run("never", func(t *testing.T) {
		c := start(t, t.TempDir(), "--never-start")
		c.begin("initialize", map[string]any{})
		select {
		case line := <-c.lines:
			t.Errorf("said %q", line)
		case <-time.After(50 * time.Millisecond):
		}
	})
	t.Run("with words on stdout", func(t *testing.T) {
		c := start(t, t.TempDir(), "--banner")
		id := c.begin("initialize", map[string]any{"protocolVersion": 1})
		if c.read(); len(c.raw) == 0 {
			t.Error("no banner")
		}
		_ = id
	})
	t.Run("dying", func(t *testing.T) {
		var out, errs lockedBuffer
		err := Run(t.Context(), Host{Args: []string{"--crash-start=3"}, In: strings.NewReader(""), Out: &out, Err: &errs})
		var exit *ExitError
		if !errors.As(err, &exit) || exit.Code != 3 || errs.String() == "" || out.String() != "" {
			t.Errorf("%v, said %q", err, errs.String())
		}
	})
	t.Run("with a flood on stderr", func(t *testing.T) {
		c := start(t, t.TempDir(), "--stderr-flood=200000")
		c.initialize()
		if n := len(c.errs.String()); n < 200_000 {
			t.Errorf("%d bytes", n)
		}
	})
	t.Run("speaking another version", func(t *testing.T) {
		if v := start(t, t.TempDir(), "--protocol=2").initialize()["protocolVersion"]; v != float64(2) {
			t.Errorf("version %v", v)
		}
	})
	t.Run("deaf to the end of its input", func(t *testing.T) {
		c := start(t, t.TempDir(), "--ignore-eof")
		c.initialize()
		c.in.Close()
		select {
		case err := <-c.ended:
			c.ended <- err
			t.Error("it ended")
		case <-time.After(50 * time.Millisecond):
		}
	})
	t.Run("losing its sessions", func(t *testing.T) {
		state := t.TempDir()
		first := start(t, state)
		session := first.open()
		first.prompt(session, "hello")
		c := start(t, state, "--lose-sessions")
		c.initialize()
		if m := c.call("session/load", map[string]any{"sessionId": session, "cwd": "/x"}); m["error"] == nil {
			t.Errorf("answered %v", m)
		}
	})
	t.Run("without pictures, ids, modes, options", func(t *testing.T) {
		c := start(t, t.TempDir(), "--no-images", "--no-ids", "--no-modes", "--no-options")
		can := c.initialize()["agentCapabilities"].(map[string]any)["promptCapabilities"].(map[string]any)
		opened := c.result("session/new", map[string]any{"cwd": "/x"})
		c.prompt(opened["sessionId"].(string), "/test chunks 1")
		if can["image"] != false || opened["modes"] != nil || opened["configOptions"] != nil || c.updates("agent_message_chunk")[0]["messageId"] != nil {
			t.Errorf("%v %v", can, opened)
		}
	})
}

// The grandchild outlives the agent, hears no SIGTERM, and says its pid.
func TestTheGrandchildStays(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGTERM")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{"/test grandchild", "/test grandchild group"} {
		t.Setenv("TMPDIR", t.TempDir())
		c := startHost(t, Host{Self: []string{self}, Environ: os.Environ()})
		_, said := c.prompt(c.open(), prompt)
		found := regexp.MustCompile(`pid is (\d+)`).FindStringSubmatch(said)
		if found == nil {
			t.Fatalf("said %q", said)
		}
		pid, _ := strconv.Atoi(found[1])
		p, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Kill() })
		c.in.Close()
		c.ended <- <-c.ended
		time.Sleep(100 * time.Millisecond) // until it has put its ears shut; no condition shows it
		if err := p.Signal(syscall.SIGTERM); err != nil {
			t.Fatalf("it is gone: %v", err)
		}
		time.Sleep(100 * time.Millisecond) // a signal that works would have worked by now
		if err := p.Signal(syscall.Signal(0)); err != nil {
			t.Errorf("it heard SIGTERM: %v", err)
		}
	}
}
