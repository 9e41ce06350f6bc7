package cli

import (
	"testing"
	"time"

	"conch/chats"
	"conch/engine"
)

// R-69-90: conch doctor names each session of a provider that was lost and healed,
// and none that was only replaced.
func TestDoctorNamesTheSessionsThatWereHealed(t *testing.T) {
	home := t.TempDir()
	at := time.Date(2026, 11, 30, 17, 8, 31, 0, time.UTC)
	store, err := chats.Open(home, func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	log := store.Create("/code/shop", "")
	for _, b := range []chats.Body{
		chats.UserMessage{MessageID: "1", Text: "Fix the cart"},
		chats.Session{Engine: "codex", ResumeID: "1"},
		chats.Session{Engine: "codex", ResumeID: "2", Restarted: engine.Lost},
		chats.Session{Engine: "qwen", ResumeID: "3"},
	} {
		if _, err := log.Append("t", b); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	a := newApp(Host{Environ: []string{"CONCH_HOME=" + home}, Now: time.Now})
	a.store = store
	defer a.close()
	got := a.healed()
	if want := (jsonHealed{log.ID(), "Fix the cart", "codex", "2026-11-30T17:08:31Z"}); len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
