package cli

import (
	"github.com/spf13/cobra"

	"conch/door"
)

// doorShimCommand relays a program's MCP lines to the door of its session. A program
// that takes no tools over HTTP starts it.
func (a *app) doorShimCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "door-shim",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.status = door.Shim(cmd.Context(), a.host.Environ, a.host.Stdin, a.host.Stdout, a.host.Stderr)
			return nil
		},
	}
}
