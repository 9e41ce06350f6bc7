package composer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/engine"
)

func TestClearNeverLosesADraft(t *testing.T) {
	p := newPerson(t, nil)
	p.typing("half a thought")
	p.Paste(strings.Repeat("line\n", 400))
	whole := p.Text()
	if !p.Clear() || !p.Empty() {
		t.Fatal("clear left something or said that there was nothing")
	}
	if p.Clear() {
		t.Error("a second clear found something")
	}
	p.press("up")
	p.holds(whole)
	p.shows("[pasted 400 lines]")
}

func TestTheDraftIsTheNewestEntryWhileBrowsing(t *testing.T) {
	h := NewHistory([]Entry{{Text: "first", Chat: "here"}, {Text: "second\nof two lines", Chat: "here"}})
	p := newPerson(t, h)
	p.typing("my draft")
	p.press("up")
	p.holds("second\nof two lines")
	p.press("up")
	p.holds("first")
	p.press("up", "up")
	p.holds("first")
	p.press("down")
	p.holds("second\nof two lines")
	p.press("down")
	p.holds("my draft")
	p.press("down")
	p.holds("my draft")
}

func TestChangesToAnEntryStayWhileBrowsing(t *testing.T) {
	p := newPerson(t, NewHistory([]Entry{{Text: "first"}, {Text: "second"}}))
	p.typing("draft")
	p.press("up")
	p.typing(" changed")
	p.press("up", "down")
	p.holds("second changed")
	p.press("up")
	if m := p.sends(); m.Text != "first" {
		t.Fatalf("sent %q", m.Text)
	}
	var texts []string
	for _, e := range p.history.Entries() {
		texts = append(texts, e.Text)
	}
	if diff := cmp.Diff([]string{"first", "second", "second changed", "draft", "first"}, texts); diff != "" {
		t.Errorf("a send while browsing lost something:\n%s", diff)
	}
}

func TestUpGoesThroughThisChatFirst(t *testing.T) {
	p := newPerson(t, NewHistory([]Entry{{Text: "mine", Chat: "here"}, {Text: "another chat's", Chat: "there"}}))
	p.press("up")
	p.holds("mine")
	p.press("up")
	p.holds("another chat's")
}

func TestHistorySearch(t *testing.T) {
	p := newPerson(t, NewHistory([]Entry{
		{Text: "fix the cart total", Chat: "here"}, {Text: "deploy the cart", Chat: "there"}, {Text: "write docs", Chat: "here"}, {Text: "the Cart again", Chat: "here"},
	}))
	p.typing("a draft")
	p.press("ctrl+r")
	p.typing("cart")
	p.shows("▌ the Cart again")
	p.shows("fix the cart total")
	if strings.Contains(p.screen(), "deploy") {
		t.Errorf("another chat's words are shown:\n%s", p.screen())
	}
	p.press("tab")
	p.shows("deploy the cart")
	p.press("ctrl+r", "ctrl+r", "enter")
	p.holds("fix the cart total")
	for range 5 {
		p.press("down")
	}
	p.holds("a draft")

	p.press("ctrl+r")
	p.typing("no such words")
	p.shows("nothing typed before holds these words")
	p.press("enter")
	if !p.Cancel() || p.Cancel() {
		t.Error("the search was not what cancel closed")
	}
	p.holds("a draft")
	p.press("ctrl+r")
	if !p.Clear() {
		t.Error("clear did not close the search")
	}
	p.holds("a draft")
}

func TestSearchAfterBrowsingLosesNothing(t *testing.T) {
	p := newPerson(t, NewHistory([]Entry{{Text: "first", Chat: "here"}, {Text: "second", Chat: "here"}}))
	p.typing("draft")
	p.press("up")
	p.typing(" more")
	p.press("ctrl+r")
	p.typing("first")
	p.press("enter")
	p.holds("first")
	for range 5 {
		p.press("down")
	}
	p.holds("draft")
	var texts []string
	for _, e := range p.history.Entries() {
		texts = append(texts, e.Text)
	}
	if diff := cmp.Diff([]string{"first", "second", "second more"}, texts); diff != "" {
		t.Error(diff)
	}
}

func TestHistoryIsKeptAndReadBack(t *testing.T) {
	h := NewHistory(nil)
	var lines []string
	h.Saved = func(e Entry) { lines = append(lines, e.Encode()) }
	p := newPerson(t, h)
	p.typing("one")
	p.sends()
	p.typing("one")
	p.sends()
	p.typing("!ls -l")
	p.sends()
	p.Paste(strings.Repeat("long\n", 50))
	p.sends()
	if len(lines) != 3 {
		t.Fatalf("%d entries were saved, want 3: the same words twice are one", len(lines))
	}
	var entries []Entry
	for _, l := range append(lines, "", "{", `{"text":"  "}`, "null") {
		if e, ok := DecodeEntry(l); ok {
			entries = append(entries, e)
		}
	}
	if diff := cmp.Diff(h.Entries(), entries); diff != "" {
		t.Error(diff)
	}
	again := newPerson(t, NewHistory(entries))
	again.press("up")
	again.shows("[pasted 50 lines]")
	again.press("up")
	if again.Kind() != Shell {
		t.Error("a shell line comes back as something else")
	}
}

func TestAMessageFromTheQueueComesBackBeforeTheDraft(t *testing.T) {
	p := newPerson(t, nil)
	p.SetQueue([]string{"and add a test for one item too"}, false)
	p.shows("queued: it goes when this turn is over · alt+up takes it back")
	p.typing("draft")
	p.Put("and add a test", []engine.Attachment{{Name: "a.png"}})
	p.holds("and add a test[a.png]\ndraft")
	p.Clear()
	p.Put("is [picture 1] like [b.png]?", []engine.Attachment{{Name: "picture 1", Data: make([]byte, 84_000)}, {Name: "b.png", Path: "/b.png", Data: make([]byte, 2000)}})
	p.holds("is [picture 1] like [b.png]?")
	p.shows("is [picture 1, 84 KB] like [b.png, 2 KB]?")
	p.SetQueue([]string{"a", "b", "c", "d", "e"}, true)
	p.SetMaxRows(12)
	p.shows("2 more")
	p.shows("held back: enter")
}

func TestOldPicturesLeaveTheHistoryAndTheirWordsStay(t *testing.T) {
	p := newPerson(t, nil)
	const each = maxPictureBytes / 3
	for _, words := range []string{"one ", "two ", "three ", "four "} {
		p.typing(words)
		p.AttachPicture("image/png", make([]byte, each))
		p.sends()
	}
	for i, want := range []string{"four [picture 4, 22.4 MB]", "three [picture 3, 22.4 MB]", "two [picture 2, 22.4 MB]", "one [picture 1]"} {
		p.press("up")
		if p.shows(want); i == 3 && len(p.buf.Atoms()) != 0 {
			t.Error("the oldest kept its picture")
		}
	}
}
