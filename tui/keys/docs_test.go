package keys

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/keys.md anew")

const docs = "../../docs/keys.md"

const preface = `# Keys

Every key is data: ` + "`[keys]`" + ` in config.toml gives an action other keys by its name, and an
empty list takes them away. A frequent action has a second key or a command, so
that no terminal or multiplexer can keep it from you. Letters act only where
nothing can be typed. This page is made from the table in ` + "`tui/keys`" + `; a test holds it.

    [keys]
    provider = ["ctrl+x", "f2"]
    mouse = []

A leader, off by default, gives the key after it another meaning for two seconds:
with ` + "`leader = [\"ctrl+x\"]`" + ` and ` + "`provider = [\"leader p\"]`" + ` it is ` + "`ctrl+x p`" + `. Anything else, or esc,
drops it.

`

func TestTheDocsAreTheTable(t *testing.T) {
	want := preface + Markdown()
	if *update {
		if err := os.WriteFile(docs, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/keys.md is old; go test ./tui/keys -update writes it anew (-table +docs):\n%s", diff)
	}
}
