package codex

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"conch/engine"
)

const (
	oldSignIn = `{"auth_mode":"chatgpt","tokens":{"refresh":"one"}}`
	newSignIn = `{"auth_mode":"chatgpt","tokens":{"refresh":"two"}}`
	theirs    = `{"auth_mode":"chatgpt","tokens":{"refresh":"theirs"}}`
)

func TestARefreshedSignInGoesBackUnlessThePersonsChanged(t *testing.T) { // R-69-71
	for _, c := range []struct{ name, inHome, person, want string }{
		{"refreshed", newSignIn, oldSignIn, newSignIn},
		{"as it was", oldSignIn, oldSignIn, oldSignIn},
		{"both changed", newSignIn, theirs, theirs},
		{"the person's changed", oldSignIn, theirs, theirs},
		{"half written", newSignIn[:20], oldSignIn, oldSignIn},
		{"emptied", "", oldSignIn, oldSignIn},
		{"no object", "[]", oldSignIn, oldSignIn},
		{"signed out by Codex", "(none)", oldSignIn, oldSignIn},
		{"signed out by the person", newSignIn, "(none)", "(none)"},
		{"far too long", `{"x":"` + strings.Repeat("x", maxSignIn) + `"}`, oldSignIn, oldSignIn},
	} {
		for _, end := range []string{"quit", "crash"} {
			t.Run(c.name+", "+end, func(t *testing.T) {
				p := newPlace(t)
				own := filepath.Join(p.person, signInFile)
				p.write(own, oldSignIn)
				p.ok(os.Chmod(own, 0o640))
				h := p.home()
				put := func(path, text string) {
					if text == "(none)" {
						p.ok(os.Remove(path))
						return
					}
					p.write(path, text)
				}
				put(filepath.Join(h.dir(), signInFile), c.inHome)
				put(own, c.person)
				if end == "crash" {
					crash(t, h)
					_ = p.other().sweep() // a sign-in that is too long is told of
				} else {
					_ = h.close()
				}
				if got := p.read(own); got != c.want {
					t.Errorf("the person has %.60q, want %.60q", got, c.want)
				}
				if info, err := os.Stat(own); runtime.GOOS != "windows" && err == nil && info.Mode().Perm() != 0o640 {
					t.Errorf("its mode became %v", info.Mode())
				}
				if left := p.under(p.running); len(left) > 0 {
					t.Errorf("left: %q", left)
				}
				for _, name := range p.under(p.person) {
					if name != signInFile {
						t.Errorf("left with the person's: %q", name)
					}
				}
			})
		}
	}
}

func TestALinkedSignInIsWrittenWhereItLeads(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	p := newPlace(t)
	vault := filepath.Join(filepath.Dir(p.conch), "vault", "codex.json")
	p.write(vault, oldSignIn)
	p.ok(os.Symlink(vault, filepath.Join(p.person, signInFile)))
	h := p.home()
	if info, err := os.Lstat(filepath.Join(h.dir(), signInFile)); err != nil || info.Mode() != 0o600 {
		t.Fatalf("the copy: %v %v", info, err)
	}
	p.write(filepath.Join(h.dir(), signInFile), newSignIn)
	p.ok(h.close())
	if info, err := os.Lstat(filepath.Join(p.person, signInFile)); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	if got := p.read(vault); got != newSignIn {
		t.Errorf("where it leads: %s", got)
	}
	if left := p.under(filepath.Dir(vault)); len(left) != 1 {
		t.Errorf("left beside it: %q", left)
	}
}

func TestAKillOnTheWayBackLeavesNoSecondSignIn(t *testing.T) {
	p := newPlace(t)
	own := filepath.Join(p.person, signInFile)
	p.write(own, oldSignIn)
	h := p.home()
	p.write(filepath.Join(h.dir(), signInFile), newSignIn)
	p.write(h.signIn.temp(), newSignIn[:9]) // as a kill in the middle of writing leaves it
	crash(t, h)
	p.ok(p.other().sweep())
	if got := p.read(own); got != newSignIn {
		t.Errorf("the person has %s", got)
	}
	if left := p.under(p.person); len(left) != 1 {
		t.Errorf("left: %q", left)
	}
}

func TestAfterEachTurnTheTwoSignInsAreAlike(t *testing.T) {
	p := newPlace(t)
	own := filepath.Join(p.person, signInFile)
	p.write(own, oldSignIn)
	first, second := p.home(), p.home()
	settle := func(h *home) {
		t.Helper()
		p.ok(h.signIn.settle(h.lock))
	}
	p.write(filepath.Join(first.dir(), signInFile), newSignIn)
	settle(first)
	if got := p.read(own); got != newSignIn {
		t.Fatalf("it did not go back: %s", got)
	}
	settle(second)
	if got := p.read(filepath.Join(second.dir(), signInFile)); got != newSignIn {
		t.Fatalf("the second has an old one: %s", got)
	}
	p.write(own, theirs)
	settle(second)
	crash(t, second)
	p.ok(p.other().sweep())
	p.ok(first.close())
	if got := p.read(own); got != theirs {
		t.Errorf("an old sign-in came back: %s", got)
	}
}

func TestWhatIsNoFileIsNoSignIn(t *testing.T) {
	p := newPlace(t)
	p.ok(os.Mkdir(filepath.Join(p.person, signInFile), 0o700))
	h := p.home()
	if h.signIn != nil {
		t.Error("a folder was lent")
	}
	none := newStores(p.conch, "", p.now)
	h, err := none.newHome(homeConfig{})
	p.ok(err)
	p.ok(h.close())
}

func TestSignedOutIsKnownWithoutAStart(t *testing.T) {
	for _, c := range []struct {
		config, signIn string
		want           bool
	}{
		{"", "", true},
		{"", oldSignIn, false},
		{"model_provider = \"openai\"", "", true},
		{"model_provider = \"shop\"\n[model_providers.shop]\nenv_key = \"K\"", "", false},
		{"model_provider = \"shop\"\n[model_providers.shop]\nrequires_openai_auth = true", "", true},
		{"damaged", "", true},
	} {
		p := newPlace(t)
		p.write(filepath.Join(p.person, "config.toml"), c.config)
		if c.signIn != "" {
			p.write(filepath.Join(p.person, signInFile), c.signIn)
		}
		if got := p.signedOut(p.choice()); got != c.want {
			t.Errorf("%q, %q: %v", c.config, c.signIn, got)
		}
	}
}

// R-69-71: nobody is signed in, and the person's config, which may name a provider that
// needs no sign-in, can't be read: it is the config that is named, and where it lies.
func TestAConfigThatCannotBeReadIsNamedWhereASignInIsMissing(t *testing.T) {
	for _, c := range []struct {
		name string
		put  func(path string) error
		says string
	}{
		{"damaged", func(path string) error { return os.WriteFile(path, []byte("model_provider = \"shop\n"), 0o600) }, "is damaged: toml:"},
		{"too large", func(path string) error { return os.WriteFile(path, make([]byte, maxConfig+1), 0o600) }, "is larger than 262144 bytes"},
		{"a folder", func(path string) error { return os.Mkdir(path, 0o700) }, "is no file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := testEngine(t, turnText, "CODEX_TEST_AS=signed-out")
			path := filepath.Join(e.own, configFile)
			if err := os.MkdirAll(e.own, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := c.put(path); err != nil {
				t.Fatal(err)
			}
			h := e.Health(t.Context())
			if h.State != engine.Broken || !strings.Contains(h.Problem, c.says) || !strings.Contains(h.Problem, path) || h.Next != "mend "+path {
				t.Errorf("health %+v", h)
			}
			r := e.Turn(t.Context(), aMessage(t), &sinkOf{})
			if r.Outcome != engine.Failed || r.Error != h.Problem || r.Next != h.Next || r.SignIn || r.Problem == engine.SignedOut {
				t.Errorf("%+v", r)
			}
			// With a sign-in it can be used; what is wrong is said all the same.
			if err := os.WriteFile(filepath.Join(e.own, signInFile), []byte(oldSignIn), 0o600); err != nil {
				t.Fatal(err)
			}
			e.program.Prove("", "", "")
			h = e.Health(t.Context())
			if h.State != engine.Unknown || !strings.HasSuffix(h.Problem, "; its usual model answers.") || h.Next != "mend "+path {
				t.Errorf("signed in: %+v", h)
			}
			// Mended, nothing is left of it.
			if err := errors.Join(os.RemoveAll(path), os.Remove(filepath.Join(e.own, signInFile))); err != nil {
				t.Fatal(err)
			}
			e.program.Prove("", "", "")
			if h = e.Health(t.Context()); h.State != engine.NeedSignIn || h.Problem != "Codex is not signed in." || h.Next != "codex login" {
				t.Errorf("mended: %+v", h)
			}
		})
	}
}
