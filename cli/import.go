package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"conch/chats"
	"conch/pastchats"
	"conch/plain"
)

// importFlags are those of conch import.
type importFlags struct {
	all, list, remove, yes, json, noIndex bool
	from                                  []string
}

const importLong = `Say which chats of other apps are on this machine, and bring them in.

Without a flag it only looks: nothing is read but names, sizes and times, and nothing
is written. Bringing in copies the words of you and the assistant; keys are taken out,
and the other app's files stay as they are.

  conch import                   what was found
  conch import --all             bring everything in; again later, only what is new
  conch import --from codex      bring the chats of one app in (more: codex,gemini-cli)
  conch import --list            what is here
  conch import --remove          take all of it out of Conch again`

func (a *app) importCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Find the chats you had with other apps, and bring them in",
		Long:  importLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.importChats(cmd.Context(), f, cmd.Flags().Changed("from"))
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&f.all, "all", false, "bring in the chats of every app that was found")
	fl.StringSliceVar(&f.from, "from", nil, "bring in the chats of these `apps` (conch import names them)")
	fl.BoolVar(&f.list, "list", false, "list what was brought in")
	fl.BoolVar(&f.remove, "remove", false, "take all past chats out of Conch; other apps' files stay")
	fl.BoolVar(&f.yes, "yes", false, "with --remove: don't ask for the words")
	fl.BoolVar(&f.noIndex, "no-index", false, "don't wait until they can be searched by the index; it catches up later")
	fl.BoolVar(&f.json, "json", false, "as JSON")
	_ = cmd.RegisterFlagCompletionFunc("from", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return pastchats.Order(), noFiles
	})
	return cmd
}

func (a *app) importChats(ctx context.Context, f importFlags, from bool) error {
	n := 0
	for _, given := range []bool{f.all, from, f.list, f.remove} {
		if given {
			n++
		}
	}
	switch {
	case n > 1:
		return wrong("conch import --help", "give one of --all, --from, --list and --remove")
	case f.yes && !f.remove:
		return wrong("conch import --remove --yes", "--yes goes with --remove")
	case from && len(f.from) == 0:
		return wrong("conch import --from codex,gemini-cli", "--from takes the names of apps")
	}
	for i, id := range f.from {
		id = strings.TrimSpace(id)
		if !slices.Contains(pastchats.Order(), id) {
			return wrong("these are known: "+strings.Join(pastchats.Order(), ", "), "no app is called %q", plain.Line(id, 60))
		}
		f.from[i] = id
	}
	if err := a.openPast(); err != nil {
		return err
	}
	switch {
	case f.list:
		return a.listPast(f.json)
	case f.remove:
		return a.removePast(ctx, f)
	case f.all || from:
		return a.bringIn(ctx, f)
	}
	return a.look(ctx, f.json)
}

// look says what was found.
func (a *app) look(ctx context.Context, asJSON bool) error {
	s, err := a.past.service.Look(ctx)
	if err != nil {
		return asImportFailure(err)
	}
	out := &printer{w: a.host.Stdout}
	if asJSON {
		out.printf("%s\n", jsonLine(importJSON(s, nil)))
		return out.err
	}
	a.printLook(out, s)
	return out.err
}

func (a *app) printLook(out *printer, s pastchats.Status) {
	if s.Found() == 0 {
		if s.Brought > 0 {
			out.printf("No other app has chats on this machine now. %s brought in before %s here.\n", counted(s.Brought, "chat"), isAre(s.Brought))
			return
		}
		out.printf("No chats of other apps were found.\n→ once you have used one of %s here, look again\n", labelList())
		return
	}
	out.printf("Found %s.\n\n", counted(s.Found(), "conversation"))
	var rows [][]string
	for _, src := range s.Sources {
		rows = append(rows, []string{"  " + src.Label, padLeft(grouped(src.Found), 6), freshWords(src, s.Brought), projectWords(src), since(src.From)})
	}
	width := a.width()
	for _, line := range columns(rows) {
		if width > 0 {
			line = ansi.Truncate(line, width, "…")
		}
		out.printf("%s\n", line)
	}
	if s.Left > 0 {
		out.printf("\n%s out of your home or in a circle: not followed\n", leadWords(s.Left))
	}
	for _, note := range s.Notes {
		out.printf("\n%s\n", plain.Line(note, 300))
	}
	switch {
	case s.Fresh() == 0:
		out.printf("\nAll of them are here.\n→ conch search <words>\n")
	case s.Brought == 0:
		out.printf("\nThey stay where they are; Conch copies the words, takes keys out, and makes them\nsearchable. Nothing is sent anywhere.\n→ conch import --all brings them in\n")
	default:
		out.printf("\n%s brought in; %s new or changed.\n→ conch import --all brings the rest in\n", grouped(s.Brought), grouped(s.Fresh()))
	}
}

func leadWords(links int) string {
	if links == 1 {
		return "1 link leads"
	}
	return grouped(links) + " links lead"
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func labelList() string {
	var names []string
	labels := pastchats.Labels()
	for _, id := range pastchats.Order() {
		names = append(names, labels[id])
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func freshWords(src pastchats.Source, brought int) string {
	if brought == 0 || src.Fresh == 0 {
		return ""
	}
	return grouped(src.Fresh) + " new"
}

func projectWords(src pastchats.Source) string {
	var words []string
	for _, p := range src.Projects[:min(3, len(src.Projects))] {
		words = append(words, plain.Line(p.Name, 24)+" "+grouped(p.Count))
	}
	return strings.Join(words, " · ")
}

func since(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return "since " + t.Format("Jan 2006")
}

func padLeft(s string, n int) string { return strings.Repeat(" ", max(0, n-len(s))) + s }

// bringIn brings chats in and says what came of it.
func (a *app) bringIn(ctx context.Context, f importFlags) error {
	line := a.progressLine()
	began := a.host.Now()
	result, err := a.past.service.BringIn(ctx, f.from, line.progress)
	if err != nil && result.Read == 0 {
		line.clear()
		return asImportFailure(err)
	}
	run := runJSON(result, a.host.Now().Sub(began))
	if !f.noIndex && !result.Stopped && ctx.Err() == nil {
		line.say("making them searchable")
		at := a.host.Now()
		if indexErr := a.past.index.CatchUp(ctx); indexErr != nil && ctx.Err() == nil {
			a.note("the search index is behind: %v; searching works, more slowly", indexErr)
		}
		if result.Read > 0 { // an import that changes nothing is over at once
			a.tidyIndex(ctx, max(a.host.Now().Sub(began)/tidyShare, tidyLeast))
		}
		run.IndexMs = a.host.Now().Sub(at).Milliseconds()
	}
	line.clear()
	if f.json {
		s, lookErr := a.past.service.Look(context.WithoutCancel(ctx))
		if lookErr != nil {
			return asImportFailure(lookErr)
		}
		out := &printer{w: a.host.Stdout}
		out.printf("%s\n", jsonLine(importJSON(s, run)))
		if out.err != nil {
			return out.err
		}
	} else {
		out := &printer{w: a.host.Stdout}
		a.printRun(out, result)
		if out.err != nil {
			return out.err
		}
	}
	if err != nil {
		return asImportFailure(err)
	}
	if result.Stopped {
		return &failure{say: "stopped; what came in stays", next: "conch import --all goes on", status: statusInterrupted}
	}
	return nil
}

// Tidying the index after an import takes hardly more than a fiftieth of what the import
// took; what is left over waits for the next one that brings something, the screen
// or the doctor.
const (
	tidyShare = 50
	tidyLeast = 10 * time.Millisecond
)

func (a *app) tidyIndex(ctx context.Context, most time.Duration) {
	if err := a.past.index.Tidy(ctx, most); err != nil && ctx.Err() == nil {
		a.logger().Warn("tidy the search index", "error", err)
	}
}

func (a *app) printRun(out *printer, r pastchats.Result) {
	words := []string{}
	if r.Added > 0 || r.Updated == 0 {
		words = append(words, grouped(r.Added)+" brought in")
	}
	if r.Updated > 0 {
		words = append(words, grouped(r.Updated)+" had grown")
	}
	if r.Skipped > 0 {
		words = append(words, grouped(r.Skipped)+" couldn't be read")
	}
	if r.Redacted > 0 {
		words = append(words, counted(r.Redacted, "key")+" taken out")
	}
	if r.Added == 0 && r.Updated == 0 && r.Skipped == 0 && !r.Stopped {
		words = []string{"nothing new"}
	}
	out.printf("%s\n", strings.Join(words, " · "))
	for _, p := range r.Problems {
		out.printf("  %s\n", plain.Line(p, 300))
	}
	if r.Chats > 0 {
		out.printf("%s with %s here now.\n→ conch search <words> finds them; conch --resume pc_… opens one\n", counted(r.Chats, "past chat"), counted(r.Messages, "message"))
	}
}

// asImportFailure says what stood in the way.
func asImportFailure(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return &failure{say: "stopped; what came in stays", next: "conch import --all goes on", status: statusInterrupted, err: err}
	case errors.Is(err, pastchats.ErrRunning):
		return &failure{say: "another conch is bringing chats in", next: "wait until it is done, then try again", status: statusFailed, err: err}
	case errors.Is(err, pastchats.ErrNewer):
		return &failure{say: "a newer Conch wrote the list of past chats, so this one only reads it", next: "use the newer Conch for this", status: statusFailed, err: err}
	case errors.Is(err, pastchats.ErrUnwritable):
		return &failure{say: "the past-chats folder cannot be written; what came in stays", next: "see that past-chats in Conch's home is a folder of yours on a disk that can be written, then try again", status: statusFailed, err: err}
	case errors.Is(err, pastchats.ErrLimited):
		return &failure{say: "a limit on the size of files was reached; what came in stays", next: "raise it (ulimit -f unlimited), then conch import --all goes on", status: statusFailed, err: err}
	case errors.Is(err, chats.ErrFull):
		return &failure{say: "the disk is full; what came in stays", next: "free some space, then conch import --all goes on", status: statusFailed, err: err}
	}
	return err
}
