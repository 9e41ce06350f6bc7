package main

import (
	"slices"
	"testing"
	"time"

	"conch/codex"
	"conch/config"
)

func TestCodexIsOfferedAndTheConfigAddsOthers(t *testing.T) {
	type row struct {
		id, name, command string
		args              []string
		asked             bool
	}
	usual := row{"codex", "Codex", "codex", []string{"app-server"}, true}
	for _, c := range []struct {
		name string
		own  []config.Agent
		want []row
	}{
		{"nothing said", nil, []row{usual}},
		{"a model", []config.Agent{{ID: "codex", Model: "m"}}, []row{usual}},
		{"another path", []config.Agent{{ID: "codex", Command: []string{"/opt/codex", "app-server"}}}, []row{{"codex", "Codex", "/opt/codex", []string{"app-server"}, false}}},
		{"a second one", []config.Agent{{ID: "work", Name: "Work", Protocol: "codex", Command: []string{"wrap", "codex", "app-server"}}},
			[]row{usual, {"work", "Work", "wrap", []string{"codex", "app-server"}, false}}},
		{"driven by another program", []config.Agent{{ID: "codex", Protocol: "acp", Command: []string{"codex-acp"}}}, nil},
		{"another protocol", []config.Agent{{ID: "far", Protocol: "acp", Command: []string{"x"}}}, []row{usual}},
		{"no command", []config.Agent{{ID: "far", Protocol: "codex"}}, []row{usual}},
	} {
		var got []row
		for _, a := range codexes(c.own) {
			got = append(got, row{a.ID, a.Name, a.Command, a.Args, a.AskVersion})
		}
		if !slices.EqualFunc(got, c.want, func(a, b row) bool {
			return a.id == b.id && a.name == b.name && a.command == b.command && a.asked == b.asked && slices.Equal(a.args, b.args)
		}) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestTheConfigOfCodexReachesIt(t *testing.T) {
	all := codexes([]config.Agent{{ID: "codex", Model: "m", StartTimeout: 90, PassEnv: []string{"VIRTUAL_ENV"}, Env: map[string]string{"B": "2", "A": "1"}}})
	a := all[0]
	if a.Model != "m" || a.StartTimeout != 90*time.Second || !slices.Equal(a.PassEnv, []string{"VIRTUAL_ENV"}) || !slices.Equal(a.Env, []string{"A=1", "B=2"}) {
		t.Errorf("%+v", a)
	}
	if len(codex.Usual().Env) > 0 {
		t.Error("the usual one has changed")
	}
}
