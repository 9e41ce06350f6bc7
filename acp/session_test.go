package acp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"conch/engine"
	"conch/program"
)

// turnWith runs a turn and gives its tape and end.
func turnWith(t *testing.T, e *Engine, in engine.TurnInput) (*tape, engine.Result) {
	t.Helper()
	s := newTape()
	r := e.Turn(context.Background(), in, s)
	return s, r
}

func resumeOf(s *tape) string {
	if len(s.sessions) == 0 {
		return ""
	}
	return s.sessions[len(s.sessions)-1].ResumeID
}

func TestAWarmProgramCarriesOnInItsSession(t *testing.T) { // R-69-36, checklist 12
	e, signals := scriptEngine(t, script(t, hello, opened, asked, says("one"), done, asked, says("two"), done), quick())
	in := input(t, "first")
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success {
		t.Fatalf("%+v", r)
	}
	in.ResumeID, in.Prompt = resumeOf(s), "second"
	s, r = turnWith(t, e, in)
	if r.Outcome != engine.Success || said(s) != "two" {
		t.Fatalf("%+v, said %q", r, said(s))
	}
	var methods []string
	for _, m := range heard(t, signals) {
		methods = append(methods, m.Method)
	}
	if got := strings.Join(methods, " "); got != "initialize session/new session/prompt session/prompt" {
		t.Errorf("asked for %s", got)
	}
}

func TestAnotherProcessOpensTheSessionAgain(t *testing.T) { // R-69-36, R-69-37, checklist 12
	for _, c := range []struct{ flags, method string }{
		{"", "session/resume"},
		{"-no-resume", "session/load"},
		{"-no-resume -replay-after", "session/load"},
	} {
		t.Run(c.method+c.flags, func(t *testing.T) {
			e := demoEngine(t, c.flags, quick())
			in := input(t, "my name is Ada")
			s, r := turnWith(t, e, in)
			if r.Outcome != engine.Success {
				t.Fatalf("%+v", r)
			}
			in.ResumeID, in.Prompt = resumeOf(s), "/recall"
			in.FreshPrompt = func() string { t.Error("the conversation was told again"); return "" }
			e.Release("chat")
			s, r = turnWith(t, e, in)
			if r.Outcome != engine.Success || !strings.Contains(said(s), "my name is Ada") {
				t.Errorf("%+v, said %q", r, said(s))
			}
			if strings.Contains(said(s), "Hello! I am") {
				t.Errorf("the replay was shown: %q", said(s))
			}
			if got := s.sessions[0]; got.ResumeID != in.ResumeID || got.Restarted != "" {
				t.Errorf("session %+v", got)
			}
		})
	}
}

func TestASessionThatIsGoneIsHealedOnce(t *testing.T) { // R-69-6, R-69-38, checklist 13
	e := demoEngine(t, "-lose-sessions", quick())
	in := input(t, "the new message")
	in.ResumeID = digestOf("") + ":no-such-session"
	in.FreshPrompt = func() string { return "/test echo the whole conversation and the new message" }
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || !strings.Contains(said(s), "the whole conversation") {
		t.Fatalf("%+v, said %q", r, said(s))
	}
	if got := s.sessions; len(got) != 1 || got[0].Restarted != engine.Lost || got[0].ResumeID == in.ResumeID {
		t.Errorf("sessions %+v", got)
	}
	in.ResumeID, in.Prompt = resumeOf(s), "/test echo only this"
	s, r = turnWith(t, e, in)
	if r.Outcome != engine.Success || !strings.Contains(said(s), "only this") || s.sessions[0].Restarted != "" {
		t.Errorf("the next turn: %+v, said %q", r, said(s))
	}
}

func TestALoadThatIsNeverAnsweredIsHealedInANewProcess(t *testing.T) {
	times := quick()
	times.Session = 300 * time.Millisecond
	e, _ := scriptEngine(t, script(t, hello, opened, asked, says("told again"), done), times)
	in := input(t, "new")
	in.ResumeID = digestOf("") + ":sess-0"
	in.FreshPrompt = func() string { return "all" }
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || said(s) != "told again" || s.sessions[0].Restarted != engine.Lost {
		t.Errorf("%+v, said %q", r, said(s))
	}
}

func TestAProgramThatCannotLoadStartsAnewAndNothingIsLost(t *testing.T) { // R-69-36, checklist 13
	e := demoEngine(t, "-no-load -no-resume", quick())
	in := input(t, "hello")
	s, _ := turnWith(t, e, in)
	e.Release("chat")
	in.ResumeID = resumeOf(s)
	in.FreshPrompt = func() string { return "/test echo everything" }
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || !strings.Contains(said(s), "everything") || s.sessions[0].Restarted != "" {
		t.Errorf("%+v, session %+v, said %q", r, s.sessions, said(s))
	}
}

func TestAResumeIDThatCannotBeReadNeverReachesTheProgram(t *testing.T) {
	for _, id := range []string{"../../../etc/passwd", "e3b0c44298fc1c14:", "e3b0c44298fc1c14:a\nb", "xyz:abc", "{", "-rf", ":"} {
		e, signals := scriptEngine(t, script(t, hello, opened, asked, says("ok"), done), quick())
		in := input(t, "hi")
		in.ResumeID = id
		s, r := turnWith(t, e, in)
		if r.Outcome != engine.Success || s.sessions[0].Restarted != engine.Lost {
			t.Errorf("%q: %+v, %+v", id, r, s.sessions)
		}
		for _, m := range heard(t, signals) {
			if strings.Contains(string(m.Params), "etc/passwd") || m.Method == "session/load" {
				t.Errorf("%q was sent: %s %s", id, m.Method, m.Params)
			}
		}
	}
}

func TestResumeIDs(t *testing.T) { // R-69-39
	for _, c := range []struct {
		id, session string
		ok          bool
	}{
		{"e3b0c44298fc1c14:ses_1", "ses_1", true},
		{"e3b0c44298fc1c14:a:b", "a:b", true},
		{`{"digest":"e3b0c44298fc1c14","sessionId":"s"}`, "s", true},
		{"", "", false},
		{"e3b0c44298fc1c1:s", "", false},
		{"e3b0c44298fc1c1x:s", "", false},
		{"e3b0c44298fc1c14:" + strings.Repeat("x", 256), strings.Repeat("x", 256), true},
		{"e3b0c44298fc1c14:" + strings.Repeat("x", 257), "", false},
		{"e3b0c44298fc1c14:\xff", "", false},
		{"e3b0c44298fc1c14:\u0085", "", false},
	} {
		_, session, ok := parseResume(c.id)
		if ok != c.ok || session != c.session {
			t.Errorf("%q: %q %v", c.id, session, ok)
		}
	}
}

func TestNotSignedInIsSaidAndNotHealed(t *testing.T) { // R-69-38, checklist 13
	e := demoEngine(t, "-signed-out", quick())
	in := input(t, "hello")
	in.ResumeID = digestOf("") + ":some-session"
	in.FreshPrompt = func() string { t.Error("it was healed"); return "" }
	_, r := turnWith(t, e, in)
	if r.Outcome != engine.Failed || r.Problem != engine.SignedOut || r.Error != "Demo agent is not signed in." || r.Next == "" || r.Accepted {
		t.Errorf("%+v", r)
	}
	if h := e.Health(context.Background()); h.State != engine.NeedSignIn || h.Next == "" {
		t.Errorf("health %+v", h)
	}
	cmd, ok := e.SignIn(context.Background())
	if !ok || cmd.Args[len(cmd.Args)-1] != "--sign-in" || cmd.Args[0] != e.agent.Command {
		t.Errorf("sign-in %v %v", cmd.Args, ok)
	}
}

func TestASignInThatIsAskedForAtThePrompt(t *testing.T) {
	e := demoEngine(t, "-signed-out-prompt", quick())
	_, r := turnWith(t, e, input(t, "hello"))
	if r.Outcome != engine.Failed || r.Problem != engine.SignedOut {
		t.Errorf("%+v", r)
	}
}

func TestAKeyInTheEnvironmentSignsInWithoutAPerson(t *testing.T) {
	path := script(t,
		`{"expect":"initialize","reply":{"protocolVersion":1,"authMethods":[{"id":"web","name":"Browser"},{"id":"key","name":"Key","type":"env_var","vars":[{"name":"ACP_TEST_KEY"}]}]}}`,
		`{"expect":"session/new","error":{"code":-32000,"message":"Authentication required"}}`,
		`{"expect":"authenticate","reply":{}}`, opened, asked, says("in"), done)
	for _, key := range []string{"some", ""} {
		e, signals := scriptEngine(t, path, quick())
		e.program.Env = append(e.program.Env, "ACP_TEST_KEY="+key)
		s, r := turnWith(t, e, input(t, "hi"))
		if key != "" && (r.Outcome != engine.Success || said(s) != "in") || key == "" && r.Problem != engine.SignedOut {
			t.Errorf("with key %q: %+v", key, r)
		}
		for _, m := range heard(t, signals) {
			if m.Method == "authenticate" && parse(m.Params).text("methodId") != "key" {
				t.Errorf("signed in with %s", m.Params)
			}
		}
	}
}

// modesSet are the modes that a scripted program was set to.
func modesSet(t *testing.T, signals string) string {
	var ids []string
	for _, m := range heard(t, signals) {
		switch m.Method {
		case "session/set_mode":
			ids = append(ids, parse(m.Params).text("modeId"))
		case "session/set_config_option":
			ids = append(ids, parse(m.Params).text("configId")+"="+parse(m.Params).text("value"))
		case "session/new", "session/load", "session/resume", "session/prompt":
			ids = append(ids, strings.TrimPrefix(m.Method, "session/"))
		}
	}
	return strings.Join(ids, " ")
}

const withModes = `{"sessionId":"sess-1","modes":{"currentModeId":"auto","availableModes":[{"id":"default","name":"Ask"},{"id":"plan","name":"Plan"},{"id":"auto","name":"Auto"},{"id":"yolo","name":"All"}]}}`

func TestTheAskingModeIsSetAfterEveryOpening(t *testing.T) {
	loads := `{"expect":"initialize","reply":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}`
	for _, c := range []struct {
		name   string
		script []string
		resume string
		turns  []engine.Options
		want   string
	}{
		{
			name:   "new",
			script: []string{hello, `{"expect":"session/new","reply":` + withModes + `}`, `{"expect":"session/set_mode","reply":{}}`, asked, done, asked, done},
			turns:  []engine.Options{{}, {}},
			want:   "new default prompt prompt",
		},
		{
			name: "load", resume: digestOf("") + ":sess-1",
			script: []string{loads, `{"expect":"session/load","reply":` + withModes + `}`, `{"expect":"session/set_mode","reply":{}}`, asked, done},
			turns:  []engine.Options{{}},
			want:   "load default prompt",
		},
		{
			name: "plan and back",
			script: []string{hello, `{"expect":"session/new","reply":` + withModes + `}`, `{"expect":"session/set_mode","reply":{}}`, asked, done,
				`{"expect":"session/set_mode","reply":{}}`, asked, done, asked, done},
			turns: []engine.Options{{Mode: engine.ModePlan}, {Mode: engine.ModeAsk}, {Mode: engine.ModeAutoEdit}},
			want:  "new plan prompt default prompt prompt",
		},
		{
			name:   "the program's own, by name",
			script: []string{hello, `{"expect":"session/new","reply":` + withModes + `}`, `{"expect":"session/set_mode","reply":{}}`, asked, done},
			turns:  []engine.Options{{NativeMode: "yolo", Mode: engine.ModeAsk}},
			want:   "new yolo prompt",
		},
		{
			name:   "plan is stricter than the program's own",
			script: []string{hello, `{"expect":"session/new","reply":` + withModes + `}`, `{"expect":"session/set_mode","reply":{}}`, asked, done},
			turns:  []engine.Options{{NativeMode: "yolo", Mode: engine.ModePlan}},
			want:   "new plan prompt",
		},
		{
			name:   "by a config option",
			script: []string{hello, `{"expect":"session/new","reply":{"sessionId":"sess-1","configOptions":[{"id":"m","type":"select","category":"mode","currentValue":"x","options":[{"group":"g","name":"G","options":[{"value":"ask","name":"Ask"}]}]},{"id":"odd","type":"slider"},7]}}`, `{"expect":"session/set_config_option","reply":{}}`, asked, done},
			turns:  []engine.Options{{}},
			want:   "new m=ask prompt",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, signals := scriptEngine(t, script(t, c.script...), quick())
			in := input(t, "hi")
			in.ResumeID = c.resume
			for _, o := range c.turns {
				in.Options = o
				s, r := turnWith(t, e, in)
				if r.Outcome != engine.Success {
					t.Fatalf("%+v\n%s", r, s.text())
				}
				in.ResumeID = resumeOf(s)
			}
			if got := modesSet(t, signals); got != c.want {
				t.Errorf("set %s, want %s", got, c.want)
			}
		})
	}
}

func TestNothingIsSentToAProgramThatCannotBeMadeToAsk(t *testing.T) {
	e, signals := scriptEngine(t, script(t, hello, `{"expect":"session/new","reply":`+withModes+`}`, `{"expect":"session/set_mode","error":{"code":-32603,"message":"no"}}`), quick())
	_, r := turnWith(t, e, input(t, "hi"))
	if r.Outcome != engine.Failed || !strings.Contains(r.Error, "could not be set to ask before it acts, so nothing was sent") || r.Next == "" {
		t.Errorf("%+v", r)
	}
	if got := modesSet(t, signals); strings.Contains(got, "prompt") {
		t.Errorf("sent %s", got)
	}
}

func TestNothingIsSentWhenAChosenModeIsGoneAndTheProgramAsksForNothing(t *testing.T) {
	e, signals := scriptEngine(t, script(t, hello, `{"expect":"session/new","reply":{"sessionId":"sess-1","modes":{"currentModeId":"yolo","availableModes":[{"id":"yolo","name":"All"},{"id":"plan","name":"Plan"}]}}}`,
		`{"expect":"session/set_mode","error":{"code":-32602,"message":"no such mode"}}`, asked, done), quick())
	in := input(t, "hi")
	in.Options.NativeMode = "careful"
	_, r := turnWith(t, e, in)
	if r.Outcome != engine.Failed || !strings.Contains(r.Error, "could not be set to ask before it acts") {
		t.Errorf("%+v", r)
	}
	if got := modesSet(t, signals); strings.Contains(got, "prompt") {
		t.Errorf("sent %s", got)
	}
}

func TestAProgramWithoutAnAskingModeIsWarnedOf(t *testing.T) {
	e, _ := scriptEngine(t, script(t, hello, `{"expect":"session/new","reply":{"sessionId":"sess-1","modes":{"currentModeId":"yolo","availableModes":[{"id":"yolo","name":"All"}]}}}`, asked, done), quick())
	s, _ := turnWith(t, e, input(t, "hi"))
	if !strings.Contains(s.text(), "notice asks-nothing") {
		t.Errorf("no warning:\n%s", s.text())
	}
}

func TestModelAndEffortAreSetWhereTheyAreOffered(t *testing.T) { // R-69-40
	e := demoEngine(t, "", quick())
	in := input(t, "hello")
	in.Options = engine.Options{Model: "demo-brisk", Effort: "high"}
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || r.Model != "demo-brisk" || s.sessions[0].Model != "demo-brisk" {
		t.Errorf("%+v, %+v", r, s.sessions)
	}
	if got := strings.Join(s.state, "\n"); !strings.Contains(got, "model demo-brisk of") || !strings.Contains(got, "effort high of") {
		t.Errorf("offers:\n%s", got)
	}
	in.ResumeID = resumeOf(s)
	in.Options = engine.Options{Model: "no-such-model"}
	_, r = turnWith(t, e, in)
	if r.Outcome != engine.Failed || r.Error == "" || r.Next == "" {
		t.Errorf("a model that is not there: %+v", r)
	}
	in.Options = engine.Options{Model: "demo-calm", Effort: "no-such-effort"}
	if _, r = turnWith(t, e, in); r.Outcome != engine.Success {
		t.Errorf("an effort that is not there is no error: %+v", r)
	}
}

func TestAModelIsPickedAtTheStartWhereThatIsTheWay(t *testing.T) {
	e, _ := scriptEngine(t, script(t, `{"expect":"initialize","reply":{"protocolVersion":1}}`, opened, asked, done), quick())
	e.agent.ModelEnv = "SOME_MODEL"
	in := input(t, "hi")
	in.Options.Model = "big-one"
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || r.Model != "big-one" || s.sessions[0].Model != "big-one" {
		t.Errorf("%+v", r)
	}
	first := e.chats.Process("chat")
	in.ResumeID, in.Options.Model = resumeOf(s), "small-one"
	in.FreshPrompt = func() string { return "all" }
	if _, r = turnWith(t, e, in); r.Model != "small-one" || e.chats.Process("chat") == first {
		t.Errorf("%+v, same process %v", r, e.chats.Process("chat") == first)
	}
}

func TestOpenTellsWhatCanBeChosenAndTheFirstMessageGoesThere(t *testing.T) {
	e := demoEngine(t, "", quick())
	in := input(t, "")
	s := newTape()
	if err := e.Open(context.Background(), in, s); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.state, "\n"); !strings.Contains(got, "offers model demo-calm") || len(s.sessions) != 1 {
		t.Errorf("told:\n%s\n%+v", got, s.sessions)
	}
	in.Prompt = "hello"
	after, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || after.sessions[0].ResumeID != s.sessions[0].ResumeID {
		t.Errorf("%+v, %+v", r, after.sessions)
	}
	if !strings.Contains(strings.Join(append(s.state, after.state...), "\n"), "commands /edit") {
		t.Errorf("no commands")
	}
}

func TestOpenThatFailsSaysWhy(t *testing.T) {
	e := demoEngine(t, "-signed-out", quick())
	err := e.Open(context.Background(), input(t, ""), newTape())
	var failed *program.Unopened
	if !errors.As(err, &failed) || failed.Result.Problem != engine.SignedOut {
		t.Errorf("%v", err)
	}
}

func TestASessionHealedAheadIsStillSaidToBeLost(t *testing.T) {
	e := demoEngine(t, "-lose-sessions", quick())
	in := input(t, "new")
	in.ResumeID = digestOf("") + ":gone"
	in.FreshPrompt = func() string { return "/test echo all of it" }
	if err := e.Open(context.Background(), in, newTape()); err != nil {
		t.Fatal(err)
	}
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || !strings.Contains(said(s), "all of it") || s.sessions[0].Restarted != engine.Lost {
		t.Errorf("%+v, %+v, said %q", r, s.sessions, said(s))
	}
}

func TestAPromptForASessionThatTheProgramForgotIsHealed(t *testing.T) {
	path := script(t, hello, opened, asked, says("one"), done,
		`{"expect":"session/prompt","error":{"code":-32602,"message":"session not found"}}`,
		`{"expect":"session/load","error":{"code":-32002,"message":"Resource not found"}}`,
		opened, asked, says("told again"), done)
	e, signals := scriptEngine(t, path, quick())
	in := input(t, "first")
	s, _ := turnWith(t, e, in)
	in.ResumeID, in.Prompt = resumeOf(s), "second"
	in.FreshPrompt = func() string { return "everything" }
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || said(s) != "told again" || s.sessions[len(s.sessions)-1].Restarted != engine.Lost {
		t.Errorf("%+v, %+v, said %q", r, s.sessions, said(s))
	}
	last := ""
	for _, m := range heard(t, signals) {
		if m.Method == "session/prompt" {
			last = string(m.Params)
		}
	}
	if !strings.Contains(last, "everything") {
		t.Errorf("sent %s", last)
	}
}

func TestAProgramThatLosesWhatIsLoadedTwiceLoadsOnceInItsLife(t *testing.T) { // R-69-36
	e, signals := scriptEngine(t, script(t, hello, `{"expect":"session/load","reply":null}`, asked, says("one"), done,
		opened, asked, says("two"), done), quick())
	e.agent.Quirks.LoadsOnce = true
	in := input(t, "first")
	in.ResumeID = digestOf("") + ":sess-1"
	in.FreshPrompt = func() string { return "all" }
	if s, r := turnWith(t, e, in); r.Outcome != engine.Success || said(s) != "one" || s.sessions[0].Restarted != "" {
		t.Fatalf("%+v, said %q", r, said(s))
	}
	in.Cwd = t.TempDir() // another folder: the session is to be opened again
	s, r := turnWith(t, e, in)
	if r.Outcome != engine.Success || said(s) != "two" || s.sessions[0].Restarted != engine.Lost {
		t.Errorf("%+v, said %q, %+v", r, said(s), s.sessions)
	}
	if got := modesSet(t, signals); got != "load prompt new prompt" {
		t.Errorf("asked for %s", got)
	}
}
