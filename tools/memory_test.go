package tools

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

func aMemory(t testing.TB, text string) *Memory {
	t.Helper()
	m := OpenMemory(filepath.Join(t.TempDir(), "memory.md"))
	if text != "" {
		must(t, os.WriteFile(m.Path(), []byte(text), 0o600))
	}
	return m
}

// words are the memories' words.
func (m *Memory) words(t testing.TB) []string {
	t.Helper()
	list, err := m.List()
	must(t, err)
	var out []string
	for _, r := range list {
		out = append(out, r.Words)
	}
	return out
}

func TestAMemoryIsWrittenSoThatAPersonCanReadIt(t *testing.T) {
	m := OpenMemory(filepath.Join(t.TempDir(), "new", "memory.md"))
	if list, err := m.List(); err != nil || list != nil || m.Text() != "" {
		t.Errorf("without a file: %v, %v", list, err)
	}
	_, err := m.Add("Prefers tabs.", "01ARZ3NDEKTSV4RRFFQ69G5FAV", noon)
	must(t, err)
	_, err = m.Add("Works in Berlin", "", noon.Add(time.Hour))
	must(t, err)
	_, err = m.Add("Written by the person", "", time.Time{})
	must(t, err)
	text, err := m.Read()
	must(t, err)
	golden(t, "memory.md", strings.TrimSuffix(text, "\n"))
	golden(t, "memory.told.txt", m.Text())
	for _, each := range []string{"", ".lock"} {
		info, err := os.Stat(m.Path() + each)
		must(t, err)
		if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("%s has mode %o", each, info.Mode().Perm())
		}
	}
	if info, err := os.Stat(filepath.Dir(m.Path())); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("its folder: %v, %v", info.Mode(), err)
	}
}

func TestAFileThatAPersonChangedIsRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"only Conch's head", paperHead, nil},
		{"no end of line", "- a", []string{"a"}},
		{"bullets of all kinds", "- a\n* b\n+ c\n• d\n1. e\n2) f\n  - g\n", []string{"a", "b", "c", "d", "e", "f", "g"}},
		{"wrapped lines", "- a\n  goes on\nand on\n\n- b\n", []string{"a goes on and on", "b"}},
		{"paragraphs", "a line\nand one\n\nanother\n# Head\nthird\n---\nfourth", []string{"a line and one", "another", "third", "fourth"}},
		{"line ends of Windows and a mark at the beginning", "\ufeff# Memory\r\n\r\n- a\r\n- b\r\n", []string{"a", "b"}},
		{"a mark before a bullet", "\ufeff- a\n", []string{"a"}},
		{"comments", "<!-- no -->\n- a <!-- no --> b\n<!--\n- no\n-->\n- c\n", []string{"a b", "c"}},
		{"a comment that never ends", "- a\n<!-- oh\n- b\n", []string{"a", "b"}},
		{"a wrapped time", "- a\n  <!-- 2026-11-20T12:00:00Z -->\n- b", []string{"a", "b"}},
		{"empty bullets", "-\n- \n* \n- a\n", []string{"a"}},
		{"said twice", "- Likes tea\n- likes  TEA.\n- b\n", []string{"Likes tea", "b"}},
		{"control characters", "- a\x1b[2Jb\u202ec\u2028d\n", []string{"abc d"}},
		{"no UTF-8", "- a\xffb\n", []string{"a\ufffdb"}},
		{"too long", "- " + strings.Repeat("ä", 500), []string{strings.Repeat("ä", 399) + "…"}},
		{"a forged time", "- a <!-- 2026-99-99T99:99:99Z -->\n", []string{"a"}},
	} {
		if got := aMemory(t, c.text).words(t); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWhatIsNoMemoryStaysAsThePersonWroteIt(t *testing.T) {
	const mine = "# My things\r\n\r\nfirst of all\r\n\r\n- Likes tea\r\n  - green tea\r\n\r\n## Later <!-- x -->\r\n\r\n***\r\n"
	m := aMemory(t, mine)
	r, err := m.Add("Likes <!-- coffee --> too", "01ARZ3NDEKTSV4RRFFQ69G5FAV", noon)
	must(t, err)
	text, err := m.Read()
	must(t, err)
	want := strings.Replace(mine, "green tea\r\n", "green tea\r\n- Likes <!- - coffee - -> too <!-- 2026-11-20T12:00:00Z 01ARZ3NDEKTSV4RRFFQ69G5FAV -->\r\n", 1)
	if text != want {
		t.Errorf("%q\nwant %q", text, want)
	}
	changed, err := m.Change(r.ID, "Likes coffee")
	must(t, err)
	if changed.ID == r.ID || changed.Chat != r.Chat || !changed.At.Equal(noon) {
		t.Errorf("changed to %+v", changed)
	}
	if _, err := m.Change(changed.ID, "likes TEA"); !errors.Is(err, ErrKnown) {
		t.Error(err)
	}
	if _, err := m.Change("m00000000", "x"); !errors.Is(err, ErrNoMemory) {
		t.Error(err)
	}
	_, err = m.Forget(changed.ID)
	must(t, err)
	if text, err = m.Read(); err != nil || text != mine {
		t.Errorf("%q (%v)\nwant %q", text, err, mine)
	}
	if _, err := m.Forget("first of all"); err != nil {
		t.Error(err)
	}
	if text, err = m.Read(); err != nil || text != strings.Replace(mine, "first of all\r\n", "", 1) {
		t.Errorf("%q (%v)", text, err)
	}
}

func TestAnIDStaysWhileTheWordsDo(t *testing.T) {
	m := aMemory(t, "- by hand\n")
	a, err := m.Add("by tool", "01ARZ3NDEKTSV4RRFFQ69G5FAV", noon.Add(123*time.Millisecond))
	must(t, err)
	list, err := m.List()
	must(t, err)
	if list[1] != a {
		t.Errorf("%+v was read as %+v", a, list[1])
	}
	must(t, os.WriteFile(m.Path(), []byte("# new order\n\n* by tool <!-- 2026-11-20T12:00:00Z 01ARZ3NDEKTSV4RRFFQ69G5FAV -->\n\n\n* by hand"), 0o600))
	again, err := m.List()
	must(t, err)
	if again[0].ID != list[1].ID || again[1].ID != list[0].ID {
		t.Errorf("%+v, then %+v", list, again)
	}
}

func TestWhatIsToldIsBoundedAndTheNewestKept(t *testing.T) { // R-102-4
	m := aMemory(t, "")
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "- memory %d %s\n", i, strings.Repeat("ö", 60))
	}
	must(t, os.WriteFile(m.Path(), []byte(text.String()), 0o600))
	told := m.Text()
	if n := utf8.RuneCountInString(told); n > 4000 || n < 3800 {
		t.Errorf("%d characters", n)
	}
	if !strings.Contains(told, "memory 299") || strings.Contains(told, "memory 100 ") || !strings.Contains(told, " older ones are left out)") {
		t.Errorf("%s", told)
	}
	if m.Text() != told {
		t.Error("it is told otherwise the second time")
	}
	must(t, os.WriteFile(m.Path(), []byte("- the token is ghp_0123456789abcdefghijABCDEFGHIJ012345\n"), 0o600))
	harmless(t, m.Text())
	if !strings.Contains(m.Text(), "the token is [redacted]") {
		t.Error(m.Text())
	}
}

func TestADamagedFileIsSaidAndLeft(t *testing.T) {
	for name, text := range map[string]string{"no text": "- a\x00\x01", "too large": strings.Repeat("- x\n", maxMemoryFile/4+1)} {
		m := aMemory(t, text)
		if _, err := m.List(); !errors.Is(err, ErrBadMemory) || m.Text() != "" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := m.Add("a", "", noon); !errors.Is(err, ErrBadMemory) {
			t.Errorf("%s: %v", name, err)
		}
		if data, err := os.ReadFile(m.Path()); err != nil || string(data) != text {
			t.Errorf("%s: it was changed (%v)", name, err)
		}
	}
	m := aMemory(t, "")
	must(t, os.Mkdir(m.Path(), 0o700))
	if _, err := m.Add("a", "", noon); !errors.Is(err, ErrBadMemory) {
		t.Error(err)
	}
}

func TestAPersonsTextTakesThePlaceOfTheFile(t *testing.T) {
	m := aMemory(t, "- a\n")
	before, err := m.Read()
	must(t, err)
	must(t, m.Replace(before, "- b\n- c\n"))
	if err := m.Replace(before, "- d\n"); !errors.Is(err, ErrChanged) {
		t.Errorf("over what another wrote: %v", err)
	}
	if err := m.Replace("- b\n- c\n", strings.Repeat("x", maxMemoryFile+1)); !errors.Is(err, ErrBadMemory) {
		t.Errorf("too much: %v", err)
	}
	if got := m.words(t); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("%q", got)
	}
}

func TestSeveralWritersLoseNothing(t *testing.T) {
	path := aMemory(t, "- by hand\n").Path()
	var wait sync.WaitGroup
	for w := range 4 {
		m := OpenMemory(path) // as another Conch has it
		wait.Go(func() {
			for i := range 15 {
				if _, err := m.Add(fmt.Sprintf("writer %d says %d", w, i), "", noon); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
				if i%3 == 2 {
					if _, err := m.Forget(fmt.Sprintf("writer %d says %d", w, i)); err != nil {
						t.Errorf("writer %d: %v", w, err)
					}
				}
			}
		})
	}
	wait.Wait()
	got := OpenMemory(path).words(t)
	if len(got) != 1+4*10 || got[0] != "by hand" {
		t.Errorf("%d memories: %q", len(got), got)
	}
}

func TestWhatAKilledWriterLeftIsSweptAndNothingElse(t *testing.T) {
	m := aMemory(t, "- a\n")
	dir := filepath.Dir(m.Path())
	for _, name := range []string{".memory.md-123456", ".memory.md-backup", "memory.md-1"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	_, err := m.Add("b", "", noon)
	must(t, err)
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{".memory.md-backup", "memory.md", "memory.md-1", "memory.md.lock"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestALinkStaysOne(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "mine.md"), []byte("- a\n"), 0o600))
	m := OpenMemory(filepath.Join(dir, "memory.md"))
	if err := os.Symlink("mine.md", m.Path()); err != nil {
		t.Skip("links can't be made here:", err)
	}
	_, err := m.Add("b", "", noon)
	must(t, err)
	if info, err := os.Lstat(m.Path()); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "mine.md")); err != nil || !strings.Contains(string(data), "- b") {
		t.Errorf("%s, %v", data, err)
	}
}

// FuzzMemory: whatever a file holds, what is added is there and what is taken out
// again leaves the rest byte for byte.
func FuzzMemory(f *testing.F) {
	for _, seed := range []string{"", paperHead, "- a\n- b", "a\r\nb\r\n\r\n1. c\r\n", "<!--\n- a", "- a <!-- 2026-11-20T12:00:00Z x -->", "---\n***\n# x\n", "\ufeff\ufeff- a", "- \n-\n-- a\n"} {
		f.Add(seed, "likes tea")
		f.Add(seed, "- <!-- 2026-11-20T12:00:00Z --> 1. # x")
	}
	f.Fuzz(func(t *testing.T, text, words string) {
		p := parse(text)
		if p.text() != text {
			t.Fatalf("parsing changed the text: %q", p.text())
		}
		words = fitting(words)
		if p.fits(words) != nil {
			return
		}
		n := len(p.found)
		r := newRemembered(words, "01ARZ3NDEKTSV4RRFFQ69G5FAV", noon)
		p.add(r)
		again := parse(p.text())
		found, ok := again.find(r.ID)
		if !ok || found != r || len(again.found) != n+1 {
			t.Fatalf("%q in %q is read as %+v (%d of %d)", words, p.text(), found, len(again.found), n+1)
		}
		again.remove(r.ID)
		if got := again.text(); got != text && text != "" && strings.TrimRight(got, "\r\n") != strings.TrimRight(text, "\r\n") {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

func TestAMemoryThatCantBeReadSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, path string) error
		want string
	}{
		"none":      {func(*testing.T, string) error { return nil }, ""},
		"empty":     {func(_ *testing.T, path string) error { return os.WriteFile(path, nil, 0o600) }, ""},
		"too large": {func(_ *testing.T, path string) error { return os.WriteFile(path, make([]byte, maxMemoryFile+1), 0o600) }, "memory.md is larger than 256 KB"},
		"no text":   {func(_ *testing.T, path string) error { return os.WriteFile(path, []byte("- a\x00"), 0o600) }, "memory.md is no text"},
		"a folder":  {func(_ *testing.T, path string) error { return os.Mkdir(path, 0o700) }, "memory.md is no file"},
		"no right": {func(t *testing.T, path string) error {
			if os.Getuid() <= 0 {
				t.Skip("this user may read everything")
			}
			return os.WriteFile(path, []byte("- a"), 0o000)
		}, "memory.md can't be read: permission denied"},
		"a link to itself": {func(t *testing.T, path string) error {
			if os.PathSeparator != '/' {
				t.Skip("links need a right there")
			}
			return os.Symlink(path, path)
		}, "memory.md can't be read: too many levels of symbolic links"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.md")
			if err := c.make(t, path); err != nil {
				t.Fatal(err)
			}
			if got := OpenMemory(path).Problem(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
