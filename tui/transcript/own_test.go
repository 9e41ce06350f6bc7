package transcript

import "testing"

func TestARowsNameSaysWhoseToolItIs(t *testing.T) {
	for name, want := range map[string]string{
		"mcp__conch__read_chat":                  "read_chat",
		"mcp__ledger__find_invoices":             "ledger find_invoices",
		"mcp__conch__mcp__ledger__find_invoices": "ledger find_invoices",
		"mcp__browser__screenshot":               "browser screenshot",
		"Read":                                   "Read",
		"mcp__conch__":                           "mcp__conch__",
	} {
		if got := ownName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
