package conversation

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"conch/engine"
	"conch/tools"
)

func TestTheModeTable(t *testing.T) { // R-69-55, checklist 16 and 21; R-102-9
	base, work := tree(t)
	home := filepath.Join(base, ".conch")
	const ask, allow, deny = engine.Verdict(""), engine.Allow, engine.Deny
	type row struct {
		kind  engine.ToolKind
		paths []string
		plan  engine.Verdict
		ask   engine.Verdict
		read  engine.Verdict // auto-read
		edit  engine.Verdict // auto-edit
	}
	in, out := []string{"a.go"}, []string{"../other/secret"}
	for _, r := range []row{
		{engine.KindRead, in, allow, ask, allow, allow},
		{engine.KindRead, out, deny, ask, ask, ask},
		{engine.KindRead, nil, deny, ask, ask, ask},
		{engine.KindRead, []string{"a.go", "out/secret"}, deny, ask, ask, ask},
		{engine.KindRead, []string{"new.go"}, deny, ask, ask, ask},
		{engine.KindSearch, []string{"."}, allow, ask, allow, allow},
		{engine.KindSearch, []string{"/"}, deny, ask, ask, ask},
		{engine.KindSearch, nil, deny, ask, ask, ask},
		{engine.KindEdit, in, deny, ask, ask, allow},
		{engine.KindEdit, []string{"sub/new.go"}, deny, ask, ask, allow},
		{engine.KindEdit, out, deny, ask, ask, ask},
		{engine.KindEdit, []string{"gone"}, deny, ask, ask, ask},
		{engine.KindEdit, nil, deny, ask, ask, ask},
		{engine.KindDelete, in, deny, ask, ask, ask},
		{engine.KindMove, in, deny, ask, ask, ask},
		{engine.KindExecute, nil, deny, ask, ask, ask},
		{engine.KindExecute, in, deny, ask, ask, ask},
		{engine.KindFetch, nil, deny, ask, ask, ask},
		{engine.KindThink, nil, deny, ask, ask, ask},
		{engine.KindOther, in, deny, ask, ask, ask},
		{"", in, deny, ask, ask, ask},
		{"root-me", in, deny, ask, ask, ask},
		// Conch's own home, whatever the mode.
		{engine.KindRead, []string{home}, deny, deny, deny, deny},
		{engine.KindRead, []string{"home/config.toml"}, deny, deny, deny, deny},
		{engine.KindEdit, []string{"a.go", filepath.Join(home, "x")}, deny, deny, deny, deny},
		{engine.KindDelete, []string{".."}, deny, deny, deny, deny},
	} {
		for mode, want := range map[engine.Mode]engine.Verdict{
			engine.ModePlan: r.plan, engine.ModeAsk: r.ask, engine.ModeAutoRead: r.read, engine.ModeAutoEdit: r.edit,
			"yolo": r.plan, // what nobody knows is the strictest
		} {
			rules := rules{who: "codex", cwd: work, protected: []string{home}, mode: mode}
			got := rules.judge(engine.Permission{Kind: r.kind, Paths: r.paths})
			if got.verdict != want {
				t.Errorf("%s of %v in %s: %q (%s), not %q", r.kind, r.paths, mode, got.verdict, got.why, want)
			}
			if got.why == "" {
				t.Errorf("%s of %v in %s: no word why", r.kind, r.paths, mode)
			}
		}
	}
}

func TestTheWorkingFolderMayHoldConchsHome(t *testing.T) {
	base, _ := tree(t)
	home := filepath.Join(base, ".conch")
	r := rules{who: "codex", cwd: base, protected: []string{home}, mode: engine.ModeAutoEdit}
	if got := r.judge(engine.Permission{Kind: engine.KindSearch, Paths: []string{"."}}); got.verdict != "" || got.why != "codex wants to search this where Conch's own files lie" {
		t.Errorf("a search that would read Conch's home: %+v", got)
	}
	if got := r.judge(engine.Permission{Kind: engine.KindRead, Paths: []string{"work/a.go"}}); got.verdict != engine.Allow {
		t.Errorf("a file beside it: %+v", got)
	}
}

func TestADiffNamesItsPathToo(t *testing.T) {
	_, work := tree(t)
	r := rules{who: "codex", cwd: work, mode: engine.ModeAutoEdit}
	p := engine.Permission{Kind: engine.KindEdit, Paths: []string{"a.go"}, Diffs: []engine.Diff{{Path: "/etc/passwd"}}}
	if got := r.judge(p); got.verdict != "" {
		t.Errorf("%+v", got)
	}
}

func TestUnattendedAllowsWhatTheModeAndTheFlagCoverAndDeclinesTheRest(t *testing.T) {
	base, work := tree(t)
	home := filepath.Join(base, ".conch")
	all := []string{"read", "edit", "bash", "fetch"}
	for _, test := range []struct {
		mode  engine.Mode
		allow []string
		p     engine.Permission
		want  engine.Verdict
		by    string
	}{
		{engine.ModeAutoRead, nil, engine.Permission{Kind: engine.KindRead, Paths: []string{"a.go"}}, engine.Allow, byMode},
		{engine.ModeAutoRead, nil, engine.Permission{Kind: engine.KindEdit, Paths: []string{"a.go"}}, engine.Deny, byMode},
		{engine.ModeAutoRead, []string{"edit"}, engine.Permission{Kind: engine.KindEdit, Paths: []string{"a.go"}}, engine.Allow, byFlag},
		{engine.ModeAutoRead, all, engine.Permission{Kind: engine.KindEdit, Paths: []string{"../other/x"}}, engine.Deny, byMode},
		{engine.ModeAutoRead, []string{"read"}, engine.Permission{Kind: engine.KindEdit, Paths: []string{"../other/x"}}, engine.Deny, byMode},
		{engine.ModeAutoRead, all, engine.Permission{Kind: engine.KindSearch, Paths: []string{"/"}}, engine.Deny, byMode}, // it would read Conch's home
		{engine.ModeAutoRead, all, engine.Permission{Kind: engine.KindDelete, Paths: []string{"a.go"}}, engine.Deny, byMode},
		{engine.ModeAutoRead, all, engine.Permission{Kind: engine.KindOther}, engine.Deny, byMode},
		{engine.ModeAsk, []string{"bash"}, engine.Permission{Kind: engine.KindExecute, Subject: "ls"}, engine.Allow, byFlag},
		{engine.ModeAsk, []string{"read"}, engine.Permission{Kind: engine.KindSearch, Paths: []string{"sub"}}, engine.Allow, byFlag},
		{engine.ModeAsk, []string{"read"}, engine.Permission{Kind: engine.KindExecute, Subject: "ls"}, engine.Deny, byMode},
		{engine.ModeAsk, []string{"fetch"}, engine.Permission{Kind: engine.KindFetch, Subject: "https://x"}, engine.Allow, byFlag},
		{engine.ModePlan, all, engine.Permission{Kind: engine.KindExecute, Subject: "ls"}, engine.Deny, byMode},
		{engine.ModeAutoEdit, all, engine.Permission{Kind: engine.KindEdit, Paths: []string{home + "/x"}}, engine.Deny, byProtected},
	} {
		r := rules{who: "codex", cwd: work, protected: []string{home}, mode: test.mode, unattended: true, allow: test.allow}
		got := r.judge(test.p)
		if got.verdict != test.want || got.by != test.by {
			t.Errorf("%s %v %s of %v: %+v, not %s by %s", test.mode, test.allow, test.p.Kind, test.p.Paths, got, test.want, test.by)
		}
	}
}

func TestWhyIsSaidInWords(t *testing.T) {
	_, work := tree(t)
	for want, p := range map[string]engine.Permission{
		"codex wants to run this outside what auto-read allows":                                             {Kind: engine.KindExecute, Subject: "git push"},
		"codex wants to change this outside what auto-read allows":                                          {Kind: engine.KindEdit, Paths: []string{"a.go"}},
		"codex wants to read this, and no such file is there: the program may take the path in another way": {Kind: engine.KindRead, Paths: []string{"new.go"}},
		"codex wants to read this outside the working folder":                                               {Kind: engine.KindRead, Paths: []string{"/etc/passwd"}},
		"codex wants to fetch this outside what auto-read allows":                                           {Kind: engine.KindFetch, Subject: "https://example.com"},
		"codex wants to search this and names no path":                                                      {Kind: engine.KindSearch},
		"codex wants to run this, and it names Conch's own folder":                                          {Kind: engine.KindExecute, Subject: "cat /h/.conch/chats/x"},
	} {
		r := rules{who: "codex", cwd: work, protected: []string{"/h/.conch"}, mode: engine.ModeAutoRead}
		if got := r.judge(p); got.why != want {
			t.Errorf("%q, not %q", got.why, want)
		}
	}
	r := rules{who: "codex", cwd: work, mode: engine.ModeAsk}
	if got := r.judge(engine.Permission{Kind: engine.KindRead, Paths: []string{"a.go"}}); got.why != "codex wants to read this; ask mode puts every call to you" {
		t.Error(got.why)
	}
}

func TestAFolderThatIsALinkIsTheFolderItLeadsTo(t *testing.T) {
	base, _ := tree(t)
	alias := filepath.Join(base, "alias")
	if _, err := os.Stat(alias); err != nil {
		t.Skip(err)
	}
	r := rules{who: "codex", cwd: alias, mode: engine.ModeAutoRead}
	if got := r.judge(engine.Permission{Kind: engine.KindRead, Paths: []string{"a.go"}}); got.verdict != engine.Allow {
		t.Errorf("%+v", got)
	}
}

func TestConchsOwnToolsNeedNoAllowing(t *testing.T) { // R-69-54
	list := (&tools.Kit{}).For(noTurn{})
	for _, mode := range engine.Modes() {
		for _, c := range []struct {
			p    engine.Permission
			want engine.Verdict
		}{
			{engine.Permission{Tool: "mcp__conch__ask", Kind: engine.KindOther}, engine.Allow},
			{engine.Permission{Tool: "mcp__conch__remember", Kind: engine.KindOther}, engine.Deny}, // not one of this turn's
			{engine.Permission{Tool: "ask", Kind: engine.KindOther}, engine.Deny},                  // any server's
			{engine.Permission{Tool: "mcp__github__ask", Kind: engine.KindOther}, engine.Deny},
			{engine.Permission{Tool: "mcp__conch__ask && rm -rf /", Kind: engine.KindOther}, engine.Deny},
			{engine.Permission{Tool: "mcp__conch__ask", Kind: engine.KindExecute, Subject: "rm -rf /"}, engine.Deny},
			{engine.Permission{Tool: "mcp__conch__ask", Kind: engine.KindOther, Paths: []string{"/etc/passwd"}}, engine.Deny},
		} {
			r := rules{who: "codex", cwd: t.TempDir(), mode: mode, unattended: true, taints: []string{"example.com"}, tools: list}
			if got := r.judge(c.p); got.verdict != c.want {
				t.Errorf("%s: %s %s: %+v", mode, c.p.Tool, c.p.Kind, got)
			}
		}
	}
}

func TestOneOfConchsOwnIsNeverAllowedForGood(t *testing.T) { // R-69-54
	for _, c := range []struct {
		mode    engine.Mode
		options []engine.PermissionOption
		want    engine.Verdict
	}{
		{engine.ModePlan, usual(), engine.Allow},
		{engine.ModePlan, usual()[:1], engine.Cancelled},
		{engine.ModeAutoEdit, usual()[:1], engine.Cancelled}, // put to the person, who is not there
	} {
		var got engine.Decision
		e := calling(func(ctx context.Context, _ func(string, string) string, s engine.Sink) {
			got = s.Ask(ctx, engine.Permission{Tool: "mcp__conch__ask", Kind: engine.KindOther, Options: c.options})
		})
		r := newRoom(t)
		d := r.deps(e)
		d.Tools, d.DefaultMode, d.Unattended = (&tools.Kit{}).For, c.mode, true
		m := r.with(d)
		say(t, m, "go")
		if got.Verdict != c.want || got.Verdict == engine.Allow && got.OptionID != "yes" {
			t.Errorf("%s: %+v", c.mode, got)
		}
	}
}
