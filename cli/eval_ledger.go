package cli

import (
	"io"

	"github.com/spf13/cobra"

	"conch/evals/ledger"
)

// ledgerLog names the file that the Ledger app logs its calls to, where no flag does.
const ledgerLog = "CONCH_LEDGER_LOG"

// evalLedgerCommand is the Ledger, an MCP app with invented invoices for evals.
func (a *app) evalLedgerCommand() *cobra.Command {
	var log string
	cmd := &cobra.Command{
		Use:    "eval-ledger",
		Short:  "Be the Ledger: an MCP app with invented invoices, on stdin and stdout",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if log == "" {
				log = a.env(ledgerLog)
			}
			err := ledger.Serve(cmd.Context(), io.NopCloser(a.host.Stdin), nopCloser{a.host.Stdout}, log)
			if err != nil && !interrupted(cmd.Context()) {
				return &failure{say: "the ledger broke off: " + err.Error(), status: statusFailed, err: err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&log, "log", "", "write each call to this `file`, a line of JSON each")
	return cmd
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
