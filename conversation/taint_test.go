package conversation

import (
	"context"
	"slices"
	"strings"
	"testing"

	"conch/chats"
	"conch/engine"
	"conch/tools"
)

func TestAChatThatReadFromOutsideAsksWhateverTheMode(t *testing.T) { // R-111-54
	_, work := tree(t)
	const ask, allow, deny = engine.Verdict(""), engine.Allow, engine.Deny
	for _, test := range []struct {
		name    string
		p       engine.Permission
		mode    engine.Mode
		flags   []string
		want    engine.Verdict // attended
		alone   engine.Verdict // conch -p
		tainted bool           // the card says what was read
	}{
		{"a command", engine.Permission{Kind: engine.KindExecute, Subject: "make"}, engine.ModeAutoEdit, []string{"bash"}, ask, deny, true},
		{"a change in the folder", engine.Permission{Kind: engine.KindEdit, Paths: []string{"a.go"}}, engine.ModeAutoEdit, nil, allow, allow, false},
		{"a change outside", engine.Permission{Kind: engine.KindEdit, Paths: []string{"../x"}}, engine.ModeAutoEdit, []string{"edit"}, ask, deny, true},
		{"reading in the folder", engine.Permission{Kind: engine.KindRead, Paths: []string{"a.go"}}, engine.ModeAutoRead, nil, allow, allow, false},
		{"an address", engine.Permission{Kind: engine.KindFetch, Subject: "https://go.dev/doc/effective_go"}, engine.ModeAutoEdit, []string{"fetch"}, ask, allow, false},
		{"an address that takes data along", engine.Permission{Kind: engine.KindFetch, Subject: "https://evil.example/?d=" + strings.Repeat("x", 80)}, engine.ModeAutoEdit, []string{"fetch"}, ask, deny, true},
		{"a tool that nobody knows", engine.Permission{Kind: engine.KindOther}, engine.ModeAutoEdit, nil, ask, deny, true},
		{"plan mode stays strict", engine.Permission{Kind: engine.KindExecute, Subject: "make"}, engine.ModePlan, []string{"bash"}, deny, deny, false},
	} {
		r := rules{who: "codex", cwd: work, mode: test.mode, taints: []string{"Claude Code, in shop"}, allow: test.flags}
		got := r.judge(test.p)
		if got.verdict != test.want || got.tainted != test.tainted {
			t.Errorf("%s: %+v", test.name, got)
		}
		if says := strings.Contains(got.why, "this chat has read from Claude Code, in shop"); says != test.tainted {
			t.Errorf("%s: the card says %q", test.name, got.why)
		}
		r.unattended = true
		if got := r.judge(test.p); got.verdict != test.alone {
			t.Errorf("%s, with nobody there: %+v", test.name, got)
		}
	}
}

func TestAnAddressThatCouldTakeDataAlong(t *testing.T) {
	for address, want := range map[string]bool{
		"https://go.dev/doc":                                                            false,
		"https://go.dev/ref/spec#Method_declarations":                                   false,
		"https://docs.example.com/a/b/c?page=2&sort=up":                                 false,
		"https://evil.example/?q=" + strings.Repeat("word+", 20):                        true,
		"https://evil.example/p/" + strings.Repeat("QUJD", 12):                          true,
		"https://" + strings.Repeat("ab", 20) + ".evil.example/":                        true,
		"https://key:word@evil.example/":                                                true,
		"https://evil.example/#" + strings.Repeat("z", 70):                              true,
		"fetch https://go.dev/doc and https://evil.example/?" + strings.Repeat("a", 70): true,
		"":         true, // what is no address is not trusted
		"see docs": true,
	} {
		if got := takesAlong(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}

func TestTheCardOfATaintedChatOffersNothingForGood(t *testing.T) {
	r := newRoom(t)
	e := newAsking(push())
	log := r.store.Create(r.folder, "main")
	if _, err := log.Append("", chats.Taint{Source: chats.TaintSource{Kind: TaintApp, Label: "Gemini CLI, in \x1b[31mnotes"}}); err != nil {
		t.Fatal(err)
	}
	m := r.manage(log, r.deps(e))
	must(t, m.Send(Message{Text: "push it"}))
	card := waitCard(t, m)
	if !strings.Contains(card.Why, "this chat has read from Gemini CLI, in ") || strings.ContainsRune(card.Why, '\x1b') {
		t.Errorf("why: %q", card.Why)
	}
	if slices.ContainsFunc(card.Permission.Options, func(o engine.PermissionOption) bool { return o.Kind == engine.AllowAlways }) {
		t.Errorf("it may be allowed for good: %+v", card.Permission.Options)
	}
	must(t, m.Answer(card.ID, "yes"))
	wait(t, m)
	asked := one[chats.PermissionRequested](t, logged(t, m))
	if !asked.Once || !strings.Contains(asked.Taint, "Gemini CLI") || e.got.Verdict != engine.Allow {
		t.Errorf("asked %+v, answered %+v", asked, e.got)
	}
}

func TestATaintIsRememberedWhenTheChatIsOpenedAgain(t *testing.T) {
	r := newRoom(t)
	log := r.store.Create(r.folder, "main")
	for range 3 {
		if _, err := log.Append("", chats.Taint{Source: chats.TaintSource{Kind: TaintApp, Label: "Codex, in shop"}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := log.Append("", chats.UserMessage{MessageID: "m", Text: strings.Repeat("long ", 200_000)}); err != nil {
		t.Fatal(err)
	}
	must(t, log.Close())
	e := newAsking(push())
	m := r.again(log.ID(), r.deps(e))
	must(t, m.Send(Message{Text: "push it"}))
	if card := waitCard(t, m); !strings.Contains(card.Why, "read from Codex, in shop") {
		t.Errorf("why: %q", card.Why)
	}
	m.Stop()
	wait(t, m)
}

func TestAModeThatAsksForNothingIsNotForATaintedChat(t *testing.T) {
	r := newRoom(t)
	e := answering("codex", "hi")
	e.play = func(_ context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Offers{Modes: []engine.Choice{{ID: "default"}, {ID: "yolo", AsksNothing: true}}})
		return good
	}
	m := r.chat(e)
	say(t, m, "hello")
	wait(t, m)
	must(t, m.SetNativeMode("yolo"))
	must(t, m.SetNativeMode("default"))
	m.record("", chats.Taint{Source: chats.TaintSource{Kind: TaintApp, Label: "Codex"}})
	if err := m.SetNativeMode("yolo"); err == nil || !strings.Contains(err.Error(), "read from Codex") {
		t.Errorf("it was taken: %v", err)
	}
	must(t, m.SetNativeMode("default"))
}

// careful is an engine that goes back to asking when it is told to.
type careful struct {
	*hold
	can   bool
	asked chan struct{}
}

func (e *careful) AskAgain(context.Context, string) bool {
	e.asked <- struct{}{}
	return e.can
}

func TestAModeThatAsksForNothingIsLeftWhenTheChatReadsFromOutside(t *testing.T) { // R-111-54
	free := engine.Offers{Modes: []engine.Choice{{ID: "default"}, {ID: "free", AsksNothing: true}}, Mode: "default"}
	for _, c := range []struct {
		name       string
		can, stops bool
	}{{"it asks again", true, false}, {"it can't be told to", false, true}} {
		t.Run(c.name, func(t *testing.T) {
			a := &careful{hold: newHold("a"), can: c.can, asked: make(chan struct{}, 10)}
			r := newRoom(t)
			var turn tools.Turn
			d := r.deps(a)
			d.Tools = func(tt tools.Turn) []engine.Tool { turn = tt; return nil }
			m := r.with(d)
			must(t, m.SetNativeMode("free"))
			must(t, m.Send(Message{Text: "go"}))
			s := <-a.begun
			s.Emit(free)
			turn.Taint("", chats.TaintSource{Kind: "app", Label: "Claude Code, in shop"})
			if len(a.asked) != 1 {
				t.Fatalf("it was told %d times when the words were read", len(a.asked))
			}
			if !c.stops {
				turn.Taint("", chats.TaintSource{Kind: "app", Label: "Claude Code, in shop"})
				a.end <- good
			}
			wait(t, m)
			if len(a.asked) != 1 {
				t.Errorf("it was told again")
			}
			events := logged(t, m)
			if got := one[chats.TurnCompleted](t, events).Outcome; (got == "interrupted") != c.stops {
				t.Errorf("the turn ended as %s", got)
			}
			if got := all[chats.Notice](events); len(got) != 1 || !strings.Contains(got[0].Message, "Claude Code, in shop") {
				t.Errorf("said %+v", got)
			}
			if m.Status().NativeChosen {
				t.Error("the mode is still chosen")
			}
			for _, mode := range []string{"free", "unlisted"} {
				if m.SetNativeMode(mode) == nil {
					t.Errorf("%s may be chosen", mode)
				}
			}
			must(t, m.SetNativeMode("default"))
		})
	}
}

func TestAProviderThatMovesItselfToAskingForNothingIsBroughtBack(t *testing.T) {
	a := &careful{hold: newHold("a"), can: true, asked: make(chan struct{}, 10)}
	r := newRoom(t)
	var turn tools.Turn
	d := r.deps(a)
	d.Tools = func(tt tools.Turn) []engine.Tool { turn = tt; return nil }
	m := r.with(d)
	must(t, m.Send(Message{Text: "go"}))
	s := <-a.begun
	turn.Taint("", chats.TaintSource{Kind: "app", Label: "shop"})
	if len(a.asked) != 0 {
		t.Error("it asked already")
	}
	modes := []engine.Choice{{ID: "default"}, {ID: "free", AsksNothing: true}}
	s.Emit(engine.Offers{Modes: modes, Mode: "free"})
	<-a.asked
	s.Emit(engine.Offers{Modes: modes, Mode: "default"})
	a.end <- good
	wait(t, m)
	if got := one[chats.TurnCompleted](t, logged(t, m)).Outcome; got != "success" {
		t.Errorf("the turn ended as %s", got)
	}
}
