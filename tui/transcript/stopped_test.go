package transcript

import (
	"strings"
	"testing"

	"conch/chats"
)

func TestAStoppedTurnSaysThatWordsStayOnlyWhenThereAreSome(t *testing.T) {
	stopped := chats.TurnCompleted{Outcome: "interrupted", Engine: "codex"}
	for _, c := range []struct {
		name string
		s    *script
		want bool
	}{
		{"it had begun", (&script{}).says("what is the total?").answer("The total is"), true},
		{"it had not", (&script{}).says("hello").answer("Hello.").says("what is the total?"), false},
	} {
		got := show(screen(c.s.add(stopped).events, 80, 12))
		if strings.Contains(got, "what it had said stays") != c.want || !strings.Contains(got, "stopped") {
			t.Errorf("%s:\n%s", c.name, got)
		}
	}
}
