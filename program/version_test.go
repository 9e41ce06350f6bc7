package program

import "testing"

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		version, oldest string
		older           bool
	}{
		{"0.49.9", "0.50.0", true}, {"0.50.0", "0.50.0", false}, {"1.0.0", "0.50.0", false},
		{"1.0.7", "1.0.69", true}, {"1.0.102", "1.0.69", false}, {"0.50.0-nightly.3", "0.50.0", false},
		{"", "1.0.0", false}, {"odd", "1.0.0", false}, {"2", "1.0.0", false}, {"0.9", "1.0.0", true},
	} {
		if got := Older(c.version, c.oldest); got != c.older {
			t.Errorf("%q older than %q: %v", c.version, c.oldest, got)
		}
	}
}

func TestAVersionIsFoundInAText(t *testing.T) {
	for text, want := range map[string]string{
		"agent version 0.40.1 (x)": "0.40.1", "codex_cli_rs/0.171.0 (Debian)": "0.171.0",
		"v1.2.3-beta.4": "1.2.3-beta.4", "none": "", "7": "",
	} {
		if got := VersionIn(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
