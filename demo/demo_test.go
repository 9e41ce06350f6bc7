package demo

import (
	"strings"
	"testing"
)

func TestAFirstMessageIsAnsweredWithATour(t *testing.T) {
	for _, text := range []string{"hello", "zzz", "tour", "/tour"} {
		c := start(t, t.TempDir())
		stop, said := c.prompt(c.open(), text)
		if stop != "end_turn" || !strings.Contains(said, "demo agent") || !strings.Contains(said, "`edit`") {
			t.Errorf("%q: ended %s with %q", text, stop, said)
		}
	}
}

func TestEditReadsAsksWritesAndChecks(t *testing.T) {
	c := start(t, t.TempDir())
	stop, said := c.prompt(c.open(), "edit")
	if stop != "end_turn" || !strings.Contains(said, "Done") {
		t.Fatalf("ended %s with %q", stop, said)
	}
	var kinds []string
	for _, u := range c.updates("tool_call") {
		kinds = append(kinds, u["kind"].(string))
	}
	if got := strings.Join(kinds, " "); got != "read edit execute" {
		t.Errorf("steps were %q", got)
	}
	last := c.updates("tool_call_update")
	if got := last[len(last)-1]; got["status"] != "completed" {
		t.Errorf("the checks ended as %v", got)
	}
}
