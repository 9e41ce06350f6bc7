package acp

import "testing"

func TestASessionIsNamedAsItsProgramNamesIt(t *testing.T) {
	e := New(Agent{ID: "claude-code"}, Options{})
	for resume, want := range map[string]string{
		"0123456789abcdef:5b1d0c3a-7e42-4f6a-9a51-0d2c3b4a5e6f":                            "5b1d0c3a-7e42-4f6a-9a51-0d2c3b4a5e6f",
		"0123456789abcdef:ses_4a:b":                                                        "ses_4a:b",
		`{"digest":"0123456789abcdef","sessionId":"5b1d0c3a-7e42-4f6a-9a51-0d2c3b4a5e6f"}`: "5b1d0c3a-7e42-4f6a-9a51-0d2c3b4a5e6f",
		"no digest": "",
		"":          "",
	} {
		if got := e.AppSession(resume); got != want {
			t.Errorf("%q is %q, not %q", resume, got, want)
		}
	}
}
