package codex

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// place is a pretend CONCH_HOME with a person's Codex home beside it.
type place struct {
	*stores
	t     *testing.T
	conch string
	clock time.Time
}

func newPlace(t *testing.T) *place {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, conch: filepath.Join(base, "conch"), clock: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	own := filepath.Join(base, "codex")
	for _, dir := range []string{p.conch, own} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.stores = newStores(p.conch, own, func() time.Time { return p.clock })
	return p
}

// other is another Conch on the same home.
func (p *place) other() *stores { return newStores(p.conch, p.person, p.now) }

func (p *place) home() *home {
	p.t.Helper()
	h, err := p.newHome(homeConfig{Protected: []string{p.conch}, Person: p.choice()})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = h.close() })
	return h
}

func (p *place) write(path, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) read(path string) string {
	p.t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "(none)"
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

func (p *place) ok(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// under lists all that lies below a folder.
func (p *place) under(dir string) (all []string) {
	p.t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && path != dir {
			rel, _ := filepath.Rel(dir, path)
			all = append(all, filepath.ToSlash(rel))
		}
		return nil
	})
	p.ok(err)
	return all
}

// dies is how a test has a step end as a kill would: nothing after it runs, and the
// locks go.
type dies struct{}

// killed runs do until it comes to a step.
func (p *place) killed(step string, do func()) {
	p.t.Helper()
	was := p.at
	p.at = func(s string) {
		if s == step {
			panic(dies{})
		}
	}
	defer func() {
		p.at = was
		if _, ok := recover().(dies); !ok {
			p.t.Errorf("the step %q was not come to", step)
		}
	}()
	do()
}

// crash lets a home's lock go as the system does for a dead process.
func crash(t *testing.T, h *home) {
	t.Helper()
	if err := h.lock.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestARunHomeHoldsTheSealAndNothingElseOfThePersons(t *testing.T) {
	p := newPlace(t)
	p.write(filepath.Join(p.person, "config.toml"), `
model = "gpt-made-up"
model_provider = "shop"
model_reasoning_effort = "low"
approval_policy = "never"
default_permissions = "theirs"
sandbox_mode = "danger-full-access"
notify = ["sh", "-c", "true"]
[model_providers.shop]
name = "The shop's"
base_url = "http://127.0.0.1:9/v1"
env_key = "SHOP_KEY"
wire_api = "responses"
[model_providers.shop.env_http_headers]
"X-Shop" = "SHOP_HEADER"
"X-Bad" = "SHOP_*"
[mcp_servers.theirs]
command = "server"
[projects."/code/shop"]
trust_level = "trusted"
[hooks]
on = "start"
[tools.web]
enabled = true
`)
	h := p.home()
	var got map[string]any
	p.ok(toml.Unmarshal([]byte(p.read(filepath.Join(h.dir(), "config.toml"))), &got))
	for key := range got {
		switch key {
		case "model", "model_provider", "model_providers", "model_reasoning_effort", "default_permissions", "permissions", "tools":
		default:
			t.Errorf("the run home has the person's %s", key)
		}
	}
	if reads := got["permissions"].(map[string]any)["conch-reading"].(map[string]any); reads["extends"] != ":read-only" || reads["filesystem"].(map[string]any)[p.conch] != "none" {
		t.Errorf("the seal for reading only: %v", reads)
	}
	seal := got["permissions"].(map[string]any)["conch"].(map[string]any)
	if got["default_permissions"] != "conch" || seal["extends"] != ":workspace" || seal["network"].(map[string]any)["enabled"] != false {
		t.Errorf("the seal: %v", got)
	}
	if seal["filesystem"].(map[string]any)[p.conch] != "none" {
		t.Errorf("Conch's own home is not shut: %v", seal)
	}
	if tools := got["tools"].(map[string]any); len(tools) != 1 || tools["update_plan"].(map[string]any)["enabled"] != true {
		t.Errorf("tools: %v", tools)
	}
	if got["model"] != "gpt-made-up" || got["model_reasoning_effort"] != "low" {
		t.Errorf("the person's choice is missing: %v", got)
	}
	if keys := p.choice().keys(); strings.Join(keys, " ") != "SHOP_HEADER SHOP_KEY" {
		t.Errorf("keys: %q", keys)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]fs.FileMode{p.running: 0o700, h.dir(): 0o700, filepath.Join(h.dir(), "config.toml"): 0o600, h.lockPath: 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v %v, want %v", filepath.Base(path), info.Mode(), err, want)
			}
		}
	}
	p.ok(h.close())
	if left := p.under(p.running); len(left) > 0 {
		t.Errorf("left after the run: %q", left)
	}
}

func TestADamagedConfigCountsAsNoneAndIsSaidOnce(t *testing.T) {
	for name, text := range map[string]string{
		"torn": "model = \"gpt", "two of a kind": "model = \"a\"\nmodel = \"b\"", "noise": "\x00\x01", "too long": strings.Repeat("#", maxConfig+1),
		"deep": "a = " + strings.Repeat("[", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.write(filepath.Join(p.person, "config.toml"), text)
			got := p.choice()
			if got.problem == "" || len(got.chosen) > 0 {
				t.Errorf("%+v", got)
			}
			if !p.news(got.problem) || p.news(got.problem) {
				t.Error("it is not said once")
			}
			p.home()
		})
	}
	p := newPlace(t)
	p.write(filepath.Join(p.person, "config.toml"), "model = 7\nmodel_provider = [\"x\"]\nmodel_providers = \"none\"\n")
	if got := p.choice(); got.problem != "" || len(got.chosen) > 0 {
		t.Errorf("values of another kind: %+v", got)
	}
}

func TestPlacesAreNamedAsCodexUnderstandsThem(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of this test are those of Unix")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(base, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		base + "/real":       base + "/real",
		base + "/real/":      base + "/real",
		base + "/link":       base + "/real",
		base + "/link/new/x": base + "/real/new/x", // what isn't there yet
		"relative":           "",
		"":                   "",
		base + "/a*b?[c]":    base + "/a[*]b[?][[]c]/**",
		`/dev/quote"d`:       `/dev/quote"d`,
	} {
		if got := sealed(in); got != want {
			t.Errorf("%q is named %q, want %q", in, got, want)
		}
	}
	text, err := configText(homeConfig{Protected: []string{`/a "quoted"\ = 'place'`, "/with\nline"}})
	var got map[string]any
	if err != nil || toml.Unmarshal(text, &got) != nil {
		t.Fatalf("a place breaks the config: %v\n%s", err, text)
	}
	files := got["permissions"].(map[string]any)["conch"].(map[string]any)["filesystem"].(map[string]any)
	if files[`/a "quoted"\ = 'place'`] != "none" || files["/with\nline"] != "none" || len(files) != 2 {
		t.Errorf("%v", files)
	}
}

func TestASweepTakesTheHomesOfTheDeadAndNoOther(t *testing.T) {
	p := newPlace(t)
	p.write(filepath.Join(p.person, signInFile), `{"tokens":1}`)
	living, dead := p.home(), p.home()
	p.write(filepath.Join(dead.dir(), "skills", "x"), "deep")
	if runtime.GOOS != "windows" {
		p.ok(os.Chmod(filepath.Join(dead.dir(), "skills"), 0o500))
		p.ok(os.Symlink(p.person, filepath.Join(dead.dir(), "link")))
	}
	crash(t, dead)
	// One whose lock file is gone, a lock file alone, and what is nobody's here.
	p.write(filepath.Join(p.running, "run-00000000000000aa", signInFile), "{}")
	p.write(filepath.Join(p.running, "run-00000000000000bb.lock"), "")
	p.write(filepath.Join(p.running, "keep me", "x"), "")

	p.ok(p.other().sweep())
	var left []string
	for _, path := range p.under(p.running) {
		if !strings.Contains(path, "/") {
			left = append(left, path)
		}
	}
	name := filepath.Base(living.dir())
	if strings.Join(left, " ") != "keep me "+name+" "+name+".lock" {
		t.Errorf("left: %q", left)
	}
	if p.read(filepath.Join(living.dir(), signInFile)) != `{"tokens":1}` || p.read(filepath.Join(p.person, signInFile)) != `{"tokens":1}` {
		t.Error("the living one's sign-in, or the person's, is touched")
	}
}

// Whatever step of its making or its end a kill falls on.
func TestNoSignInIsLeftAfterAKillAndASweep(t *testing.T) { // R-69-71, checklist 22
	for _, step := range []string{"claimed", "configured", "noted", "lent", "in the run"} {
		t.Run(step, func(t *testing.T) {
			p := newPlace(t)
			p.write(filepath.Join(p.person, signInFile), `{"tokens":1}`)
			if step == "in the run" {
				crash(t, p.home())
			} else {
				p.killed(step, func() {
					// What a panic runs on its way, a kill does not: the lock alone goes.
					h := &home{s: p.stores}
					p.ok(privateDir(p.running))
					p.ok(h.claim(p.running))
					defer crash(t, h)
					p.at("claimed")
					p.ok(os.Mkdir(h.path, 0o700))
					p.at("configured")
					p.ok(h.lend())
				})
			}
			p.ok(p.other().sweep())
			if left := p.under(p.running); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
			if got := p.read(filepath.Join(p.person, signInFile)); got != `{"tokens":1}` {
				t.Errorf("the person's: %s", got)
			}
		})
	}
}

func TestManyHomesAndSweepsAtOnceDontMeet(t *testing.T) {
	p := newPlace(t)
	p.write(filepath.Join(p.person, signInFile), `{"tokens":1}`)
	stop, swept := make(chan struct{}), make(chan error, 1)
	go func() {
		s := p.other()
		for {
			select {
			case <-stop:
				swept <- nil
				return
			default:
			}
			if err := s.sweep(); err != nil {
				swept <- err
				return
			}
		}
	}()
	for range 100 {
		h, err := p.newHome(homeConfig{})
		if err != nil {
			t.Error(err)
			break
		}
		if !bytes.Contains([]byte(p.read(filepath.Join(h.dir(), signInFile))), []byte("tokens")) {
			t.Error("a home in use was swept")
		}
		p.ok(h.close())
	}
	close(stop)
	p.ok(<-swept)
	if left := p.under(p.running); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
