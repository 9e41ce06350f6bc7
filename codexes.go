package main

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"conch/cli"
	"conch/codex"
	"conch/config"
)

// codexes are the programs that speak Codex app-server: Codex itself, with what
// the person's config says of it, and those of their own.
func codexes(own []config.Agent) []codex.Agent {
	all := []codex.Agent{codex.Usual()}
	for _, o := range own {
		i := slices.IndexFunc(all, func(a codex.Agent) bool { return a.ID == o.ID })
		switch {
		case i >= 0 && o.Protocol == "acp":
			// The person drives it by another program.
			all = slices.Delete(all, i, i+1)
			continue
		case i < 0 && o.Protocol != "codex":
			continue
		case i < 0 && len(o.Command) == 0:
			continue // the id of a program that another engine drives
		case i < 0:
			i = len(all)
			all = append(all, codex.Agent{ID: o.ID, Name: o.ID})
		}
		all[i] = mergedCodex(all[i], o)
	}
	return all
}

func mergedCodex(a codex.Agent, own config.Agent) codex.Agent {
	if own.Name != "" {
		a.Name = own.Name
	}
	if len(own.Command) > 0 {
		a.Command, a.Args = own.Command[0], own.Command[1:]
		a.AskVersion = false // it may be a wrapper
	}
	if own.Model != "" {
		a.Model = own.Model
	}
	if own.StartTimeout > 0 {
		a.StartTimeout = time.Duration(own.StartTimeout) * time.Second
	}
	a.PassEnv = append(slices.Clone(a.PassEnv), own.PassEnv...)
	for _, name := range sortedKeys(own.Env) {
		a.Env = append(slices.Clone(a.Env), name+"="+own.Env[name])
	}
	return a
}

func codexOptions(s cli.EngineSetup) codex.Options {
	return codex.Options{
		Home: s.Home, Environ: s.Environ, Guard: s.Guard, Now: s.Now, ClientVersion: s.Version,
		Log: func(code, line string) { s.Log.Info(line, "code", code) },
	}
}

// sweepCodex takes away the homes that a Conch that was killed left of its Codex: a
// sign-in lies in them. Most often nothing does, and then it costs one look.
func sweepCodex(s cli.EngineSetup) {
	runs, err := os.Open(filepath.Join(s.Home, "codex-runtime"))
	if err != nil {
		return // Codex never ran, or the engine says why when it is used
	}
	left, _ := runs.Readdirnames(1)
	_ = runs.Close() // it was only read
	if len(left) > 0 {
		codex.New(codex.Usual(), codexOptions(s)).Sweep()
	}
}
