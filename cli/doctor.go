package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"conch/config"
	"conch/engine"
	"conch/plain"
)

type jsonDoctor struct {
	Providers []jsonProvider `json:"providers"`
	Apps      []jsonApp      `json:"apps"` // MCP apps, connected for a moment
	Stores    []jsonStore    `json:"stores"`
	Terminal  jsonTerminal   `json:"terminal"`
	Config    jsonConfig     `json:"config"`
	Healed    []jsonHealed   `json:"healed"`
	Past      jsonPastState  `json:"past"`
}

// jsonPastState is how other apps' chats stand.
type jsonPastState struct {
	Brought int            `json:"brought"`
	State   string         `json:"state"`   // ok, waiting, broken; off before anything was brought in
	Waiting map[string]int `json:"waiting"` // new or changed chats, by app
	Problem string         `json:"problem"`
	Next    string         `json:"next"`
	Notes   []string       `json:"notes"`
	Repair  *jsonRun       `json:"repair,omitempty"` // with --repair: what was brought in
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
	SignIn       []string       `json:"sign_in"`           // the command, when the program has one
	Unheard      map[string]int `json:"unheard,omitempty"` // messages of kinds that were ignored, by kind
}

// probeLimit bounds how long doctor waits for the slowest program.
const probeLimit = 30 * time.Second

func (a *app) doctorCommand() *cobra.Command {
	var asJSON, try, repair bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is installed, signed in and kept, and what to do about the rest",
		Long: `Say what is installed, signed in and kept, and what to do about the rest.

Each program that is there is started for a moment and asked what it can do. With
--try a session is opened in each, in an empty folder, which shows whether it is
signed in; some programs keep that session in their own list. With --repair the list
of past chats is mended from what is kept of them, and new chats of the apps that you
brought chats from come in.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := a.openPast()
			if err != nil {
				return err
			}
			d := a.examine(cmd.Context(), try)
			if d.Past, err = a.examinePast(cmd.Context(), repair); err != nil {
				return err
			}
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
	cmd.Flags().BoolVar(&try, "try", false, "open a session with each program")
	cmd.Flags().BoolVar(&repair, "repair", false, "mend the list of past chats and bring in what waits")
	return cmd
}

func (a *app) examine(ctx context.Context, try bool) (d jsonDoctor) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	d = jsonDoctor{Stores: a.stores(), Terminal: a.terminal(), Config: a.configState(), Healed: a.healed()}
	heard := a.unheardBefore()
	apps := make(chan []jsonApp, 1)
	go func() { apps <- a.examineApps(ctx) }()
	defer func() { d.Apps = <-apps }()
	for i, f := range a.askAll(ctx, try) {
		info, h := a.engines[i].Info(), f.health
		if !engine.Named(a.engines[i], h) {
			continue
		}
		p := jsonProvider{
			ID: info.ID, Name: info.Name, Found: plain.Line(h.Found, 0), Version: plain.Line(h.Version, 60), State: string(h.State),
			Problem: plain.Line(h.Problem, 300), Next: plain.Line(h.Next, 300), Capabilities: []string{}, Unheard: merge(heard[info.ID], h.Unheard), SignIn: []string{},
		}
		for _, word := range f.signIn {
			p.SignIn = append(p.SignIn, plain.Line(word, 300))
		}
		for _, c := range h.Capabilities {
			p.Capabilities = append(p.Capabilities, plain.Line(c, 60))
		}
		d.Providers = append(d.Providers, p)
	}
	return d
}

// found is what doctor learned of a provider.
type found struct {
	health engine.Health
	signIn []string
}

// askAll asks every provider at the same time. Those that are there are started
// for a moment: only then a program says what it can do and how to sign in.
func (a *app) askAll(ctx context.Context, try bool) []found {
	all := make([]found, len(a.engines))
	var wait sync.WaitGroup
	for i, e := range a.engines {
		wait.Go(func() { all[i] = ask(ctx, e, try) })
	}
	wait.Wait()
	return all
}

func ask(ctx context.Context, e engine.Engine, try bool) found {
	f := found{health: e.Health(ctx)}
	if f.health.State == engine.NotFound || f.health.State == engine.TooOld {
		return f
	}
	if s, ok := e.(engine.SignIner); ok {
		if cmd, ok := s.SignIn(ctx); ok {
			f.signIn = cmd.Args
		}
	}
	if try {
		tryOpen(ctx, e)
	}
	f.health = e.Health(ctx)
	if e.Info().ID == demoID && f.health.State == engine.Unknown {
		f.health.State = engine.Ready // a part of Conch: there is nothing to sign in to
	}
	return f
}

// tryOpen opens a session in an empty folder. What came of it is in the engine's
// health.
func tryOpen(ctx context.Context, e engine.Engine) {
	o, ok := e.(engine.Opener)
	if !ok {
		return
	}
	dir, err := os.MkdirTemp("", "conch-doctor-")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	_ = o.Open(ctx, engine.TurnInput{ConversationID: "doctor", Cwd: dir, Options: engine.Options{Mode: engine.ModePlan}}, deafSink{}) // Health says what came of it
	e.Release("doctor")
}

// deafSink hears nothing and allows nothing.
type deafSink struct{}

func (deafSink) Emit(engine.Event) {}

func (deafSink) Ask(context.Context, engine.Permission) engine.Decision {
	return engine.Decision{Verdict: engine.Cancelled}
}

func (deafSink) Question(context.Context, engine.Question) engine.Answer {
	return engine.Answer{Cancelled: true}
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
		if len(p.SignIn) > 0 && p.State != string(engine.Ready) {
			out.printf("      signs in with: %s\n", strings.Join(p.SignIn, " "))
		}
		if len(p.Capabilities) > 0 {
			out.printf("      can: %s\n", strings.Join(p.Capabilities, ", "))
		}
		if len(p.Unheard) > 0 {
			out.printf("      not understood: %s\n", strings.Join(counts(p.Unheard), ", "))
		}
	}
	a.printAppStates(out, s, d.Apps)
	out.printf("\nKept on this machine\n")
	for _, st := range d.Stores {
		out.printf("  %s  %s  %s\n", st.Name, a.shortPath(st.Path), st.words())
		if st.Problem != "" {
			out.printf("      %s\n      → %s\n", st.Problem, st.Next)
		}
	}
	a.printPastState(out, d.Past)
	out.printf("\nconfig.toml\n  %s\n", d.Config.words(a))
	for _, w := range d.Config.Warnings {
		out.printf("      %s\n", w)
	}
	if len(d.Healed) > 0 {
		out.printf("\nFixed on its own\n")
	}
	for _, h := range d.Healed {
		out.printf("  %s's session of “%s” was gone; it was told the whole chat again (%s)\n", h.Provider, h.Title, h.At)
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

type jsonConfig struct {
	Path     string   `json:"path"`
	There    bool     `json:"there"`
	Warnings []string `json:"warnings"`
}

func (a *app) configState() jsonConfig {
	c := jsonConfig{Path: filepath.Join(a.home, config.FileName), Warnings: []string{}}
	if _, err := os.Stat(c.Path); err == nil {
		c.There = true
	}
	for _, w := range a.warnings {
		c.Warnings = append(c.Warnings, plain.Line(w, 300))
	}
	return c
}

func (c jsonConfig) words(a *app) string {
	switch {
	case !c.There:
		return a.shortPath(c.Path) + "  not there; everything has its default"
	case len(c.Warnings) == 0:
		return a.shortPath(c.Path) + "  read, nothing odd in it"
	}
	return fmt.Sprintf("%s  read, %d odd", a.shortPath(c.Path), len(c.Warnings))
}
