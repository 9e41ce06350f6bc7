//go:build conformance && unix

package pretend

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"
)

// TestConformanceEvals: each task of conch eval is passed by the player that keeps at
// it and failed by the one that gives up, through each real program.
func TestConformanceEvals(t *testing.T) {
	for _, a := range chosenAgents(t) {
		for player, script := range map[string]func() Script{"persistent": Persistent, "quitter": Quitter} {
			t.Run(a.id+"/"+player, func(t *testing.T) {
				w := newWorld(t, func(string) Script { return script() }, a)
				var out struct {
					Results []struct{ Task, Outcome, Reason, Provider, Model string }
				}
				var errs bytes.Buffer
				cmd := exec.Command(w.bin, "eval", "--provider", a.id, "--json")
				cmd.Dir, cmd.Env, cmd.Stderr = w.work, w.env, &errs
				raw, _ := cmd.Output() // it ends with 1 when a task was failed
				if err := json.Unmarshal(raw, &out); err != nil || len(out.Results) < 8 {
					t.Fatalf("%v\n%s\n%s", err, raw, errs.String())
				}
				want := map[bool]string{true: "pass", false: "fail"}[player == "persistent"]
				for _, r := range out.Results {
					if r.Outcome != want || r.Provider != a.id {
						t.Errorf("%s: %s, %s (%s)", r.Task, r.Outcome, r.Reason, r.Provider)
					}
				}
				if t.Failed() {
					for _, q := range w.model.Asked() {
						t.Logf("model %d: %s rule %q step %d\n", q.N, q.Dialect, q.Rule, q.Step)
					}
					t.Log(results(w))
				}
			})
		}
	}
}
