//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/pretend"
)

// calls is a step of a pretend model that calls tools of Conch's.
func calls(list ...pretend.Call) pretend.Step { return pretend.Step{Calls: list} }

// A model without hands works on a project in the real program: it looks, edits,
// runs, waits and is woken, and the person takes its edits back.
func TestAModelWithoutHandsWorksWithConchsTools(t *testing.T) {
	server, err := pretend.Start(pretend.Script{Rules: []pretend.Rule{
		{Match: "change the cart", Steps: []pretend.Step{
			calls(pretend.Call{Name: "search_files", Args: map[string]any{"pattern": "Total"}}, pretend.Call{Name: "read_file", Args: map[string]any{"path": "cart.go"}}),
			calls(pretend.Call{Name: "edit_file", Args: map[string]any{"path": "cart.go", "old": "return 0", "new": "return sum"}}),
			calls(pretend.Call{Name: "run_command", Args: map[string]any{"command": "grep -c sum cart.go; sleep 0.1; exit 3"}}),
			{Text: "The cart is changed."},
		}},
		{Match: "wait for it", Steps: []pretend.Step{
			calls(pretend.Call{Name: "wait_for", Args: map[string]any{"file": "built"}}),
			{Text: "I wait for the build."},
		}},
		{Match: "built exists. It has happened", Steps: []pretend.Step{{Text: "The build is there."}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	p := newPlace(t)
	home := filepath.Join(p.home, ".conch")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	config := "provider = \"pretend\"\n[[model_api]]\nid = \"pretend\"\nurl = \"" + server.URL() + "/v1\"\nmodel = \"pretend-1\"\nkey = \"none\"\n"
	cart := filepath.Join(p.project, "cart.go")
	const before, after = "func Total() int {\n\treturn 0\n}\n", "func Total() int {\n\treturn sum\n}\n"
	for path, text := range map[string]string{filepath.Join(home, "config.toml"): config, cart: before} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	holds := func() string {
		raw, err := os.ReadFile(cart)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}

	s := open(t, p, 100, 40, p.environ(), "--mode", "auto-read")
	s.waitFor(prompt)
	s.say("change the cart")
	s.waitFor("return sum") // the diff on the card
	if holds() != before {
		t.Error("it was changed before it was allowed")
	}
	s.answer("y", func() bool { return holds() == after })
	s.waitFor("grep -c sum cart.go")
	s.answer("y", func() bool { return strings.Contains(s.screen(), "The cart is changed.") })
	s.waitFor("/undo takes it back")
	for _, row := range []string{"Grep", "Read", "Edit", "Bash"} {
		if !strings.Contains(s.screen(), row) {
			t.Errorf("there is no row %s:\n%s", row, s.screen())
		}
	}
	s.say("/undo")
	s.waitFor("1 file is as before")
	if holds() != before {
		t.Errorf("it holds %q", holds())
	}
	s.say("wait for it")
	s.waitFor("waits until built exists")
	s.waitGone("esc stop ")
	if err := os.WriteFile(filepath.Join(p.project, "built"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.waitFor("Conch woke the chat: it waited until built exists. It has happened")
	s.waitFor("The build is there.")
	s.typed(keyCtrlD)
	s.ended()
}
