package transcript

import (
	"strings"
	"testing"

	"conch/chats"
)

func TestATurnThatIsSignedOutSaysHowToSignInHere(t *testing.T) {
	end := chats.TurnCompleted{Outcome: "error", Error: "Mine is not signed in.", Problem: "signed-out", Next: "mine login", Engine: "mine"}
	for _, c := range []struct {
		offered bool
		want    string
	}{{true, "→ /sign-in mine"}, {false, "→ mine login"}} {
		end.SignIn = c.offered
		got := show(screen((&script{}).says("go").add(end).events, 80, 8))
		if !strings.Contains(got, "Mine is not signed in.  "+c.want+"\n") {
			t.Errorf("offered %v: want %q in\n%s", c.offered, c.want, got)
		}
	}
}
