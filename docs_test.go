package main

import (
	"os"
	"strings"
	"testing"

	"conch/config"
)

// TestTheReadmeHasTheConfigReference holds the reference against the table from
// which config.toml is read. CONCH_UPDATE_SCREENS=1 writes it.
func TestTheReadmeHasTheConfigReference(t *testing.T) {
	const from, to = "<!-- config -->\n", "<!-- /config -->"
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), from)
	if !ok {
		t.Fatalf("README.md has no %q", from)
	}
	was, after, ok := strings.Cut(rest, to)
	if !ok {
		t.Fatalf("README.md has no %q", to)
	}
	want := strings.TrimSpace(config.Markdown()) + "\n"
	if was == want {
		return
	}
	if os.Getenv("CONCH_UPDATE_SCREENS") == "" {
		t.Fatalf("README.md has an old reference; make screens writes it anew:\n%s", want)
	}
	if err := os.WriteFile("README.md", []byte(before+from+want+to+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
