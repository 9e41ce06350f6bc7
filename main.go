// Conch is a terminal chat client for coding agents: one chat that you carry on
// with any of them. This file only wires; docs/ARCHITECTURE.md says what is what.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"conch/acp"
	"conch/cli"
	"conch/codex"
	"conch/engine"
	"conch/keyring"
)

// version is set by the build from git.
var version = "dev"

func main() {
	os.Exit(run())
}

func run() int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "the working folder is gone\n→ change to a folder that is there, then start conch again")
		return 2
	}
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return cli.Main(context.Background(), cli.Host{
		Args:       os.Args[1:],
		Called:     os.Args[0],
		Environ:    os.Environ(),
		Dir:        dir,
		Stdin:      os.Stdin,
		Stdout:     os.Stdout,
		Stderr:     os.Stderr,
		Executable: self,
		Version:    version,
		Secret:     keyring.Secret,
		Engines:    engines,
		Sweep:      sweepCodex,
	})
}

// engines makes one engine for each program of the table and each of the
// person's own, then for each model API, the demo last.
func engines(s cli.EngineSetup) ([]engine.Engine, error) {
	opts := acp.Options{
		Environ:       s.Environ,
		Guard:         s.Guard,
		Now:           s.Now,
		ClientVersion: s.Version,
		Self:          s.Executable,
		Log:           func(code, line string) { s.Log.Info(line, "code", code) },
	}
	byCodex := codexOptions(s)
	var all []engine.Engine
	for i, agent := range agents(acp.Agents(s.Executable), s.Config.Agents) {
		all = append(all, acp.New(agent, opts))
		if i == 0 { // the one that comes first stays first
			for _, agent := range codexes(s.Config.Agents) {
				e := codex.New(agent, byCodex)
				e.Sweep() // kept threads too, which sweepCodex leaves while no run is left
				all = append(all, e)
			}
		}
	}
	last := len(all) - 1 // the demo
	return slices.Insert(all, last, modelAPIs(s)...), nil
}
