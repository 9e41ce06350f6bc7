package allchat

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/allchat/record"
	"conch/engine"
)

// gives is a coordinator that gives a task to each of the others, collects, and puts
// together what came. To a second message it only says yes.
func gives(t *testing.T, tasks map[string]string) func(context.Context, engine.TurnInput, engine.Sink) engine.Result {
	given := false
	return func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		if given {
			return speaks("yes")(ctx, in, sink)
		}
		given = true
		for _, to := range []string{"worker-1", "worker-2"} {
			if brief := tasks[to]; brief != "" {
				if _, err := call(ctx, in, "delegate", `{"to":"`+to+`","task":"for-`+to+`","brief":"`+brief+`"}`); err != nil {
					t.Error(err)
				}
			}
		}
		text, err := call(ctx, in, "collect", `{}`)
		if err != nil {
			t.Error(err)
		}
		return speaks("Together: "+text)(ctx, in, sink)
	}
}

// The whole way of a run, as the acceptance checklist, 1 has it: what each does is in
// the record in its order.
func TestARunGoesFromAMessageToAnAnswerOfAllThree(t *testing.T) {
	tb := newTable(t)
	boss := tb.engine("boss", gives(t, map[string]string{"worker-1": "Look at the cart.", "worker-2": "Look at the till."}))
	one := tb.engine("one", speaks("The cart is fine."))
	two := tb.engine("two", speaks("The till is not."))
	run := tb.start("boss", "one", "!two")
	if s := run.Snapshot(); s.State.Phase() != record.PhasePlanned {
		t.Errorf("before a word it is %s", s.State.Phase())
	}
	s := tb.say(run, "Check the shop.")
	tb.ok(run.Complete())
	s = run.Snapshot()
	want := []record.Kind{
		record.KindRunStarted, record.KindSessionReady, record.KindSessionReady, record.KindSessionReady, record.KindPersonMessage,
		record.KindTaskDelegated, record.KindTaskDelegated, record.KindTaskResult, record.KindTaskResult,
		record.KindSynthesis, record.KindTurnCompleted, record.KindRunCompleted,
	}
	got := kinds(s.State)
	slices.SortStableFunc(got[5:9], func(a, b record.Kind) int { return strings.Compare(string(a), string(b)) }) // a result may come before the second task is given
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the record:\n%s\n%s", diff, story(s.State))
	}
	if got := last(s.State, record.KindSynthesis).Body.(record.Synthesis); len(got.Tasks) != 2 {
		t.Errorf("put together of %v", got.Tasks)
	}
	if s.State.Phase() != record.PhaseCompleted || s.Problem == "" {
		t.Errorf("it is %s, %q", s.State.Phase(), s.Problem)
	}
	for _, p := range []*player{boss, one, two} {
		if _, closed := p.was(); !closed {
			t.Errorf("%s was not ended", p.id)
		}
	}
	tb.code(run.Say(t.Context(), "more"), record.StateInvalid)
	// R-217-28: what is on the disk comes to the same.
	view, err := tb.runs.View(run.ID())
	if err != nil || story(view.State) != story(s.State) {
		t.Errorf("%v, read again:\n%s", err, story(view.State))
	}
}

// R-217-30: each has an engine of its own, and the tools of its role.
func TestEachHasTheToolsOfItsRoleAndAnEngineOfItsOwn(t *testing.T) {
	tb := newTable(t)
	tb.tools = func(Turn) (all []engine.Tool) {
		for _, name := range []string{"search_chats", "read_chat", "ask", "plan", "remember", "read_file", "list", "search_files", "edit_file", "run_command"} {
			all = append(all, &tool{name: name, schema: `{"type":"object"}`})
		}
		return all
	}
	tb.engines["same"] = func() *player { return &player{id: "same", play: speaks("done"), session: "one-string-for-all"} }
	tb.engines["api"] = func() *player { return &player{id: "api", play: speaks("done"), handless: true} }
	tb.start("same", "same", "!api")
	want := map[record.Who]string{
		record.Coordinator: "delegate collect search_chats read_chat ask plan propose_change",
		record.Worker1:     "propose_change",
		record.Worker2:     "read_file list search_files",
	}
	seen := map[string]bool{}
	for i, who := range []record.Who{record.Coordinator, record.Worker1, record.Worker2} {
		in := tb.made[i].opened[0]
		if got := strings.Join(names(in.Tools), " "); got != want[who] {
			t.Errorf("%s has %s", who, got)
		}
		if !in.ReadOnly || in.Cwd != tb.folder || in.Options.NativeMode != "" || !slices.Contains(in.ProtectedPaths, tb.home) {
			t.Errorf("%s: %+v", who, in)
		}
		if !strings.Contains(in.SystemAppend, "# How you work on a problem") || !strings.Contains(in.SystemAppend, "# This run") {
			t.Errorf("%s is told %q", who, in.SystemAppend)
		}
		seen[in.ConversationID] = true
	}
	if len(seen) != 3 || tb.made[0] == tb.made[1] {
		t.Errorf("conversations %v", seen)
	}
}

// R-217-29: who can't take part is said before the run starts, and nothing of it stays.
func TestWhoIsNotReadyIsSaidBeforeTheRunStarts(t *testing.T) {
	for name, change := range map[string]func(*player){
		"not signed in": func(p *player) {
			p.health = engine.Health{State: engine.NeedSignIn, Problem: "Two is not signed in.", Next: "two login"}
		},
		"does not open": func(p *player) { p.openFail = errNoSession{} },
		"not installed": func(p *player) { p.health = engine.Health{State: engine.NotFound, Problem: "Two is not installed."} },
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t)
			boss := tb.engine("boss", speaks("hello"))
			two := tb.engine("two", speaks("hello"))
			change(two)
			_, err := tb.runs.Start(t.Context(), tb.plan("boss", "two"))
			says, _ := Sentence(err)
			if !strings.Contains(says, "Two") && !strings.Contains(says, "session") {
				t.Errorf("it says %q", says)
			}
			for _, p := range []*player{boss, two} {
				if _, closed := p.was(); !closed {
					t.Errorf("%s goes on", p.id)
				}
			}
			list, err := tb.runs.List("")
			if err != nil || len(list) != 0 {
				t.Errorf("there is a run: %v, %v", list, err)
			}
			change(&player{})
			two.health, two.openFail = engine.Health{}, nil
			tb.start("boss", "two") // the folder is free
		})
	}
	tb := newTable(t)
	_, err := tb.runs.Start(t.Context(), tb.plan("nobody"))
	if says, _ := Sentence(err); !strings.Contains(says, "obody is not set up here") {
		t.Errorf("it says %q", says)
	}
}

type errNoSession struct{}

func (errNoSession) Error() string { return "Two could not open a session." }

// R-217-16 and checklist 7, for this process: one run of a folder is open at a time.
func TestOneRunOfAFolderIsOpenAtATime(t *testing.T) {
	tb := newTable(t)
	tb.engine("boss", speaks("hello"))
	run := tb.start("boss")
	_, err := tb.runs.Start(t.Context(), tb.plan("boss"))
	tb.code(err, record.LeaseHeld)
	_, err = tb.runs.Carry(t.Context(), run.ID(), Again{Folder: tb.folder})
	tb.code(err, record.LeaseHeld)
	if v, err := tb.runs.View(strings.ToLower(run.ID())); err != nil || v.State.Gen() != 2 {
		t.Errorf("it can't be looked at: %v", err)
	}
	tb.code(tb.runs.Remove(run.ID()), record.LeaseHeld)
	tb.ok(run.Close())
	tb.ok(tb.runs.Remove(run.ID()))
	if list, _ := tb.runs.List(""); len(list) != 0 {
		t.Errorf("it is still there: %v", list)
	}
}

func TestAPlanThatCanNotBeIsRefused(t *testing.T) {
	tb := newTable(t)
	tb.engine("boss", speaks("hello"))
	for name, c := range map[string]struct {
		change func(*Plan)
		code   record.Code
	}{
		"a relative folder":   {func(p *Plan) { p.Folder = "shop" }, record.EventInvalid},
		"no coordinator":      {func(p *Plan) { p.Coordinator.Provider = "" }, record.EventInvalid},
		"two coordinators":    {func(p *Plan) { p.Others = []Pick{{Provider: "boss", Role: record.RoleCoordinator}} }, record.EventInvalid},
		"a fourth":            {func(p *Plan) { p.Others = make([]Pick, 3) }, record.Limit},
		"a turn of two days":  {func(p *Plan) { p.TurnWithin = 48 * time.Hour }, record.EventInvalid},
		"a turn of no time":   {func(p *Plan) { p.TurnWithin = -1 }, record.EventInvalid},
		"a coordinator's job": {func(p *Plan) { p.Coordinator.Role = record.RoleWorker }, record.EventInvalid},
	} {
		p := tb.plan("boss")
		c.change(&p)
		_, err := tb.runs.Start(t.Context(), p)
		if got := record.CodeOf(err); got != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// R-217-8, R-217-45, checklist 4: a turn that was cancelled leaves no word of itself.
func TestACancelledTurnLeavesNoWords(t *testing.T) {
	tb := newTable(t)
	tb.engine("boss", untilStopped)
	run := tb.start("boss")
	tb.ok(run.Say(t.Context(), "Go."))
	tb.until(run, "something is shown", func(s Snapshot) bool { return s.Participants[0].Partial == "half a word" })
	tb.ok(run.CancelTurn(record.Coordinator))
	s := tb.idle(run)
	if s.Participants[0].Partial != "" || last(s.State, record.KindTurnCancelled).Seq != s.State.Gen() || strings.Contains(story(s.State), "half") {
		t.Errorf("%+v\n%s", s.Participants[0], story(s.State))
	}
	tb.code(run.CancelTurn(record.Coordinator), record.StateInvalid)
	tb.code(run.CancelTurn("worker-9"), record.EventInvalid)
}

// R-217-45: the run ends with what is open in it, and what was stopped says nothing.
func TestCancellingTheRunFailsWhatIsOpen(t *testing.T) {
	tb := newTable(t)
	tb.engine("boss", func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		if _, err := call(ctx, in, "delegate", `{"to":"worker-1","task":"long","brief":"Take your time."}`); err != nil {
			t.Error(err)
		}
		return untilStopped(ctx, in, sink)
	})
	one := tb.engine("one", untilStopped)
	run := tb.start("boss", "one")
	tb.ok(run.Say(t.Context(), "Go."))
	tb.until(run, "both work", func(s Snapshot) bool { return s.Participants[0].Working && s.Participants[1].Partial != "" })
	tb.ok(run.Cancel(t.Context()))
	s := run.Snapshot()
	if s.State.Phase() != record.PhaseCancelled || s.State.Task("long").Code != record.Cancelled || count(s.State, record.KindTaskFailed)+count(s.State, record.KindTurnCancelled) != 0 {
		t.Errorf("it is %s\n%s", s.State.Phase(), story(s.State))
	}
	if _, closed := one.was(); !closed {
		t.Error("a program goes on")
	}
	tb.start("boss") // the folder is free for another
}

// R-217-45, checklist 11: one that does not stop is given up, and is a lost connection.
func TestOneThatDoesNotStopIsGivenUp(t *testing.T) {
	tb := newTable(t)
	let := make(chan struct{})
	boss := tb.engine("boss", func(_ context.Context, _ engine.TurnInput, sink engine.Sink) engine.Result {
		<-let
		sink.Emit(engine.Text{MessageID: "m", Delta: "much too late"})
		return engine.Result{Outcome: engine.Success}
	})
	run := tb.start("boss")
	tb.ok(run.Say(t.Context(), "Go."))
	tb.until(run, "it works", func(s Snapshot) bool { return s.Participants[0].Working })
	tb.ok(run.CancelTurn(record.Coordinator))
	tb.soon("its grace runs", func() bool { return tb.clock.waiting(stopWithin) })
	tb.clock.pass(stopWithin)
	s := tb.idle(run)
	if e := last(s.State, record.KindTurnFailed); e.Body.(record.TurnFailed).Code != record.Unavailable || s.Participants[0].Out == "" {
		t.Errorf("%+v\n%s", s.Participants[0], story(s.State))
	}
	tb.code(run.Say(t.Context(), "Again."), record.Unavailable)
	tb.soon("its program is ended", func() bool { released, _ := boss.was(); return released == 1 })
	close(let)
	tb.ok(run.Close())
	if got := story(run.Snapshot().State); strings.Contains(got, "too late") {
		t.Errorf("it was heard:\n%s", got)
	}
}

// Section 4: the time of a turn is absolute, and a late success does not turn it round.
func TestATurnThatTakesTooLongFails(t *testing.T) {
	tb := newTable(t)
	tb.engine("boss", func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		<-ctx.Done()
		return speaks("I made it!")(ctx, in, sink)
	})
	run := tb.start("boss")
	tb.ok(run.Say(t.Context(), "Go."))
	tb.soon("its time runs", func() bool { return tb.clock.waiting(30 * time.Minute) })
	tb.clock.pass(30 * time.Minute)
	s := tb.idle(run)
	if e, ok := last(s.State, record.KindTurnFailed).Body.(record.TurnFailed); !ok || e.Code != record.Timeout {
		t.Errorf("the record:\n%s", story(s.State))
	}
}

// R-217-7: what the coordinator said and the end of its turn are one.
func TestHowATurnEndsInTheRecord(t *testing.T) {
	long := strings.Repeat("word ", record.MaxText/5+10)
	for name, c := range map[string]struct {
		play func(context.Context, engine.TurnInput, engine.Sink) engine.Result
		code record.Code
		fin  record.Finish
	}{
		"done":     {speaks("yes"), "", record.Stop},
		"no words": {speaks(""), record.ResponseInvalid, ""},
		"too long": {speaks(long), record.Limit, ""},
		"not taken": {func(context.Context, engine.TurnInput, engine.Sink) engine.Result {
			return engine.Result{Outcome: engine.Failed, Problem: engine.Unavailable, Error: "Boss can't be reached."}
		}, record.Unavailable, ""},
		"signed out": {func(context.Context, engine.TurnInput, engine.Sink) engine.Result {
			return engine.Result{Outcome: engine.Failed, Problem: engine.SignedOut, Error: "Boss is not signed in."}
		}, record.SignedOut, ""},
		"a panic": {func(context.Context, engine.TurnInput, engine.Sink) engine.Result { panic("oh") }, record.Unavailable, ""},
		"cut off": {func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
			sink.Emit(engine.Notice{Code: "cut-off", Message: "It was cut off."})
			return speaks("yes, bu")(ctx, in, sink)
		}, "", record.Length},
		"several messages": {func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
			sink.Emit(engine.Text{MessageID: "a", Delta: "taken back"})
			sink.Emit(engine.Retract{MessageID: "a"})
			sink.Emit(engine.Text{MessageID: "b", Delta: "First"})
			sink.Emit(engine.Text{MessageID: "b", Delta: "."})
			sink.Emit(engine.MessageDone{MessageID: "b"})
			sink.Emit(engine.Thought{MessageID: "t", Delta: "hm"})
			return speaks("Then.")(ctx, in, sink)
		}, "", record.Stop},
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable(t)
			tb.engine("boss", c.play)
			run := tb.start("boss")
			s := tb.say(run, "Go.")
			n := s.State.Gen()
			if c.code != "" {
				if e, ok := s.State.Events[n-1].Body.(record.TurnFailed); !ok || e.Code != c.code || s.Participants[0].Problem == "" {
					t.Errorf("%+v\n%s", s.Participants[0], story(s.State))
				}
				return
			}
			e, ok := s.State.Events[n-1].Body.(record.TurnCompleted)
			m, also := s.State.Events[n-2].Body.(record.CoordinatorMessage)
			if !ok || !also || e.Finish != c.fin || s.State.End != "" || name == "several messages" && m.Text.String() != "First.\n\nThen." {
				t.Errorf("the record:\n%s", story(s.State))
			}
		})
	}
}

// R-217-22, 20: the record has a message before the coordinator has it, without secrets
// and paths; the coordinator gets it as it was typed.
func TestAMessageIsOnTheDiskBeforeItIsSent(t *testing.T) {
	tb := newTable(t)
	secret := "sk-ant-api03-" + strings.Repeat("Ab3", 30)
	var kept []byte
	tb.engine("boss", func(ctx context.Context, in engine.TurnInput, sink engine.Sink) engine.Result {
		files, _ := filepath.Glob(filepath.Join(tb.home, "runs", "*.jsonl"))
		kept, _ = os.ReadFile(files[0])
		return speaks("Used "+secret+" on "+tb.folder+"/a.go")(ctx, in, sink)
	})
	run := tb.start("boss")
	s := tb.say(run, "My key is "+secret+" in "+tb.folder+"/a.go")
	if !strings.Contains(string(kept), "My key is") {
		t.Errorf("the record did not have it yet: %s", kept)
	}
	files, _ := filepath.Glob(filepath.Join(tb.home, "runs", "*.jsonl"))
	all, _ := os.ReadFile(files[0])
	if strings.Contains(string(all), secret) || strings.Contains(string(all), tb.folder) || strings.Contains(story(s.State), secret) { // checklist 13
		t.Errorf("a secret or a path is in the record:\n%s", all)
	}
	if got := tb.made[0].prompts(); len(got) != 1 || !strings.Contains(got[0], secret) {
		t.Errorf("sent %q", got)
	}
	tb.code(run.Say(t.Context(), strings.Repeat("x", record.MaxText+1)), record.Limit)
	tb.code(run.Say(t.Context(), " \n"), record.EventInvalid)
}
