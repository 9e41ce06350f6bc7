//go:build conformance && unix

package pretend

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// TestConformanceDoctor: conch doctor finds each real agent and its version.
func TestConformanceDoctor(t *testing.T) {
	chosen := chosenAgents(t)
	w := newWorld(t, turns, chosen...)
	cmd := exec.Command(w.bin, "doctor", "--json")
	cmd.Dir, cmd.Env = w.work, w.env
	out, err := cmd.Output()
	var report struct {
		Providers []struct{ ID, Found, Version, State, Problem, Next string }
	}
	if jsonErr := json.Unmarshal(out, &report); jsonErr != nil {
		t.Fatalf("%v, %v\n%s", err, jsonErr, out)
	}
	for _, a := range chosen {
		found := false
		for _, p := range report.Providers {
			if p.ID != a.id {
				continue
			}
			found = true
			if a.config != nil {
				if p.Found == "" || p.Version != "pretend-1" { // where it is, and its model
					t.Errorf("%+v", p)
				}
				continue
			}
			if !strings.HasSuffix(p.Found, "/"+a.bin) || !strings.Contains(p.Version, a.version) {
				t.Errorf("%+v", p)
			}
		}
		if !found {
			t.Errorf("%s is not listed", a.id)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}
