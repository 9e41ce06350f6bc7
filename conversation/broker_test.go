package conversation

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/chats"
	"conch/engine"
)

// usual is what most programs offer.
func usual() []engine.PermissionOption {
	return []engine.PermissionOption{
		{ID: "always", Name: "Always for git push", Kind: engine.AllowAlways},
		{ID: "yes", Name: "Yes", Kind: engine.AllowOnce},
		{ID: "no", Name: "No", Kind: engine.RejectOnce},
	}
}

// asking is an engine that asks for one call and keeps what it was answered.
type asking struct {
	*scripted
	got engine.Decision
}

func newAsking(p engine.Permission) *asking {
	a := &asking{scripted: &scripted{id: "codex", is: engine.Ready}}
	a.play = func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.ToolStart{ToolUseID: p.ToolUseID, Name: p.Tool, Kind: p.Kind, Subject: p.Subject})
		a.got = s.Ask(ctx, p)
		if ctx.Err() != nil {
			return engine.Result{Outcome: engine.Interrupted, Accepted: true}
		}
		s.Emit(engine.ToolEnd{ToolUseID: p.ToolUseID, Status: engine.ToolSuccess})
		return good
	}
	return a
}

func push() engine.Permission {
	return engine.Permission{
		ToolUseID: "t1", Tool: "Bash", Kind: engine.KindExecute, Subject: "git push origin main",
		Reason: `you asked: "push it"`, Options: usual(),
	}
}

// card waits for one card.
func waitCard(t *testing.T, m *Manager) Card {
	t.Helper()
	return until(t, m, "a card", func(s Status) bool { return len(s.Cards) == 1 }).Cards[0]
}

func TestThePersonDecidesWithTheOptionsThatWereOffered(t *testing.T) {
	for name, test := range map[string]struct {
		pick   string
		want   engine.Decision
		log    chats.PermissionResolved
		status string
	}{
		"once":    {"yes", engine.Decision{Verdict: engine.Allow, OptionID: "yes", Reason: "you allowed it once"}, chats.PermissionResolved{Decision: "allow", OptionID: "yes", By: "person", Why: "you allowed it once"}, "success"},
		"no":      {"no", engine.Decision{Verdict: engine.Deny, OptionID: "no", Reason: "you said no"}, chats.PermissionResolved{Decision: "deny", OptionID: "no", By: "person", Why: "you said no"}, "not-run"},
		"decline": {"", engine.Decision{Verdict: engine.Deny, OptionID: "no", Reason: "you said no"}, chats.PermissionResolved{Decision: "deny", OptionID: "no", By: "person", Why: "you said no"}, "not-run"},
		"always":  {"always", engine.Decision{Verdict: engine.Allow, OptionID: "always", Reason: "you allowed it: Always for git push"}, chats.PermissionResolved{Decision: "allow", OptionID: "always", By: "person", Why: "you allowed it: Always for git push"}, "success"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAsking(push())
			m := newRoom(t).chat(a)
			must(t, m.Send(Message{Text: "push it"}))
			c := waitCard(t, m)
			if c.Why != "codex wants to run this outside what auto-read allows" || c.AskedBy != "CODEX" || c.Permission.Reason == "" {
				t.Errorf("the card says %+v", c)
			}
			var kinds []string
			for _, o := range c.Permission.Options {
				kinds = append(kinds, o.ID)
			}
			if !slices.Equal(kinds, []string{"yes", "no", "always"}) { // what reaches further comes last
				t.Errorf("options in the order %v", kinds)
			}
			asked := one[chats.PermissionRequested](t, logged(t, m))
			if asked.Summary != "git push origin main" || asked.ToolName != "Bash" || asked.Why != c.Why || asked.PermissionID != c.ID || len(asked.Options) != 3 {
				t.Errorf("the log says %+v", asked)
			}
			must(t, m.Answer(c.ID, test.pick))
			wait(t, m)
			if a.got != test.want {
				t.Errorf("decided %+v, not %+v", a.got, test.want)
			}
			test.log.PermissionID = c.ID
			if got := one[chats.PermissionResolved](t, logged(t, m)); got != test.log {
				t.Errorf("the log says %+v, not %+v", got, test.log)
			}
			row := one[chats.ToolFinished](t, logged(t, m))
			if row.Status != test.status { // R-69-51: a later success changes nothing
				t.Errorf("the row is %+v", row)
			}
			if test.status == "not-run" && row.Reason != "you said no" {
				t.Errorf("the row says %q", row.Reason)
			}
		})
	}
}

func TestAnAnswerThatFitsNothingTouchesNoCard(t *testing.T) { // R-69-57
	a := newAsking(push())
	m := newRoom(t).chat(a)
	must(t, m.Send(Message{Text: "push it"}))
	c := waitCard(t, m)
	for _, wrong := range []struct{ card, option string }{{c.ID, "sudo"}, {"another", "yes"}, {"", ""}} {
		if err := m.Answer(wrong.card, wrong.option); err == nil {
			t.Errorf("%v was taken", wrong)
		}
	}
	if err := m.AnswerQuestion(c.ID, engine.Answer{Text: "yes"}); err == nil {
		t.Error("a permission was answered as a question")
	}
	if s := m.Status(); len(s.Cards) != 1 {
		t.Fatal("the card is gone")
	}
	must(t, m.Answer(c.ID, "no"))
	if err := m.Answer(c.ID, "yes"); err == nil {
		t.Error("a second answer was taken")
	}
	wait(t, m)
	if a.got.Verdict != engine.Deny {
		t.Errorf("%+v", a.got)
	}
	if err := m.Answer(c.ID, "yes"); err == nil {
		t.Error("an answer after the turn was taken")
	}
}

func TestConchNeverPicksAnAlways(t *testing.T) { // R-69-54, R-69-56, checklist 16
	_, work := tree(t)
	only := []engine.PermissionOption{{ID: "a", Name: "Always", Kind: engine.AllowAlways}, {ID: "r", Name: "Never", Kind: engine.RejectAlways}}
	read := engine.Permission{ToolUseID: "1", Tool: "Read", Kind: engine.KindRead, Paths: []string{"a.go"}, Options: only}
	run := func(t *testing.T, mode engine.Mode, unattended bool, p engine.Permission) (*asking, *Manager) {
		a := newAsking(p)
		r := newRoom(t)
		r.folder = work
		d := r.deps(a)
		d.DefaultMode, d.Unattended, d.Allow = mode, unattended, []string{"read"}
		m := r.with(d)
		must(t, m.Send(Message{Text: "go"}))
		return a, m
	}
	t.Run("the person is asked", func(t *testing.T) {
		a, m := run(t, engine.ModeAutoRead, false, read)
		c := waitCard(t, m)
		if c.Why != "codex offers no way to allow this once" {
			t.Errorf("why: %q", c.Why)
		}
		must(t, m.Answer(c.ID, ""))
		wait(t, m)
		if a.got.Verdict != engine.Cancelled || a.got.OptionID != "" { // R-69-58: no reject_once
			t.Errorf("%+v", a.got)
		}
	})
	for name, mode := range map[string]engine.Mode{"in plan mode": engine.ModePlan, "unattended": engine.ModeAutoRead} {
		t.Run("declined "+name, func(t *testing.T) {
			a, m := run(t, mode, name == "unattended", read)
			wait(t, m)
			if a.got.Verdict == engine.Allow || a.got.OptionID != "" {
				t.Errorf("%+v", a.got)
			}
		})
	}
}

func TestARequestWithoutAClearAnswerIsCancelledAndSaid(t *testing.T) { // R-69-56
	twice := []engine.PermissionOption{{ID: "x", Name: "Yes", Kind: engine.AllowOnce}, {ID: "x", Name: "No", Kind: engine.RejectOnce}}
	nameless := []engine.PermissionOption{{ID: "", Name: "Yes", Kind: engine.AllowOnce}}
	many := make([]engine.PermissionOption, 1000)
	for name, options := range map[string][]engine.PermissionOption{"none": nil, "two of one id": twice, "no id": nameless, "too many": many} {
		t.Run(name, func(t *testing.T) {
			p := push()
			p.Options = options
			a := newAsking(p)
			m := newRoom(t).chat(a)
			say(t, m, "push it")
			if a.got.Verdict != engine.Cancelled || a.got.OptionID != "" {
				t.Errorf("%+v", a.got)
			}
			if n := one[chats.Notice](t, logged(t, m)); !strings.HasPrefix(n.Message, "codex asked with") {
				t.Errorf("said %q", n.Message)
			}
			if got := one[chats.PermissionResolved](t, logged(t, m)); got.Decision != "cancelled" {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestAnOptionOfAnUnknownKindIsShownAndOnlyThePersonPicksIt(t *testing.T) {
	p := push()
	p.Options = []engine.PermissionOption{
		{ID: "far", Name: "For this folder", Kind: engine.AllowAlways}, {ID: "odd", Name: "Teleport", Kind: "allow_sometimes"}, {ID: "yes", Name: "Yes", Kind: engine.AllowOnce},
	}
	a := newAsking(p)
	m := newRoom(t).chat(a)
	must(t, m.Send(Message{Text: "go"}))
	c := waitCard(t, m)
	if got := c.Permission.Options; got[0].ID != "yes" || got[1].ID != "odd" || got[2].ID != "far" {
		t.Errorf("%+v", got)
	}
	must(t, m.Answer(c.ID, "odd"))
	wait(t, m)
	if a.got.OptionID != "odd" || a.got.Reason != "you chose Teleport" {
		t.Errorf("%+v", a.got)
	}
}

func TestWhatTheModeDecidesIsInTheLogAndNeverOnACard(t *testing.T) {
	for _, test := range []struct {
		mode     engine.Mode
		p        engine.Permission
		decision string
		by, why  string
		notice   string
	}{
		{engine.ModeAutoRead, engine.Permission{Kind: engine.KindRead, Paths: []string{"a.go"}}, "allow", "mode", "auto-read allows reading in the working folder", ""},
		{engine.ModeAutoEdit, engine.Permission{Kind: engine.KindEdit, Paths: []string{"new.go"}}, "allow", "mode", "auto-edit allows changing files in the working folder", ""},
		{engine.ModePlan, engine.Permission{Kind: engine.KindExecute, Subject: "rm -r x"}, "deny", "mode", "plan mode runs nothing", ""},
		{engine.ModePlan, engine.Permission{Kind: engine.KindEdit, Paths: []string{"a.go"}}, "deny", "mode", "plan mode changes nothing", ""},
		{engine.ModeAutoEdit, engine.Permission{Kind: engine.KindEdit, Paths: []string{"HOME/config.toml"}}, "deny", "protected", "Conch's own files are out of reach", "codex wanted to change this in Conch's own files: it was declined"},
	} {
		r := newRoom(t)
		must(t, os.WriteFile(filepath.Join(r.folder, "a.go"), nil, 0o600))
		p := test.p
		p.ToolUseID, p.Tool, p.Options = "1", "Tool", usual()
		for i, path := range p.Paths {
			p.Paths[i] = strings.Replace(path, "HOME", r.home, 1)
		}
		a := newAsking(p)
		d := r.deps(a)
		d.DefaultMode = test.mode
		m := r.with(d)
		say(t, m, "go")
		got := one[chats.PermissionResolved](t, logged(t, m))
		if got.Decision != test.decision || got.By != test.by || got.Why != test.why {
			t.Errorf("%s: %+v", test.mode, got)
		}
		if test.decision == "allow" && a.got.OptionID != "yes" || test.decision == "deny" && a.got.OptionID != "no" {
			t.Errorf("%s: picked %+v", test.mode, a.got)
		}
		if len(all[chats.PermissionRequested](logged(t, m))) != 1 {
			t.Error("the request is not in the log")
		}
		var said string
		for _, n := range all[chats.Notice](logged(t, m)) {
			said += n.Message
		}
		if said != test.notice {
			t.Errorf("said %q, not %q", said, test.notice)
		}
	}
}

func TestStopAnswersEveryWaitingCardAsCancelled(t *testing.T) { // R-69-58
	e := &scripted{id: "codex"}
	got := make(chan engine.Decision, 4)
	e.play = func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		for _, id := range []string{"1", "2"} {
			p := push()
			p.ToolUseID = id
			s.Emit(engine.ToolStart{ToolUseID: id, Name: "Bash", Subject: p.Subject})
			go func() { got <- s.Ask(context.Background(), p) }()
		}
		<-ctx.Done()
		got <- s.Ask(context.Background(), push()) // asked after the cancel: never shown
		return engine.Result{Outcome: engine.Interrupted, Accepted: true}
	}
	m := newRoom(t).chat(e)
	must(t, m.Send(Message{Text: "go"}))
	until(t, m, "two cards", func(s Status) bool { return len(s.Cards) == 2 })
	m.Stop()
	if s := m.Status(); len(s.Cards) != 0 || !s.Stopping && s.Running {
		t.Errorf("after Stop: %d cards, stopping %v", len(s.Cards), s.Stopping)
	}
	wait(t, m)
	for range 3 {
		if d := <-got; d.Verdict != engine.Cancelled || d.OptionID != "" {
			t.Errorf("%+v", d)
		}
	}
	for _, f := range all[chats.ToolFinished](logged(t, m)) {
		if f.Status != "not-run" || f.Reason != "stopped before it ran" {
			t.Errorf("the row is %+v", f)
		}
	}
	resolved := all[chats.PermissionResolved](logged(t, m))
	if len(resolved) != 3 {
		t.Errorf("%d answers in the log", len(resolved))
	}
	for _, r := range resolved {
		if r.Decision != "cancelled" || r.By != "stop" {
			t.Errorf("%+v", r)
		}
	}
	must(t, m.Send(Message{Text: "again"}))
	m.Stop()
	wait(t, m)
}

func TestACardGoesWhenItsTurnEndsOrItsRequestIsTakenBack(t *testing.T) {
	t.Run("the turn ends", func(t *testing.T) {
		e := &scripted{id: "codex"}
		got := make(chan engine.Decision, 1)
		shown := make(chan struct{})
		e.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
			go func() { got <- s.Ask(context.Background(), push()) }()
			<-shown
			return good
		}
		m := newRoom(t).chat(e)
		must(t, m.Send(Message{Text: "go"}))
		waitCard(t, m)
		close(shown)
		wait(t, m)
		if d := <-got; d.Verdict != engine.Cancelled {
			t.Errorf("%+v", d)
		}
		if len(m.Status().Cards) != 0 {
			t.Error("the card stays")
		}
	})
	t.Run("the request is taken back", func(t *testing.T) {
		e := &scripted{id: "codex"}
		back := make(chan struct{})
		e.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
			ctx, cancel := context.WithCancel(context.Background())
			go func() { <-back; cancel() }()
			if d := s.Ask(ctx, push()); d.Verdict != engine.Cancelled {
				t.Errorf("%+v", d)
			}
			return good
		}
		m := newRoom(t).chat(e)
		must(t, m.Send(Message{Text: "go"}))
		waitCard(t, m)
		close(back)
		wait(t, m)
		if len(m.Status().Cards) != 0 {
			t.Error("the card stays")
		}
	})
}

func TestAStricterModeHoldsAtOnceALaxerOneWithTheNextMessage(t *testing.T) {
	h := newHold("codex")
	r := newRoom(t)
	must(t, os.WriteFile(filepath.Join(r.folder, "a.go"), nil, 0o600))
	m := r.chat(h)
	read := engine.Permission{ToolUseID: "1", Kind: engine.KindRead, Paths: []string{"a.go"}, Options: usual()}
	edit := engine.Permission{ToolUseID: "2", Kind: engine.KindEdit, Paths: []string{"a.go"}, Options: usual()}
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	if d := s.Ask(context.Background(), read); d.Verdict != engine.Allow {
		t.Errorf("auto-read: %+v", d)
	}
	must(t, m.SetMode(engine.ModeAutoEdit))
	if got := m.Status().Pending; got != "from the next message on auto-edit holds" {
		t.Errorf("pending: %q", got)
	}
	asked := make(chan engine.Decision)
	go func() { asked <- s.Ask(context.Background(), edit) }()
	must(t, m.Answer(waitCard(t, m).ID, "no"))
	<-asked
	must(t, m.SetMode(engine.ModePlan))
	if got := m.Status().Pending; got != "" {
		t.Errorf("pending: %q", got)
	}
	if d := s.Ask(context.Background(), edit); d.Verdict != engine.Deny || d.Reason != "plan mode changes nothing" {
		t.Errorf("plan: %+v", d)
	}
	h.end <- good
	wait(t, m)
}

func TestTheProgramMayAskBeforeItShowsTheCall(t *testing.T) {
	for pick, want := range map[string]string{"yes": "success", "no": "not-run"} {
		e := &scripted{id: "gemini-cli"}
		e.play = func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
			s.Ask(ctx, push())
			s.Emit(engine.ToolStart{ToolUseID: "t1", Name: "Bash", Subject: "git push origin main"})
			s.Emit(engine.ToolUpdate{ToolUseID: "t1", Output: "pushed"})
			s.Emit(engine.ToolEnd{ToolUseID: "t1", Status: engine.ToolSuccess})
			return good
		}
		m := newRoom(t).chat(e)
		must(t, m.Send(Message{Text: "go"}))
		must(t, m.Answer(waitCard(t, m).ID, pick))
		wait(t, m)
		start, end := one[chats.ToolStarted](t, logged(t, m)), one[chats.ToolFinished](t, logged(t, m))
		asked := one[chats.PermissionRequested](t, logged(t, m))
		if start.ToolUseID != end.ToolUseID || asked.ToolUseID != start.ToolUseID || end.Status != want {
			t.Errorf("%s: start %+v, end %+v, asked for %s", pick, start, end, asked.ToolUseID)
		}
		if want == "not-run" && (end.Output != "" || end.Reason != "you said no") {
			t.Errorf("%+v", end)
		}
	}
}

func TestAFloodOfRequestsEnds(t *testing.T) {
	e := &scripted{id: "codex"}
	e.play = func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		for range maxAsked + 50 {
			s.Ask(ctx, push())
		}
		return good
	}
	r := newRoom(t)
	d := r.deps(e)
	d.DefaultMode = engine.ModePlan
	m := r.with(d)
	say(t, m, "go")
	if got := len(all[chats.PermissionRequested](logged(t, m))); got != maxAsked || m.Status().Dropped != 50 {
		t.Errorf("%d requests in the log, %d counted", got, m.Status().Dropped)
	}
}

func TestACommandTooLongToShowIsNotAskedFor(t *testing.T) {
	p := push()
	p.Subject = strings.Repeat("x", maxCommand+1)
	a := newAsking(p)
	m := newRoom(t).chat(a)
	say(t, m, "go")
	if a.got.Verdict != engine.Cancelled {
		t.Errorf("%+v", a.got)
	}
}

func TestWaitingForThePersonIsNoPartOfAStepsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &scripted{id: "codex"}
		e.play = func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
			s.Emit(engine.ToolStart{ToolUseID: "t1", Name: "Bash", Subject: "x"})
			time.Sleep(time.Second)
			s.Ask(ctx, push())
			time.Sleep(2 * time.Second)
			s.Emit(engine.ToolEnd{ToolUseID: "t1", Status: engine.ToolSuccess})
			return good
		}
		m := newRoom(t).chat(e)
		must(t, m.Send(Message{Text: "go"}))
		time.Sleep(time.Minute)
		synctest.Wait()
		must(t, m.Answer(m.Status().Cards[0].ID, "yes"))
		must(t, m.Wait(context.Background()))
		if got := one[chats.ToolFinished](t, logged(t, m)).DurationMs; got != 3000 {
			t.Errorf("%d ms", got)
		}
		must(t, m.Close())
	})
}

func TestQuestions(t *testing.T) {
	q := engine.Question{ID: "q", Title: "Which branch?", Fields: []engine.Field{
		{Name: "branch", Label: "Branch", Kind: "choice", Required: true, Options: []engine.Choice{{ID: "main"}, {ID: "dev"}}},
		{Name: "also", Label: "Also", Kind: "choices", Options: []engine.Choice{{ID: "a"}, {ID: "b"}}},
	}}
	begin := func(t *testing.T, unattended bool) (*Manager, chan engine.Answer) {
		got := make(chan engine.Answer, 1)
		e := &scripted{id: "codex"}
		e.play = func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
			got <- s.Question(ctx, q)
			if ctx.Err() != nil {
				return engine.Result{Outcome: engine.Interrupted}
			}
			return good
		}
		r := newRoom(t)
		d := r.deps(e)
		d.Unattended = unattended
		m := r.with(d)
		must(t, m.Send(Message{Text: "go"}))
		return m, got
	}
	t.Run("answered", func(t *testing.T) {
		m, got := begin(t, false)
		c := waitCard(t, m)
		for _, wrong := range []map[string]any{nil, {"branch": ""}, {"branch": "prod"}, {"branch": 7}, {"branch": "dev", "also": []string{"c"}}} {
			if err := m.AnswerQuestion(c.ID, engine.Answer{Values: wrong}); err == nil {
				t.Errorf("%v was taken", wrong)
			}
		}
		if err := m.Answer(c.ID, ""); err == nil {
			t.Error("a question was answered as a permission")
		}
		values := map[string]any{"branch": "dev", "also": []string{"a"}}
		must(t, m.AnswerQuestion(c.ID, engine.Answer{Values: values}))
		wait(t, m)
		if a := <-got; a.Values["branch"] != "dev" {
			t.Errorf("%+v", a)
		}
		asked, said := one[chats.Question](t, logged(t, m)), one[chats.QuestionAnswered](t, logged(t, m))
		if asked.QuestionID != said.QuestionID || said.Answer == nil || said.Answer.Values["branch"] != "dev" {
			t.Errorf("%+v, %+v", asked, said)
		}
	})
	t.Run("skipped", func(t *testing.T) {
		m, got := begin(t, false)
		must(t, m.AnswerQuestion(waitCard(t, m).ID, engine.Answer{Skipped: true}))
		wait(t, m)
		if a := <-got; !a.Skipped {
			t.Errorf("%+v", a)
		}
		if said := one[chats.QuestionAnswered](t, logged(t, m)); said.Answer != nil {
			t.Errorf("%+v", said)
		}
	})
	t.Run("stopped", func(t *testing.T) {
		m, got := begin(t, false)
		waitCard(t, m)
		m.Stop()
		wait(t, m)
		if a := <-got; !a.Cancelled {
			t.Errorf("%+v", a)
		}
	})
	t.Run("nobody is there", func(t *testing.T) {
		m, got := begin(t, true)
		wait(t, m)
		if a := <-got; !a.Skipped {
			t.Errorf("%+v", a)
		}
		if n := one[chats.Notice](t, logged(t, m)); n.Code != "nobody-asked" {
			t.Errorf("%+v", n)
		}
	})
}
