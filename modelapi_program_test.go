//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"conch/pretend"
)

// withAPI is a place whose config names a pretend model behind a model API.
func withAPI(t *testing.T, kind, url string) place {
	t.Helper()
	p := newPlace(t)
	home := filepath.Join(p.home, ".conch")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	conf := fmt.Sprintf("provider = \"plum\"\n[[model_api]]\nid = \"plum\"\nname = \"Plum\"\nkind = %q\nurl = %q\nmodel = \"pretend-1\"\nkey_env = \"PLUM_KEY\"\n", kind, url)
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.project, "notes.txt"), []byte("round = down\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

var handy = pretend.Script{Rules: []pretend.Rule{
	{Match: "fix the notes", Steps: []pretend.Step{
		{Text: "I read it. ", Calls: []pretend.Call{{Name: "read_file", Args: map[string]any{"path": "notes.txt"}}}},
		{Text: "I change it. ", Calls: []pretend.Call{{Name: "edit_file", Args: map[string]any{"path": "notes.txt", "old": "down", "new": "half to even"}}}},
		{Text: "I look. ", Calls: []pretend.Call{{Name: "run_command", Args: map[string]any{"command": "cat notes.txt"}}}},
		{Text: "All is well now."},
	}},
	{Match: "what was it", Steps: []pretend.Step{{Text: "It was the rounding."}}},
}}

// The rows are the same as those of any agent, whatever API is behind them.
func TestTheScreenShowsAModelAPIsStepsAsAnyOthers(t *testing.T) {
	for _, kind := range []string{"openai", "openai-responses", "anthropic"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			model, err := pretend.Start(handy)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(model.Close)
			p := withAPI(t, kind, model.URL())
			s := open(t, p, 100, 40, p.environ("PLUM_KEY=plum-plum-plum"))
			s.waitFor(prompt)
			s.say("fix the notes")
			allowed := func(n int) func() bool {
				return func() bool { return strings.Count(s.screen(), "you allowed it once") == n }
			}
			s.waitFor("waits for you")
			s.answer("y", allowed(1))
			s.until("the command asks", func() bool {
				return strings.Contains(s.screen(), "Bash   cat notes.txt") && strings.Contains(s.screen(), "waits for you")
			})
			s.answer("y", allowed(2))
			s.waitFor("All is well now.")
			for _, row := range []string{"✓ Read   notes.txt", "✓ Edit   notes.txt · you allowed it once", "+1 −1", "✓ Bash   cat notes.txt · you allowed it once", "plum pretend-1"} {
				if !strings.Contains(s.screen(), row) {
					t.Errorf("no %q on the screen:\n%s", row, s.screen())
				}
			}
			if raw, err := os.ReadFile(filepath.Join(p.project, "notes.txt")); err != nil || string(raw) != "round = half to even\n" {
				t.Errorf("%q %v", raw, err)
			}
			s.typed("\x03")
			s.typed("\x03")
			if status := s.ended(); status != 0 && status != 130 {
				t.Errorf("ended with %d", status)
			}

			s = open(t, p, 100, 40, p.environ("PLUM_KEY=plum-plum-plum"), "--continue")
			s.waitFor("All is well now.")
			s.say("what was it")
			s.waitFor("It was the rounding.")
			asked := model.Asked()
			if last := asked[len(asked)-1]; !last.Saw("round = half to even", "result") || !last.Saw("fix the notes", "user") || last.Saw("earlier-conversation>\n", "user") {
				t.Errorf("the chat was not carried on by its own history: %+v", last.Messages)
			}
		})
	}
}

// A server that is found is the provider of a machine on which nothing else is, and
// is named nowhere on one where it is not.
func TestAServerOnTheMachineIsFoundByItself(t *testing.T) {
	model, err := pretend.Start(pretend.Script{Models: []string{"llama3.2:3b"}, Rules: []pretend.Rule{{Match: "hello", Steps: []pretend.Step{{Text: "Hello from here."}}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/version":
			fmt.Fprint(w, `{"version":"0.12.3"}`)
		case "/api/show":
			fmt.Fprint(w, `{"capabilities":["completion","tools"],"model_info":{"llama.context_length":131072}}`)
		case "/api/ps":
			fmt.Fprint(w, `{"models":[{"name":"llama3.2:3b","context_length":16384}]}`)
		default:
			model.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(site.Close)
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	run := func(p place, host string, args ...string) string {
		t.Helper()
		cmd := exec.Command(bin, args...)
		cmd.Dir, cmd.Env = p.project, p.environ("CONCH_LOCAL_MODELS=", "OLLAMA_HOST="+host)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	p := newPlace(t)
	host := strings.TrimPrefix(site.URL, "http://")
	out := run(p, host, "-p", "--json", "hello")
	if !strings.Contains(out, `"provider":"ollama","model":"llama3.2:3b"`) || !strings.Contains(out, "Hello from here.") || !strings.Contains(out, `"contextSize":16384`) {
		t.Errorf("%s", out)
	}
	var doctor struct {
		Providers []struct {
			ID, State, Version, Found string
			Capabilities              []string
		}
	}
	look := func(host string) (ids []string) {
		t.Helper()
		doctor.Providers = nil
		if err := json.Unmarshal([]byte(run(p, host, "doctor", "--json")), &doctor); err != nil {
			t.Fatal(err)
		}
		for _, p := range doctor.Providers {
			ids = append(ids, p.ID)
			if p.ID == "ollama" && (p.State != "ready" || p.Version != "0.12.3" || !strings.Contains(strings.Join(p.Capabilities, ", "), "model llama3.2:3b, takes Conch's tools, 16,384 tokens")) {
				t.Errorf("%+v", p)
			}
		}
		return ids
	}
	if ids := strings.Join(look(host), " "); !strings.Contains(ids, "ollama") {
		t.Errorf("doctor names %s", ids)
	}
	if ids := strings.Join(look("127.0.0.1:1"), " "); strings.Contains(ids, "ollama") {
		t.Errorf("doctor names %s", ids)
	}
}
