package complete

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// project writes files, named with slashes; a name that ends in one is a folder.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func walked(t *testing.T, root string) []string {
	t.Helper()
	f := Walk(context.Background(), root, Limits{Time: time.Minute})
	if f.Cut {
		t.Error("the walk was cut")
	}
	paths := slices.Clone(f.Paths)
	slices.Sort(paths)
	return paths
}

// ignoring is a project whose rules use every form of gitignore(5).
var ignoring = map[string]string{
	".gitignore": strings.Join([]string{
		"# comment", "", "*.log", "!keep.log", "/only-top", "build/", "docs/*.html", "**/deep/secret", "a/**/z",
		"tail/**", "!tail/kept", "c++", "we?rd", "[abc]x", "[!abc]y", `\#hash`, `\!bang`, `blank\ `, "trail   ", "foo/bar", "name.*", "pre*post",
		"nested/**/", "dir-link/", "*.tmp\r",
	}, "\n"),
	"sub/.gitignore":       "*.txt\n!/yes.txt\nlocal/\n/anchored\n",
	"sub/inner/.gitignore": "!again.txt\n",
	".git/info/exclude":    "excluded\n", ".git/config": "x",
	"x.log": "", "keep.log": "", "sub/x.log": "", "only-top": "", "sub/only-top": "",
	"build/out": "", "sub/build/out": "", "sub/b/build": "", "docs/a.html": "", "docs/sub/a.html": "", "sub/docs/a.html": "",
	"deep/secret": "", "p/deep/secret/file": "", "a/z": "", "a/b/c/z": "", "b/a/z": "",
	"tail/x": "", "tail/kept": "", "c++": "", "weird": "", "we/rd": "", "ax": "", "dx": "", "dy": "", "ay": "",
	"#hash": "", "!bang": "", "blank ": "", "trail": "", "foo/bar": "", "q/foo/bar": "", "name.go": "", "name": "", "prepost": "", "pre-post": "", "prepos": "",
	"sub/no.txt": "", "sub/yes.txt": "", "sub/inner/yes.txt": "", "sub/inner/again.txt": "", "sub/local/f": "", "sub/anchored": "", "sub/inner/anchored": "",
	"excluded": "", "sub/excluded": "", "日本語のファイル名.txt": "", "nested/q/r": "", "nested/f": "", "with blank/a b.txt": "", "x.tmp": "",
}

func TestWalkLeavesOutWhatGitLeavesOut(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the file names are not allowed here")
	}
	root := project(t, ignoring)
	run := func(args ...string) string {
		cmd := exec.Command(git, append([]string{"-C", root, "-c", "core.excludesFile=", "-c", "core.quotePath=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	exclude := filepath.Join(root, ".git", "info", "exclude")
	if err := os.RemoveAll(filepath.Join(root, ".git")); err != nil {
		t.Fatal(err)
	}
	run("init", "-q")
	if err := os.WriteFile(exclude, []byte(ignoring[".git/info/exclude"]), 0o644); err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(run("ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00")
	slices.Sort(want)
	var got []string
	for _, p := range walked(t, root) {
		if !strings.HasSuffix(p, "/") {
			got = append(got, p)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("git (-) and the walk (+):\n%s", diff)
	}
	var inner []string
	for _, p := range want {
		if rest, ok := strings.CutPrefix(p, "sub/"); ok {
			inner = append(inner, rest)
		}
	}
	got = nil
	for _, p := range walked(t, filepath.Join(root, "sub")) {
		if !strings.HasSuffix(p, "/") {
			got = append(got, p)
		}
	}
	if diff := cmp.Diff(inner, got); diff != "" {
		t.Errorf("from a folder of the repository, git (-) and the walk (+):\n%s", diff)
	}
}

func TestWalkKnowsTheExcludeFileOfAWorktree(t *testing.T) {
	repo := project(t, map[string]string{"info/exclude": "secret\n", "worktrees/w/commondir": "../..\n"})
	root := project(t, map[string]string{".git": "gitdir: " + filepath.Join(repo, "worktrees", "w") + "\n", "secret": "", "plain": ""})
	if diff := cmp.Diff([]string{"plain"}, walked(t, root)); diff != "" {
		t.Error(diff)
	}
}

func TestWalkListsFoldersAndWhatIsNearFirst(t *testing.T) {
	root := project(t, map[string]string{"a/b/c.go": "", "z.go": "", "empty/": ""})
	f := Walk(context.Background(), root, Limits{})
	if diff := cmp.Diff([]string{"a/", "empty/", "z.go", "a/b/", "a/b/c.go"}, f.Paths); diff != "" {
		t.Error(diff)
	}
}

func TestWalkNeverFollowsALink(t *testing.T) {
	outside := project(t, map[string]string{"secret": ""})
	root := project(t, map[string]string{"a/f": ""})
	if err := os.Symlink(outside, filepath.Join(root, "out")); err != nil {
		t.Skip("no links here")
	}
	if err := os.Symlink(root, filepath.Join(root, "a", "round")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a/", "a/f", "a/round", "out"}, walked(t, root)); diff != "" {
		t.Error(diff)
	}
}

func TestWalkStopsAtItsLimits(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("d%d/f%d", i%6, i)] = ""
	}
	root := project(t, files)
	if f := Walk(context.Background(), root, Limits{Files: 20}); len(f.Paths) != 20 || !f.Cut {
		t.Errorf("%d paths, cut %v", len(f.Paths), f.Cut)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if f := Walk(ctx, root, Limits{}); len(f.Paths) != 0 || !f.Cut {
		t.Errorf("ended before it began: %d paths, cut %v", len(f.Paths), f.Cut)
	}
	if f := Walk(context.Background(), filepath.Join(root, "missing"), Limits{}); len(f.Paths) != 0 {
		t.Errorf("a folder that is not there: %v", f.Paths)
	}
}

func BenchmarkWalk(b *testing.B) {
	files := map[string]string{".gitignore": strings.Repeat("*.log\nbuild/\n/dist\n**/cache/x\nnode_modules/\n", 8)}
	for i := range 5000 {
		files[fmt.Sprintf("dir%d/sub%d/file%d.go", i%50, i%7, i)] = ""
	}
	root := project(b, files)
	b.ResetTimer()
	for range b.N {
		Walk(context.Background(), root, Limits{Time: time.Minute})
	}
}
