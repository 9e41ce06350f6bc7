package codex

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/engine"
)

const turnText = "testdata/wire/0.171.0/turn-text.ndjson"

const oldThread = "01a22d73-1111-7111-8111-111111111111"

// heard is what was said to the program, by method.
func heard(t *testing.T, path string) map[string][]map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]map[string]any{}
	for line := range strings.Lines(string(data)) {
		var m struct {
			Method string         `json:"method"`
			Params map[string]any `json:"params"`
		}
		if json.Unmarshal([]byte(line), &m) == nil && m.Method != "" {
			all[m.Method] = append(all[m.Method], m.Params)
		}
	}
	return all
}

func saidText(params map[string]any) string {
	input, _ := params["input"].([]any)
	first, _ := input[0].(map[string]any)
	text, _ := first["text"].(string)
	return text
}

func runHomes(e *Engine) []string {
	left, _ := filepath.Glob(filepath.Join(e.stores.running, "*"))
	return left
}

func (s *sinkOf) session() engine.Session {
	for _, ev := range s.all() {
		if session, ok := ev.(engine.Session); ok {
			return session
		}
	}
	return engine.Session{}
}

func aMessage(t *testing.T) engine.TurnInput {
	return engine.TurnInput{ConversationID: "c", Prompt: "the message", Cwd: t.TempDir(), FreshPrompt: func() string { return "the whole chat" }}
}

// R-69-87: a Codex that does not end its turn, or has not even said that it took the
// message, is ended, with its home, before the turn is over, all within three seconds.
func TestStopIsOverInThreeSecondsAlsoWithADeafProgram(t *testing.T) {
	for as, accepted := range map[string]bool{"deaf": true, "mute": false} {
		t.Run(as, func(t *testing.T) {
			e := testEngine(t, "testdata/wire/0.171.0/interrupt-stream.ndjson", "CODEX_TEST_AS="+as)
			sink := &sinkOf{}
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan engine.Result, 1)
			go func() { over <- e.Turn(ctx, aMessage(t), sink) }()
			waitUntil(t, nil, func() bool { return e.Health(context.Background()).Unheard["test/now"] > 0 })
			begin := time.Now()
			cancel()
			r := <-over
			if took := time.Since(begin); took > 3*time.Second {
				t.Errorf("it took %v", took)
			}
			if r.Outcome != engine.Interrupted || r.Accepted != accepted {
				t.Errorf("%+v", r)
			}
			if left := runHomes(e); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
			if n := strings.Join(sink.notices(), ""); !strings.Contains(n, "did-not-stop") {
				t.Errorf("said %q", n)
			}
		})
	}
}

// R-69-87: a Stop that comes before Codex has named the turn interrupts it as soon as
// it is named; the process stays.
func TestAStopBeforeTheTurnHasANameInterruptsItThen(t *testing.T) {
	log, goOn := filepath.Join(t.TempDir(), "heard"), filepath.Join(t.TempDir(), "go")
	e := testEngine(t, "testdata/wire/0.171.0/interrupt-stream.ndjson", "CODEX_TEST_AS=slow", "CODEX_TEST_HEARD="+log, "CODEX_TEST_GO="+goOn)
	sink := &sinkOf{}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan engine.Result, 1)
	go func() { over <- e.Turn(ctx, aMessage(t), sink) }()
	waitUntil(t, nil, func() bool { return e.Health(context.Background()).Unheard["test/now"] > 0 })
	cancel()
	if err := os.WriteFile(goOn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := <-over; r.Outcome != engine.Interrupted || !r.Accepted {
		t.Errorf("%+v", r)
	}
	if n := sink.notices(); len(n) > 0 || e.chats.Process("c") == nil {
		t.Errorf("it was ended: %q", n)
	}
	interrupts := heard(t, log)["turn/interrupt"]
	if len(interrupts) != 1 || interrupts[0]["turnId"] == "" {
		t.Errorf("interrupted with %v", interrupts)
	}
}

// R-69-71, 76, 85, 86: what goes wrong before or in a turn is a failure with a
// sentence and a next step, never a success.
func TestWhatGoesWrongIsAFailureWithANextStep(t *testing.T) {
	for _, c := range []struct {
		as, env, says, next string
		problem             engine.Problem
		turns               int // turn/start that were sent
	}{
		{"signed-out", "", "Codex is not signed in.", "codex login", engine.SignedOut, 0},
		{"old", "", "Codex 0.99.0 is too old: Conch needs 0.159.0 or newer.", "update it", engine.Unavailable, 0},
		{"strange", "", "Codex and Conch do not understand each other: Invalid request: unknown variant.", "update both: npm install -g @openai/codex", engine.Unavailable, 0},
		{"", "CODEX_TEST_UNSEALED=1", `Codex did not take up Conch's permissions (it has ""), so nothing was sent.`, "update Conch and Codex, or carry on with another provider", engine.Unavailable, 0},
		{"crashing", "", "Codex stopped (exit 3): it broke.", "send the message again: it is started anew", engine.Unavailable, 1},
		{"babbling", "", "Codex stopped (exit 0).", "send the message again: it is started anew", engine.Unavailable, 1},
	} {
		t.Run(c.as+c.env, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "heard")
			e := testEngine(t, turnText, "CODEX_TEST_AS="+c.as, "CODEX_TEST_HEARD="+log, c.env)
			r := e.Turn(t.Context(), aMessage(t), &sinkOf{})
			if r.Outcome != engine.Failed || r.Error != c.says || r.Next != c.next || r.Problem != c.problem || r.Accepted {
				t.Errorf("%+v", r)
			}
			if n := len(heard(t, log)["turn/start"]); n != c.turns {
				t.Errorf("%d turns were sent", n)
			}
		})
	}
}

// R-69-6, 74, 75, 76, 79, checklist 20: a thread that cannot be carried on is replaced by one that
// is told the whole chat; only what was lost is said to be.
func TestAThreadThatCannotBeCarriedOnIsReplaced(t *testing.T) {
	same := toolsDigest(variant, nil)
	for _, c := range []struct {
		name, as, resume, restarted string
		kept                        bool // the old one is there before
	}{
		{"its file is gone", "", resumeID(oldThread, same), engine.Lost, false},
		{"it is refused", "", resumeID(oldThread, same), engine.Lost, true},
		{"another comes back", "other", resumeID(oldThread, same), engine.Lost, true},
		{"fewer turns come back", "short", resumeID(oldThread, same), engine.Lost, true},
		{"its id cannot be read", "", "../../etc/passwd", engine.Lost, false},
		{"an id from an older form", "", oldThread, engine.Lost, false},
		{"the tools have changed", "", resumeID(oldThread, "0123456789abcdef"), "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "heard")
			e := testEngine(t, turnText, "CODEX_TEST_AS="+c.as, "CODEX_TEST_HEARD="+log)
			if c.kept {
				keepThread(t, e, oldThread, 1)
			}
			in, sink := aMessage(t), &sinkOf{}
			in.ResumeID = c.resume
			if r := e.Turn(t.Context(), in, sink); r.Outcome != engine.Success {
				t.Fatalf("%+v", r)
			}
			session := sink.session()
			thread, digest, ok := parseResume(session.ResumeID)
			if session.Restarted != c.restarted || !ok || digest != same || thread == oldThread {
				t.Errorf("%+v", session)
			}
			said := heard(t, log)
			if got := saidText(said["turn/start"][0]); got != "the whole chat" {
				t.Errorf("told %q", got)
			}
			if _, err := os.Stat(filepath.Join(e.stores.kept, thread+".jsonl")); err != nil {
				t.Errorf("the new thread is not kept: %v", err)
			}
			if _, err := os.Stat(filepath.Join(e.stores.kept, oldThread+".jsonl")); err == nil {
				t.Error("the old thread is still there")
			}
		})
	}
}

// R-69-76, 77, checklist 20: every start passes the folder, the policy, the profile and the trust;
// instructions go with the start, and later only when they have changed.
func TestWhatAThreadIsToldAtItsStartAndLater(t *testing.T) {
	log := filepath.Join(t.TempDir(), "heard")
	e := testEngine(t, "testdata/wire/0.171.0/resume-new-home.2.ndjson", "CODEX_TEST_HEARD="+log)
	keepThread(t, e, resumedIn(t), 1)
	in := aMessage(t)
	in.ResumeID = resumeID(resumedIn(t), toolsDigest(variant, nil))
	for _, instructions := range []string{"", "Be brief.", "Be brief.", ""} {
		in.SystemAppend = instructions
		if r := e.Turn(t.Context(), in, &sinkOf{}); r.Outcome != engine.Success {
			t.Fatalf("%+v", r)
		}
	}
	said := heard(t, log)
	if n := len(said["initialize"]); n != 1 {
		t.Errorf("%d processes for four turns", n)
	}
	opened := said["thread/resume"]
	if len(opened) != 1 {
		t.Fatalf("%d resumes", len(opened))
	}
	if p := opened[0]; p["cwd"] != in.Cwd || p["approvalPolicy"] != "untrusted" || p["permissions"] != "conch" || p["developerInstructions"] != nil || p["dynamicTools"] != nil {
		t.Errorf("resumed with %v", p)
	}
	if text, _ := json.Marshal(opened[0]["config"]); !strings.Contains(string(text), `{"trust_level":"untrusted"}`) {
		t.Errorf("the folder is trusted: %s", text)
	}
	var got []bool
	for _, p := range said["turn/start"] {
		extra, _ := p["additionalContext"].(map[string]any)
		got = append(got, extra != nil)
		if conch, _ := extra["conch"].(map[string]any); extra != nil && conch["kind"] != "application" {
			t.Errorf("context %v", extra)
		}
	}
	if len(got) != 4 || got[0] || !got[1] || got[2] || !got[3] {
		t.Errorf("instructions went along: %v", got)
	}
}

func resumedIn(t *testing.T) string {
	t.Helper()
	all, err := readRecording("testdata/wire/0.171.0/resume-new-home.2.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	return readScript(t, all).resume
}

// An unused process is let go with its home; the session stays.
func TestAnUnusedProcessIsLetGo(t *testing.T) {
	e := testEngine(t, turnText)
	e.chats.Idle = 20 * time.Millisecond
	sink := &sinkOf{}
	if r := e.Turn(t.Context(), aMessage(t), sink); r.Outcome != engine.Success {
		t.Fatalf("%+v", r)
	}
	waitUntil(t, nil, func() bool { return len(runHomes(e)) == 0 })
	if thread := e.AppSession(sink.session().ResumeID); !validThread(thread) {
		t.Errorf("thread %q", thread)
	}
}

// R-69-11, checklist 20: a forgotten session's files are gone; an id that does not parse is nothing.
func TestASessionIsForgotten(t *testing.T) {
	e := testEngine(t, turnText)
	sink := &sinkOf{}
	if r := e.Turn(t.Context(), aMessage(t), sink); r.Outcome != engine.Success {
		t.Fatalf("%+v", r)
	}
	e.Release("c")
	for _, id := range []string{sink.session().ResumeID, "", "../x", oldThread} {
		if err := e.ForgetSession(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(e.stores.kept, "*.json*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
