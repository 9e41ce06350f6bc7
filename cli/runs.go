package cli

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"conch/allchat"
	"conch/allchat/record"
	"conch/plain"
	"conch/tui/runpane"
)

type jsonRunList struct {
	Runs []jsonAllChatRun `json:"runs"`
}

type jsonAllChatRun struct {
	ID           string            `json:"id"`
	Title        string            `json:"title"`
	State        string            `json:"state"`
	Here         bool              `json:"here"` // of this folder
	Participants []jsonParticipant `json:"participants"`
	Turns        int64             `json:"turns"`
	Events       int64             `json:"events"`
	Started      string            `json:"started"`
	Updated      string            `json:"updated"`
}

type jsonParticipant struct {
	ID       string `json:"id"`
	Role     string `json:"role"`
	Provider string `json:"provider"`
}

// runsCommand looks after the runs that are kept.
func (a *app) runsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the all-chat runs; show, close or remove one",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.listRuns(false) },
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List the runs, newest first", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listRuns(asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	show := &cobra.Command{
		Use: "show <run>", Short: "Print what happened in a run", Args: oneRun,
		RunE: func(_ *cobra.Command, args []string) error { return a.showRun(args[0], asJSON) },
	}
	show.Flags().BoolVar(&asJSON, "json", false, "the record, one JSON event a line")
	end := &cobra.Command{
		Use: "close <run>", Short: "End a run that nobody has open; what was applied stays", Args: oneRun,
		RunE: func(_ *cobra.Command, args []string) error { return a.endRun(args[0]) },
	}
	var yes bool
	remove := &cobra.Command{
		Use: "remove <run>", Short: "Delete a run and what is kept of its proposals", Args: oneRun,
		RunE: func(_ *cobra.Command, args []string) error { return a.removeRun(args[0], yes) },
	}
	remove.Flags().BoolVar(&yes, "yes", false, "without asking")
	for _, each := range []*cobra.Command{show, end, remove} {
		each.ValidArgsFunction = a.completeRuns
	}
	cmd.AddCommand(list, show, end, remove)
	return cmd
}

func oneRun(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return wrong("conch runs list names them", "give one run: its id or the beginning of it")
	}
	return nil
}

// openRuns opens the home and the runs, also where runs are switched off: their files
// stay readable.
func (a *app) openRuns() (*allchat.Runs, error) {
	if err := a.open(); err != nil {
		return nil, err
	}
	return allchat.Open(a.home, allchat.Deps{UserHome: personHome(a.host)})
}

// findRun resolves what a person gave for a run.
func (a *app) findRun(words string) (*allchat.Runs, string, error) {
	runs, err := a.openRuns()
	if err != nil {
		return nil, "", err
	}
	id, err := runs.Find(words)
	if err != nil {
		f := runRefused(err)
		f.next = "conch runs list names them"
		return nil, "", f
	}
	return runs, id, nil
}

func (a *app) listRuns(asJSON bool) error {
	runs, err := a.openRuns()
	if err != nil {
		return err
	}
	folder, err := a.folder()
	if err != nil {
		return err
	}
	list, err := runs.List("")
	if err != nil {
		return runRefused(err)
	}
	here := record.ProjectOf(folder)
	out := &printer{w: a.host.Stdout}
	if asJSON {
		all := jsonRunList{Runs: []jsonAllChatRun{}}
		for _, s := range list {
			all.Runs = append(all.Runs, allChatRunJSON(s, here))
		}
		out.printf("%s\n", jsonLine(all))
		return out.err
	}
	if len(list) == 0 {
		out.printf("No runs yet.\n→ conch run --help says how one begins\n")
		return out.err
	}
	var rows [][]string
	for _, s := range list {
		var who []string
		for _, p := range s.Participants {
			who = append(who, plain.Line(p.Engine, 16))
		}
		rows = append(rows, []string{s.Run, when(s.Updated, a.host.Now()), runState(s), strings.Join(who, " "), plain.Line(s.Title, 80)})
	}
	width := a.width()
	for _, line := range columns(rows) {
		if width > 0 {
			line = ansi.Truncate(line, width, "…")
		}
		out.printf("%s\n", line)
	}
	return out.err
}

// runState is where a run is, in a word.
func runState(s allchat.Summary) string {
	switch s.Problem {
	case "":
		return string(s.Phase)
	case record.FutureVersion:
		return "newer"
	case record.Storage:
		return "unreadable"
	}
	return "damaged"
}

func allChatRunJSON(s allchat.Summary, here string) jsonAllChatRun {
	out := jsonAllChatRun{
		ID: s.Run, Title: plain.Line(s.Title, 0), State: runState(s), Here: s.Project == here, Participants: []jsonParticipant{},
		Turns: s.Turns, Events: s.Events, Started: stamp(s.Started), Updated: stamp(s.Updated),
	}
	for _, p := range s.Participants {
		out.Participants = append(out.Participants, jsonParticipant{ID: string(p.ID), Role: string(p.Role), Provider: plain.Line(p.Engine, 0)})
	}
	return out
}

func (a *app) showRun(words string, asJSON bool) error {
	runs, id, err := a.findRun(words)
	if err != nil {
		return err
	}
	view, err := runs.View(id)
	if err != nil {
		return runRefused(err)
	}
	out := a.runPrinter(asJSON)
	v := runpane.Run{Snapshot: allchat.Snapshot{Run: view.Run, State: view.State}, Torn: view.Torn, View: true}
	if view.Problem != nil {
		v.Problem = view.Problem.Code
	}
	out.run(v)
	if view.Problem != nil {
		return runRefused(view.Problem)
	}
	return out.p.err
}

func (a *app) endRun(words string) error {
	runs, id, err := a.findRun(words)
	if err != nil {
		return err
	}
	phase, err := runs.End(id)
	if err != nil {
		return runRefused(err)
	}
	out := &printer{w: a.host.Stdout}
	out.printf("%s is %s\n", id, phase)
	return out.err
}

// removeRun deletes a run once the person typed the word.
func (a *app) removeRun(words string, yes bool) error {
	runs, id, err := a.findRun(words)
	if err != nil {
		return err
	}
	out := &printer{w: a.host.Stdout}
	if !yes && a.env("CONCH_ASSUME_YES") == "" {
		if !isTerminal(a.host.Stdin) {
			return wrong("conch runs remove --yes "+id, "nobody is there to say yes")
		}
		out.printf("%s and what is kept of its proposals is deleted; files that were changed stay as they are.\nType remove to go on: ", id)
		word, err := bufio.NewReader(a.host.Stdin).ReadString('\n')
		if err != nil || strings.TrimSpace(word) != "remove" {
			return &failure{say: "nothing was removed", status: statusFailed}
		}
	}
	if err := runs.Remove(id); err != nil {
		return runRefused(err)
	}
	out.printf("%s is removed\n", id)
	return out.err
}

// completeRuns offers ids with the first words, newest first.
func (a *app) completeRuns(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	runs, err := a.openRuns()
	if err != nil {
		return nil, noFiles
	}
	list, err := runs.List("")
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, s := range list {
		if strings.HasPrefix(s.Run, strings.ToUpper(begun)) && len(out) < 50 {
			out = append(out, cobra.CompletionWithDesc(s.Run, fmt.Sprintf("%s, %s", runState(s), plain.Line(s.Title, 60))))
		}
	}
	return out, noFiles | cobra.ShellCompDirectiveKeepOrder
}

// runToResume gives the run that --resume means, "" when it means none: an id or the
// beginning of one, which no chat has.
func (a *app) runToResume(words string) string {
	if len(words) < 4 || len(words) > 26 || a.env(noRuns) == "1" {
		return ""
	}
	runs, err := a.openRuns()
	if err != nil {
		return ""
	}
	id, err := runs.Find(words)
	if err != nil {
		return ""
	}
	if _, near, err := a.store.Find(words); err == nil || len(near) > 0 && len(words) < 26 {
		return ""
	}
	return id
}
