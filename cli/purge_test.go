package cli

import (
	"context"
	"slices"
	"testing"
	"time"

	"conch/chats"
	"conch/engine"
)

// forgetful notes which sessions it was told to forget.
type forgetful struct {
	engine.Engine
	forgot []string
}

func (f *forgetful) Info() engine.Info { return engine.Info{ID: "demo", Name: "Demo"} }

func (f *forgetful) ForgetSession(_ context.Context, id string) error {
	f.forgot = append(f.forgot, id)
	return nil
}

func (f *forgetful) Close() error { return nil }

func TestADeletedChatIsForgottenAfterAWeekAndNotBefore(t *testing.T) { // R-69-11, checklist 20
	home := t.TempDir()
	now := time.Now()
	store, err := chats.Open(home, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	log := store.Create("/home/dev/shop", "")
	for _, b := range []chats.Body{
		chats.UserMessage{MessageID: "1", Text: "hello"},
		chats.Session{Engine: "demo", ResumeID: "0123456789abcdef:s1"},
	} {
		if _, err := log.Append("t", b); err != nil {
			t.Fatal(err)
		}
	}
	id := log.ID()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Delete(id); err != nil {
		t.Fatal(err)
	}

	demo := &forgetful{}
	a := newApp(Host{Environ: []string{"CONCH_HOME=" + home}, Now: time.Now})
	a.store, a.engines = store, []engine.Engine{demo}
	defer a.close()

	now = now.Add(undoTime - time.Hour)
	a.purge(context.Background())
	if len(demo.forgot) > 0 {
		t.Fatalf("forgot %v while the deletion could be undone", demo.forgot)
	}
	now = now.Add(2 * time.Hour)
	a.purge(context.Background())
	if want := []string{"0123456789abcdef:s1"}; !slices.Equal(demo.forgot, want) {
		t.Errorf("forgot %v, want %v", demo.forgot, want)
	}
	if err := store.Undelete(id); err == nil {
		t.Error("the chat is still there")
	}
}
