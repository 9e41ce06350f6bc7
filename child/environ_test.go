package child

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironGivesTheListAndWhatIsPassedOn(t *testing.T) {
	base := []string{
		"PATH=/bin", "HOME=/home/dev", "LC_ALL=C", "XDG_CONFIG_HOME=/c", "https_proxy=http://p", "SSL_CERT_FILE=/pem",
		"AWS_SECRET_ACCESS_KEY=no", "CONCH_HOME=/no", "LC=no", "PATHS=no",
		"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=u", "ANTHROPIC_AUTH_TOKEN=t", "VIRTUAL_ENV=/v",
		"broken", "=C:=C:\\", "CONCH_CHILD=outer", "HOME=/home/last",
	}
	for _, test := range []struct {
		name            string
		windows         bool
		pass, drop, add []string
		want            []string
	}{
		{name: "the list alone",
			want: []string{"PATH=/bin", "HOME=/home/last", "LC_ALL=C", "XDG_CONFIG_HOME=/c", "https_proxy=http://p", "SSL_CERT_FILE=/pem"}},
		{name: "passed, dropped and added",
			pass: []string{"ANTHROPIC_*", "VIRTUAL_ENV"}, drop: []string{"ANTHROPIC_AUTH_TOKEN", "XDG_*", "https_proxy"},
			add: []string{"LC_ALL=de", "NEW=1=2", "SSL_CERT_FILE="},
			want: []string{"PATH=/bin", "HOME=/home/last", "LC_ALL=de", "SSL_CERT_FILE=",
				"ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=u", "VIRTUAL_ENV=/v", "NEW=1=2"}},
		{name: "a star in front and in the middle", pass: []string{"*_KEY", "ANTHROPIC_*_URL"}, drop: []string{"P*", "HOME", "LC_*", "XDG_*", "*proxy", "AWS*"},
			want: []string{"SSL_CERT_FILE=/pem", "ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL=u"}},
		{name: "what is added can't be dropped", drop: []string{"*"}, add: []string{"A=1"}, want: []string{"A=1"}},
		{name: "Windows knows no case", windows: true, drop: []string{"path", "xdg_*"}, add: []string{"home=x"},
			want: []string{"home=x", "LC_ALL=C", "https_proxy=http://p", "SSL_CERT_FILE=/pem"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := environ(test.windows, base, test.pass, test.drop, test.add)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// docs/environment.md has the list in two code blocks.
func TestTheDocumentedListIsTheList(t *testing.T) {
	doc, err := os.ReadFile("../docs/environment.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```\n(.*?)```").FindAllSubmatch(doc, -1)
	if len(blocks) < 2 {
		t.Fatalf("%d code blocks", len(blocks))
	}
	names := regexp.MustCompile(`\S+`)
	for i, want := range [][]string{listed, listedWindows} {
		var got []string
		for _, name := range names.FindAll(blocks[i][1], -1) {
			got = append(got, string(name))
		}
		slices.Sort(got)
		want = slices.Sorted(slices.Values(want))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("block %d (-code +doc)\n%s", i+1, diff)
		}
	}
}

func TestLookTakesPathsAndNamesOnThePath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the x bit decides here")
	}
	dir := t.TempDir()
	runnable, plain := filepath.Join(dir, "tool"), filepath.Join(dir, "notes")
	for path, mode := range map[string]os.FileMode{runnable: 0o755, plain: 0o644} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=/nowhere:relative::" + dir}
	for _, test := range []struct {
		name string
		want string
	}{
		{"tool", runnable}, {runnable, runnable},
		{"notes", ""}, {plain, ""}, {"missing", ""}, {dir, ""}, {"", ""}, {"to\x00ol", ""}, {"./tool", ""},
	} {
		got, ok := Look(test.name, env)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%q: %q, %v", test.name, got, ok)
		}
	}
	t.Chdir(dir)
	if _, ok := Look("tool", []string{"PATH=.:"}); ok {
		t.Error("a program of the working folder was found by its name alone")
	}
}
