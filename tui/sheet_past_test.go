package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/engine"
	"conch/pastchats"
	"conch/search"
	"conch/tui/sheet"
)

// withPasts is a screen with one chat of Conch's own and some of other apps.
func withPasts(t testing.TB, p *pasts, engines ...engine.Engine) Deps {
	t.Helper()
	if len(engines) == 0 {
		engines = []engine.Engine{ready("codex"), ready("claude-code")}
	}
	pl := newPlace(t)
	d := pl.deps(t, engines...)
	own := pl.deps(t, ready("codex", answers("The guard is in place.")))
	tt := start(t, 80, 24, own)
	tt.says("why checkout fails on empty carts")
	tt.sees("The guard is in place.")
	tt.rests()
	tt.press("ctrl+d")
	tt.ended()
	d.others = p.others()
	return d
}

func TestTheSheetWithOtherAppsChats(t *testing.T) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}, {"50x24", 50, 24}, {"80x16", 80, 16}} {
		t.Run(size.name, func(t *testing.T) {
			p := newPasts()
			p.someChats()
			tt := start(t, size.w, size.h, withPasts(t, p))
			tt.press("ctrl+p")
			tt.sees("from other apps", "Cart rounding", "Launch list", "4 of 4")
			tt.press("down")
			if size.w >= 72 {
				tt.sees("read-only")
			}
			tt.golden("pasts-" + size.name)
			tt.types("checkout empty")
			tt.sees("2 of 4", "Yes. A zero total")
			tt.press("down")
			if size.w >= 72 {
				tt.sees("read-only", "guard the empty cart")
			}
			tt.golden("pasts-search-" + size.name)
			tt.press("esc")
			tt.types("zebra quagga")
			tt.sees("No chat has all of these words.")
			tt.golden("pasts-none-" + size.name)
		})
	}
}

func TestASearchKeepsWhatItFoundUntilThereIsMore(t *testing.T) {
	p := newPasts()
	p.someChats()
	tt := start(t, 100, 24, withPasts(t, p))
	tt.press("ctrl+p")
	tt.types("retry")
	tt.sees("The retry has no key") // no title has it
	p.mu.Lock()
	p.slow = make(chan struct{})
	p.mu.Unlock()
	tt.types(" has")
	tt.sees("searching")
	tt.sees("The retry has no key")
	close(p.slow)
	tt.seesNot("searching")
	tt.sees("The retry has no key")
}

func TestASearchThatWasGivenUpIsMadeWhenTheSheetIsOpenedAgain(t *testing.T) {
	p := newPasts()
	p.someChats()
	p.slow = make(chan struct{})
	tt := start(t, 100, 24, withPasts(t, p))
	tt.types("/search retry")
	tt.press("enter")
	tt.sees("searching")
	tt.press("ctrl+p") // away with it before anything was found
	tt.seesNot("searching")
	close(p.slow)
	tt.types("/search retry")
	tt.press("enter")
	tt.sees("The retry has no key")
}

// Enter that is typed with the words opens what they find, not what stood there
// before.
func TestEnterWaitsForWhatTheWordsFind(t *testing.T) {
	p := newPasts()
	p.someChats()
	p.slow = make(chan struct{})
	tt := start(t, 100, 24, withPasts(t, p))
	tt.press("ctrl+p")
	tt.sees("Launch list")
	tt.types("press kit")
	tt.press("enter")
	time.Sleep(100 * time.Millisecond)
	close(p.slow)
	tt.sees("Gemini CLI", "read-only", "what is left before the launch?", "the press kit")
}

func TestFiltersNarrowASearch(t *testing.T) {
	p := newPasts()
	p.someChats()
	tt := start(t, 100, 24, withPasts(t, p))
	tt.press("ctrl+p")
	tt.types("checkout app:codex")
	tt.sees("2 of 4", "Checkout retries")
	tt.seesNot("Cart rounding")
	tt.press("esc")
	tt.sees("Cart rounding")
	tt.types("checkout app:hermes")
	tt.sees("No chat has these words there.", "take the part with : out")
}

func TestTheIndexThatIsBehindIsSaid(t *testing.T) {
	p := newPasts()
	p.someChats()
	p.wait = 40
	tt := start(t, 100, 24, withPasts(t, p))
	tt.press("ctrl+p")
	tt.sees("still indexing 40 of 3")
	p.mu.Lock()
	p.wait = 2 // too few to be worth a word
	p.mu.Unlock()
	tt.seesNot("still indexing")
}

func TestOtherAppsChatsAreOnlyRead(t *testing.T) {
	p := newPasts()
	p.someChats()
	tt := start(t, 100, 24, withPasts(t, p))
	tt.press("ctrl+p")
	tt.sees("Cart rounding")
	tt.press("down", "delete")
	tt.sees("nothing is changed there")
	tt.press("f6")
	tt.sees("carries it on in one of your own")
}

func TestReadingAPastChat(t *testing.T) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}, {"50x24", 50, 24}, {"80x16", 80, 16}} {
		t.Run(size.name, func(t *testing.T) {
			p := newPasts()
			p.someChats()
			tt := start(t, size.w, size.h, withPasts(t, p))
			tt.press("ctrl+p")
			tt.types("checkout empty")
			tt.sees("2 of 4", "Yes. A zero total")
			tt.press("down", "enter")
			tt.sees("Cart rounding", "read-only", "nothing to pay")
			tt.golden("reader-" + size.name)
			tt.types("/zero")
			tt.sees("find  zero")
			tt.press("enter")
			tt.seesNot("find  zero")
			tt.types("n")
			tt.golden("reader-find-" + size.name)
			tt.press("esc")
			tt.sees("checkout empty", "2 of 4")
		})
	}
}

func TestAPastChatIsCarriedOnWithOneKey(t *testing.T) {
	for _, from := range []string{"reader", "sheet", "prompt"} {
		t.Run(from, func(t *testing.T) {
			p := newPasts()
			p.someChats()
			d := withPasts(t, p)
			var mu sync.Mutex
			var got []string
			d.Carry = func(_ context.Context, id string) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, id)
				log := d.Store.Create(d.Folder, "main")
				for _, e := range longChat(2) {
					if _, err := log.Append(e.Turn, e.Body); err != nil {
						return "", err
					}
				}
				return log.ID(), log.Close()
			}
			tt := start(t, 100, 24, d)
			tt.press("ctrl+p")
			tt.sees("Cart rounding")
			tt.press("down")
			switch from {
			case "sheet":
				tt.press("alt+c")
			default:
				tt.press("enter")
				tt.sees("Half to even", "c carry on with claude-code")
				if from == "reader" {
					tt.press("c")
					break
				}
				tt.press("esc", "esc")
				tt.sees("A new chat in")
				tt.says("/carry")
			}
			tt.sees("carried on from Claude Code, in shop", "nothing runs until you write", "question 0: why does it fail?")
			tt.types("my words")
			tt.sees("my words")
			mu.Lock()
			defer mu.Unlock()
			if len(got) != 1 || got[0] != p.entries[0].ID {
				t.Errorf("carried on: %v", got)
			}
		})
	}
}

func TestAPastChatThatCannotBeCarriedOnStaysOpen(t *testing.T) {
	p := newPasts()
	p.someChats()
	d := withPasts(t, p)
	d.Carry = func(context.Context, string) (string, error) { return "", errors.New("the disk is full") }
	d.Export = func(_ context.Context, id string) (string, error) { return "/tmp/" + id + ".md", nil }
	d.Start.Past = p.entries[1].ID
	tt := start(t, 100, 24, d)
	tt.sees("Checkout retries", "c carry on with codex")
	tt.press("alt+e")
	tt.sees("written to /tmp/" + p.entries[1].ID + ".md")
	tt.types("c")
	tt.sees("it can't be carried on: the disk is full", "Checkout retries")
	tt.press("esc")
	tt.sees("A new chat in")
}

func TestAPastChatThatIsGoneIsSaid(t *testing.T) {
	d := withPasts(t, newPasts())
	d.Start.Past = "pc_00000000000000ff"
	tt := start(t, 80, 24, d)
	tt.sees("there is no such past chat any more")
	tt.types("jkgGyn/")
	tt.press("pgup", "esc")
	tt.sees("A new chat in")
}

func TestCommandsInTheSheetAreAboutTheChosenChat(t *testing.T) {
	p := newPasts()
	p.someChats()
	d := withPasts(t, p)
	exported := make(chan string, 1)
	d.Export = func(_ context.Context, id string) (string, error) { exported <- id; return "/tmp/x.md", nil }
	tt := start(t, 100, 24, d)
	tt.press("ctrl+p")
	tt.sees("Cart rounding")
	tt.press("down", "down")
	tt.types("/export")
	tt.sees("does it")
	tt.press("enter")
	if id := <-exported; id != p.entries[1].ID {
		t.Errorf("exported %s", id)
	}
	tt.types("/rename x")
	tt.press("enter")
	tt.sees("nothing is changed there")
}

func TestWhatIsNewIsBroughtInFromTheSheet(t *testing.T) {
	p := newPasts()
	p.someChats()
	p.status.Sources = []pastchats.Source{{ID: "codex", Label: "Codex", Found: 5, Fresh: 4}}
	p.status.Answer.Apps = []string{"codex"}
	p.result = pastchats.Result{Added: 3, Updated: 1, Redacted: 2, Chats: 6}
	tt := start(t, 100, 24, withPasts(t, p))
	tt.press("ctrl+p")
	tt.sees("4 new in your other apps · alt+i brings them in")
	tt.press("alt+i")
	tt.sees("bringing in your other apps' chats")
	p.told <- pastchats.Progress{Done: 1, Total: 4, App: "Codex"}
	tt.sees("1 of 4 · Codex")
	p.goOn <- struct{}{}
	tt.sees("4 brought in · 2 keys taken out")
	tt.press("alt+i")
	tt.sees("nothing new: 3 chats of your other apps are here")
}

func TestAnImportedMessageReachesTheTerminalHarmless(t *testing.T) {
	evil := "before\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1bP1;2q\x1b\\ \u202egnol\u202c \x9b5n after checkout"
	p := newPasts()
	p.add(pastchats.Entry{ID: "pc_0000000000000001", Source: "codex", Label: "Co\x1b[2Jdex", Project: "sh\x1b]0;owned\x07op", Title: "a \x1b]52;c;b3duZWQ=\x07title", Updated: time.Date(2026, 10, 3, 12, 0, 0, 0, time.UTC)}, evil, evil)
	p.status.Sources = []pastchats.Source{{ID: "codex", Label: "Co\x1b]0;owned\x07dex", Found: 2, Fresh: 2, Projects: []pastchats.Project{{Name: "\x1b[2Jshop", Count: 2}}}}
	p.status.Notes = []string{"a \x1b]0;owned\x07note"}
	p.result = pastchats.Result{Added: 1, Problems: []string{"\x1b]0;owned\x07problem"}, Chats: 1}
	d := withPasts(t, p)
	d.Start.Offer = true
	tt := start(t, 100, 30, d)
	tt.sees("Bring them in?")
	tt.agrees()
	p.told <- pastchats.Progress{Done: 1, Total: 2, App: "\x1b]0;owned\x07Codex"}
	tt.sees("1 of 2")
	p.goOn <- struct{}{}
	tt.sees("problem")
	tt.press("ctrl+p")
	tt.types("checkout")
	tt.sees("2 of 2", "after checkout") // its line is there when it was found by its words
	tt.press("down")
	tt.press("enter")
	tt.sees("read-only", "before")
	tt.settled()
	raw := tt.out.bytes()
	for _, bad := range []string{"owned\x07", "\x1b[2J\x1b[31m", "\x1bP1;2q", "\u202e", "\x9b5n", "\x1b]52", "b3duZWQ"} {
		if strings.Contains(raw, bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
}

func TestPastChatsAsLines(t *testing.T) {
	p := newPasts()
	p.someChats()
	d := withPasts(t, p)
	carried := make(chan string, 1)
	d.Carry = func(_ context.Context, id string) (string, error) {
		carried <- id
		return "", errors.New("the disk is full")
	}
	l := listen(t, d)
	l.types("/search checkout empty")
	l.hears("1  why checkout fails on empty carts", "2  Cart rounding, shop, claude-code", "   Yes. A zero total for an empty cart", "Type a number to open one")
	l.types("2")
	l.hears("Cart rounding, from Claude Code, in shop, read-only:", "you: the cart total panics", "Half to even, as before.", "/carry carries it on here.")
	l.types("/carry")
	l.hears("it can't be carried on: the disk is full")
	if id := <-carried; id != p.entries[0].ID {
		t.Errorf("carried on %s", id)
	}
	l.types("hello")
	l.hears("codex is done.")
}

func TestAPastChatOpenedAsLines(t *testing.T) {
	p := newPasts()
	p.someChats()
	d := withPasts(t, p)
	d.Start.Past = p.entries[2].ID
	l := listen(t, d)
	l.hears("Launch list, from Gemini CLI, in notes, read-only:", "the press kit", "/carry carries it on here.")
}

func TestAnOwnChatIsOpenedAtWhatWasLookedFor(t *testing.T) {
	p := newPasts()
	pl := newPlace(t)
	d := pl.deps(t, ready("codex"))
	log := pl.store.Create(pl.folder, "main")
	for _, e := range longChat(3000) { // more than the first page
		if _, err := log.Append(e.Turn, e.Body); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	p.own = &search.Hit{Chat: search.Chat{ID: log.ID(), App: "codex"}, Message: "um100", Snippet: "question 100: why does it fail?", Marks: [][2]int{{0, 12}}}
	d.others = p.others()
	tt := start(t, 100, 24, d)
	tt.press("ctrl+p")
	tt.sees("1 of 1")
	tt.types("question 100")
	tt.sees("question 100: why", "1 of 1")
	tt.press("enter")
	tt.sees("question 100: why does it fail?", "more below")
	tt.types("words")
	tt.sees("words")
	tt.press("esc") // the marks go, the draft stays
	tt.sees("words", "question 100: why does it fail?")
}

func TestALongPastChatIsReadOnlyWhereItIsShown(t *testing.T) {
	p := newPasts()
	said := make([]string, 0, 5000)
	for i := range 5000 {
		said = append(said, fmt.Sprintf("message %d", i))
	}
	said[2500] = "the lighthouse keeps its lamp"
	p.add(pastchats.Entry{ID: "pc_00000000000000aa", Source: "codex", Label: "Codex", Project: "shop", Title: "Long", Updated: time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)}, said...)
	tt := start(t, 120, 40, withPasts(t, p))
	tt.press("ctrl+p")
	tt.sees("Long")
	tt.press("down")
	tt.sees("message 4999")
	if n := p.count(&p.read); n > previewBefore+previewAfter+1 {
		t.Errorf("%d messages read for the end", n)
	}
	tt.types("lighthouse")
	tt.sees("keeps its lamp", "message 2501", "message 2499")
	if n := p.count(&p.read); n > 2*(previewBefore+previewAfter+1) {
		t.Errorf("%d messages read for the end and a match", n)
	}
}

// The list or the index may be older than a chat.
func TestAPreviewOfAChatThatIsNotAsListedIsFound(t *testing.T) {
	p := newPasts()
	p.add(pastchats.Entry{ID: "pc_00000000000000aa", Source: "codex", Label: "Codex", Title: "Short", Updated: time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)}, "one", "two", "three")
	m := &model{past: p.others()}
	row := sheet.Row{ID: "pc_00000000000000aa", Past: true, Messages: 900}
	for name, hit := range map[string]sheet.Hit{"the end": {}, "a match": {Message: "codex.1", N: 700}, "a match that is gone": {Message: "codex.9", N: 700}} {
		events, err := m.pastPart(context.Background(), row, hit)
		if err != nil || len(events) != 4 {
			t.Errorf("%s: %d events, %v", name, len(events), err)
		}
	}
}

func TestWhatAnotherConchBroughtInIsNotOfferedAgain(t *testing.T) {
	p := newPasts()
	p.status.Sources = someSources()
	p.status.Answer.NotNow = true
	tt := start(t, 120, 24, withPasts(t, p))
	tt.press("ctrl+p")
	tt.sees("1,284 conversations of your other apps")
	tt.press("esc")
	tt.seesNot("1,284")
	p.mu.Lock()
	p.status.Sources = nil
	p.mu.Unlock()
	p.someChats()
	tt.press("ctrl+p")
	tt.sees("Cart rounding")
	tt.seesNot("1,284")
}
