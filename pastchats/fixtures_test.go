package pastchats

import (
	"context"
	"database/sql"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// wantChat is a chat as testdata/past/expected has it.
type wantChat struct {
	File          string
	SourceID      string   `json:"source_id"`
	Title         string   // the app's, else the first words
	Project       string   // the last part of its folder
	ProjectAccept []string `json:"project_accept"` // any of these is right
	SupersededBy  string   `json:"superseded_by"`  // its talk is that chat's beginning: it may be missing
	Started       string   // "": the file's time
	Updated       string
	Model         string
	Messages      []wantMessage
}

type wantMessage struct{ Role, Text string }

// leftOut is a chat-like file or row that gives no chat.
type leftOut struct {
	File     string
	SourceID string `json:"source_id"`
	Why      string
}

// gotChat is what a finder made of one chat, finished as it would be stored.
type gotChat struct {
	file    chatFile
	title   string
	project string
	model   string
	damaged bool
	started int64
	updated int64
	said    []wantMessage
	err     error
}

// table gives an app's line.
func table(t testing.TB, id string) app {
	t.Helper()
	for _, a := range apps() {
		if a.id == id {
			return a
		}
	}
	t.Fatalf("no app is called %q", id)
	return app{}
}

// readAll finds and reads all chats that an app has in a home. What has no words
// is no chat and is not given. It fails on any error.
func readAll(t testing.TB, id string, h *Home) []gotChat {
	t.Helper()
	var got []gotChat
	for _, c := range readEvery(t, id, h) {
		if c.err != nil {
			t.Errorf("read %s: %v", c.file.Path, c.err)
		}
		if len(c.said) > 0 {
			got = append(got, c)
		}
	}
	return got
}

// readEvery is readAll with what has no words and what failed.
func readEvery(t testing.TB, id string, h *Home) []gotChat {
	t.Helper()
	finder := table(t, id).open(h)
	defer func() {
		if err := finder.close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if list, _ := os.ReadDir(h.temp); len(list) != 0 {
			t.Errorf("private copies stayed in %s: %v", h.temp, list)
		}
	}()
	ctx := context.Background()
	found, err := finder.find(ctx)
	if err != nil {
		t.Fatalf("find: %v", err)
	}
	var got []gotChat
	keys := map[string]bool{}
	for _, f := range found.files {
		if f.Source != id {
			t.Errorf("%s: its source is %q, want %q", f.Path, f.Source, id)
		}
		if f.Key == "" || keys[f.Key] {
			t.Errorf("%s: the key %q is empty or there twice", f.Path, f.Key)
		}
		keys[f.Key] = true
		var c talk
		err := finder.read(ctx, f, &c)
		got = append(got, finishedFor(f, &c, err))
	}
	return got
}

// finishedFor is a chat as it would be stored.
func finishedFor(f chatFile, c *talk, err error) gotChat {
	g := gotChat{file: f, model: c.Model, damaged: c.Damaged, err: err}
	for _, m := range c.words {
		w := wantMessage{string(m.role), strings.TrimSpace(m.text)}
		if w.Text == "" || len(g.said) > 0 && g.said[len(g.said)-1] == w {
			continue
		}
		g.said = append(g.said, w)
		if m.at != 0 {
			g.updated = m.at
			if g.started == 0 {
				g.started = m.at
			}
		}
		if g.title == "" && m.role == User {
			g.title = strings.Join(strings.Fields(w.Text), " ")
		}
	}
	if c.Started != 0 {
		g.started = c.Started
	}
	if c.Updated != 0 {
		g.updated = c.Updated
	}
	for _, at := range []*int64{&g.started, &g.updated} {
		if *at == 0 {
			*at = f.MTime / 1e6
		}
	}
	if c.Title != "" {
		g.title = c.Title
	}
	for _, p := range []string{c.Project, projectOf(c.Cwd), f.Project} {
		if g.project == "" {
			g.project = p
		}
	}
	return g
}

// copyHome copies a folder of testdata into a folder of the test's own, with its
// files' times.
func copyHome(t testing.TB, from string) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(at, 0o700)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(at, b, 0o600); err != nil {
			return err
		}
		return os.Chtimes(at, info.ModTime(), info.ModTime())
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

const past = "../testdata/past"

// fixtureHomes are copies of the pretend homes.
func fixtureHomes(t testing.TB) []*Home {
	t.Helper()
	var homes []*Home
	for _, name := range []string{"home-a", "home-b"} {
		h := NewHome("", copyHome(t, filepath.Join(past, name)), nil, t.TempDir())
		h.OS = "linux" // that is where these homes are from
		homes = append(homes, h)
	}
	return homes
}

// expected reads what must come out of an app's fixtures.
func expected(t testing.TB, id string) (want []wantChat, left []leftOut) {
	t.Helper()
	if id == "copilot" {
		id = "copilot-chat"
	}
	for name, into := range map[string]any{id + ".json": &want, id + ".left-out.json": &left} {
		b, err := os.ReadFile(filepath.Join(past, "expected", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return want, left
}

// Every app's fixtures, old and new, give exactly their words, title, project,
// model and times, and nothing else; the app's folders stay as they were, also
// while a writer holds their databases.
func TestFixtures(t *testing.T) {
	for _, a := range apps() {
		t.Run(a.id, func(t *testing.T) {
			want, left := expected(t, a.id)
			t.Run("at rest", func(t *testing.T) {
				checkFixtures(t, a.id, fixtureHomes(t), want, left)
			})
			t.Run("while written", func(t *testing.T) {
				homes := fixtureHomes(t)
				for _, h := range homes {
					holdDatabases(t, h.Dir)
				}
				checkFixtures(t, a.id, homes, want, left)
			})
		})
	}
}

func checkFixtures(t *testing.T, id string, homes []*Home, want []wantChat, left []leftOut) {
	t.Helper()
	got := map[string]gotChat{}
	for _, h := range homes {
		before := tree(t, h.Dir)
		for _, c := range readAll(t, id, h) {
			if rel, err := filepath.Rel(h.Dir, c.file.Path); err == nil {
				c.file.Path = filepath.ToSlash(rel)
			}
			if _, twice := got[c.file.Key]; twice {
				t.Errorf("%s is in both homes", c.file.Key)
			}
			got[c.file.Key] = c
		}
		sameTree(t, h.Dir, before)
	}
	for _, l := range left {
		for _, c := range got {
			if c.file.Path == l.File && (l.SourceID == "" || l.SourceID == c.file.Key) {
				t.Errorf("%s (%s) came in, but is to be left out: %s", l.File, c.file.Key, l.Why)
			}
		}
	}
	for _, w := range want {
		c, there := got[w.SourceID]
		delete(got, w.SourceID)
		if !there {
			if w.SupersededBy == "" {
				t.Errorf("%s of %s did not come", w.SourceID, w.File)
			}
			continue
		}
		checkChat(t, c, w)
	}
	for _, c := range got {
		t.Errorf("%s of %s came, but is no chat: %.200q", c.file.Key, c.file.Path, c.said)
	}
}

func checkChat(t *testing.T, c gotChat, w wantChat) {
	t.Helper()
	name := w.SourceID + " of " + w.File
	if c.file.Path != w.File {
		t.Errorf("%s: read from %s", name, c.file.Path)
	}
	if c.title != w.Title {
		t.Errorf("%s: title %q, want %q", name, c.title, w.Title)
	}
	if c.project != w.Project && !slices.Contains(w.ProjectAccept, c.project) {
		t.Errorf("%s: project %q, want %q", name, c.project, w.Project)
	}
	if c.file.Project != "" && c.file.Project != w.Project && !slices.Contains(w.ProjectAccept, c.file.Project) {
		t.Errorf("%s: the look's project is %q, want %q", name, c.file.Project, w.Project)
	}
	if c.model != w.Model {
		t.Errorf("%s: model %q, want %q", name, c.model, w.Model)
	}
	checkTime(t, name+": started", c.started, w.Started, c.file)
	checkTime(t, name+": updated", c.updated, w.Updated, c.file)
	if diff := cmp.Diff(w.Messages, c.said); diff != "" {
		t.Errorf("%s: messages (- wanted, + read):\n%s", name, diff)
	}
}

func checkTime(t *testing.T, what string, ms int64, want string, f chatFile) {
	t.Helper()
	at := time.Unix(0, f.MTime)
	if want != "" {
		var err error
		if at, err = time.Parse(time.RFC3339, want); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	if off := time.UnixMilli(ms).Sub(at); off.Abs() > 2*time.Second {
		t.Errorf("%s %s, want %s", what, time.UnixMilli(ms).UTC().Format(time.RFC3339Nano), at.UTC().Format(time.RFC3339Nano))
	}
}

// holdDatabases opens every database below a folder as its app does and leaves a
// change of it unfinished until the test is over.
func holdDatabases(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		head := make([]byte, 15)
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		f.Read(head)
		f.Close()
		if string(head) != "SQLite format 3" {
			return nil
		}
		db, err := sql.Open("sqlite", (&sqlAddress{path}).String())
		if err != nil {
			return err
		}
		db.SetMaxOpenConns(1)
		t.Cleanup(func() { db.Close() })
		for _, s := range []string{"PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0", "CREATE TABLE conch_test (a)", "BEGIN IMMEDIATE", "CREATE TABLE conch_test_unfinished (a)"} {
			if _, err := db.Exec(s); err != nil {
				t.Logf("%s: %s: %v", path, s, err) // one that is damaged on purpose
				return nil
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// R-111-7: an app that is not there is nothing, and no error.
func TestAnEmptyHomeHasNothing(t *testing.T) {
	for _, a := range apps() {
		if got := readEvery(t, a.id, madeHome(t)); len(got) != 0 {
			t.Errorf("%s: %v", a.id, got)
		}
	}
}
