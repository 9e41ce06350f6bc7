package engine

import "testing"

func TestTheNameOfAnAppsToolIsParted(t *testing.T) {
	for name, want := range map[string][2]string{
		"mcp__ledger__find_invoices": {"ledger", "find_invoices"}, "mcp__a__b__c": {"a", "b__c"},
		"find_invoices": {}, "mcp__ledger": {}, "mcp____x": {}, "mcp__x__": {}, "": {},
	} {
		app, tool, ok := AppTool(name)
		if ok != (want[0] != "") || ok && (app != want[0] || tool != want[1]) {
			t.Errorf("%q: %q %q %v", name, app, tool, ok)
		}
	}
}
