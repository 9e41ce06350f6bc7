package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, text string) (Config, []string) {
	t.Helper()
	c, warnings, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return c, warnings
}

func TestAMissingFileIsTheDefault(t *testing.T) {
	c, warnings, err := Load(t.TempDir())
	if err != nil || len(warnings) > 0 {
		t.Fatalf("warnings %q, error %v", warnings, err)
	}
	want := Config{Theme: "auto", Motion: true, Mouse: true, Notify: "unfocused", Memory: true, KeepUp: true,
		Keys: map[string][]string{}, Personas: map[string]string{}}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
}

func TestEveryKeyIsRead(t *testing.T) {
	c, warnings := parse(t, `
provider = "far"
mode = "ask"
theme = "dark"
motion = false
mouse = false
notify = "never"
memory = false
persona = "terse"
instructions = "Be kind."
keep_up = false
monthly_tokens = 5000000
[keys]
provider = ["ctrl+o", "f2"]
run = []
help = "f1"
[personas]
terse = "Answer in few words."
[[agent]]
id = "far"
name = "Far away"
protocol = "acp"
model = "big"
command = ["ssh", "host", "opencode", "acp"]
env = { KEY = "value" }
pass_env = ["VIRTUAL_ENV"]
start_timeout = 90
[[agent]]
id = "claude"
model = "opus"
[agent.env]
A = "b"
[[model_api]]
id = "local"
name = "Here"
kind = "anthropic"
url = "http://127.0.0.1:11434/v1"
model = "small"
context = 32000
lean = true
key_env = "SOME_KEY"
key_keyring = "entry"
[[app]]
id = "ledger"
command = ["ledger", "mcp"]
env = { L = "1" }
tools = ["only", "these"]
own = true
[[app]]
id = "far"
url = "https://apps.example/mcp"
headers_env = { Authorization = "VAR" }
headers_keyring = { "X-Key" = "entry" }
`)
	if len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
	want := Config{
		Provider: "far", Mode: "ask", Theme: "dark", Notify: "never", Persona: "terse", Instructions: "Be kind.", MonthlyToken: 5000000,
		Keys:     map[string][]string{"provider": {"ctrl+o", "f2"}, "run": {}, "help": {"f1"}},
		Personas: map[string]string{"terse": "Answer in few words."},
		Agents: []Agent{
			{ID: "far", Name: "Far away", Protocol: "acp", Model: "big", Command: []string{"ssh", "host", "opencode", "acp"},
				Env: map[string]string{"KEY": "value"}, PassEnv: []string{"VIRTUAL_ENV"}, StartTimeout: 90},
			{ID: "claude-code", Model: "opus", Env: map[string]string{"A": "b"}, StartTimeout: 30},
		},
		ModelAPIs: []ModelAPI{{ID: "local", Name: "Here", Kind: "anthropic", URL: "http://127.0.0.1:11434/v1", Model: "small",
			Context: 32000, Lean: true, KeyEnv: "SOME_KEY", KeyKeyring: "entry"}},
		Apps: []App{{ID: "ledger", Command: []string{"ledger", "mcp"}, Env: map[string]string{"L": "1"}, Tools: []string{"only", "these"}, Own: true},
			{ID: "far", URL: "https://apps.example/mcp", HeadersEnv: map[string]string{"Authorization": "VAR"}, HeadersKeyring: map[string]string{"X-Key": "entry"}}},
	}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
}

// Each odd line is one warning that names its line; the default holds.
func TestOddValuesAreWarnedAboutByLine(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an unknown key", "\n\nthemes = \"dark\"", `config.toml line 3: "themes" is not a key that this Conch knows; did you mean "theme"?`},
		{"an unknown key far from any", "frobnicate = 1", `config.toml line 1: "frobnicate" is not a key that this Conch knows`},
		{"an unknown section", "[agents]\nid = 1", `config.toml line 1: "agents" is not a key that this Conch knows; did you mean "agent"?`},
		{"an unknown key of an agent", "[[agent]]\nid = \"codex\"\n[[agent]]\nid = \"x\"\ncommand = [\"x\"]\ncomand = 1",
			`config.toml line 6: "comand" is not a key that this Conch knows; did you mean "command"?`},
		{"a mode that is none", "mode = \"yolo\"", `config.toml line 1: mode: "yolo" is none of plan, ask, auto-read, auto-edit`},
		{"a mode that is a number", "# a\nmode = 3", `config.toml line 2: mode: it must be one of plan, ask, auto-read, auto-edit`},
		{"a theme that is none", "theme = \"blue\"", `config.toml line 1: theme: "blue" is none of auto, light, dark, none`},
		{"notify", "notify = \"loud\"", `config.toml line 1: notify: "loud" is none of unfocused, always, never`},
		{"true in quotes", "motion = \"true\"", `config.toml line 1: motion: it must be true or false, without quotes`},
		{"a negative budget", "monthly_tokens = -1", `config.toml line 1: monthly_tokens: it must be a whole number from 0 to 9007199254740992`},
		{"a text that is a number", "persona = 1", `config.toml line 1: persona: it must be a text in quotes`},
		{"a persona that is not there", "persona = \"terse\"", `config.toml line 1: persona: there is no "terse" under [personas]`},
		{"a provider that is none", "provider = \"gpt\"", `config.toml line 1: provider: no provider is called "gpt"; these are: claude-code, codex, gemini-cli, copilot, opencode, grok, qwen, demo`},
		{"keys that are no list", "[keys]\nhelp = 3", `config.toml line 2: keys.help: it must be a list of keys, such as ["ctrl+o", "f2"]`},
		{"keys as a text", "keys = 3", `config.toml line 1: keys must be a table: [keys]`},
		{"an agent with one bracket", "[agent]\nid = \"x\"", `config.toml line 1: agent must be written as [[agent]], with two brackets on each side`},
		{"an agent without an id", "[[agent]]\ncommand = [\"x\"]", `config.toml line 1: [[agent]] without an id; it is left out`},
		{"an agent without a command", "\n[[agent]]\nid = \"mine\"", `config.toml line 2: [[agent]] "mine" has no command, and Conch knows no program of that name; it is left out`},
		{"a protocol that is none", "[[agent]]\nid = \"mine\"\nprotocol = \"mcp\"\ncommand = [\"x\"]", `config.toml line 3: protocol: "mcp" is none of acp, codex`},
		{"an agent twice", "[[agent]]\nid = \"codex\"\n[[agent]]\nid = \"codex-cli\"", `config.toml line 4: [[agent]] "codex" is there already; this one is left out`},
		{"an id with a slash", "[[agent]]\nid = \"../x\"\ncommand = [\"x\"]", `config.toml line 2: id: it must be small letters, digits, - and _, at most 64`},
		{"a command as a line", "[[agent]]\nid = \"x\"\ncommand = []", `config.toml line 1: [[agent]] "x" has no command, and Conch knows no program of that name; it is left out`},
		{"an empty command", "[[agent]]\nid = \"x\"\ncommand = [\"\"]", `config.toml line 3: the command of "x" is empty; it is left out`},
		{"an environment that is no table", "[[agent]]\nid = \"codex\"\nenv = [\"A=b\"]", `config.toml line 3: env: it must be a table of texts, such as { NAME = "value" }`},
		{"a variable's odd name", "[[agent]]\nid = \"codex\"\nenv = { \"A B\" = \"c\" }", `config.toml line 3: env: "A B" is no name`},
		{"a variable's value to pass on", "[[agent]]\nid = \"codex\"\npass_env = [\"A=b\"]", `config.toml line 3: pass_env: it must be a list of variables' names, such as ["VIRTUAL_ENV"]`},
		{"a timeout of a day", "[[agent]]\nid = \"codex\"\nstart_timeout = 86400", `config.toml line 3: start_timeout: it must be a whole number from 1 to 600`},
		{"a model API of a known id", "[[model_api]]\nid = \"codex\"\nurl = \"http://x\"", `config.toml line 2: [[model_api]] "codex" is there already; this one is left out`},
		{"a model API without an address", "[[model_api]]\nid = \"x\"", `config.toml line 1: [[model_api]] "x" has no url; it is left out`},
		{"a file as an address", "[[model_api]]\nid = \"x\"\nurl = \"file:///etc/passwd\"", `config.toml line 3: url: it must be an address that begins with http:// or https://`},
		{"a key in the file", "[[model_api]]\nid = \"x\"\nurl = \"http://x\"\nkey = \"s3cret\"", `config.toml line 4: the key of "x" stands in the file for all to read; key_env or key_keyring keeps it elsewhere`},
		{"an app that is called like Conch", "[[app]]\nid = \"conch\"\ncommand = [\"x\"]", `config.toml line 2: [[app]] "conch": that is how Conch's own tools are called; it is left out`},
		{"an app that is nowhere", "[[app]]\nid = \"x\"", `config.toml line 1: [[app]] "x" needs a command or a url, one of the two; it is left out`},
		{"an app with an empty command", "[[app]]\nid = \"x\"\ncommand = [\"\"]", `config.toml line 3: the command of "x" is empty; it is left out`},
		{"an app with an odd id", "[[app]]\nid = \"My app\"\ncommand = [\"x\"]", `config.toml line 2: id: it must be small letters, digits, - and _, at most 64`},
		{"a secret in the place of a variable", "[[app]]\nid = \"x\"\nurl = \"http://x\"\nheaders_env = { Authorization = \"Bearer k3y\" }", `config.toml line 4: headers_env: the value of "Authorization" must be the name of an environment variable, not the secret itself; it is left out`},
		{"headers of a program", "[[app]]\nid = \"x\"\ncommand = [\"x\"]\nheaders_env = { A = \"B\" }", `config.toml line 4: headers_env is for a url, and "x" has a command`},
		{"an environment of an address", "[[app]]\nid = \"x\"\nurl = \"http://x\"\nenv = { A = \"b\" }", `config.toml line 4: env is for a command, and "x" has a url`},
		{"a sign-in in an address", "[[app]]\nid = \"x\"\nurl = \"https://me:pw@x/mcp\"", `config.toml line 3: the url of "x" holds a password for all to read; headers_env or headers_keyring keeps it elsewhere`},
		{"an app of two kinds", "[[app]]\nid = \"x\"\nurl = \"http://x\"\ncommand = [\"x\"]", `config.toml line 1: [[app]] "x" needs a command or a url, one of the two; it is left out`},
		{"control characters in an action", "[keys]\n\"a\\u001bb\" = 1", `config.toml line 2: keys."a\x1bb": it must be a list of keys, such as ["ctrl+o", "f2"]`},
		{"control characters", "\"a\\u001b[2Jb\" = 1", `config.toml line 1: "a\x1b[2Jb" is not a key that this Conch knows`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, warnings := parse(t, c.text)
			if len(warnings) == 0 || warnings[0] != c.want {
				t.Errorf("warned %q\nwant    %q", warnings, c.want)
			}
		})
	}
}

func TestAnOddValueLeavesTheRestAsItStands(t *testing.T) {
	c, warnings := parse(t, "mode = 3\ntheme = \"dark\"\n[[agent]]\nid = \"codex\"\nmodel = \"m\"\nstart_timeout = 0\n")
	if len(warnings) != 2 {
		t.Errorf("warnings: %q", warnings)
	}
	if c.Mode != "" || c.Theme != "dark" || len(c.Agents) != 1 || c.Agents[0].Model != "m" || c.Agents[0].StartTimeout != 30 {
		t.Errorf("read %+v", c)
	}
}

func TestAKeyIsNeverRepeatedInAWarning(t *testing.T) {
	_, warnings := parse(t, "[[model_api]]\nid = \"x\"\nurl = \"http://x\"\nkey = \"s3cret\"\nkey_env = \"no name s3cret\"\nkeys = \"s3cret\"")
	if len(warnings) < 3 || strings.Contains(strings.Join(warnings, "\n"), "s3cret") {
		t.Errorf("warnings: %q", warnings)
	}
}

func TestOtherSpellingsOfAProvider(t *testing.T) {
	for word, want := range map[string]string{"claude": "claude-code", "gemini": "gemini-cli", "codex-cli": "codex", "qwen": "qwen"} {
		c, warnings := parse(t, "provider = \""+word+"\"")
		if c.Provider != want || len(warnings) > 0 {
			t.Errorf("%s is read as %q, %q", word, c.Provider, warnings)
		}
	}
}

func TestWhatIsNoTOMLSaysWhereAndWhatToDo(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a text without its end", "a = 1\ntheme = \"dark\nmouse = true\n", "line 2, column 14"},
		{"a key twice", "motion = true\nmotion = false\n", "line 2"},
		{"bytes that are no UTF-8", "persona = \"\xff\"", "line 1"},
		{"brackets without end", "a = " + strings.Repeat("[", 200_000), "nested too deep"},
		{"tables without end", strings.Repeat("{a=", 5000), "nested too deep"},
		{"much too large", "a = \"" + strings.Repeat("x", maxFile) + "\"", "larger than 256 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			if err := os.WriteFile(filepath.Join(home, FileName), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, _, err := Load(home)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if !strings.Contains(e.Error(), c.want) || !strings.Contains(e.Next, filepath.Join(home, FileName)) {
				t.Errorf("said %q, then %q; want %q", e, e.Next, c.want)
			}
			if d := cmp.Diff(Default(), got); d != "" {
				t.Errorf("not the default: %s", d)
			}
		})
	}
}

func TestAFolderInPlaceOfTheFileIsAnError(t *testing.T) {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	_, _, err := Load(home)
	var e *Error
	if !errors.As(err, &e) || e.Next == "" {
		t.Errorf("error %v", err)
	}
}

func TestTheReferenceNamesEveryKeyOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Reference() {
		at := e.Section + e.Key
		if seen[at] || e.Meaning == "" || e.Default == "" {
			t.Errorf("%+v", e)
		}
		seen[at] = true
	}
	if len(seen) != len(topKeys)+2+len(agentKeys)+len(modelAPIKeys)+len(appKeys) {
		t.Errorf("%d keys", len(seen))
	}
	for _, line := range strings.Split(Markdown(), "\n") {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") != 4 {
			t.Errorf("this row breaks its table: %s", line)
		}
	}
}

// The defaults in the reference are what holds without a file.
func TestTheReferenceTellsTheDefaults(t *testing.T) {
	var b strings.Builder
	for _, e := range Reference() {
		if e.Section == "" {
			b.WriteString(e.Key + " = " + e.Default + "\n")
		}
	}
	got, warnings := parse(t, b.String())
	want := Default()
	want.Mode = "auto-read" // an empty mode leaves it to the engine's own default, which is this
	if d := cmp.Diff(want, got); d != "" || len(warnings) > 0 {
		t.Errorf("%s %q", d, warnings)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("mode = \"ask\"\n[[agent]]\nid=\"x\"\ncommand=[\"y\"]\n[agent.env]\nA=\"b\"\n")
	f.Add("keys.provider = [\"f2\"]\npersonas = { a = \"b\" }\nagent = [{id=\"codex\"}]\n")
	f.Add("[[agent]]\n[[agent.env]]\na=1\n[keys.a.b]\nc=1\n")
	f.Add("a = 1979-05-27T07:32:00Z\nmonthly_tokens = 1e3\nprovider = '''x'''\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, warnings, err := Parse([]byte(text))
		if err == nil && len(warnings) > maxWarnings {
			t.Errorf("%d warnings", len(warnings))
		}
		for _, a := range c.Agents {
			if !isID(a.ID) || a.StartTimeout < 1 || a.StartTimeout > 600 {
				t.Errorf("agent %+v", a)
			}
		}
		for _, w := range warnings {
			if strings.ContainsFunc(w, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("control characters in %q", w)
			}
		}
	})
}
