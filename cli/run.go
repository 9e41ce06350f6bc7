package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"conch/allchat"
	"conch/allchat/record"
	"conch/config"
	"conch/engine"
	"conch/plain"
	"conch/tui"
	"conch/tui/runpane"
	"conch/tui/theme"
)

const runLong = `Let several agents work on one task: a coordinator, and at most two others that it gives
parts of it to. Each has a session of its own. Nobody writes a file: a change is a proposal
that you see and approve. The run is kept, and conch --resume carries it on.

  conch run --coordinator opencode --worker codex --reviewer gemini-cli "fix the cart"
  conch run --coordinator demo --worker demo --reviewer demo "show me a run"

With -p there is no screen and nobody is asked: requests are declined, and proposals wait.`

// runCommand begins an all-chat run.
func (a *app) runCommand() *cobra.Command {
	var coordinator string
	var workers, reviewers []string
	var within time.Duration
	var alone, asJSON bool
	cmd := &cobra.Command{
		Use:   "run [words]",
		Short: "Let a coordinator and up to two others work on one task",
		Long:  runLong,
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := a.openEngines(); err != nil {
				return err
			}
			if err := a.checkFlags(); err != nil {
				return err
			}
			folder, err := a.folder()
			if err != nil {
				return err
			}
			plan := allchat.Plan{Folder: folder, Mode: engine.Mode(a.flags.mode), TurnWithin: within}
			if coordinator == "" && len(words) > 0 {
				return wrong(fmt.Sprintf("conch %q sends it as a message; conch run --help says how a run begins", "run "+plain.Line(strings.Join(words, " "), 60)), "a run needs a coordinator")
			}
			if plan.Coordinator, err = a.runPick(coordinator, record.RoleCoordinator); err != nil {
				return err
			}
			for role, ids := range map[record.Role][]string{record.RoleWorker: workers, record.RoleReviewer: reviewers} {
				for _, id := range ids {
					pick, err := a.runPick(id, role)
					if err != nil {
						return err
					}
					if role == record.RoleWorker { // first, whatever the order of the flags
						plan.Others = append([]allchat.Pick{pick}, plan.Others...)
					} else {
						plan.Others = append(plan.Others, pick)
					}
				}
			}
			switch {
			case a.env(noRuns) == "1":
				return wrong("unset "+noRuns, "runs are switched off here")
			case len(plan.Others) > record.MaxOthers:
				return wrong("conch run --help", "a run has at most %d others beside the coordinator", record.MaxOthers)
			case within < 0 || within > record.MaxTurnWithin:
				return wrong("conch run --turn 45m", "--turn takes up to %s", record.MaxTurnWithin)
			case asJSON && !alone:
				return wrong(`conch run -p --json …`, "--json goes with -p")
			}
			text := strings.Join(words, " ")
			if alone {
				return a.runAlone(cmd.Context(), plan, text, asJSON)
			}
			return a.showScreen(cmd.Context(), func(string) (tui.Start, error) {
				return tui.Start{Plan: &plan, First: text, Note: a.firstNote()}, nil
			})
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&coordinator, "coordinator", "", "who coordinates: a provider's `id`")
	fl.StringArrayVar(&workers, "worker", nil, "who works on parts and may propose changes: a provider's `id`; at most two others in all")
	fl.StringArrayVar(&reviewers, "reviewer", nil, "who looks at the work and proposes nothing: a provider's `id`")
	fl.StringVar(&a.flags.mode, "mode", "", "how much they may read unasked: `ask` or auto-read")
	fl.DurationVar(&within, "turn", 0, "how long one turn may take (30m)")
	fl.StringVarP(&a.flags.dir, "dir", "C", "", "work in this `folder`")
	fl.BoolVarP(&alone, "print", "p", false, "without the screen")
	fl.BoolVar(&asJSON, "json", false, "with -p: the run's record, one JSON event a line")
	a.completeFlags(cmd)
	for _, name := range []string{"coordinator", "worker", "reviewer"} {
		_ = cmd.RegisterFlagCompletionFunc(name, a.completeProviders) // fails only when it is there already
	}
	return cmd
}

// runPick reads a provider's id.
func (a *app) runPick(id string, role record.Role) (allchat.Pick, error) {
	if id == "" {
		return allchat.Pick{}, wrong("conch run --coordinator codex", "a run needs a coordinator: a provider that gives out the work")
	}
	id = config.ProviderID(id)
	if a.engineOf(id) == nil {
		return allchat.Pick{}, wrong("conch doctor says how each is installed", "no provider is called %q; these are: %s", id, strings.Join(a.engineIDs(), ", "))
	}
	return allchat.Pick{Provider: id, Role: role}, nil
}

// runAlone carries a run of one message without the screen.
func (a *app) runAlone(ctx context.Context, plan allchat.Plan, text string, asJSON bool) (err error) {
	if strings.TrimSpace(text) == "" {
		return wrong(`conch run -p --coordinator demo "…"`, "the message is empty")
	}
	runs, err := a.runs()
	if err != nil {
		return err
	}
	run, err := runs.Start(ctx, plan)
	if err != nil {
		return runRefused(err)
	}
	defer func() {
		if cerr := run.Close(); cerr != nil {
			err = errors.Join(err, fmt.Errorf("close the run: %w", cerr))
		}
	}()
	out := a.runPrinter(asJSON)
	out.show(run.Snapshot())
	if err := run.Say(ctx, text); err != nil {
		return runRefused(err)
	}
	for {
		snap := run.Snapshot()
		out.show(snap)
		for _, card := range snap.Cards {
			// It may have been answered or expired meanwhile.
			_ = run.Decline(card.Bond)
		}
		for _, q := range snap.Questions {
			_ = run.Answer(q.ID, engine.Answer{Cancelled: true})
		}
		if snap.Problem != "" || !working(snap) {
			return a.runEnded(run, snap, out, asJSON)
		}
		select {
		case <-run.Changed():
		case <-ctx.Done():
			if err := run.Cancel(context.WithoutCancel(ctx)); err != nil {
				a.logger().Warn("cancel the run", "error", err)
			}
			out.show(run.Snapshot())
			return context.Cause(ctx)
		}
	}
}

// working tells that somebody is at work, or about to be.
func working(s allchat.Snapshot) bool {
	for _, p := range s.Participants {
		if p.Working || p.Queued > 0 {
			return true
		}
	}
	return s.State.Phase() == record.PhaseRunning
}

// runEnded ends a run whose turn is over, unless proposals wait for the person.
func (a *app) runEnded(run *allchat.Run, snap allchat.Snapshot, out runPrinter, asJSON bool) error {
	last := snap.State.Events[len(snap.State.Events)-1].Kind()
	switch {
	case snap.Problem != "":
		return &failure{say: snap.Problem, next: snap.Next, status: statusFailed}
	case last == record.KindTurnFailed || last == record.KindTurnCancelled:
		a.status = statusFailed
	case snap.Waiting():
		if !asJSON {
			out.p.printf("→ proposals wait for you: conch --resume %s\n", run.ID())
		}
	default:
		if err := run.Complete(); err != nil {
			return runRefused(err)
		}
		out.show(run.Snapshot())
	}
	return out.p.err
}

// runPrinter prints what is new in a run's record.
type runPrinter struct {
	p      *printer
	pane   *runpane.Pane // as lines of text
	width  int
	shown  *int64 // events that were printed as JSON
	asJSON bool
}

func (a *app) runPrinter(asJSON bool) runPrinter {
	signs := theme.Unicode()
	if a.asciiOnly() {
		signs = theme.ASCII()
	}
	width := a.width()
	if width == 0 {
		width = 100
	}
	return runPrinter{
		p: &printer{w: a.host.Stdout}, pane: runpane.New(theme.New(false, false, signs), runpane.Options{Still: true}),
		width: width, shown: new(int64), asJSON: asJSON,
	}
}

func (r runPrinter) show(s allchat.Snapshot) { r.run(runpane.Run{Snapshot: s}) }

func (r runPrinter) run(v runpane.Run) {
	if !r.asJSON {
		r.pane.Set(v)
		for _, line := range r.pane.Flush(r.width) {
			r.p.printf("%s\n", strings.TrimRight(ansi.Strip(line), " "))
		}
		return
	}
	for _, e := range v.State.Events[min(*r.shown, v.State.Gen()):] {
		data, err := record.Encode(e)
		if err != nil {
			continue // it was encoded when it was committed
		}
		r.p.printf("%s\n", data)
		*r.shown++
	}
}
