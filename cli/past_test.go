package cli

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"conch/chats"
	"conch/search"
)

// The program's own chats would come back as past chats of the program that they
// were carried on with.
func TestSessionsBehindConchsOwnChatsAreNotFound(t *testing.T) {
	dir := t.TempDir()
	home, other := filepath.Join(dir, "conch"), filepath.Join(dir, "other")
	line := func(id string) string {
		return `{"type":"user","uuid":"u1","timestamp":"2026-09-14T08:00:00.000Z","sessionId":"` + id + `","cwd":"/home/dev/site","message":{"role":"user","content":"hello"}}` + "\n"
	}
	const held, deleted, foreign = "aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaaa-0000-4000-8000-000000000002", "aaaaaaaa-0000-4000-8000-000000000003"
	for _, id := range []string{held, deleted, foreign} {
		path := filepath.Join(other, ".claude", "projects", "-home-dev-site", id+".jsonl")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(line(id)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, err := chats.Open(home, nil)
	if err != nil {
		t.Fatal(err)
	}
	chat := func(ids ...string) string {
		log := store.Create("/code/site", "")
		for _, id := range ids {
			if _, err := log.Append("t", chats.Session{Engine: "claude-code", ResumeID: "0123456789abcdef:" + id}); err != nil {
				t.Fatal(err)
			}
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		return log.ID()
	}
	chat(held, "aaaaaaaa-0000-4000-8000-00000000000f") // another took its place since
	if err := store.Delete(chat(deleted)); err != nil {
		t.Fatal(err)
	}

	a := newApp(Host{
		Environ: []string{"CONCH_HOME=" + home, "CONCH_IMPORT_HOME=" + other, "HOME=" + dir}, Dir: dir, Now: time.Now, Engines: scriptEngines,
	})
	defer a.close()
	if err := a.openPast(); err != nil {
		t.Fatal(err)
	}
	status, err := a.past.service.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status.Found() != 1 {
		t.Errorf("found %d, only %s is not Conch's own: %+v", status.Found(), foreign, status.Sources)
	}
	if _, err := a.past.service.BringIn(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	list, err := a.past.store.List()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Key != foreign {
		t.Errorf("brought in: %+v", list)
	}
	if _, err := a.past.store.Find("pc_0123456789abcdef"); err == nil {
		t.Error("a chat that is not there was found")
	}
}

func TestFlagsOfASearchAreFiltersWhateverIsSearchedFor(t *testing.T) {
	typed := filterWord("app", "codex") + filterWord("project", `my "shop`) + filterWord("since", "") + `"cart`
	q := search.Parse(typed, time.Date(2026, 9, 14, 12, 0, 0, 0, time.UTC))
	if !slices.Equal(q.Apps, []string{"codex"}) || len(q.Projects) != 1 || len(q.Phrases) != 0 || !slices.Equal(q.Words, []string{`"cart`}) {
		t.Errorf("%q is %+v", typed, q)
	}
}
