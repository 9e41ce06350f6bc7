package pastchats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// cutPlaces is at how many places each file is cut off.
const cutPlaces = 50

// A file that is cut off anywhere, as a crash or a full disk leaves it, gives what
// its whole lines before the cut give, and no error.
func TestAFileThatIsCutOffKeepsItsWholeLines(t *testing.T) {
	apps := map[string]string{ // where an app's line-based files lie
		"claude-code": "home-a/.claude/projects",
		"codex":       "home-a/.codex",
		"gemini-cli":  "home-a/.gemini",
		"copilot":     "home-b/.config",
		"openclaw":    "home-b/.openclaw",
		"hermes":      "home-b/.hermes",
		"cursor":      "home-b/.cursor",
		"copilot-cli": "home-b/.copilot",
		"pi":          "home-b/.pi",
	}
	for id, under := range apps {
		if !slices.ContainsFunc(everyApp(), func(s string) bool { return s == id }) {
			continue
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			home, _, _ := strings.Cut(under, "/")
			home = filepath.Join(past, home)
			files, beside := linesOf(t, home, filepath.Join(past, under))
			if len(files) == 0 {
				t.Fatal("there is no file to cut")
			}
			withWords := 0
			for _, file := range files {
				if cutFile(t, id, home, file, beside) {
					withWords++
				}
			}
			if withWords == 0 {
				t.Error("no whole file gives words")
			}
		})
	}
}

func everyApp() (ids []string) {
	for _, a := range apps() {
		ids = append(ids, a.id)
	}
	return ids
}

// linesOf gives the files of lines below a folder, and the small ones that stand
// beside them, from the home.
func linesOf(t *testing.T, home, under string) (files, beside []string) {
	t.Helper()
	err := filepath.WalkDir(under, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(home, path)
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case slices.Contains([]string{"projects.json", "workspace.json", "sessions.json", "workspace.yaml", "session_index.jsonl", ".project_root"}, name):
			beside = append(beside, rel)
		case strings.HasPrefix(name, "agent-"), name == "history.jsonl":
		case strings.HasSuffix(name, ".jsonl"), strings.Contains(name, ".jsonl.reset."):
			files = append(files, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, beside
}

// cutFile cuts one file at many places, alone in a home, and reports whether the
// whole one gives words.
func cutFile(t *testing.T, id, home, file string, beside []string) bool {
	t.Helper()
	whole, err := os.ReadFile(filepath.Join(home, file))
	if err != nil {
		t.Fatal(err)
	}
	h := madeHome(t)
	h.OS = "linux"
	for _, rel := range beside {
		copyTo(t, filepath.Join(home, rel), filepath.Join(h.Dir, rel))
	}
	path := filepath.Join(h.Dir, file)
	put(t, path, "")
	read := func(b []byte) string {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(1_780_000_000, 0)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, c := range readEvery(t, id, h) {
			if c.err != nil {
				t.Errorf("%s cut to %d bytes: %v", file, len(b), c.err)
			}
			if len(c.said) > 0 {
				fmt.Fprintf(&out, "%s %q %q %q %d %d %q\n", c.file.Key, c.title, c.project, c.model, c.started, c.updated, c.said)
			}
		}
		return out.String()
	}
	lines := map[int]string{} // what the whole lines of that many bytes give
	for i := range cutPlaces {
		cut := whole[:len(whole)*i/cutPlaces+i%2]
		end := bytes.LastIndexByte(cut, '\n') + 1
		if rest := bytes.Trim(cut[end:], "\ufeff\x00\r \t"); len(rest) > 0 && json.Valid(rest) {
			continue // the line is whole but for its end
		}
		if _, known := lines[end]; !known {
			lines[end] = read(whole[:end])
		}
		if diff := cmp.Diff(lines[end], read(cut)); diff != "" {
			t.Errorf("%s cut to %d of %d bytes (- its whole lines, + read):\n%s", file, len(cut), len(whole), diff)
			break
		}
	}
	return read(whole) != ""
}
