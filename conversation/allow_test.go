package conversation

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"conch/chats"
	"conch/engine"
	"conch/tools"
)

// acting is an engine that calls a tool of an app as often as it is told, and keeps
// what was decided.
func acting(p engine.Permission, times int, got *[]engine.Decision) (*scripted, func(tools.Turn) AppTools) {
	e := calling(func(_ context.Context, call func(name, args string) string, _ engine.Sink) {
		for range times {
			call("act", `{}`)
		}
	})
	return e, func(t tools.Turn) AppTools {
		return AppTools{Tools: []engine.Tool{stub{"act", func(ctx context.Context, _ json.RawMessage) (engine.ToolResult, error) {
			*got = append(*got, t.Ask(ctx, p))
			return engine.ToolResult{Text: "done"}, nil
		}}}}
	}
}

func TestATemporaryYesAndOneForTheChat(t *testing.T) {
	send := engine.Permission{Tool: "mcp__ledger__send_reminder", Kind: engine.KindOther, App: "ledger", Subject: "Globex"}
	var got []engine.Decision
	e, apps := acting(send, 2, &got)
	r := newRoom(t)
	d := r.deps(e)
	d.Apps = func(_ context.Context, t tools.Turn) AppTools { return apps(t) }
	m := r.with(d)
	must(t, m.Send(Message{Text: "remind them"}))
	first := until(t, m, "a card", func(s Status) bool { return len(s.Cards) == 1 }).Cards[0]
	var names []string
	for _, o := range first.Permission.Options {
		names = append(names, o.Name)
	}
	if strings.Join(names, ", ") != "Allow once, Decline, Allow in this chat" {
		t.Errorf("the answers: %v", names)
	}
	must(t, m.Answer(first.ID, "allow"))
	second := until(t, m, "a second card", func(s Status) bool { return len(s.Cards) == 1 && s.Cards[0].ID != first.ID }).Cards[0]
	must(t, m.Answer(second.ID, allowInChat))
	wait(t, m)
	say(t, m, "and once more") // nothing asks
	if len(got) != 4 || got[3].Verdict != engine.Allow || got[3].Reason != "you allowed it in this chat" {
		t.Errorf("decided: %+v", got)
	}
}

func TestNoYesForTheChatHoldsOnceItHasReadFromOutside(t *testing.T) { // R-102-32
	send := engine.Permission{Tool: "mcp__ledger__send_reminder", Kind: engine.KindOther, App: "ledger"}
	var got []engine.Decision
	e, apps := acting(send, 1, &got)
	r := newRoom(t)
	d := r.deps(e)
	taint := false
	d.Apps = func(_ context.Context, t tools.Turn) AppTools {
		if taint {
			t.Taint("", chats.TaintSource{Kind: "web", Label: "example.com"})
		}
		return apps(t)
	}
	m := r.with(d)
	must(t, m.Send(Message{Text: "remind them"}))
	first := until(t, m, "a card", func(s Status) bool { return len(s.Cards) == 1 }).Cards[0]
	must(t, m.Answer(first.ID, allowInChat))
	wait(t, m)
	taint = true
	must(t, m.Send(Message{Text: "again"}))
	second := until(t, m, "a card again", func(s Status) bool { return len(s.Cards) == 1 }).Cards[0]
	for _, o := range second.Permission.Options {
		if o.Kind == engine.AllowAlways {
			t.Errorf("it offers %q in a chat that has read from outside", o.Name)
		}
	}
	if !strings.Contains(second.Why, "this chat has read from example.com") {
		t.Errorf("the card says %q", second.Why)
	}
	must(t, m.Answer(second.ID, ""))
	wait(t, m)
}

func TestWhatAModeSaysOfAnAppsCall(t *testing.T) {
	read := engine.Permission{Tool: "mcp__ledger__find", Kind: engine.KindRead, App: "ledger"}
	write := engine.Permission{Tool: "mcp__ledger__pay", Kind: engine.KindOther, App: "ledger"}
	own := read
	own.Own = true
	fromLedger, fromWeb := []string{chats.AppTaint("ledger").Label}, []string{"example.com"}
	for name, test := range map[string]struct {
		p       engine.Permission
		mode    engine.Mode
		taints  []string
		verdict engine.Verdict // "" is the person's
	}{
		"ask puts reads too":               {read, engine.ModeAsk, nil, ""},
		"auto-read reads":                  {read, engine.ModeAutoRead, nil, engine.Allow},
		"auto-read does not write":         {write, engine.ModeAutoRead, nil, ""},
		"auto-edit does not write":         {write, engine.ModeAutoEdit, nil, ""},
		"plan reads":                       {read, engine.ModePlan, nil, engine.Allow},
		"plan does not write":              {write, engine.ModePlan, nil, engine.Deny},
		"what it gave may go back to it":   {read, engine.ModeAutoRead, fromLedger, engine.Allow},
		"what another gave may not":        {read, engine.ModeAutoRead, fromWeb, ""},
		"to the person's own app it may":   {own, engine.ModeAutoRead, fromWeb, engine.Allow},
		"plan denies what a taint carries": {write, engine.ModePlan, fromWeb, engine.Deny},
	} {
		r := rules{who: "codex", cwd: t.TempDir(), mode: test.mode, taints: test.taints}
		if got := r.judge(test.p); got.verdict != test.verdict {
			t.Errorf("%s: %q (%s)", name, got.verdict, got.why)
		}
	}
}
