package conversation

import (
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/chats"
	"conch/engine"
)

// copied is the chat as kill -9 would leave it now, opened again.
func copied(t *testing.T, r *room, id string) *chats.Log {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.home, "chats", id+".jsonl"))
	must(t, err)
	home := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(home, "chats"), 0o700))
	must(t, os.WriteFile(filepath.Join(home, "chats", id+".jsonl"), b, 0o600))
	store, err := chats.Open(home, nil)
	must(t, err)
	log, err := store.OpenLog(id)
	must(t, err)
	t.Cleanup(func() { must(t, log.Close()) })
	return log
}

// Checklist 22.
func TestAfterACrashNothingIsLostThatWasShownForTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHold("codex")
		r := newRoom(t)
		m := r.chat(h)
		must(t, m.Send(Message{Text: "go"}))
		s := <-h.begun
		rnd := rand.New(rand.NewSource(7))
		type shot struct {
			at   time.Time
			text map[piece]string
		}
		var shots []shot
		screen := newView(t)
		for range 60 {
			play(rnd, s, 5, func() {})
			events, _ := m.Take()
			screen.apply(events)
			shots = append(shots, shot{time.Now(), said(screen.events, screen.live)})
			time.Sleep(time.Duration(rnd.Intn(900)) * time.Millisecond)
			synctest.Wait()

			log := copied(t, r, m.ID())
			kept, err := log.Since(-1)
			must(t, err)
			has := map[int64]bool{}
			for _, e := range kept {
				has[e.Seq] = true
			}
			for _, e := range screen.events { // steps, cards and finished messages at once
				if !has[e.Seq] {
					t.Fatalf("shown, and not kept: %+v", e)
				}
			}
			var old map[piece]string
			for _, shot := range shots {
				if time.Since(shot.at) > 2*time.Second {
					old = shot.text
				}
			}
			text := said(kept, nil)
			for p, was := range old {
				if !strings.HasPrefix(text[p], was) && !takenBack(kept, p) {
					t.Fatalf("%q was shown for 2 s; %q is kept", was, text[p])
				}
			}
			end := one[chats.TurnCompleted](t, kept)
			if end.Outcome != "interrupted" || end.Engine != "codex" {
				t.Fatalf("it reads as %+v", end)
			}
		}
		h.end <- good
		must(t, m.Wait(context.Background()))
		must(t, m.Close())
	})
}

func takenBack(events []chats.Event, p piece) bool {
	return slices.ContainsFunc(all[chats.AssistantDone](events), func(d chats.AssistantDone) bool { return d.Retracted && d.MessageID == p.id })
}

func TestAfterACrashTheProviderIsNotToldItsOwnWordsAgain(t *testing.T) {
	h := newHold("codex")
	r := newRoom(t)
	m := r.chat(h)
	must(t, m.Send(Message{Text: "go"}))
	s := <-h.begun
	s.Emit(engine.Text{MessageID: "1", Delta: "half an"})
	m.checkpoint()
	log := copied(t, r, m.ID())
	h.end <- good
	wait(t, m)
	a := counting("codex")
	again, err := New(log, r.deps(a))
	must(t, err)
	say(t, again, "go on")
	if in := a.input(t, 0); in.Prompt != "go on" || in.ResumeID != "codex-session" {
		t.Errorf("%+v", in)
	}
	must(t, again.Close())
}
