package conversation

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// tree makes a working folder with what leads out of it.
//
//	base/
//	  work/            the working folder
//	    a.go  sub/  $id.tsx  link.go -> a.go
//	    out -> ../other   gone -> ../nothing   up -> ../other/deep
//	  other/ deep/  secret
//	  .conch/chats/
func tree(t *testing.T) (base, work string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	work = filepath.Join(base, "work")
	for _, d := range []string{"work/sub", "other/deep", ".conch/chats"} {
		must(t, os.MkdirAll(filepath.Join(base, d), 0o700))
	}
	for _, f := range []string{"work/a.go", "work/$id.tsx", "other/secret", ".conch/config.toml"} {
		must(t, os.WriteFile(filepath.Join(base, f), []byte("x"), 0o600))
	}
	for link, to := range map[string]string{
		"work/link.go": "a.go", "work/out": "../other", "work/gone": "../nothing", "work/up": "../other/deep",
		"work/home": "../.conch", "work/loop": "loop", "alias": "work",
	} {
		if err := os.Symlink(to, filepath.Join(base, link)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	return base, work
}

func TestInsideTheWorkingFolderIsDecidedOnWhereAPathLeads(t *testing.T) { // R-69-60
	base, work := tree(t)
	long := filepath.Join(work, "a.go")
	tests := []struct {
		path        string
		read, write bool
	}{
		{"a.go", true, true},
		{long, true, true},
		{"./sub/../a.go", true, true},
		{"sub", true, true},
		{".", true, true},
		{work, true, true},
		{"link.go", true, true},
		{filepath.Join(base, "alias", "a.go"), true, true},
		{"$id.tsx", true, true},
		{"new.go", false, true},
		{"sub/new/deep.go", false, true},

		{"", false, false},
		{"..", false, false},
		{base, false, false},
		{"../other/secret", false, false},
		{"/etc/passwd", false, false},
		{"out/secret", false, false},
		{"out/new", false, false},
		{"out", false, false},
		{"gone", false, false},         // a link to nothing: writing makes its target
		{"gone/x", false, false},       //
		{"loop", false, false},         //
		{"up/../a.go", false, false},   // the system and a program read this differently
		{"new/../a.go", false, false},  // ".." behind what does not exist
		{"a.go/x", false, false},       // a file is no folder
		{"~/x", false, false},          // a program may expand it
		{"~", false, false},            //
		{"$HOME/x", false, false},      //
		{"a.go\x00/etc", false, false}, //
		{work + "x", false, false},
		{work + "/../other", false, false},
		{"/dev/null", false, false},
	}
	for _, test := range tests {
		read, write := insideFolder(work, []string{test.path}, false), insideFolder(work, []string{test.path}, true)
		if read != test.read || write != test.write {
			t.Errorf("%q: read %v, write %v; not %v, %v", test.path, read, write, test.read, test.write)
		}
	}
	if insideFolder(work, nil, true) {
		t.Error("no path at all is inside")
	}
	if insideFolder(work, []string{"a.go", "/etc/passwd"}, true) {
		t.Error("one path inside covers another outside")
	}
	if insideFolder(filepath.Join(base, "nowhere"), []string{"a.go"}, true) {
		t.Error("a folder that is not there has an inside")
	}
}

func TestPipesAndSocketsAreOutside(t *testing.T) {
	_, work := tree(t)
	sock := filepath.Join(work, "s")
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Skipf("no sockets here: %v", err)
	}
	defer func() { must(t, l.Close()) }()
	if insideFolder(work, []string{"s"}, true) {
		t.Error("a socket is inside")
	}
}

func TestProtectedPlacesAreFoundByWhateverName(t *testing.T) {
	base, work := tree(t)
	home := filepath.Join(base, ".conch")
	for path, want := range map[string]reach{
		home: inside, filepath.Join(home, "chats", "x.jsonl"): inside,
		"../.conch/config.toml": inside, "home": inside, "home/new": inside, "out/../.conch": inside,
		"~/.conch/config.toml": inside, "$HOME/.conch": inside, "%USERPROFILE%/.conch": inside,
		base: holds, "..": holds, "/": holds,
		"a.go": apart, "~/other": apart, filepath.Join(base, ".conchx"): apart, "": apart, "sub": apart,
	} {
		if got := touches(work, path, []string{home}); got != want {
			t.Errorf("%q: %v, not %v", path, got, want)
		}
	}
}

func FuzzLocate(f *testing.F) {
	for _, s := range []string{"a", "../a", "~/x", "$H", "a/../../b", "\x00", "//", "a//b/./c", "link/../x"} {
		f.Add(s)
	}
	dir := f.TempDir()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		f.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		f.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(work, "out")); err != nil {
		f.Skip(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if !insideFolder(work, []string{path}, true) {
			return
		}
		// What counts as inside is inside by the plain way too.
		full := path
		if !filepath.IsAbs(path) {
			full = filepath.Join(work, path)
		}
		if rel, err := filepath.Rel(work, full); err != nil || rel != "." && !filepath.IsLocal(rel) {
			t.Errorf("%q is inside, and leads to %s", path, full)
		}
	})
}
