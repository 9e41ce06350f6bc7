//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheEditorGetsTheTerminalAndTheDraft writes the prompt in an editor that
// needs a terminal to read from.
func TestTheEditorGetsTheTerminalAndTheDraft(t *testing.T) {
	p := newPlace(t)
	editor := filepath.Join(p.home, "editor")
	script := "#!/bin/sh\n[ -t 0 ] && [ -t 1 ] || exit 1\nread line\necho \" and $line\" >> \"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, p, 80, 24, p.environ("EDITOR="+editor))
	s.waitFor(prompt)
	s.typed("my draft")
	s.waitFor("my draft")
	s.typed("\x07") // ctrl+g
	s.until("the editor's own screen", func() bool { return !strings.Contains(s.screen(), "my draft") })
	s.typed("what the editor reads\r")
	s.waitFor("my draft and what the editor reads")
	s.typed("!")
	s.waitFor("my draft and what the editor reads!")
}
