package conversation

import (
	"context"
	"strings"
	"testing"

	"conch/engine"
)

func TestOneEffectInTwoSpellings(t *testing.T) { // R-102-10
	const cwd = "/code/shop"
	run := func(command string) engine.Permission {
		return engine.Permission{Kind: engine.KindExecute, Tool: "Bash", Subject: command}
	}
	edit := func(path string) engine.Permission {
		return engine.Permission{Kind: engine.KindEdit, Tool: "Edit", Subject: path, Paths: []string{path}}
	}
	fetch := func(address string) engine.Permission {
		return engine.Permission{Kind: engine.KindFetch, Tool: "WebFetch", Subject: address}
	}
	app := func(tool, subject string) engine.Permission {
		return engine.Permission{Kind: engine.KindOther, Tool: tool, App: "ledger", Subject: subject}
	}
	for name, test := range map[string]struct {
		no, then engine.Permission
		same     bool
	}{
		"flags":                     {run("rm -rf build"), run("rm -r -f ./build/"), true},
		"a shell around it":         {run("rm -rf build"), run(`bash -c "cd /code/shop && rm -rf /code/shop/build"`), true},
		"more of it":                {run("git push"), run("git push --force origin main"), true},
		"another command":           {run("rm -rf build"), run("rm -rf dist"), false},
		"another program":           {run("git push origin main"), run("git pull origin main"), false},
		"an edit, then a command":   {edit("/code/shop/main.go"), run("sed -i s/a/b/ main.go"), true},
		"a command, then an edit":   {run("echo x > notes/todo.md"), edit("notes/todo.md"), true},
		"an edit of another file":   {edit("main.go"), edit("/code/shop/cmd/main.go"), false},
		"the same file":             {edit("main.go"), edit("/code/shop/./main.go"), true},
		"an address, another query": {fetch("https://example.com/a?x=1"), fetch("https://EXAMPLE.com/a/"), true},
		"another page":              {fetch("https://example.com/a"), fetch("https://example.com/b"), false},
		"an app's tool":             {app("mcp__ledger__send_reminder", "Globex"), app("mcp__ledger__send_reminder", "globex"), true},
		"an app's other tool":       {app("mcp__ledger__send_reminder", "Globex"), app("mcp__ledger__record_payment", "Globex"), false},
		"a read is nothing done":    {engine.Permission{Kind: engine.KindRead, Paths: []string{"a"}}, engine.Permission{Kind: engine.KindRead, Paths: []string{"a"}}, false},
	} {
		if got := effectOf(cwd, test.then).same(effectOf(cwd, test.no)); got != test.same {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestANoIsNotWorkedAround(t *testing.T) { // R-102-10
	options := []engine.PermissionOption{{ID: "y", Name: "Allow", Kind: engine.AllowOnce}, {ID: "n", Name: "No", Kind: engine.RejectOnce}}
	asks := []engine.Permission{
		{ToolUseID: "1", Tool: "Bash", Kind: engine.KindExecute, Subject: "echo x > notes.md", Options: options},
		{ToolUseID: "2", Tool: "Edit", Kind: engine.KindEdit, Subject: "notes.md", Paths: []string{"notes.md"}, Options: options},
		{ToolUseID: "3", Tool: "Edit", Kind: engine.KindEdit, Subject: "notes.md", Paths: []string{"notes.md"}, Options: options},
	}
	var got []engine.Decision
	e := &scripted{id: "codex", is: engine.Ready, play: func(ctx context.Context, _ engine.TurnInput, s engine.Sink) engine.Result {
		s.Emit(engine.Session{ResumeID: "s"})
		for _, p := range asks {
			got = append(got, s.Ask(ctx, p))
		}
		return good
	}}
	m := newRoom(t).chat(e)
	must(t, m.SetMode(engine.ModeAutoEdit))
	must(t, m.Send(Message{Text: "go"}))
	first := until(t, m, "a card", func(s Status) bool { return len(s.Cards) == 1 })
	must(t, m.Answer(first.Cards[0].ID, "n"))
	// auto-edit would let the edit through: it is the same in another spelling.
	second := until(t, m, "a second card", func(s Status) bool { return len(s.Cards) == 1 && s.Cards[0].ID != first.Cards[0].ID })
	if why := second.Cards[0].Why; !strings.Contains(why, "you said no to echo x > notes.md before") {
		t.Errorf("the second card says %q", why)
	}
	must(t, m.Answer(second.Cards[0].ID, "y")) // which takes the no back
	wait(t, m)
	if len(got) != 3 || got[0].Verdict != engine.Deny || got[1].Verdict != engine.Allow || got[2].Verdict != engine.Allow {
		t.Errorf("decided: %+v", got)
	}
}
