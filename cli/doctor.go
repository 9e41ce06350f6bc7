package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"conch/engine"
	"conch/plain"
)

type jsonDoctor struct {
	Providers []jsonProvider `json:"providers"`
	Stores    []jsonStore    `json:"stores"`
	Terminal  jsonTerminal   `json:"terminal"`
	Config    jsonConfig     `json:"config"`
}

type jsonProvider struct {
	ID           string         `json:"id"`
	Name         string         `json:"name"`
	Found        string         `json:"found"`
	Version      string         `json:"version"`
	State        string         `json:"state"`
	Problem      string         `json:"problem"`
	Next         string         `json:"next"`
	Capabilities []string       `json:"capabilities"`
	Unheard      map[string]int `json:"unheard,omitempty"` // messages of kinds that were ignored, by kind
}

// Prober is an ability of a provider: to start its program for a moment, so that
// version and abilities are known. doctor uses it.
type Prober interface {
	Probe(ctx context.Context) engine.Health
}

// probeLimit bounds how long doctor waits for the slowest program.
const probeLimit = 30 * time.Second

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is installed, signed in and kept, and what to do about the rest",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.openEngines(); err != nil {
				return err
			}
			d := a.examine(cmd.Context())
			out := &printer{w: a.host.Stdout}
			if asJSON {
				out.printf("%s\n", jsonLine(d))
			} else {
				a.printDoctor(out, d)
			}
			return out.err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func (a *app) examine(ctx context.Context) jsonDoctor {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	d := jsonDoctor{Stores: a.stores(), Terminal: a.terminal(), Config: a.configState()}
	heard := a.unheardBefore()
	for i, h := range a.probeAll(ctx) {
		info := a.engines[i].Info()
		p := jsonProvider{
			ID: info.ID, Name: info.Name, Found: plain.Line(h.Found, 0), Version: plain.Line(h.Version, 60), State: string(h.State),
			Problem: plain.Line(h.Problem, 300), Next: plain.Line(h.Next, 300), Capabilities: []string{}, Unheard: merge(heard[info.ID], h.Unheard),
		}
		for _, c := range h.Capabilities {
			p.Capabilities = append(p.Capabilities, plain.Line(c, 60))
		}
		d.Providers = append(d.Providers, p)
	}
	return d
}

// probeAll asks every provider at the same time; those that can start their
// program for a moment do.
func (a *app) probeAll(ctx context.Context) []engine.Health {
	found := make([]engine.Health, len(a.engines))
	var wait sync.WaitGroup
	for i, e := range a.engines {
		wait.Go(func() {
			if p, ok := e.(Prober); ok {
				found[i] = p.Probe(ctx)
				return
			}
			found[i] = e.Health(ctx)
		})
	}
	wait.Wait()
	return found
}

func merge(a, b map[string]int) map[string]int {
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	out := map[string]int{}
	for _, each := range []map[string]int{a, b} {
		for kind, n := range each {
			out[plain.Line(kind, 80)] += n
		}
	}
	return out
}

// stateWords are the states as a person reads them.
var stateWords = map[string]string{
	string(engine.Ready): "ready", string(engine.NeedSignIn): "sign in", string(engine.NotFound): "not here",
	string(engine.TooOld): "too old", string(engine.Broken): "broken", string(engine.Unknown): "installed",
}

func (a *app) printDoctor(out *printer, d jsonDoctor) {
	s := signsFor(a.asciiOnly() || a.flags.plain)
	out.printf("Providers\n")
	var rows [][]string
	for _, p := range d.Providers {
		rows = append(rows, []string{"  " + stateSign(s, p.State), p.ID, stateWords[p.State], p.Version, a.shortPath(p.Found)})
	}
	lines := columns(rows)
	for i, p := range d.Providers {
		out.printf("%s\n", lines[i])
		if p.Problem != "" {
			out.printf("      %s\n", p.Problem)
		}
		if p.Next != "" {
			out.printf("      → %s\n", p.Next)
		}
		if len(p.Capabilities) > 0 {
			out.printf("      can: %s\n", strings.Join(p.Capabilities, ", "))
		}
		if len(p.Unheard) > 0 {
			out.printf("      not understood: %s\n", strings.Join(counts(p.Unheard), ", "))
		}
	}
	out.printf("\nKept on this machine\n")
	for _, st := range d.Stores {
		out.printf("  %s  %s  %s\n", st.Name, a.shortPath(st.Path), st.words())
		if st.Problem != "" {
			out.printf("      %s\n      → %s\n", st.Problem, st.Next)
		}
	}
	out.printf("\nconfig.toml\n  %s\n", d.Config.words(a))
	for _, w := range d.Config.Warnings {
		out.printf("      %s\n", w)
	}
	out.printf("\nTerminal\n  %s\n", d.Terminal.words())
}

func stateSign(s signs, state string) string {
	switch engine.State(state) {
	case engine.Ready:
		return s.done
	case engine.NotFound:
		return s.notRun
	case engine.Unknown:
		return s.unknown
	}
	return s.failed
}

// counts gives "kind (n)", the most frequent first.
func counts(m map[string]int) []string {
	kinds := slices.SortedFunc(maps.Keys(m), func(x, y string) int {
		return cmp.Or(cmp.Compare(m[y], m[x]), cmp.Compare(x, y))
	})
	for i, k := range kinds {
		kinds[i] = fmt.Sprintf("%s (%d)", k, m[k])
	}
	return kinds
}
