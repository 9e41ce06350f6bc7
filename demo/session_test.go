package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// carryOn starts a new process on the state of an earlier one.
func carryOn(t *testing.T, state, session, method string, args ...string) *client {
	t.Helper()
	c := start(t, state, args...)
	c.initialize()
	c.seen = nil
	c.result(method, map[string]any{"sessionId": session, "cwd": "/code/shop", "mcpServers": []any{}})
	return c
}

func TestASessionGoesOnInAnotherProcess(t *testing.T) {
	state := t.TempDir()
	c := start(t, state)
	session := c.open()
	c.prompt(session, "edit")
	c.prompt(session, "my dog is called Rex")

	for _, method := range []string{"session/load", "session/resume"} {
		c := carryOn(t, state, session, method)
		if _, said := c.prompt(session, "recall"); !strings.Contains(said, "1. edit") || !strings.Contains(said, "2. my dog is called Rex") {
			t.Errorf("after %s: %q", method, said)
		}
	}
}

func TestALoadTellsTheConversationAgain(t *testing.T) {
	state := t.TempDir()
	c := start(t, state)
	session := c.open()
	c.prompt(session, "edit")

	shape := func(c *client) string {
		var kinds []string
		for _, u := range c.updates("") {
			kinds = append(kinds, strings.TrimSuffix(u["sessionUpdate"].(string), "_chunk"))
		}
		return strings.Join(kinds, " ")
	}
	told := "user_message agent_thought agent_message tool_call agent_message tool_call agent_message tool_call agent_message"
	if got := shape(carryOn(t, state, session, "session/load")); got != told {
		t.Errorf("replay: %s", got)
	}
	if got := shape(carryOn(t, state, session, "session/resume")); got != "" {
		t.Errorf("a resume replays: %s", got)
	}
	if got := shape(carryOn(t, state, session, "session/load", "--no-replay")); got != "" {
		t.Errorf("without a replay: %s", got)
	}
	late := carryOn(t, state, session, "session/load", "--replay-after")
	if got := shape(late); got != "" {
		t.Errorf("before the answer: %s", got)
	}
	late.prompt(session, "/test chunks 1")
	if got := shape(late); !strings.HasPrefix(got, told) {
		t.Errorf("after the answer: %s", got)
	}
}

func TestWhatIsNotAdvertisedIsRefused(t *testing.T) {
	state := t.TempDir()
	session := start(t, state).open()
	for flag, method := range map[string]string{
		"--no-load": "session/load", "--no-resume": "session/resume", "--no-list": "session/list", "--no-close": "session/close",
	} {
		c := start(t, state, flag)
		abilities := c.initialize()["agentCapabilities"].(map[string]any)
		inSession := abilities["sessionCapabilities"].(map[string]any)
		name := strings.TrimPrefix(flag, "--no-")
		if flag == "--no-load" && abilities["loadSession"] != false || flag != "--no-load" && inSession[name] != nil {
			t.Errorf("%s: it says %v", flag, abilities)
		}
		if m := c.call(method, map[string]any{"sessionId": session, "cwd": "/code/shop"}); m["error"] == nil {
			t.Errorf("%s: answered %v", flag, m)
		}
	}
}

func TestListCloseAndDelete(t *testing.T) {
	state := t.TempDir()
	c := start(t, state)
	session := c.open()
	c.prompt(session, "hello")
	list := func(cwd string) int {
		return len(c.result("session/list", map[string]any{"cwd": cwd})["sessions"].([]any))
	}
	if list("/code/shop") != 1 || list("/elsewhere") != 0 {
		t.Error("the list is not by folder")
	}
	c.result("session/close", map[string]any{"sessionId": session})
	if m := c.call("session/prompt", promptOf(session, "hello")); m["error"] == nil {
		t.Error("a closed session answers")
	}
	if list("/code/shop") != 1 {
		t.Error("closing forgot the session")
	}
	c.result("session/delete", map[string]any{"sessionId": session})
	if list("/code/shop") != 0 {
		t.Error("deleting kept the session")
	}
}

func TestOptionsAndModes(t *testing.T) {
	c := start(t, t.TempDir())
	c.initialize()
	opened := c.result("session/new", map[string]any{"cwd": "/x"})
	session := opened["sessionId"].(string)
	if opened["modes"].(map[string]any)["currentModeId"] != "default" {
		t.Errorf("it starts as %v", opened["modes"])
	}
	set := func(id string, value any) map[string]any {
		return c.call("session/set_config_option", map[string]any{"sessionId": session, "configId": id, "value": value})
	}
	now := set("model", "demo-brisk")["result"].(map[string]any)["configOptions"].([]any)
	if now[0].(map[string]any)["currentValue"] != "demo-brisk" {
		t.Errorf("options are %v", now)
	}
	for _, bad := range []struct {
		id    string
		value any
	}{{"model", "none"}, {"model", 3}, {"nothing", "x"}, {"titles", "yes"}, {"effort", "demo-brisk"}} {
		if m := set(bad.id, bad.value); m["error"] == nil {
			t.Errorf("%v was taken: %v", bad, m)
		}
	}
	if m := set("titles", false); m["error"] != nil {
		t.Errorf("titles: %v", m)
	}
	c.prompt(session, "hello")
	if n := len(c.updates("session_info_update")); n != 0 {
		t.Errorf("%d titles", n)
	}
	if m := c.call("session/set_mode", map[string]any{"sessionId": session, "modeId": "yolo"}); m["error"] == nil {
		t.Error("an unknown mode was taken")
	}
	auto := start(t, t.TempDir(), "--auto-mode")
	auto.initialize()
	if m := auto.result("session/new", map[string]any{"cwd": "/x"})["modes"].(map[string]any)["currentModeId"]; m != "auto" {
		t.Errorf("it starts as %v", m)
	}
}

func TestSigningIn(t *testing.T) {
	state := t.TempDir()
	c := start(t, state, "--signed-out")
	methods := c.initialize()["authMethods"].([]any)
	if len(methods) != 1 || methods[0].(map[string]any)["type"] != "terminal" {
		t.Fatalf("methods %v", methods)
	}
	refused := func(m map[string]any) bool {
		e, ok := m["error"].(map[string]any)
		return ok && e["code"] == float64(codeSignIn)
	}
	if !refused(c.call("session/new", map[string]any{"cwd": "/x"})) {
		t.Error("session/new works signed out")
	}
	late := start(t, state, "--signed-out-prompt")
	if session := late.open(); !refused(late.call("session/prompt", promptOf(session, "hello"))) {
		t.Error("session/prompt works signed out")
	}
	var out lockedBuffer
	if err := Run(t.Context(), Host{Args: []string{"--sign-in"}, Out: &out, Environ: []string{"CONCH_DEMO_STATE=" + state}}); err != nil {
		t.Fatal(err)
	}
	if refused(c.call("session/new", map[string]any{"cwd": "/x"})) {
		t.Error("still signed out")
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := newStore(dir, func() time.Time { at = at.Add(time.Second); return at })
	for i := range maxSessions + 10 {
		id := fmt.Sprintf("demo-%016x", i)
		s.save(record{ID: id})
		if err := os.Chtimes(filepath.Join(dir, id+".json"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	s.save(record{ID: fmt.Sprintf("demo-%016x", 999)})
	all := s.list()
	if len(all) > maxSessions+1 || all[0].ID != fmt.Sprintf("demo-%016x", 999) {
		t.Errorf("%d are kept, the newest is %s", len(all), all[0].ID)
	}

	var r record
	for range maxEntries * 2 {
		r.Entries = append(r.Entries, []byte(`"`+strings.Repeat("x", 10_000)+`"`))
	}
	r = r.bounded()
	size := 0
	for _, e := range r.Entries {
		size += len(e)
	}
	if size > maxRecord || len(r.Entries) > maxEntries || len(r.Entries) < 50 {
		t.Errorf("%d entries, %d bytes", len(r.Entries), size)
	}
}

func TestAnOddIDIsNoPath(t *testing.T) {
	dir := t.TempDir()
	s := newStore(filepath.Join(dir, "state"), time.Now)
	if err := os.WriteFile(filepath.Join(dir, "x.json"), []byte(`{"id":"../x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"../x", "", "demo-0", "demo-000000000000000g", "demo-0000000000000000/../../x", "DEMO-0000000000000000"} {
		if _, ok := s.load(id); ok {
			t.Errorf("%q was loaded", id)
		}
		s.save(record{ID: id})
		s.remove(id)
	}
	if _, err := os.Stat(filepath.Join(dir, "x.json")); err != nil {
		t.Error("a file outside was removed")
	}
	if _, err := os.Stat(filepath.Join(dir, "state")); err == nil {
		t.Error("something was written")
	}
}

func TestADamagedRecordIsNoSession(t *testing.T) {
	state := t.TempDir()
	c := start(t, state)
	session := c.open()
	c.prompt(session, "hello")
	if err := os.WriteFile(filepath.Join(state, session+".json"), []byte("{torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := start(t, state)
	other.initialize()
	if m := other.call("session/load", map[string]any{"sessionId": session, "cwd": "/x"}); m["error"] == nil {
		t.Errorf("answered %v", m)
	}
}

func TestScratchFoldersOfKilledAgentsAreSwept(t *testing.T) {
	tmp := t.TempDir()
	make := func(name string, ours bool, age time.Duration) string {
		dir := filepath.Join(tmp, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if ours {
			if err := os.WriteFile(filepath.Join(dir, cartFile), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	old := make("conch-demo-1", true, 48*time.Hour)
	young := make("conch-demo-2", true, time.Hour)
	foreign := make("conch-demo-3", false, 48*time.Hour)
	other := make("other", true, 48*time.Hour)
	sweepScratch(tmp, time.Now().Add(-24*time.Hour))
	for dir, want := range map[string]bool{old: false, young: true, foreign: true, other: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v", filepath.Base(dir), err == nil)
		}
	}
}
