package conversation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"conch/chats"
	"conch/engine"
)

var token = regexp.MustCompile(`\b[wr]\d+x\b`)

// counted is an engine that keeps what each of its sessions was told and said.
type counted struct {
	*scripted
	sessions  map[string]map[string]int // how often each word is in it
	last      string
	replies   *int
	failing   bool // the next turn fails before its prompt is taken in
	late      bool // and it does so when its session is open
	forgetful bool // and so it has lost the session that it is given
	noted     int  // what it keeps in a resume id beside the session
}

// AppSession is the session alone.
func (e *counted) AppSession(resumeID string) string {
	_, id, _ := strings.Cut(resumeID, ":")
	return id
}

func (e *counted) Open(_ context.Context, in engine.TurnInput, s engine.Sink) error {
	id, _, restarted := e.session(in)
	s.Emit(engine.Session{ResumeID: fmt.Sprint(e.noted, ":", id), Restarted: restarted})
	return nil
}

// session opens the session that a message belongs to, or another in its stead.
func (e *counted) session(in engine.TurnInput) (now, prompt, restarted string) {
	now, prompt = e.AppSession(in.ResumeID), in.Prompt
	if e.forgetful && now != "" {
		now, prompt, restarted = "", in.FreshPrompt(), engine.Lost
	}
	e.forgetful = false
	if now == "" {
		now = fmt.Sprint(e.id, "-", len(e.sessions)+1)
		e.sessions[now] = map[string]int{}
	}
	return now, prompt, restarted
}

func newCounted(id string, replies *int) *counted {
	e := &counted{scripted: &scripted{id: id, is: engine.Ready}, sessions: map[string]map[string]int{}, replies: replies}
	e.play = func(_ context.Context, in engine.TurnInput, s engine.Sink) engine.Result {
		if e.failing && !e.late {
			e.failing = false
			return engine.Result{Outcome: engine.Failed, Error: "it is down"}
		}
		now, prompt, restarted := e.session(in)
		s.Emit(engine.Session{ResumeID: fmt.Sprint(e.noted, ":", now), Restarted: restarted})
		if e.failing {
			e.failing = false
			return engine.Result{Outcome: engine.Failed, Error: "it is busy"}
		}
		for _, word := range token.FindAllString(prompt, -1) {
			e.sessions[now][word]++
		}
		*e.replies++
		said := fmt.Sprint("r", *e.replies, "x")
		e.sessions[now][said]++
		s.Emit(engine.Text{MessageID: "m", Delta: said})
		e.last = now
		return good
	}
	return e
}

// Whatever the order of providers, failures, lost sessions, clears, their undoing
// and restarts: the session that answers has been told each word that stands, once,
// and none that was cleared.
func TestASessionIsToldEachWordOnce(t *testing.T) { // R-69-5 to R-69-8, R-69-22
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		r := newRoom(t)
		replies, sent := 0, 0
		a, b, c := newCounted("a", &replies), newCounted("b", &replies), newCounted("c", &replies)
		all := []*counted{a, b, c}
		deps := r.deps(a, b, c)
		m := r.with(deps)
		must(t, m.SetProvider("a"))
		var did []string
		for range 25 {
			who := all[rnd.IntN(len(all))]
			switch n := rnd.IntN(16); {
			case n == 0:
				did = append(did, "clear")
				if err := m.Clear(); err != nil && sent > 0 {
					t.Fatal(err)
				}
			case n == 1:
				did = append(did, "unclear")
				_ = m.Unclear() // there may be none
			case n == 2 && sent > 0:
				did = append(did, "restart")
				must(t, m.Close())
				m = r.again(m.ID(), deps)
			case n == 3:
				who.failing, who.late = true, rnd.IntN(2) == 0
			case n == 4:
				who.forgetful = true
			case n == 5:
				did = append(did, who.id+" notes")
				who.noted++
			case n == 6:
				must(t, m.SetProvider(who.id))
				did = append(did, who.id+" opens")
				m.open()
			default:
				must(t, m.SetProvider(who.id))
				if rnd.IntN(5) == 0 {
					sent++
					must(t, m.AddShell(chats.Shell{Command: "ls", Output: fmt.Sprint("w", sent, "x"), Offered: true}))
				}
				sent++
				did = append(did, who.id)
				if who.failing {
					did[len(did)-1] += fmt.Sprint(" fails, late ", who.late)
				}
				if who.forgetful {
					did[len(did)-1] += " and forgot"
				}
				who.last = ""
				say(t, m, fmt.Sprint("w", sent, "x"))
				if who.last == "" {
					continue
				}
				stands := standing(logged(t, m))
				has := who.sessions[who.last]
				for word := range stands {
					if has[word] != 1 {
						t.Errorf("seed %d: %s has %s %d times after %s", seed, who.last, word, has[word], strings.Join(did, ", "))
					}
				}
				for word := range has {
					if !stands[word] {
						t.Errorf("seed %d: %s has %s, which was cleared, after %s", seed, who.last, word, strings.Join(did, ", "))
					}
				}
				if t.Failed() {
					t.FailNow()
				}
			}
		}
		must(t, m.Close())
	}
}

// standing gives the words of a log behind the last clear that was not taken back.
func standing(events []chats.Event) map[string]bool {
	cleared := map[int64]bool{}
	for _, e := range events {
		switch b := e.Body.(type) {
		case chats.ContextCleared:
			cleared[e.Seq] = true
		case chats.ContextRestored:
			delete(cleared, b.ClearedSeq)
		}
	}
	words := map[string]bool{}
	for _, e := range events {
		switch b := e.Body.(type) {
		case chats.ContextCleared:
			if cleared[e.Seq] {
				clear(words)
			}
		case chats.UserMessage:
			words[b.Text] = true
		case chats.Shell:
			words[b.Output] = true
		case chats.AssistantDelta:
			words[b.Delta] = true
		}
	}
	return words
}
