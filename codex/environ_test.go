package codex

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/engine"
)

// The whole environment of a Codex, as the program itself sees it: the list, the
// variables of the person's own model provider, what config.toml says, and nothing
// else of Conch's own.
func TestTheWholeEnvironmentOfACodex(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the list is that of Unix")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	own, conch, seen := filepath.Join(base, "codex"), filepath.Join(base, "conch"), filepath.Join(base, "seen")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	config := "model_provider = \"shop\"\n[model_providers.shop]\nname = \"Shop\"\nenv_key = \"SHOP_KEY\"\nenv_http_headers = { \"X-Shop\" = \"SHOP_HEADER\", \"X-Bad\" = \"NO=NAME\" }\n"
	if err := os.WriteFile(filepath.Join(own, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	recording, err := filepath.Abs(turnText)
	if err != nil {
		t.Fatal(err)
	}
	agent := Usual()
	agent.Command, agent.Args, agent.AskVersion = self, nil, false
	agent.PassEnv = []string{"VIRTUAL_*"}
	agent.Env = []string{"GORACE=atexit_sleep_ms=0", "CODEX_TEST_PLAY=" + recording, "CODEX_TEST_ENV=" + seen, "LANG=C"}
	e := New(agent, Options{Home: conch, Timings: quick(), Environ: []string{
		"PATH=/usr/bin", "HOME=" + base, "LANG=de_DE.UTF-8", "LC_ALL=C", "TERM=xterm", "XDG_CACHE_HOME=/var/cache", "https_proxy=http://proxy",
		"SHOP_KEY=k", "SHOP_HEADER=h", "VIRTUAL_ENV=/code/shop/venv",
		// All that is not for it.
		"CODEX_HOME=" + own, "CODEX_API_KEY=k", "CODEX_SANDBOX=off", "OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://elsewhere", "AWS_SECRET_ACCESS_KEY=k",
		"GITHUB_TOKEN=k", "SSH_AUTH_SOCK=/run/agent", "CONCH_HOME=" + conch, "CONCH_DOOR_KEY=k", "CONCH_CHILD=of-another", "LD_PRELOAD=/x.so", "NODE_OPTIONS=--x", "NO=NAME=x",
	}})
	t.Cleanup(func() { e.Close() })
	if r := e.Turn(t.Context(), aMessage(t), &sinkOf{}); r.Outcome != engine.Success {
		t.Fatalf("%+v", r)
	}
	home := e.chats.Process("c").home.dir()
	data, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(string(data), "\n")
	for i, entry := range got {
		if mark, ok := strings.CutPrefix(entry, "CONCH_CHILD="); ok {
			if mark == "of-another" || len(mark) != 32 {
				t.Errorf("the mark of a child: %q", mark)
			}
			got[i] = "CONCH_CHILD=a mark"
		}
	}
	slices.Sort(got)
	want := []string{
		"CODEX_HOME=" + home, "CODEX_TEST_ENV=" + seen, "CODEX_TEST_PLAY=" + recording, "CONCH_CHILD=a mark", "GORACE=atexit_sleep_ms=0", "HOME=" + base,
		"LANG=C", "LC_ALL=C", "PATH=/usr/bin", "SHOP_HEADER=h", "SHOP_KEY=k", "TERM=xterm", "VIRTUAL_ENV=/code/shop/venv", "XDG_CACHE_HOME=/var/cache", "https_proxy=http://proxy",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
