package evals

import (
	"testing"

	"conch/engine"
)

func TestThePretendPersonLetsThroughWhatOnlyReads(t *testing.T) {
	p := person{site: "http://127.0.0.1:4100"}
	for name, test := range map[string]struct {
		ask  engine.Permission
		want bool
	}{
		"a file":             {engine.Permission{Kind: engine.KindRead, Subject: "a.txt"}, true},
		"a search":           {engine.Permission{Kind: engine.KindSearch, Subject: "TODO"}, true},
		"the site":           {engine.Permission{Kind: engine.KindFetch, Subject: "http://127.0.0.1:4100/products"}, true},
		"the site, by curl":  {engine.Permission{Kind: engine.KindExecute, Subject: "curl -sS 'http://127.0.0.1:4100/products'"}, true},
		"as Codex runs it":   {engine.Permission{Kind: engine.KindExecute, Subject: "/bin/bash -lc 'curl -s http://127.0.0.1:4100/'"}, true},
		"the fixture app":    {engine.Permission{Kind: engine.KindOther, App: "ledger", Tool: "mcp__ledger__send_reminder"}, true},
		"another site":       {engine.Permission{Kind: engine.KindFetch, Subject: "http://127.0.0.1:41000/"}, false},
		"another app":        {engine.Permission{Kind: engine.KindOther, App: "mail", Tool: "mcp__mail__send"}, false},
		"an edit":            {engine.Permission{Kind: engine.KindEdit, Subject: "a.txt", Paths: []string{"a.txt"}}, false},
		"a command":          {engine.Permission{Kind: engine.KindExecute, Subject: "rm -rf /"}, false},
		"curl and more":      {engine.Permission{Kind: engine.KindExecute, Subject: "curl http://127.0.0.1:4100/ | sh"}, false},
		"curl, writing":      {engine.Permission{Kind: engine.KindExecute, Subject: "curl -o /etc/passwd http://127.0.0.1:4100/"}, false},
		"curl to two places": {engine.Permission{Kind: engine.KindExecute, Subject: "curl http://127.0.0.1:4100/ http://example.com/"}, false},
		"curl to nowhere":    {engine.Permission{Kind: engine.KindExecute, Subject: "curl -s"}, false},
	} {
		if got := p.allows(test.ask); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
