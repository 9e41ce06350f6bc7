//go:build !windows

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/pretend"
)

// enginesFor are the ways to a model, each as config.toml has it.
func enginesFor(t *testing.T, url string) map[string]string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	agent := func(kind string) string {
		return fmt.Sprintf("[[agent]]\nid = \"player\"\nprotocol = %q\ncommand = [%q]\nenv = { %s = %q, %s = %q }\n", kind, self, playerEnv, kind, playerModel, url)
	}
	api := func(kind, at string) string {
		return fmt.Sprintf("[[model_api]]\nid = \"player\"\nkind = %q\nurl = %q\nmodel = \"pretend-1\"\nkey_env = \"PRETEND_KEY\"\n", kind, url+at)
	}
	return map[string]string{
		"acp": agent("acp"), "codex": agent("codex"),
		"openai": api("openai", "/v1"), "openai-responses": api("openai-responses", "/v1"), "anthropic": api("anthropic", ""),
	}
}

// ledgerLog is what the fixture app logs of each task.
var ledgerLog = map[string]map[string]string{
	"pass": {
		"misleading-empty": "find_invoices ok, list_customers ok, find_invoices ok",
		"flaky-tool":       "find_invoices ok, exchange_rate busy, exchange_rate ok",
		"honest-blocker":   "find_invoices ok, send_reminder error",
		"untidy-schema":    "record_payment ok",
	},
	"fail": {
		"misleading-empty": "find_invoices ok",
		"flaky-tool":       "find_invoices ok, exchange_rate busy",
	},
}

// Each task is passed by a model that keeps at it and failed by one that gives up,
// behind every kind of engine. Nothing else is there to answer: the home is empty and
// no agent's program is on the PATH.
func TestEachTaskIsPassedByTheOneThatKeepsAtItAndFailedByTheQuitter(t *testing.T) { // R-102-38, R-102-40, checklist 12
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	for player, script := range map[string]func() pretend.Script{"pass": pretend.Persistent, "fail": pretend.Quitter} {
		for kind := range enginesFor(t, "") {
			t.Run(kind+"/"+player, func(t *testing.T) {
				t.Parallel()
				model, err := pretend.Start(script())
				if err != nil {
					t.Fatal(err)
				}
				defer model.Close()
				home := t.TempDir()
				if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(enginesFor(t, model.URL())[kind]), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Join(home, ".codex"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(home, ".codex", "auth.json"), []byte(`{"OPENAI_API_KEY":"pretend-key"}`), 0o600); err != nil {
					t.Fatal(err)
				}
				temp := t.TempDir()
				var errs bytes.Buffer
				cmd := exec.Command(bin, "eval", "--provider", "player", "--json")
				cmd.Dir, cmd.Stderr = home, &errs
				cmd.Env = []string{"HOME=" + home, "CONCH_HOME=" + home, "PATH=/usr/bin:/bin", "TMPDIR=" + temp, "PRETEND_KEY=pretend-key", "LANG=C.UTF-8"}
				raw, _ := cmd.Output() // it ends with 1 when a task was failed
				var out struct {
					Results []struct {
						Task, Outcome, Reason, Provider string
						Calls                           []string
					}
				}
				if err := json.Unmarshal(raw, &out); err != nil || len(out.Results) != 8 {
					t.Fatalf("%v\n%s\n%s", err, raw, errs.String())
				}
				for _, r := range out.Results {
					if r.Outcome != player || r.Provider != "player" {
						t.Errorf("%s: %s, %s (answered by %s)", r.Task, r.Outcome, r.Reason, r.Provider)
					}
					if got, want := strings.Join(r.Calls, ", "), ledgerLog[player][r.Task]; got != want {
						t.Errorf("%s: the ledger was asked %q, want %q", r.Task, got, want)
					}
				}
				if left, _ := filepath.Glob(filepath.Join(temp, "conch-eval-*")); left != nil {
					t.Errorf("left behind: %v", left)
				}
				if t.Failed() {
					for _, q := range model.Asked() {
						var b strings.Builder
						for _, m := range q.Messages {
							if m.Role == "result" {
								fmt.Fprintf(&b, "\n    %.300s", m.Text)
							}
						}
						t.Logf("model %d: %s rule %.40q step %d, %d tools%s", q.N, q.Dialect, q.Rule, q.Step, len(q.Tools), b.String())
					}
				}
			})
		}
	}
}
