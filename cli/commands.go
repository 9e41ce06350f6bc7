package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"conch/child"
	"conch/demo"
)

// demoCommand is the demo agent itself. Its flags are for tests and its own.
func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "demo-agent",
		Short:              "Be the demo agent: an ACP program with scripted answers, on stdin and stdout",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				fmt.Fprintf(a.host.Stdout, "%s.\n\n", cmd.Short)
				demo.Usage(a.host.Stdout)
				return nil
			}
			if isTerminal(a.host.Stdin) && !slices.Contains(args, "--sign-in") {
				a.note("the demo agent speaks ACP, one JSON message a line; conch --provider demo talks to it for you")
			}
			err := demo.Run(cmd.Context(), demo.Host{
				In: a.host.Stdin, Out: a.host.Stdout, Err: a.host.Stderr, Args: args, Environ: a.host.Environ,
				Self: []string{a.host.Executable, "demo-agent"}, Now: a.host.Now,
			})
			var exit *demo.ExitError
			switch {
			case errors.As(err, &exit):
				a.status = exit.Code
				return nil
			case err != nil && !interrupted(cmd.Context()):
				return &failure{say: err.Error(), status: statusWrong, err: err}
			}
			return nil
		},
	}
}

// guardCommand outlives Conch for a moment to end what it left.
func (a *app) guardCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "child-guard",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.status = child.RunGuard(context.WithoutCancel(cmd.Context()), a.host.Stdin, args)
			return nil
		},
	}
}
