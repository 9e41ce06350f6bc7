package main

import (
	"slices"
	"testing"
	"time"

	"conch/acp"
	"conch/config"
)

func ids(table []acp.Agent) []string {
	var all []string
	for _, a := range table {
		all = append(all, a.ID)
	}
	return all
}

func TestTheTableOffersTheDemoLast(t *testing.T) {
	got := ids(agents(acp.Agents("/bin/conch"), []config.Agent{{ID: "far", Command: []string{"ssh", "host", "opencode", "acp"}}}))
	want := []string{"claude-code", "gemini-cli", "copilot", "opencode", "grok", "qwen", "far", "demo"}
	if !slices.Equal(got, want) {
		t.Errorf("offered %v, want %v", got, want)
	}
}

func TestAKnownProgramKeepsWhatTheConfigDoesNotSay(t *testing.T) {
	table := acp.Agents("/bin/conch")
	known := table[slices.IndexFunc(table, func(a acp.Agent) bool { return a.ID == "opencode" })]
	got := agents(table, []config.Agent{{ID: "opencode", StartTimeout: 90, Env: map[string]string{"B": "2", "A": "1"}, PassEnv: []string{"VIRTUAL_ENV"}}})
	row := got[slices.IndexFunc(got, func(a acp.Agent) bool { return a.ID == "opencode" })]
	if row.Command != known.Command || !slices.Equal(row.Args, known.Args) || row.Name != known.Name {
		t.Errorf("the command changed: %+v", row)
	}
	if row.StartTimeout != 90*time.Second {
		t.Errorf("time to start is %v", row.StartTimeout)
	}
	if want := append(slices.Clone(known.Env), "A=1", "B=2"); !slices.Equal(row.Env, want) {
		t.Errorf("environment %q, want %q", row.Env, want)
	}
	if !slices.Contains(row.PassEnv, "VIRTUAL_ENV") {
		t.Errorf("VIRTUAL_ENV is not passed on: %q", row.PassEnv)
	}
}

func TestAProgramOfAnotherProtocolIsNoACPRow(t *testing.T) {
	got := ids(agents(acp.Agents("/bin/conch"), []config.Agent{
		{ID: "mine", Protocol: "codex", Command: []string{"codex"}}, {ID: "codex", Model: "m"},
	}))
	if slices.Contains(got, "mine") || slices.Contains(got, "codex") {
		t.Errorf("offered %v", got)
	}
}
