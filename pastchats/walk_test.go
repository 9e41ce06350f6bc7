package pastchats

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// put writes a file of a made-up home.
func put(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func link1(t testing.TB, to, at string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		t.Skip("links cannot be made here:", err)
	}
}

// madeHome is an empty pretend home.
func madeHome(t testing.TB) *Home {
	t.Helper()
	return NewHome(t.TempDir(), "", nil, t.TempDir())
}

// walked gives what a walk visits, files and folders, and how many links it left.
func walked(t *testing.T, h *Home, root string) (rels []string, left int) {
	t.Helper()
	left, err := h.walk(context.Background(), root, func(e entry) bool {
		if e.dir {
			e.rel += "/"
		}
		rels = append(rels, e.rel)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return rels, left
}

func TestAWalkGivesFilesInTheOrderOfTheirNames(t *testing.T) {
	h := madeHome(t)
	root := filepath.Join(h.Dir, "app")
	put(t, root+"/b/two", "2")
	put(t, root+"/a", "1")
	put(t, root+"/c", "3")
	put(t, root+"/empty", "")
	got, left := walked(t, h, root)
	if want := []string{"a", "b/", "b/two", "c"}; !slices.Equal(got, want) || left != 0 {
		t.Errorf("visited %q and left %d, want %q and 0", got, left, want)
	}
}

func TestAWalkOfWhatIsNotThereIsNothing(t *testing.T) {
	h := madeHome(t)
	file := put(t, filepath.Join(h.Dir, "file"), "x")
	for _, root := range []string{filepath.Join(h.Dir, "none"), filepath.Join(file, "below"), file} {
		if got, left := walked(t, h, root); len(got) != 0 || left != 0 {
			t.Errorf("%s: visited %q, left %d", root, got, left)
		}
	}
}

func TestAFolderThatNeedNotBeEnteredIsNot(t *testing.T) {
	h := madeHome(t)
	put(t, filepath.Join(h.Dir, "app/skip/x"), "x")
	put(t, filepath.Join(h.Dir, "app/take/y"), "y")
	var files []string
	_, err := h.walk(context.Background(), filepath.Join(h.Dir, "app"), func(e entry) bool {
		if !e.dir {
			files = append(files, e.rel)
		}
		return e.rel != "skip"
	})
	if err != nil || !slices.Equal(files, []string{"take/y"}) {
		t.Errorf("visited %q, %v", files, err)
	}
}

// R-111-6 and the case of links in the home.
func TestLinksOfAWalk(t *testing.T) {
	h := madeHome(t)
	outside := t.TempDir()
	put(t, outside+"/secret/chat", "x")
	root := filepath.Join(h.Dir, ".app", "projects")
	put(t, root+"/real/chat", "1")
	put(t, filepath.Join(h.Dir, "elsewhere/work/chat"), "2")
	link1(t, filepath.Join(h.Dir, "elsewhere/work"), root+"/linked")
	link1(t, filepath.Join(h.Dir, "elsewhere/work"), root+"/linked-again") // a repeat: nothing
	link1(t, root+"/real", root+"/a-second-name")                          // met before what it points at: nothing
	link1(t, root, root+"/loop")                                           // left
	link1(t, "..", root+"/real/up")                                        // left
	link1(t, h.Dir, root+"/home")                                          // left: all of the home holds the root
	link1(t, filepath.Join(h.Dir, "gone"), root+"/dangling")               // left
	link1(t, outside+"/secret", root+"/out")                               // left
	link1(t, root+"/real/chat", root+"/real/other")                        // left: a linked file
	link1(t, root+"/self", root+"/self")                                   // left
	got, left := walked(t, h, root)
	want := []string{"real/", "real/chat", "linked/", "linked/chat"}
	if !slices.Equal(got, want) {
		t.Errorf("visited %q, want %q", got, want)
	}
	if left != 7 {
		t.Errorf("left %d links, want 7", left)
	}
}

func TestTheRootMayBeALink(t *testing.T) {
	h := madeHome(t)
	disk := t.TempDir()
	put(t, disk+"/claude/projects/shop/chat", "1")
	put(t, disk+"/claude/store/chat", "2")
	link1(t, disk+"/claude", filepath.Join(h.Dir, ".claude"))
	link1(t, disk+"/claude/store", disk+"/claude/projects/stored") // within the root
	got, left := walked(t, h, filepath.Join(h.Dir, ".claude"))
	if want := []string{"projects/", "projects/shop/", "projects/shop/chat", "store/", "store/chat"}; !slices.Equal(got, want) || left != 0 {
		t.Errorf("visited %q and left %d, want %q", got, left, want)
	}
	f, err := h.open(filepath.Join(h.Dir, ".claude"), filepath.Join(h.Dir, ".claude/projects/shop/chat"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func TestAWalkIsEndedByItsContext(t *testing.T) {
	h := madeHome(t)
	put(t, filepath.Join(h.Dir, "app/a/b"), "1")
	ctx, cancel := context.WithCancel(context.Background())
	_, err := h.walk(ctx, filepath.Join(h.Dir, "app"), func(entry) bool { cancel(); return true })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestWhatMayNotBeOpened(t *testing.T) {
	h := madeHome(t)
	outside := put(t, filepath.Join(t.TempDir(), "secret"), "s")
	root := filepath.Join(h.Dir, "app")
	chat := put(t, root+"/chat", "words")
	link1(t, outside, root+"/out")
	link1(t, filepath.Dir(outside), root+"/dir")
	link1(t, chat, root+"/link")
	tests := map[string]error{
		root + "/out":           errNotPlain,
		root + "/link":          errNotPlain,
		root + "/dir/secret":    errOutside,
		root + "/../../" + "x":  fs.ErrNotExist,
		root:                    errNotPlain,
		root + "/none":          fs.ErrNotExist,
		outside:                 errOutside,
		root + "/chat/and-more": nil,
	}
	for path, want := range tests {
		f, err := h.open(root, path)
		if err == nil {
			f.Close()
			t.Errorf("%s was opened", path)
		}
		if want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
	f, err := h.open(root, chat)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// A folder that is swapped for a link after the look is seen when it is opened.
func TestASwapBetweenLookAndOpenLeadsNowhere(t *testing.T) {
	h := madeHome(t)
	outside := t.TempDir()
	put(t, outside+"/chat", "secret")
	root := filepath.Join(h.Dir, "app")
	chat := put(t, root+"/shop/chat", "words")
	if err := os.RemoveAll(root + "/shop"); err != nil {
		t.Fatal(err)
	}
	link1(t, outside, root+"/shop")
	if f, err := h.open(root, chat); !errors.Is(err, errOutside) {
		f.Close()
		t.Errorf("got %v", err)
	}
}

func TestWholeAndHeadAreBounded(t *testing.T) {
	h := madeHome(t)
	root := filepath.Join(h.Dir, "app")
	chat := put(t, root+"/chat", strings.Repeat("x", 1000))
	if b, err := h.whole(root, chat, 1000); err != nil || len(b) != 1000 {
		t.Errorf("whole: %d bytes, %v", len(b), err)
	}
	if _, err := h.whole(root, chat, 999); !errors.Is(err, errTooBig) {
		t.Errorf("whole of a file over the limit: %v", err)
	}
	for limit, want := range map[int]int{10: 10, 5000: 1000} {
		if b, err := h.head(root, chat, limit); err != nil || len(b) != want {
			t.Errorf("head of %d: %d bytes, %v", limit, len(b), err)
		}
	}
}
