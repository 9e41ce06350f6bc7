package home

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func made(t *testing.T, spec Spec) Manifest {
	t.Helper()
	m, err := Make(filepath.Join(t.TempDir(), "home"), spec)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTheManifestSaysWhatAPlainReaderFinds(t *testing.T) {
	for name, spec := range map[string]Spec{"few": Few(100), "small": Small(300), "large": {Seed: 7, Chats: 4, Bytes: 80_000_000, Squeezed: 50}} {
		t.Run(name, func(t *testing.T) {
			if name == "large" && testing.Short() {
				t.Skip("reads 80 MB")
			}
			m := made(t, spec)
			r := read(t, m.Dir)
			if len(r.chats) != m.Chats || len(m.List) != m.Chats {
				t.Errorf("a reader finds %d chats, the manifest says %d and lists %d", len(r.chats), m.Chats, len(m.List))
			}
			needles := map[string]*Needle{}
			for _, n := range m.Needles {
				needles[n.Word] = &Needle{Word: n.Word}
			}
			for _, c := range m.List {
				user, assistant := 0, 0
				inChat := map[string]bool{}
				for i, s := range r.chats[c.Path] {
					if s.role == "user" {
						user++
					} else {
						assistant++
					}
					if i > 0 && s.text == r.chats[c.Path][i-1].text {
						t.Errorf("%s: two messages in a row are the same", c.Path)
					}
					for word, n := range needles {
						if strings.Contains(s.text, word) {
							n.Messages++
							if !inChat[word] {
								inChat[word] = true
								n.Chats++
							}
						}
					}
					for _, word := range m.Decoys {
						if strings.Contains(s.text, word) {
							t.Errorf("%s: the decoy %s was said", c.Path, word)
						}
					}
				}
				if user != c.User || assistant != c.Assistant {
					t.Errorf("%s: a reader finds %d and %d messages, the manifest says %d and %d", c.Path, user, assistant, c.User, c.Assistant)
				}
			}
			for _, want := range m.Needles {
				if got := *needles[want.Word]; got != want {
					t.Errorf("a reader finds %+v, the manifest says %+v", got, want)
				}
			}
		})
	}
}

func TestWhatMisleadsAReaderIsThere(t *testing.T) {
	m := made(t, Few(200))
	r := read(t, m.Dir)
	for _, kind := range []string{
		"claude queued", "claude text beside a result", "claude rewound", "claude joined", "claude progress", "claude api-request-blob", "claude queue-operation",
		"codex thread_rolled_back", "codex item_completedAgentMessage", "codex agent_message", "gemini again",
	} {
		if r.lines[kind] == 0 {
			t.Errorf("no line is of the kind %q", kind)
		}
	}
	torn, blank, squeezed := 0, 0, 0
	all := walk(t, m.Dir)
	for path, raw := range all {
		switch {
		case strings.HasSuffix(path, ".zst"):
			squeezed++
		case len(raw) == 0:
			blank++
		case strings.HasSuffix(path, ".jsonl") && raw[len(raw)-1] != '\n':
			torn++
		}
	}
	if torn == 0 || blank == 0 || squeezed == 0 || m.Silent == 0 || m.Helpers == 0 {
		t.Errorf("%d files end in half a line, %d are blank, %d are squeezed, %d are without words, %d are helpers'", torn, blank, squeezed, m.Silent, m.Helpers)
	}
	for _, word := range m.Decoys {
		found := false
		for _, raw := range all {
			found = found || bytes.Contains(raw, []byte(word))
		}
		if !found {
			t.Errorf("the decoy %s is nowhere", word)
		}
	}
	if m.SecretsSaid == 0 || m.SecretsTitled == 0 || len(m.Secrets) <= m.SecretsSaid+m.SecretsTitled {
		t.Errorf("%d secrets are said, %d stand in titles, %d are there in all", m.SecretsSaid, m.SecretsTitled, len(m.Secrets))
	}
}

func TestTheSameSeedMakesTheSameFiles(t *testing.T) {
	sum := func(spec Spec) map[string][32]byte {
		sums := map[string][32]byte{}
		for path, raw := range walk(t, made(t, spec).Dir) {
			sums[path] = sha256.Sum256(raw)
		}
		return sums
	}
	first, again := sum(Few(40)), sum(Few(40))
	if len(first) == 0 || len(first) != len(again) {
		t.Fatalf("%d files, then %d", len(first), len(again))
	}
	for path, s := range first {
		if again[path] != s {
			t.Errorf("%s is another one the second time", path)
		}
	}
	other := Few(40)
	other.Seed++
	for path := range sum(other) {
		if _, same := first[path]; same && strings.Contains(path, "rollout-") {
			t.Errorf("%s is there with another seed too", path)
		}
	}
}

func TestAFolderThatHoldsSomethingIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Make(dir, Few(1)); err == nil {
		t.Error("a home was made in a folder that is not empty")
	}
}

func walk(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = raw
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func BenchmarkMake(b *testing.B) {
	for b.Loop() {
		m, err := Make(filepath.Join(b.TempDir(), "home"), Few(100))
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(m.Bytes)
	}
}
