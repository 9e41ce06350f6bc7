package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"conch/config"
	"conch/engine"
	"conch/plain"
)

// completeFlags tells the shell what the flags' values can be.
func (a *app) completeFlags(cmd *cobra.Command) {
	for name, do := range map[string]cobra.CompletionFunc{
		"resume":   a.completeChats,
		"provider": a.completeProviders,
		"mode":     completeModes,
		"allow":    completeAllow,
		"model":    cobra.NoFileCompletions,
		"dir":      completeDirs,
	} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, do) // fails only when it is there already
		}
	}
}

const noFiles = cobra.ShellCompDirectiveNoFileComp

// completeChats offers ids with their titles, newest first.
func (a *app) completeChats(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 || a.open() != nil {
		return nil, noFiles
	}
	list, err := a.store.List()
	if err != nil {
		return nil, noFiles
	}
	var out []cobra.Completion
	for _, s := range list {
		if strings.HasPrefix(s.ID, strings.ToUpper(begun)) && len(out) < 50 {
			out = append(out, cobra.CompletionWithDesc(s.ID, titleOf(s)))
		}
	}
	return out, noFiles | cobra.ShellCompDirectiveKeepOrder
}

func (a *app) completeProviders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if a.open() != nil {
		return config.Known(), noFiles
	}
	var out []cobra.Completion
	for _, id := range a.cfg.Providers() {
		out = append(out, plain.Line(id, 64))
	}
	return out, noFiles
}

func completeModes(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, m := range engine.Modes() {
		out = append(out, string(m))
	}
	return out, noFiles | cobra.ShellCompDirectiveKeepOrder
}

func completeAllow(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := begun[:strings.LastIndex(begun, ",")+1]
	var out []cobra.Completion
	for _, what := range allowable {
		if !strings.Contains(before, what) {
			out = append(out, before+what)
		}
	}
	return out, noFiles
}

func completeDirs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
