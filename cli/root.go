package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"conch/config"
	"conch/engine"
)

// flags are those of a chat.
type flags struct {
	resume   chatValue
	newest   bool // --continue
	print    bool // -p
	json     bool
	provider string
	model    string
	mode     string
	dir      string
	plain    bool
	allow    []string
}

// chatValue is the value of --resume. Where one was given, arrange puts a second
// "=" before it, so that it is told from none.
type chatValue struct {
	chat  string
	given bool // the flag, with or without a value
}

func (v *chatValue) String() string { return v.chat }
func (v *chatValue) Type() string   { return "bool" } // so that the help shows no value that it has by itself

func (v *chatValue) Set(s string) error {
	chat, _ := strings.CutPrefix(s, "=")
	if s == noValue {
		chat = ""
	}
	v.chat, v.given = chat, true
	return nil
}

// noValue is what the flag parser gives for a flag alone.
const noValue = "true"

const rootLong = `Conch is a terminal chat client for coding agents: one chat, carried on with any of
Claude Code, Codex, Gemini CLI, Copilot, OpenCode, Grok, Qwen, or the demo agent.

  conch                          start a chat in this folder
  conch fix the failing test     start it with a message
  conch --resume                 pick a chat to carry on
  conch --resume checkout        carry on the chat whose title has the word
  conch --resume pc_…            open a chat that was brought in from another app
  conch --continue               carry on the newest chat of this folder
  conch run --coordinator codex  let several agents work on one task
  conch -p "what is this?"       one answer, without the screen (for scripts)`

// rootCommand is the command line. Without subcommands every word is a message.
func (a *app) rootCommand(whole bool) *cobra.Command {
	f := &a.flags
	root := &cobra.Command{
		Use:           "conch [words]",
		Short:         "A terminal chat client for coding agents",
		Long:          rootLong,
		Version:       a.host.Version,
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, words []string) error {
			if f.resume.given && f.newest {
				return wrong("give one of the two", "--resume and --continue don't go together")
			}
			if f.print {
				return a.once(cmd.Context(), words)
			}
			switch {
			case f.json:
				return wrong(`conch -p --json "…"`, "--json goes with -p")
			case cmd.Flags().Changed("allow"):
				return wrong(`conch -p --allow read,edit,bash "…"`, "--allow goes with -p; in the screen you are asked")
			}
			return a.screen(cmd.Context(), words)
		},
		// The word after a --resume alone is its value.
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if f.resume.given && f.resume.chat == "" && len(args) == 0 {
				return a.completeChats(cmd, args, begun)
			}
			return nil, noFiles
		},
	}
	root.SetVersionTemplate("conch {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = false
	fl := root.Flags()
	fl.SortFlags = false
	fl.VarP(&f.resume, "resume", "r", "carry a `chat` on: an id, its beginning, or words of the title; without a value, a picker")
	fl.Lookup("resume").NoOptDefVal = noValue
	fl.BoolVarP(&f.newest, "continue", "c", false, "carry on the newest chat of this folder")
	fl.BoolVarP(&f.print, "print", "p", false, "one turn without the screen; the message is read from stdin too")
	fl.BoolVar(&f.json, "json", false, "with -p: one JSON event a line")
	fl.StringSliceVar(&f.allow, "allow", nil, "with -p: allow `read,edit,bash,fetch` unasked")
	fl.StringVar(&f.provider, "provider", "", "who answers: `id` (conch doctor lists them)")
	fl.StringVar(&f.model, "model", "", "the provider's model, by its `id`")
	fl.StringVar(&f.mode, "mode", "", "how much it may do unasked: `plan`, ask, auto-read or auto-edit")
	fl.StringVarP(&f.dir, "dir", "C", "", "work in this `folder`")
	fl.BoolVar(&f.plain, "plain", false, "plain lines, for screen readers")
	a.completeFlags(root)

	if !whole {
		root.CompletionOptions.DisableDefaultCmd = true
		root.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true})
		return root
	}
	root.AddCommand(a.chatsCommand(), a.showCommand(), a.exportCommand(), a.searchCommand(), a.importCommand(), a.appsCommand(), a.doctorCommand(), a.redactCommand(),
		a.demoCommand(), a.guardCommand(), a.doorShimCommand(), a.runCommand(), a.runsCommand(), a.evalCommand(), a.evalLedgerCommand())
	return root
}

// checkFlags reads the flags' values that have a form.
func (a *app) checkFlags() error {
	f := &a.flags
	if f.mode != "" {
		if _, err := engine.ParseMode(f.mode); err != nil {
			return wrong("conch --mode auto-read", "there is no mode %q; the modes are plan, ask, auto-read and auto-edit, strictest first", f.mode)
		}
	}
	f.provider = config.ProviderID(f.provider)
	if f.provider != "" && a.engineOf(f.provider) == nil {
		return wrong("conch doctor says how each is installed", "no provider is called %q; these are: %s", f.provider, strings.Join(a.engineIDs(), ", "))
	}
	for _, what := range f.allow {
		if !slices.Contains(allowable, what) {
			return wrong("conch -p --allow "+strings.Join(allowable, ","), "--allow takes %s, not %q", strings.Join(allowable, ", "), what)
		}
	}
	return nil
}

// allowable is what --allow may name.
var allowable = []string{"read", "edit", "bash", "fetch"}

func (a *app) engineOf(id string) engine.Engine {
	for _, e := range a.engines {
		if e.Info().ID == id {
			return e
		}
	}
	return nil
}

// engineIDs are the providers that are offered whatever runs on this machine.
func (a *app) engineIDs() []string {
	var ids []string
	for _, e := range a.engines {
		if engine.Named(e, engine.Health{}) {
			ids = append(ids, e.Info().ID)
		}
	}
	return ids
}
