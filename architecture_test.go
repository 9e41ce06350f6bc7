package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "conch"

// allowed reads the table of docs/ARCHITECTURE.md that follows the line "Who may
// import whom", so that the page and the code cannot part.
func allowed(page string) (map[string][]string, error) {
	_, rest, ok := strings.Cut(page, "Who may import whom")
	if !ok {
		return nil, fmt.Errorf("no line says who may import whom")
	}
	table := map[string][]string{}
	started := false
	for _, line := range strings.Split(rest, "\n")[1:] {
		if !strings.HasPrefix(line, "    ") {
			if started && strings.TrimSpace(line) != "" {
				break
			}
			continue
		}
		started = true
		who, whom, ok := cutColumns(strings.TrimSpace(line))
		if !ok {
			return nil, fmt.Errorf("cannot read the row %q", line)
		}
		for _, name := range strings.Split(who, ", ") {
			switch {
			case strings.HasPrefix(whom, "everything"):
				table[name] = []string{"*"}
			case strings.HasPrefix(whom, "nothing"):
				table[name] = []string{}
			default:
				table[name] = strings.Split(whom, ", ")
			}
		}
	}
	return table, nil
}

// cutColumns parts a row at its widest gap: two spaces or more.
func cutColumns(row string) (left, right string, ok bool) {
	left, right, ok = strings.Cut(row, "  ")
	return strings.TrimSpace(left), strings.TrimSpace(right), ok
}

// edge is one import that the table does not have.
type edge struct{ file, from, to string }

// forbidden walks a tree and lists every import of ours that is not allowed.
func forbidden(root string, table map[string][]string) ([]edge, error) {
	var bad []edge
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "dist") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		from := top(filepath.ToSlash(filepath.Dir(rel)))
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if imported != module && !strings.HasPrefix(imported, module+"/") {
				continue
			}
			to := top(strings.TrimPrefix(imported, module+"/"))
			if from == to {
				continue
			}
			may, known := table[from]
			if !known || !slices.Contains(may, to) && !slices.Contains(may, "*") {
				bad = append(bad, edge{rel, from, to})
			}
		}
		return nil
	})
	return bad, err
}

func top(dir string) string {
	if dir == "." || dir == "" {
		return "main"
	}
	first, _, _ := strings.Cut(dir, "/")
	return first
}

func architecture(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	table, err := allowed(string(page))
	if err != nil {
		t.Fatal(err)
	}
	if len(table) < 15 {
		t.Fatalf("the table has only %d rows: %v", len(table), table)
	}
	return table
}

func TestPackagesImportOnlyWhatTheArchitectureAllows(t *testing.T) {
	bad, err := forbidden(".", architecture(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range bad {
		t.Errorf("%s: %s must not import %s (docs/ARCHITECTURE.md, who may import whom)", e.file, e.from, e.to)
	}
}

func TestAPlantedImportIsFound(t *testing.T) {
	root := t.TempDir()
	plant := func(path, source string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plant("tui/list/list.go", "package list\n\nimport _ \"conch/acp\"\n")
	plant("acp/wire.go", "package acp\n\nimport _ \"conch/engine\"\n")
	plant("acp/wire_test.go", "package acp\n\nimport _ \"conch/demo\"\n")
	plant("engine/engine.go", "package engine\n\nimport _ \"conch/chats\"\n")
	plant("unheardof/x.go", "package unheardof\n\nimport _ \"conch/plain\"\n")

	bad, err := forbidden(root, architecture(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range bad {
		got = append(got, e.from+"->"+e.to)
	}
	want := []string{"engine->chats", "tui->acp", "unheardof->plain"}
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func TestNoPackageHasANameThatSaysNothing(t *testing.T) {
	empty := []string{"internal", "pkg", "util", "utils", "common", "types", "helpers", "shared", "manager", "managers"}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(empty, d.Name()) {
			t.Errorf("folder %s: name it after what it holds", path)
		}
		if d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
