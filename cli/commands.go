package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"conch/child"
	"conch/demo"
	"conch/redact"
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

// maxFilter bounds what the redact filter takes, in bytes: it looks at the whole
// text, since a secret may span lines.
const maxFilter = 256 << 20

func (a *app) redactCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "redact",
		Short: "Take keys and passwords out of text: from stdin to stdout",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			raw, err := io.ReadAll(io.LimitReader(a.host.Stdin, maxFilter+1))
			if err != nil {
				return fmt.Errorf("read stdin: %w", err)
			}
			if len(raw) > maxFilter {
				return &failure{say: fmt.Sprintf("the text is larger than %d MB", maxFilter>>20), next: "give it in parts", status: statusFailed}
			}
			clean, n := redact.Redact(string(raw))
			if _, err := io.WriteString(a.host.Stdout, clean); err != nil {
				return err
			}
			if n > 0 {
				a.note("%d taken out", n)
			}
			return nil
		},
	}
}
