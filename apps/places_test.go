package apps

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An app on this machine can reach what the person's programs can: the paths that a
// call names are put to the rules like those of any other call.
func TestThePathsThatACallNamesArePutToTheRules(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "shop")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "prices.txt")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	quoted := func(s string) string { raw, _ := json.Marshal(s); return string(raw) }
	for _, each := range []struct {
		name, args string
		want       []string
	}{
		{"a file", `{"path":` + quoted(file) + `}`, []string{file}},
		{"a new file", `{"path":` + quoted(file+".new") + `}`, []string{file + ".new"}},
		{"several, deep within", `{"edits":[{"path":` + quoted(file) + `},{"to":` + quoted(dir) + `}]}`, []string{dir, file}},
		{"a file's address", `{"uri":` + quoted("file://"+filepath.ToSlash(file)) + `}`, []string{file}},
		{"upwards", `{"path":"../shop/prices.txt"}`, []string{file}},
		{"the home", `{"path":"~/.conch/memory.md"}`, []string{"~/.conch/memory.md"}},
		{"a name", `{"path":"prices.txt","customer":"Globex"}`, []string{file}},
		{"a path of an API", `{"path":"/v1-of-nowhere/users","other":"/users-of-nowhere"}`, nil},
		{"dots", `{"text":"wait ... for it"}`, nil},
		{"none at all", `{}`, nil},
	} {
		tl := &tool{app: App{ID: "files", Command: []string{"files"}}, turn: &turn{folder: folder}}
		got := tl.places(json.RawMessage(each.args))
		slices.Sort(got)
		if d := cmp.Diff(each.want, got); d != "" {
			t.Errorf("%s: %s", each.name, d)
		}
		tl.app = App{ID: "far", URL: "https://apps.example/mcp"}
		if got := tl.places(json.RawMessage(each.args)); got != nil {
			t.Errorf("%s, far away: %q", each.name, got)
		}
	}
}
