package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"conch/engine"
	"conch/pastchats"
)

// offered is a first start with other apps' chats.
func offered(t testing.TB, p *pasts, engines ...engine.Engine) Deps {
	t.Helper()
	if len(engines) == 0 {
		engines = []engine.Engine{ready("codex"), ready("claude-code")}
	}
	d := newPlace(t).deps(t, engines...)
	d.others, d.Start.Offer = p.others(), true
	return d
}

// agrees presses enter once the offer can be read.
func (tt *terminal) agrees() {
	tt.t.Helper()
	time.Sleep(quiet + 50*time.Millisecond)
	tt.press("enter")
}

func TestTheMomentFromOfferToSearch(t *testing.T) {
	for _, size := range []struct {
		name string
		w, h int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}, {"50x24", 50, 24}, {"80x16", 80, 16}} {
		t.Run(size.name, func(t *testing.T) {
			p := newPasts()
			p.status.Sources = someSources()
			p.result = pastchats.Result{Added: 1273, Skipped: 3, Wordless: 8, Redacted: 47, Read: 1281, Chats: 1273,
				Came: map[string]int{"claude-code": 906, "codex": 298, "gemini-cli": 42, "opencode": 27}}
			tt := start(t, size.w, size.h, offered(t, p))
			tt.sees("1,284")
			tt.golden("moment-" + size.name)
			tt.agrees()
			tt.sees("Bringing in")
			now := tt.d.Now()
			p.told <- pastchats.Progress{Done: 612, Total: 1284, Bytes: 945e6, Of: 15708e5, App: "Codex", Since: now.Add(-90 * time.Second), Counts: map[string]int{"claude-code": 512, "codex": 56, "gemini-cli": 44}}
			tt.sees("612 of 1,284 · Codex · 60 s left")
			tt.golden("moment-running-" + size.name)
			p.goOn <- struct{}{}
			tt.sees("1,273 brought in", "without words", "couldn't be read", "taken out")
			tt.golden("moment-done-" + size.name)
			tt.agrees()
			tt.sees("of 0") // the sheet, with the busiest project
			tt.until("the example in the sheet", func(s string) bool { return strings.HasPrefix(s, " shop") })
			if p.count(&p.runs) != 1 || p.count(&p.notNow) != 0 {
				t.Errorf("%d runs, %d times put off", p.runs, p.notNow)
			}
		})
	}
}

func TestTheNumberRunsUpAndOnlyWhereThingsMayMove(t *testing.T) {
	p := newPasts()
	p.status.Sources = someSources()
	d := offered(t, p)
	d.Options.Motion = true
	tt := start(t, 80, 24, d)
	tt.sees("conversations")
	began := time.Now()
	tt.sees("1,284")
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
	tt.settled()
	was := len(tt.out.bytes())
	time.Sleep(1500 * time.Millisecond)
	if n := len(tt.out.bytes()) - was; n > 0 {
		t.Errorf("%d bytes after the number is there", n)
	}

	d = offered(t, p)
	d.Options.Motion, d.Options.ReducedMotion = true, true
	tt = start(t, 80, 24, d)
	tt.until("the offer", func(s string) bool {
		if strings.Contains(s, "Found") && !strings.Contains(s, "Found  1,284") {
			t.Fatalf("the number moves:\n%s", s)
		}
		return strings.Contains(s, "Found  1,284")
	})
	tt.golden("moment-reduced-80x24")
}

func TestTheMomentWithoutColourAndInASCII(t *testing.T) {
	p := newPasts()
	p.status.Sources = someSources()
	d := offered(t, p)
	d.Options.NoColor, d.Options.ASCII = true, true
	tt := start(t, 80, 24, d)
	tt.sees("1,284")
	tt.agrees()
	tt.sees("Bringing in")
	p.told <- pastchats.Progress{Done: 1000, Total: 1284, App: "Codex", Counts: map[string]int{"claude-code": 912, "codex": 88}}
	tt.sees("1,000 of 1,284")
	tt.golden("moment-ascii-80x24")
	for y := range 24 {
		for x := range 80 {
			if cell := tt.emu.CellAt(x, y); cell != nil && cell.Style.Fg != nil {
				t.Fatalf("a colour at %d,%d", x, y)
			}
		}
	}
}

func TestNothingIsSaidToWhoNeverUsedAnotherApp(t *testing.T) {
	p := newPasts()
	p.looking = make(chan struct{})
	tt := start(t, 80, 24, offered(t, p))
	tt.sees("A new chat in")
	tt.settled()
	was := len(tt.out.bytes())
	close(p.looking)
	for limit := time.Now().Add(5 * time.Second); p.count(&p.looks) == 0 && time.Now().Before(limit); {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
	if n := len(tt.out.bytes()) - was; n > 0 {
		t.Errorf("%d bytes for a look that found nothing: %q", n, tt.out.bytes()[was:])
	}
	tt.says("/import")
	tt.sees("no chats of other apps were found")
	tt.press("ctrl+p")
	tt.sees("No chats yet.")
	tt.seesNot("other apps")
}

func TestTheFirstScreenDoesNotWaitForTheLook(t *testing.T) {
	p := newPasts()
	p.status.Sources = someSources()
	p.looking = make(chan struct{})
	tt := start(t, 80, 24, offered(t, p))
	tt.types("my words")
	tt.sees("my words")
	close(p.looking)
	tt.sees("1,284", "your words go first")
	tt.enter()
	tt.sees("ok", "/import brings in your other apps' chats later")
	tt.seesNot("Bring them in?")
	if p.count(&p.runs) != 0 {
		t.Error("the enter of a message brought chats in")
	}
}

// An enter that was on its way when the offer came, or that is part of a burst,
// brings nothing in.
func TestATypedAheadEnterBringsNothingIn(t *testing.T) {
	p := newPasts()
	p.status.Sources = someSources()
	p.looking = make(chan struct{})
	tt := start(t, 80, 24, offered(t, p))
	tt.sees("A new chat in")
	close(p.looking)
	tt.sees("Bring them in?")
	tt.press("enter")
	tt.press("esc")
	time.Sleep(quiet + 100*time.Millisecond)
	tt.press("enter") // pasted lines without bracketed paste begin with one
	tt.types("x")
	tt.sees("your words go first")
	time.Sleep(2 * pressTime)
	tt.press("backspace")
	tt.sees("enter  bring them in")
	tt.press("enter") // right after a key
	time.Sleep(2 * pressTime)
	if p.count(&p.runs) != 0 || p.count(&p.notNow) != 0 {
		t.Fatalf("%d runs, %d times put off", p.runs, p.notNow)
	}
	tt.agrees()
	tt.sees("Bringing in")
}

func TestNotNowIsRememberedAndImportIsThereLater(t *testing.T) {
	p := newPasts()
	p.status.Sources = someSources()
	tt := start(t, 80, 24, offered(t, p))
	tt.sees("Bring them in?")
	time.Sleep(quiet + 50*time.Millisecond)
	tt.press("esc")
	tt.sees("not now · /import", "A new chat in")
	tt.until("the answer kept", func(string) bool { return p.count(&p.notNow) == 1 })
	tt.says("/import")
	tt.sees("Bring them in?")
	tt.agrees()
	tt.sees("Bringing in")
	time.Sleep(quiet)
	tt.press("esc")
	tt.sees("stopped")
	<-p.stopped
	if p.count(&p.notNow) != 1 {
		t.Error("stopping is no answer to the offer")
	}
}

func TestARunGoesOnBesideTheChat(t *testing.T) {
	p := newPasts()
	p.status.Sources = someSources()
	p.result = pastchats.Result{Added: 1284, Chats: 1284}
	tt := start(t, 80, 24, offered(t, p, ready("codex", answers("it is the cart"))))
	tt.sees("Bring them in?")
	tt.agrees()
	tt.sees("Bringing in")
	tt.says("why does it fail?")
	tt.sees("it is the cart")
	p.told <- pastchats.Progress{Done: 300, Total: 1284, App: "Codex"}
	tt.sees("bringing in your other apps' chats · 300 of 1,284 · Codex")
	tt.golden("moment-beside-80x24")
	tt.says("/import")
	tt.sees("Bringing in  1,284  conversations")
	tt.says("go on")
	tt.seesNot("Bringing in  1,284")
	p.goOn <- struct{}{}
	tt.sees("1,284 brought in · ctrl+p searches them")
}

func TestLeavingStopsARun(t *testing.T) {
	p := newPasts()
	p.status.Sources = someSources()
	tt := start(t, 80, 24, offered(t, p))
	tt.sees("Bring them in?")
	tt.agrees()
	tt.sees("Bringing in")
	tt.press("ctrl+d")
	tt.ended()
	<-p.stopped
}

func TestWhatCannotBeBroughtInIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"another conch": {fmt.Errorf("bring in: %w", pastchats.ErrRunning), "another conch is bringing chats in"},
		"a newer conch": {pastchats.ErrNewer, "a newer conch wrote the list"},
		"the disk":      {errors.New("write index: \x1b[31mno space left"), "→ /import tries again"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPasts()
			p.status.Sources = someSources()
			p.err = c.err
			tt := start(t, 80, 24, offered(t, p))
			tt.sees("Bring them in?")
			tt.agrees()
			tt.sees(c.want)
		})
	}
}

func TestTheOfferAsLines(t *testing.T) {
	p := newPasts()
	p.status.Sources = someSources()
	p.result = pastchats.Result{Added: 1281, Skipped: 3, Redacted: 47, Chats: 1281}
	d := offered(t, p)
	l := listen(t, d)
	l.hears("Found 1,284 conversations from Claude Code, Codex, Gemini CLI and OpenCode. /import brings them in, /import no is not now.")
	l.types("/import")
	l.hears("Nothing is sent anywhere. y or n:")
	time.Sleep(quiet + 20*time.Millisecond)
	l.types("y")
	l.hears("Bringing them in.")
	p.told <- pastchats.Progress{Done: 700, Total: 1284, App: "Codex"}
	l.hears("700 of 1,284")
	p.goOn <- struct{}{}
	l.hears("1,281 brought in · 3 couldn't be read · 47 keys taken out. /search and words searches them.")
}

func TestTheMomentOfTenAppsInASmallWindow(t *testing.T) {
	p := newPasts()
	for i, id := range pastchats.Order() {
		p.status.Sources = append(p.status.Sources, pastchats.Source{ID: id, Label: pastchats.Labels()[id], Found: 20 - i, Fresh: 20 - i})
	}
	tt := start(t, 50, 16, offered(t, p))
	tt.sees("Bring them in?", " more")
	tt.golden("moment-ten-50x16")
	tt.agrees()
	tt.sees("Bringing in")
	tt.golden("moment-ten-running-50x16")
}
