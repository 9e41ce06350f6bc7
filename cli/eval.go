package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"conch/chats"
	"conch/child"
	"conch/config"
	"conch/conversation"
	"conch/engine"
	"conch/evals"
	"conch/plain"
)

type jsonEval struct {
	Results []evals.Result `json:"results"`
	Passed  int            `json:"passed"`
	Failed  int            `json:"failed"`
	Errors  int            `json:"errors"`
}

const evalLong = `Give an assistant tasks that one that keeps at it solves and one that gives up does
not, and judge what it did: by what was really called, by files and by its final words.
Each task has a home and a folder of its own. A pretend person lets through what only
reads, and the fixture app, which changes nothing. It uses the provider's tokens.

  conch eval --provider codex
  conch eval --task flaky-tool,honest-blocker --provider opencode`

// evalCommand measures a provider.
func (a *app) evalCommand() *cobra.Command {
	var ids []string
	var provider, model string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Give an assistant tasks that a quitter fails, and judge what it did",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			tasks, err := evals.Choose(ids)
			if err != nil {
				return wrong("conch eval --help lists them", "%s", plain.Line(err.Error(), 300))
			}
			if err := a.openEngines(); err != nil {
				return err
			}
			a.flags.provider = provider
			if err := a.checkFlags(); err != nil {
				return err
			}
			who := a.flags.provider
			if who == "" {
				if who = a.configured(); who == "" {
					who = a.defaultProvider(cmd.Context())
				}
			}
			if f := a.notUsable(cmd.Context(), who); f != nil {
				return f
			}
			return a.eval(cmd.Context(), tasks, who, model, asJSON)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringSliceVar(&ids, "task", nil, "only these, by their `ids`")
	fl.StringVar(&provider, "provider", "", "who is given them: `id`")
	fl.StringVar(&model, "model", "", "the provider's model, by its `id`")
	fl.BoolVar(&asJSON, "json", false, "as JSON")
	var list strings.Builder
	for _, t := range evals.Tasks() {
		fmt.Fprintf(&list, "\n  %-18s %s", t.ID, t.What)
	}
	cmd.Long = evalLong + "\n\nThe tasks:\n" + list.String()
	a.completeEval(cmd)
	return cmd
}

// completeEval offers the tasks.
func (a *app) completeEval(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("task", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var out []cobra.Completion
		for _, t := range evals.Tasks() {
			out = append(out, cobra.CompletionWithDesc(t.ID, t.What))
		}
		return out, noFiles
	})
}

// notUsable says why a provider can't be given anything now, nil when it can.
func (a *app) notUsable(ctx context.Context, id string) *failure {
	e := a.engineOf(id)
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	switch h := e.Health(ctx); h.State {
	case engine.NotFound, engine.NeedSignIn, engine.TooOld:
		say := h.Problem
		if say == "" {
			say = e.Info().Name + " can't be used: " + string(h.State)
		}
		return &failure{say: say, next: h.Next, status: statusNotReady}
	}
	return nil
}

func (a *app) eval(ctx context.Context, tasks []evals.Task, provider, model string, asJSON bool) error {
	h := evals.Harness{Open: a.evalChat(provider), Provider: provider, Model: model, Now: a.host.Now}
	out := jsonEval{Results: []evals.Result{}}
	width := 0
	for _, t := range tasks {
		width = max(width, len(t.ID))
	}
	for _, t := range tasks {
		res := h.Run(ctx, t)
		if interrupted(ctx) {
			return &failure{say: "stopped", status: statusInterrupted}
		}
		res.Reason = plain.Line(res.Reason, 400)
		out.Results = append(out.Results, res)
		switch res.Outcome {
		case evals.Pass:
			out.Passed++
		case evals.Fail:
			out.Failed++
		default:
			out.Errors++
		}
		if !asJSON {
			took := time.Duration(res.Ms) * time.Millisecond
			fmt.Fprintf(a.host.Stdout, "%-5s  %-*s  %s · %s · %d steps\n", res.Outcome, width, res.Task, plain.Line(res.Reason, 200), took.Round(100*time.Millisecond), res.Steps)
		}
	}
	if asJSON {
		fmt.Fprintf(a.host.Stdout, "%s\n", jsonLine(out))
	} else {
		fmt.Fprintf(a.host.Stdout, "\n%s: %d of %d solved\n", plain.Line(provider, 60), out.Passed, len(tasks))
	}
	if out.Passed < len(tasks) {
		a.status = statusFailed
	}
	return nil
}

// evalChat opens the chats of a task: a Conch of their own, with the one provider,
// the demo beside it, and the Ledger as the only app.
func (a *app) evalChat(provider string) func(context.Context, evals.Place) (evals.Chat, error) {
	return func(ctx context.Context, p evals.Place) (evals.Chat, error) {
		sub := newApp(a.host)
		sub.host.Environ = child.Environ(a.host.Environ, []string{"*"}, nil, []string{"CONCH_HOME=" + p.Home})
		sub.home = p.Home
		sub.log = newLogFile(filepath.Join(p.Home, "log"), a.host.Now)
		sub.cfg = config.Default()
		sub.cfg.Agents, sub.cfg.ModelAPIs = a.cfg.Agents, a.cfg.ModelAPIs
		if p.Ledger != "" {
			sub.cfg.Apps = []config.App{{ID: evals.LedgerID, Command: []string{a.host.Executable, "eval-ledger", "--log", p.Ledger}}}
		}
		closing := func() error { sub.close(); return nil }
		var err error
		if sub.store, err = chats.Open(p.Home, a.host.Now); err != nil {
			_ = closing()
			return evals.Chat{}, fmt.Errorf("open the chats in %s: %w", p.Home, err)
		}
		list, err := a.host.Engines(sub.engineSetup())
		if err != nil {
			_ = closing()
			return evals.Chat{}, fmt.Errorf("set up the providers: %w", err)
		}
		sub.engines = list
		m, err := conversation.New(sub.store.Create(p.Folder, ""), conversation.Deps{
			Engines: only(list, provider), Home: p.Home, Protected: []string{a.home}, Now: a.host.Now,
			Log: func(format string, args ...any) { sub.logger().Info(fmt.Sprintf(format, args...)) },
			Job: p.Job, Tools: sub.tools(), Apps: sub.connectApps(), Instructions: sub.instructions(), Keys: a.givenKeys(),
			DefaultProvider: provider, DefaultMode: engine.DefaultMode,
		})
		if err != nil {
			_ = closing()
			return evals.Chat{}, fmt.Errorf("open a chat: %w", err)
		}
		return evals.Chat{Manager: m, Close: func() error { err := m.Close(); sub.close(); return err }}, nil
	}
}

// only leaves out every provider but the one under test and the demo: nothing else is
// to be reached.
func only(list []engine.Engine, id string) []engine.Engine {
	return slices.DeleteFunc(slices.Clone(list), func(e engine.Engine) bool {
		return e.Info().ID != id && e.Info().ID != demoID
	})
}
