package acp

import (
	"testing"

	"conch/engine"
)

func TestATurnThatIsSignedOutSaysWhetherASignInIsOffered(t *testing.T) {
	refuses := `{"expect":"session/new","error":{"code":-32000,"message":"Authentication required"}}`
	for _, c := range []struct {
		name, methods string
		known         []string // arguments that the table knows
		want          bool
	}{
		{"an own entry whose program offers one", `[{"id":"t","name":"Terminal","type":"terminal","args":["login"]}]`, nil, true},
		{"an own entry whose program has a page on the web alone", `[{"id":"w","name":"Browser"}]`, nil, false},
		{"one that the table knows", `[]`, []string{"login"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := scriptEngine(t, script(t, `{"expect":"initialize","reply":{"protocolVersion":1,"authMethods":`+c.methods+`}}`, refuses), quick())
			e.agent.SignIn, e.agent.SignInArgs = "", c.known
			_, r := turnWith(t, e, input(t, "hi"))
			if r.Problem != engine.SignedOut || r.SignIn != c.want {
				t.Errorf("%+v, want a sign-in: %v", r, c.want)
			}
		})
	}
}
