package cli

import (
	"context"
	"errors"
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
	fails  error
}

func (f *forgetful) Info() engine.Info { return engine.Info{ID: "demo", Name: "Demo"} }

func (f *forgetful) ForgetSession(_ context.Context, id string) error {
	f.forgot = append(f.forgot, id)
	return f.fails
}

func (f *forgetful) Close() error { return nil }

// deletedChat is a home with one chat that was deleted just now, an engine that keeps
// its session, and what time it is.
func deletedChat(t *testing.T) (a *app, demo *forgetful, id string, now *time.Time) {
	t.Helper()
	home, at := t.TempDir(), time.Now()
	store, err := chats.Open(home, func() time.Time { return at })
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
	id = log.ID()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Delete(id); err != nil {
		t.Fatal(err)
	}

	demo = &forgetful{}
	a = newApp(Host{Environ: []string{"CONCH_HOME=" + home}, Now: time.Now})
	a.store, a.engines = store, []engine.Engine{demo}
	t.Cleanup(a.close)
	return a, demo, id, &at
}

func TestADeletedChatIsForgottenAfterAWeekAndNotBefore(t *testing.T) { // R-69-11, checklist 20
	a, demo, id, now := deletedChat(t)
	*now = now.Add(undoTime - time.Hour)
	a.purge(context.Background())
	if len(demo.forgot) > 0 {
		t.Fatalf("forgot %v while the deletion could be undone", demo.forgot)
	}
	*now = now.Add(2 * time.Hour)
	a.purge(context.Background())
	if want := []string{"0123456789abcdef:s1"}; !slices.Equal(demo.forgot, want) {
		t.Errorf("forgot %v, want %v", demo.forgot, want)
	}
	if err := a.store.Undelete(id); err == nil {
		t.Error("the chat is still there")
	}
}

// Only the deleted chat says which sessions are to be forgotten: it stays until that
// worked, but not for ever.
func TestADeletedChatStaysUntilItsSessionsAreForgotten(t *testing.T) { // R-69-11
	a, demo, id, now := deletedChat(t)
	left := func() int {
		list, err := a.store.Deleted(0)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	demo.fails = errors.New("the disk is away")
	*now = now.Add(undoTime + time.Hour)
	for want := 1; want <= 2; want++ {
		a.purge(context.Background())
		if left() != 1 || len(demo.forgot) != want {
			t.Fatalf("%d chats are left, forgot %v", left(), demo.forgot)
		}
	}
	demo.fails = nil
	a.purge(context.Background())
	if left() != 0 || len(demo.forgot) != 3 {
		t.Errorf("%s: %d chats are left, forgot %v", id, left(), demo.forgot)
	}

	a, demo, _, now = deletedChat(t)
	demo.fails = errors.New("the disk is away")
	*now = now.Add(forgetTime + time.Hour)
	a.purge(context.Background())
	if left() != 0 || len(demo.forgot) != 1 {
		t.Errorf("after all that time %d chats are left, forgot %v", left(), demo.forgot)
	}
}
