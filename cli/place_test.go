package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestTheProgramIsCalledAsThePersonCanStartIt(t *testing.T) {
	bin := t.TempDir()
	self := filepath.Join(bin, "conch")
	if runtime.GOOS == "windows" {
		self += ".exe"
	}
	if err := os.WriteFile(self, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	onPath, elsewhere := []string{"PATH=" + bin}, []string{"PATH=" + t.TempDir()}
	for _, c := range []struct {
		called  string
		environ []string
		want    string
	}{
		{"", elsewhere, ""},
		{"conch", onPath, "conch"},
		{"./conch", elsewhere, "./conch"},
		{"./conch", onPath, "conch"},
	} {
		if got := called(Host{Called: c.called, Executable: self, Environ: c.environ}); got != c.want {
			t.Errorf("%q with %v: %q, want %q", c.called, c.environ, got, c.want)
		}
	}
}
