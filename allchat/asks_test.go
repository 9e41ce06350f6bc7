package allchat

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/allchat/record"
	"conch/engine"
)

// usual are the options of a program's request.
func usual() []engine.PermissionOption {
	return []engine.PermissionOption{
		{ID: "always", Name: "Always", Kind: engine.AllowAlways}, {ID: "once", Name: "Once", Kind: engine.AllowOnce},
		{ID: "no", Name: "No", Kind: engine.RejectOnce}, {ID: "never", Name: "Never", Kind: engine.RejectAlways},
	}
}

func command(words string) engine.Permission {
	return engine.Permission{ToolUseID: "t", Tool: "Bash", Kind: engine.KindExecute, Subject: words, Options: usual()}
}

// asking is a turn that asks for something and says what was decided.
func asking(p engine.Permission) func(context.Context, engine.TurnInput, engine.Sink) engine.Result {
	return func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		d := sink.Ask(ctx, p)
		if ctx.Err() != nil {
			return engine.Result{Outcome: engine.Interrupted}
		}
		return speaks(fmt.Sprintf("%s with %q", d.Verdict, d.OptionID))(ctx, in, sink)
	}
}

func answerOf(s *record.State) string {
	m, _ := last(s, record.KindCoordinatorMessage).Body.(record.CoordinatorMessage)
	return m.Text.String()
}

// R-217-37, 39, checklist 9: an answer holds for one card alone, whatever in it is
// another's is refused and the card waits on, and no option that reaches further can be
// chosen.
func TestAnAnswerIsForOneCardAlone(t *testing.T) {
	tb := newTable(t)
	tb.engine("boss", asking(command("make")))
	tb.engine("one", asking(command("make")))
	run := tb.start("boss", "one")
	tb.ok(run.Say(t.Context(), "Go."))
	s := tb.until(run, "a card waits", func(s Snapshot) bool { return len(s.Cards) == 1 })
	card := s.Cards[0]
	if !s.Waiting() || card.Permission.Subject != "make" || card.Participant != record.Coordinator || card.Why == "" || card.Until.Sub(card.At) != record.PermissionWithin {
		t.Errorf("%+v", card)
	}
	for name, change := range map[string]func(*record.Bond){
		"another run":         func(b *record.Bond) { b.Run = "01J000000000000000000000000" },
		"another participant": func(b *record.Bond) { b.Participant = record.Worker1 },
		"another session":     func(b *record.Bond) { b.Session = "other" },
		"another connection":  func(b *record.Bond) { b.Connection = newConnection() },
		"another turn":        func(b *record.Bond) { b.Turn++ },
		"another request":     func(b *record.Bond) { b.Request = "other" },
	} {
		b := card.Bond
		change(&b)
		if run.Choose(b, "once") == nil || run.Decline(b) == nil {
			t.Errorf("%s was taken", name)
		}
	}
	for _, option := range []string{"always", "never", "other", ""} {
		if run.Choose(card.Bond, option) == nil {
			t.Errorf("%q was taken", option)
		}
	}
	if s := run.Snapshot(); len(s.Cards) != 1 || count(s.State, record.KindPermissionDecided) != 0 {
		t.Fatalf("it was used up:\n%s", story(s.State))
	}
	tb.ok(run.Choose(card.Bond, "once"))
	s = tb.idle(run)
	if answerOf(s.State) != `allow with "once"` {
		t.Errorf("it heard %s", answerOf(s.State))
	}
	e := last(s.State, record.KindPermissionDecided)
	if body := e.Body.(record.PermissionDecided); e.By != record.Person || body.Decision != record.AllowOnce || body.Option.String() != "once" || count(s.State, record.KindPermissionDecided) != 1 {
		t.Errorf("the record:\n%s", story(s.State))
	}
	for _, err := range []error{run.Choose(card.Bond, "once"), run.Decline(card.Bond)} { // late, and double
		if err == nil {
			t.Error("an answer that came late was taken")
		}
	}
}

func TestANoDeclinesOnceWhereThatIsOffered(t *testing.T) {
	for want, options := range map[string][]engine.PermissionOption{
		`deny with "no"`:    usual(),
		`cancelled with ""`: usual()[:2],
	} {
		tb := newTable(t)
		p := command("make")
		p.Options = options
		tb.engine("boss", asking(p))
		run := tb.start("boss")
		tb.ok(run.Say(t.Context(), "Go."))
		s := tb.until(run, "a card waits", func(s Snapshot) bool { return len(s.Cards) == 1 })
		tb.ok(run.Decline(s.Cards[0].Bond))
		s = tb.idle(run)
		if answerOf(s.State) != want || last(s.State, record.KindPermissionDecided).Body.(record.PermissionDecided).Decision != record.Deny {
			t.Errorf("%s, want %s\n%s", answerOf(s.State), want, story(s.State))
		}
	}
}

// R-217-38, checklist 9: two minutes, then it is cancelled and recorded as expired, and
// with it the turn of that participant alone.
func TestACardThatNobodyAnswersExpires(t *testing.T) {
	tb := newTable(t)
	tb.engine("boss", gives(t, map[string]string{"worker-1": "a"}))
	tb.engine("one", asking(command("make")))
	run := tb.start("boss", "one")
	tb.ok(run.Say(t.Context(), "Go."))
	s := tb.until(run, "a card waits", func(s Snapshot) bool { return len(s.Cards) == 1 })
	card := s.Cards[0]
	if card.Task != "for-worker-1" || card.Name != "One" || card.Role != record.RoleWorker {
		t.Errorf("the card is of %+v", card)
	}
	tb.clock.pass(record.PermissionWithin - 1)
	if len(run.Snapshot().Cards) != 1 {
		t.Error("it went too soon")
	}
	tb.soon("its time runs", func() bool { return tb.clock.waiting(1) })
	tb.clock.pass(1)
	s = tb.idle(run)
	e := last(s.State, record.KindPermissionDecided)
	if e.By != record.Conch || e.Body.(record.PermissionDecided).Decision != record.DecisionExpired || s.State.Task("for-worker-1").Code != record.Cancelled || count(s.State, record.KindTurnCompleted) != 1 {
		t.Errorf("the record:\n%s", story(s.State))
	}
	if run.Choose(card.Bond, "once") == nil {
		t.Error("it was answered all the same")
	}
}

// R-217-39, checklist 9: cards wait in their order, each for its own answer.
func TestTwoCardsWaitInTheirOrder(t *testing.T) {
	tb := newTable(t)
	second := make(chan struct{})
	tb.engine("boss", gives(t, map[string]string{"worker-1": "a", "worker-2": "b"}))
	tb.engine("one", asking(command("first")))
	tb.engine("two", func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		<-second
		return asking(command("second"))(ctx, in, sink)
	})
	run := tb.start("boss", "one", "two")
	tb.ok(run.Say(t.Context(), "Go."))
	tb.until(run, "one waits", func(s Snapshot) bool { return len(s.Cards) == 1 })
	close(second)
	s := tb.until(run, "both wait", func(s Snapshot) bool { return len(s.Cards) == 2 })
	if s.Cards[0].Permission.Subject != "first" || s.Cards[1].Permission.Subject != "second" {
		t.Errorf("%+v", s.Cards)
	}
	crossed := s.Cards[0].Bond
	crossed.Request = s.Cards[1].Request
	if run.Choose(crossed, "once") == nil {
		t.Error("a crossed answer was taken")
	}
	tb.ok(run.Choose(s.Cards[1].Bond, "no"))
	s = tb.until(run, "one waits", func(s Snapshot) bool { return len(s.Cards) == 1 })
	if s.Cards[0].Permission.Subject != "first" {
		t.Error("the other was answered")
	}
	tb.ok(run.Choose(s.Cards[0].Bond, "once"))
	s = tb.idle(run)
	if a, b := s.State.Task("for-worker-1").Result.String(), s.State.Task("for-worker-2").Result.String(); a != `allow with "once"` || b != `deny with "no"` {
		t.Errorf("%s, %s", a, b)
	}
}

// Section 10 and R-217-41: the rules of a chat, but that nobody writes files, and that
// every command is the person's to decide.
func TestWhatTheRulesDecide(t *testing.T) {
	in := func(kind engine.ToolKind, path string, diffs ...engine.Diff) engine.Permission {
		return engine.Permission{ToolUseID: "t", Tool: "Tool", Kind: kind, Subject: path, Paths: []string{path}, Diffs: diffs, Options: usual()}
	}
	text := "x"
	const person = ""
	for name, c := range map[string]struct {
		p    func(tb *table) engine.Permission
		mode engine.Mode
		want string
	}{
		"reading in the folder":  {func(tb *table) engine.Permission { return in(engine.KindRead, tb.folder+"/a.go") }, engine.ModeAutoRead, `allow with "once"`},
		"reading in ask mode":    {func(tb *table) engine.Permission { return in(engine.KindRead, tb.folder+"/a.go") }, engine.ModeAsk, person},
		"reading outside":        {func(*table) engine.Permission { return in(engine.KindRead, "/etc/hosts") }, engine.ModeAutoEdit, person},
		"reading Conch's own":    {func(tb *table) engine.Permission { return in(engine.KindRead, tb.home+"/config.toml") }, engine.ModeAutoEdit, `deny with "no"`},
		"a command":              {func(*table) engine.Permission { return command("ls") }, engine.ModeAutoEdit, person},
		"a command in plan mode": {func(*table) engine.Permission { return command("ls") }, engine.ModePlan, `deny with "no"`},
		"a page":                 {func(*table) engine.Permission { return in(engine.KindFetch, "https://example.org") }, engine.ModeAutoEdit, person},
		"an edit":                {func(tb *table) engine.Permission { return in(engine.KindEdit, tb.folder+"/a.go") }, engine.ModeAutoEdit, `deny with "no"`},
		"an edit outside":        {func(*table) engine.Permission { return in(engine.KindEdit, "/tmp/a.go") }, engine.ModeAutoEdit, `deny with "no"`},
		"a delete":               {func(tb *table) engine.Permission { return in(engine.KindDelete, tb.folder+"/a.go") }, engine.ModeAutoEdit, `deny with "no"`},
		"a move":                 {func(tb *table) engine.Permission { return in(engine.KindMove, tb.folder+"/a.go") }, engine.ModeAsk, `deny with "no"`},
		"an edit by another name": {func(tb *table) engine.Permission {
			return in(engine.KindOther, tb.folder+"/a.go", engine.Diff{Path: tb.folder + "/a.go", New: &text})
		}, engine.ModeAutoEdit, `deny with "no"`},
		"something unknown": {func(*table) engine.Permission {
			return engine.Permission{Tool: "Odd", Kind: engine.KindOther, Options: usual()}
		}, engine.ModeAutoEdit, person},
		"Conch's own tool": {func(*table) engine.Permission {
			return engine.Permission{Tool: "mcp__conch__propose_change", Kind: engine.KindOther, Options: usual()}
		}, engine.ModePlan, `allow with "once"`},
		"no option":             {func(*table) engine.Permission { return engine.Permission{Tool: "Odd", Kind: engine.KindExecute} }, engine.ModeAsk, `cancelled with ""`},
		"two options of one id": {func(*table) engine.Permission { p := command("ls"); p.Options[1].ID = "always"; return p }, engine.ModeAsk, `cancelled with ""`},
		"seventeen options": {func(*table) engine.Permission {
			p := command("ls")
			for i := range 13 {
				p.Options = append(p.Options, engine.PermissionOption{ID: fmt.Sprint(i)})
			}
			return p
		}, engine.ModeAsk, `cancelled with ""`},
		"what can't be allowed once": {func(tb *table) engine.Permission {
			p := in(engine.KindRead, tb.folder+"/a.go")
			p.Options = []engine.PermissionOption{p.Options[0], p.Options[2]}
			return p
		}, engine.ModeAutoRead, person},
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t)
			tb.ok(os.WriteFile(filepath.Join(tb.folder, "a.go"), []byte("package a\n"), 0o600))
			tb.engine("boss", asking(c.p(tb)))
			plan := tb.plan("boss")
			plan.Mode = c.mode
			run, err := tb.runs.Start(t.Context(), plan)
			tb.ok(err)
			defer func() { tb.ok(run.Close()) }()
			tb.ok(run.Say(t.Context(), "Go."))
			if c.want == person {
				tb.until(run, "the person is asked", func(s Snapshot) bool { return len(s.Cards) == 1 })
				return
			}
			if s := tb.idle(run); answerOf(s.State) != c.want {
				t.Errorf("%s, want %s\n%s", answerOf(s.State), c.want, story(s.State))
			}
		})
	}
}

// R-217-41, checklist 12: an edit by a program's own tools is declined with a sentence
// that says how changes are made, and where that ends its turn it is told once more.
func TestAnEditOfAProgramsOwnIsDeclined(t *testing.T) {
	for name, end := range map[string]engine.Result{
		"and its turn ends by it":   {Outcome: engine.Interrupted},
		"and its turn ends quietly": {Outcome: engine.Success},
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t)
			n := 0
			boss := tb.engine("boss", func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
				if n++; n > 1 {
					return speaks("Then I propose it.")(ctx, in, sink)
				}
				d := sink.Ask(ctx, engine.Permission{Tool: "Edit", Kind: engine.KindEdit, Paths: []string{tb.folder + "/a.go"}, Options: usual()})
				if d.Verdict != engine.Deny || !strings.Contains(d.Reason, "propose_change") {
					t.Errorf("%+v", d)
				}
				sink.Emit(engine.Notice{Code: "declined-ended", Message: "Boss ended its turn."})
				return end
			})
			run := tb.start("boss")
			s := tb.say(run, "Change it.")
			prompts := boss.prompts()
			if len(prompts) != 2 || !strings.Contains(prompts[1], "Use propose_change") || answerOf(s.State) != "Then I propose it." || s.Participants[0].Out != "" {
				t.Errorf("told %q\n%s", prompts, story(s.State))
			}
			e := last(s.State, record.KindPermissionDecided)
			if e.By != record.Conch || e.Body.(record.PermissionDecided).Decision != record.Deny {
				t.Errorf("the record:\n%s", story(s.State))
			}
		})
	}
}

// A stop while a card waits takes the card away.
func TestStoppingTakesTheCardAway(t *testing.T) {
	tb := newTable(t)
	tb.engine("boss", asking(command("make")))
	run := tb.start("boss")
	tb.ok(run.Say(t.Context(), "Go."))
	s := tb.until(run, "a card waits", func(s Snapshot) bool { return len(s.Cards) == 1 })
	tb.ok(run.CancelTurn(record.Coordinator))
	after := tb.idle(run)
	e := last(after.State, record.KindPermissionDecided)
	if len(after.Cards) != 0 || e.By != record.Conch || e.Body.(record.PermissionDecided).Decision != record.DecisionCancelled || run.Choose(s.Cards[0].Bond, "once") == nil {
		t.Errorf("the record:\n%s", story(after.State))
	}
	if after.State.Events[after.State.Gen()-1].Kind() != record.KindTurnCancelled {
		t.Errorf("the record:\n%s", story(after.State))
	}
}

// R-217-35: only the coordinator asks the person.
func TestOnlyTheCoordinatorAsksThePerson(t *testing.T) {
	tb := newTable(t)
	field := engine.Field{Name: "which", Label: "Which", Kind: "choice", Required: true, Options: []engine.Choice{{ID: "a", Name: "A"}}}
	tb.tools = func(turn Turn) []engine.Tool {
		return []engine.Tool{&asker{&tool{name: "ask", schema: `{"type":"object"}`}, turn, field}}
	}
	tb.engine("boss", func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		text, err := call(ctx, in, "ask", `{}`)
		if err != nil {
			t.Error(err)
		}
		if _, err := call(ctx, in, "delegate", `{"to":"worker-1","task":"a","brief":"b"}`); err != nil {
			t.Error(err)
		}
		return speaks(text)(ctx, in, sink)
	})
	tb.engine("one", func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		return speaks(fmt.Sprint(sink.Question(ctx, engine.Question{Title: "May I?"}).Skipped))(ctx, in, sink)
	})
	run := tb.start("boss", "one")
	tb.ok(run.Say(t.Context(), "Go."))
	s := tb.until(run, "a question waits", func(s Snapshot) bool { return len(s.Questions) == 1 })
	q := s.Questions[0]
	if q.Name != "Boss" || q.Title != "Which one?" || !s.Waiting() {
		t.Errorf("%+v", q)
	}
	for name, a := range map[string]engine.Answer{
		"nothing":     {},
		"not offered": {Values: map[string]any{"which": "b"}},
		"too long":    {Text: strings.Repeat("x", record.MaxText+1)},
	} {
		if run.Answer(q.ID, a) == nil {
			t.Errorf("%s was taken", name)
		}
	}
	tb.ok(run.Answer(q.ID, engine.Answer{Values: map[string]any{"which": "a"}}))
	tb.code(run.Answer(q.ID, engine.Answer{Skipped: true}), record.StateInvalid)
	s = tb.idle(run)
	if answerOf(s.State) != "a" || s.State.Task("a").Result.String() != "true" {
		t.Errorf("the record:\n%s", story(s.State))
	}
}

// asker is a tool that asks the person.
type asker struct {
	*tool
	turn  Turn
	field engine.Field
}

func (a *asker) Show(json.RawMessage) engine.ToolStart { return engine.ToolStart{} }
func (a *asker) Call(ctx context.Context, _ json.RawMessage) (engine.ToolResult, error) {
	answer := a.turn.Question(ctx, engine.Question{Title: "Which one?", Fields: []engine.Field{a.field}})
	return engine.ToolResult{Text: fmt.Sprint(answer.Values["which"])}, nil
}
