package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"conch/apps"
	"conch/config"
	"conch/conversation"
	"conch/plain"
	"conch/tools"
)

type jsonApps struct {
	Apps []jsonApp `json:"apps"`
}

// jsonApp is one of the person's apps. What stands behind "tested" is only there
// when it was connected.
type jsonApp struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`  // program, address
	Where   string `json:"where"` // the command, or the url without a sign-in
	Own     bool   `json:"own"`
	State   string `json:"state"` // set-up, broken; with test: ready, broken
	Problem string `json:"problem"`
	Next    string `json:"next"`

	Tested  bool          `json:"tested"`
	Name    string        `json:"name"` // as the app calls itself
	Version string        `json:"version"`
	Ms      int64         `json:"ms"`
	Tools   []jsonAppTool `json:"tools"`
	LeftOut []string      `json:"left_out"`
	Detail  string        `json:"detail"` // what the program said last on stderr
}

type jsonAppTool struct {
	Name        string `json:"name"` // as assistants know it
	Tool        string `json:"tool"` // as the app knows it
	Description string `json:"description"`
	ReadOnly    bool   `json:"read_only"`
}

// States of an app.
const (
	appSetUp  = "set-up"
	appReady  = "ready"
	appBroken = "broken"
)

const appsLong = `Say which MCP apps config.toml has, and what is missing for them.

  conch apps                 all of them; nothing is started
  conch apps test            connect each for a moment and show its tools
  conch apps test ledger     that one

An app is an entry of config.toml:

  [[app]]
  id = "ledger"
  command = ["ledger", "mcp"]`

func (a *app) appsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "apps",
		Short: "Say which MCP apps there are, and try them",
		Long:  appsLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.open(); err != nil {
				return err
			}
			out := jsonApps{Apps: a.lookAtApps()}
			return a.printApps(out, asJSON)
		},
	}
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.AddCommand(&cobra.Command{
		Use:               "test [app]",
		Short:             "Connect an app for a moment and show its tools; without an id, each",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeApps,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if err := a.open(); err != nil {
				return err
			}
			out, err := a.testApps(cmd.Context(), ids)
			if err != nil {
				return err
			}
			for _, each := range out.Apps {
				if each.State != appReady {
					a.status = statusFailed
				}
			}
			return a.printApps(out, asJSON)
		},
	})
	return cmd
}

// bridge is the way to the person's apps, made when it is needed first. nil: there
// are none.
func (a *app) bridge() *apps.Bridge {
	if len(a.cfg.Apps) == 0 {
		return nil
	}
	a.bridging.Do(func() {
		o := apps.Options{
			Version: a.host.Version, Environ: a.host.Environ, Guard: a.childGuard(), Secret: a.secrets(), Keys: a.givenKeys(), Now: a.host.Now,
			Log: func(code, line string) { a.logger().Info(line, "code", code) },
		}
		for _, each := range a.cfg.Apps {
			o.Apps = append(o.Apps, ofConfig(each))
		}
		a.connects = apps.New(o)
	})
	return a.connects
}

func ofConfig(c config.App) apps.App {
	return apps.App{
		ID: c.ID, Command: c.Command, URL: c.URL, Env: c.Env, HeadersEnv: c.HeadersEnv, HeadersKeyring: c.HeadersKeyring, Tools: c.Tools, Own: c.Own,
	}
}

// connectApps gives a turn the tools of the apps; nil when there are none.
func (a *app) connectApps() func(ctx context.Context, t tools.Turn) conversation.AppTools {
	b := a.bridge()
	if b == nil {
		return nil
	}
	return func(ctx context.Context, t tools.Turn) conversation.AppTools {
		set := b.Connect(ctx, t)
		return conversation.AppTools{Tools: set.Tools, Missing: set.Missing, Close: set.Close}
	}
}

// lookAtApps says of each app what can be seen without starting it.
func (a *app) lookAtApps() []jsonApp {
	list := []jsonApp{}
	b := a.bridge()
	if b == nil {
		return list
	}
	for _, each := range b.Apps() {
		j := appJSON(each)
		if p := b.Look(each); p != nil {
			j.problem(*p)
		}
		list = append(list, j)
	}
	return list
}

// testApps connects the apps side by side: those of ids, or all.
func (a *app) testApps(ctx context.Context, ids []string) (jsonApps, error) {
	b := a.bridge()
	if b == nil {
		return jsonApps{}, &failure{say: "config.toml has no app", next: "conch apps --help shows how one is written", status: statusFailed}
	}
	var chosen []apps.App
	var known []string
	for _, each := range b.Apps() {
		known = append(known, each.ID)
		if len(ids) == 0 || ids[0] == each.ID {
			chosen = append(chosen, each)
		}
	}
	if len(chosen) == 0 {
		return jsonApps{}, &failure{say: "config.toml has no app " + plain.Line(ids[0], 60), next: "these are there: " + strings.Join(known, ", "), status: statusFailed}
	}
	folder, err := a.folder()
	if err != nil {
		return jsonApps{}, err
	}
	out := jsonApps{Apps: a.connectEach(ctx, chosen, folder)}
	return out, ctx.Err()
}

// examineLimit bounds how long doctor waits for the slowest app.
const examineLimit = 3 * time.Second

// examineApps says how the apps stand: each is connected for a moment.
func (a *app) examineApps(ctx context.Context) []jsonApp {
	if a.bridge() == nil {
		return []jsonApp{}
	}
	ctx, cancel := context.WithTimeout(ctx, examineLimit)
	defer cancel()
	return a.connectEach(ctx, a.bridge().Apps(), a.host.Dir)
}

// connectEach connects apps side by side.
func (a *app) connectEach(ctx context.Context, chosen []apps.App, folder string) []jsonApp {
	list := make([]jsonApp, len(chosen))
	var wait sync.WaitGroup
	for i, each := range chosen {
		wait.Go(func() { list[i] = reportJSON(a.bridge().Test(ctx, each, folder)) })
	}
	wait.Wait()
	return list
}

// printAppStates is doctor's word on the apps.
func (a *app) printAppStates(out *printer, s signs, list []jsonApp) {
	if len(list) == 0 {
		return
	}
	out.printf("\nApps\n")
	for _, j := range list {
		if j.State == appReady {
			out.printf("  %s %s  %d tools\n", s.done, j.ID, len(j.Tools))
			continue
		}
		out.printf("  %s %s  %s\n      → %s\n", s.failed, j.ID, j.Problem, j.Next)
	}
}

func appJSON(c apps.App) jsonApp {
	j := jsonApp{ID: c.ID, Kind: "program", Where: plain.Line(strings.Join(c.Command, " "), 200), Own: c.Own, State: appSetUp, Tools: []jsonAppTool{}, LeftOut: []string{}}
	if c.URL != "" {
		j.Kind, j.Where = "address", plain.Line(withoutSignIn(c.URL), 200)
	}
	return j
}

func (j *jsonApp) problem(p apps.Problem) {
	j.State, j.Problem, j.Next, j.Detail = appBroken, p.Say, p.Next, p.Detail
}

func reportJSON(r apps.Report) jsonApp {
	j := appJSON(r.App)
	j.Tested, j.State, j.Ms = true, appReady, r.Took.Milliseconds()
	if r.Problem != nil {
		j.problem(*r.Problem)
		return j
	}
	j.Name, j.Version = r.Listing.Name, r.Listing.Version
	for _, t := range r.Listing.Tools {
		j.Tools = append(j.Tools, jsonAppTool{Name: t.Name, Tool: t.Tool, Description: plain.Line(t.Description, 300), ReadOnly: t.ReadOnly})
	}
	for _, note := range r.Listing.Notes {
		j.LeftOut = append(j.LeftOut, plain.Line(note, 300))
	}
	return j
}

// withoutSignIn takes a name and a password, and what may be a key, out of an address.
func withoutSignIn(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	rest, _, _ = strings.Cut(rest, "?")
	host, path, slash := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	if slash {
		host += "/" + path
	}
	return scheme + "://" + host
}

func (a *app) printApps(j jsonApps, asJSON bool) error {
	out := &printer{w: a.host.Stdout}
	if asJSON {
		out.printf("%s\n", jsonLine(j))
		return out.err
	}
	if len(j.Apps) == 0 {
		out.printf("No app is set up.\n→ conch apps --help shows how one is written into %s\n", config.FileName)
		return out.err
	}
	s := signsFor(a.asciiOnly() || a.flags.plain)
	for _, each := range j.Apps {
		a.printApp(out, s, each)
	}
	if !j.Apps[0].Tested {
		out.printf("\n→ conch apps test connects each and shows its tools\n")
	}
	return out.err
}

func (a *app) printApp(out *printer, s signs, j jsonApp) {
	sign, words := s.unknown, "set up"
	switch j.State {
	case appReady:
		sign, words = s.done, fmt.Sprintf("ready in %s", shortTime(time.Duration(j.Ms)*time.Millisecond))
	case appBroken:
		sign, words = s.failed, "broken"
	}
	own := ""
	if j.Own {
		own = "  your own"
	}
	out.printf("%s %s  %s  %s%s\n", sign, j.ID, words, j.Where, own)
	if j.Problem != "" {
		out.printf("    %s\n", j.Problem)
	}
	if j.Next != "" {
		out.printf("    → %s\n", j.Next)
	}
	for _, line := range strings.Split(j.Detail, "\n") {
		if line != "" {
			out.printf("    it said: %s\n", plain.Line(line, 200))
		}
	}
	if !j.Tested || j.State != appReady {
		return
	}
	if j.Name != "" {
		out.printf("    it calls itself %s\n", strings.TrimSpace(j.Name+" "+j.Version))
	}
	var rows [][]string
	for _, t := range j.Tools {
		reads := ""
		if t.ReadOnly {
			reads = "reads"
		}
		rows = append(rows, []string{"    " + t.Tool, reads, plain.Line(t.Description, 80)})
	}
	if len(rows) == 0 {
		out.printf("    it offers no tool\n")
	}
	for _, row := range columns(rows) {
		out.printf("%s\n", row)
	}
	for _, note := range j.LeftOut {
		out.printf("    left out: %s\n", note)
	}
}

// shortTime is a time as a person reads it: "42 ms", "1.3 s".
func shortTime(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// completeApps offers the ids of the apps.
func (a *app) completeApps(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 || a.open() != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, each := range a.cfg.Apps {
		out = append(out, cobra.CompletionWithDesc(plain.Line(each.ID, 64), plain.Line(strings.Join(each.Command, " ")+withoutSignIn(each.URL), 60)))
	}
	return out, noFiles
}
