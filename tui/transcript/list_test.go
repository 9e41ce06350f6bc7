package transcript

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"conch/chats"
)

// everything joins all items, drawn on their own, as the list would show them on
// an endless screen.
func everything(t *Transcript) []string {
	var all []string
	for i := range t.items {
		for range t.gap(i) {
			all = append(all, "")
		}
		for y, line := range t.linesOf(i) {
			all = append(all, t.line(i, y, line))
		}
	}
	return all
}

// offset is where the first line in sight is in everything.
func offset(t *Transcript) int {
	t.settlePlace()
	n := t.top.line
	for i := range t.top.item {
		n += t.height(i)
	}
	return n
}

func checkWindow(t *testing.T, tr *Transcript) {
	t.Helper()
	all := everything(tr)
	got := tr.Lines()
	if len(got) != tr.h {
		t.Fatalf("%d lines in a pane of %d", len(got), tr.h)
	}
	from := offset(tr)
	for y, line := range got {
		want := ""
		if from+y < len(all) {
			want = all[from+y]
		}
		if line != want {
			t.Fatalf("line %d (of %d at %d): %q, want %q", y, len(all), from, line, want)
		}
	}
	if tr.follow && len(all) > tr.h && from != len(all)-tr.h {
		t.Fatalf("following, but the first line in sight is %d of %d in %d", from, len(all), tr.h)
	}
}

func long(turns int) *script {
	s := &script{}
	for i := range turns {
		s.says(fmt.Sprintf("question %d", i)).thought("think about it")
		s.answer(fmt.Sprintf("Answer %d with `code`.\n\n- one\n- two\n\n```go\nfunc f() int { return %d }\n```\n", i, i))
		id := fmt.Sprintf("s%d", i)
		s.starts(id, "Bash", "execute", "make all").ends(id, "success", 1500, "line\nline\n", resultView("ok"))
		s.done()
	}
	return s
}

func TestWhatIsShownIsAWindowOfEverything(t *testing.T) {
	tr := screen(long(12).events, 60, 15)
	checkWindow(t, tr)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		switch rnd.IntN(10) {
		case 0, 1, 2:
			tr.Scroll(rnd.IntN(21) - 10)
		case 3:
			tr.Page(rnd.IntN(2)*2 - 1)
		case 4:
			tr.ToStart()
		case 5:
			tr.ToEnd()
		case 6:
			tr.Focus(rnd.IntN(4) > 0)
		case 7:
			tr.Move(rnd.IntN(2)*2 - 1)
		case 8:
			tr.Toggle()
		case 9:
			tr.Click(rnd.IntN(20) - 2)
		}
		checkWindow(t, tr)
	}
}

func TestScrollingUpStopsFollowingAndEndResumesIt(t *testing.T) {
	s := long(8)
	tr := screen(s.events, 60, 12)
	if !tr.Following() {
		t.Fatal("a chat that was opened does not follow its end")
	}
	tr.Scroll(-1)
	if tr.Following() {
		t.Fatal("still follows after scrolling up")
	}
	before := slices.Clone(tr.Lines())
	s.says("more").answer("a\n\nb\n\nc")
	tr.Apply(s.events)
	if !slices.Equal(before, tr.Lines()) {
		t.Error("what is being read moved when something came below")
	}
	if n := tr.Unseen(); n != 2 {
		t.Errorf("%d new, want 2", n)
	}
	tr.ToEnd()
	if !tr.Following() || tr.Unseen() != 0 {
		t.Error("the end does not follow again")
	}
	tr.Scroll(-5)
	tr.Scroll(5)
	if !tr.Following() {
		t.Error("scrolling down to the last line does not follow again")
	}
}

func TestShrinkingContentNeverFollowsByItself(t *testing.T) {
	s := &script{}
	s.says("go").answer(strings.Repeat("line\n\n", 10))
	s.starts("e", "Edit", "edit", "a.go")
	tr := screen(s.events, 60, 12)
	tr.Scroll(-2)
	s.add(chats.AssistantDelta{MessageID: "x", Channel: chats.ChannelText, Delta: strings.Repeat("word\n\n", 6)})
	tr.Apply(s.events)
	tr.Scroll(3)
	if tr.Following() {
		t.Fatal("the test needs a place above the end")
	}
	s.add(chats.AssistantDone{MessageID: "x", Retracted: true})
	tr.Apply(s.events)
	tr.Lines()
	if tr.Following() {
		t.Error("the list follows because something was taken back")
	}
	checkWindow(t, tr)
}

func TestUnseenCountsWhatGrowsBelow(t *testing.T) {
	s := long(6)
	s.says("go")
	tr := screen(s.events, 60, 10)
	live := func(d string) {
		tr.Apply([]chats.Event{{Seq: -1, Turn: s.turn, Body: chats.AssistantDelta{MessageID: "z", Channel: chats.ChannelText, Delta: d}}})
	}
	live(strings.Repeat("a\n\n", 10))
	tr.Scroll(-3)
	if n := tr.Unseen(); n != 0 {
		t.Fatalf("%d new before anything came", n)
	}
	live("more")
	if n := tr.Unseen(); n != 1 {
		t.Errorf("%d new, want the answer that grew", n)
	}
}

func TestResizeKeepsTheItemThatIsRead(t *testing.T) {
	tr := screen(long(30).events, 80, 20)
	tr.Scroll(-120)
	tr.Lines()
	item := tr.top.item
	for _, w := range []int{40, 200, 61, 80} {
		tr.SetSize(w, 20)
		checkWindow(t, tr)
		if tr.top.item != item {
			t.Errorf("at width %d item %d is at the top, was %d", w, tr.top.item, item)
		}
	}
}

func TestEventsOfTheLogCountOnce(t *testing.T) {
	s := checkout()
	once := screen(s.events, 80, 24)
	again := screen(s.events, 80, 24)
	again.Apply(s.events)
	again.Apply(s.events[3:])
	if a, b := show(once), show(again); a != b {
		t.Errorf("applied again:\n%s\nonce:\n%s", b, a)
	}
}

func TestOlderEventsGiveTheSameListAsAllAtOnce(t *testing.T) {
	s := long(3)
	s.says("split").thought("first\nsecond")
	id := "m-split"
	for _, d := range []string{"one ", "**two", "** three\n\n", "four"} {
		s.add(chats.AssistantDelta{MessageID: id, Channel: chats.ChannelText, Delta: d})
	}
	s.starts("w", "Bash", "execute", "sleep")
	s.add(chats.PermissionRequested{PermissionID: "p", ToolUseID: "w", ToolName: "Bash", Summary: "sleep", Options: []chats.PermissionOption{{ID: "y", Name: "Yes", Kind: "allow_once"}}})
	s.add(chats.Plan{Steps: []chats.PlanStep{{Title: "a", Status: "done"}}})
	s.add(chats.PermissionResolved{PermissionID: "p", Decision: "allow", OptionID: "y", By: "person"})
	s.add(chats.Plan{Steps: []chats.PlanStep{{Title: "a", Status: "done"}, {Title: "b", Status: "active"}}})
	s.add(chats.AssistantDone{MessageID: id})
	s.ends("w", "success", 5000, "out", resultView("3 lines"))
	s.wait(9000).add(chats.TurnCompleted{Outcome: "interrupted"})
	s.says("next").answer("last")
	whole := screen(s.events, 80, 400)
	want := show(whole)
	for cut := 1; cut < len(s.events); cut++ {
		tr := New(dark(), Options{})
		tr.SetSize(80, 400)
		tr.Apply(s.events[cut:])
		tr.SetMore(true)
		tr.Lines()
		before, ok := tr.NeedsOlder()
		if !ok || before != int64(cut) {
			t.Fatalf("cut at %d: asks for what is before %d, %v", cut, before, ok)
		}
		mid := cut / 2
		tr.Prepend(s.events[mid:cut], mid > 0)
		if mid > 0 {
			tr.Prepend(s.events[:mid], false)
		}
		if _, ok := tr.NeedsOlder(); ok {
			t.Fatal("asks for more than there is")
		}
		if got := show(tr); got != want && !strings.Contains(want, "stopped after") {
			t.Fatalf("cut at %d:\n%s\nwant:\n%s", cut, got, want)
		} else if g, w := strings.ReplaceAll(got, "stopped after 9 s", "stopped"), strings.ReplaceAll(want, "stopped after 9 s", "stopped"); g != w {
			t.Fatalf("cut at %d, %d:\n%s\nwant:\n%s", mid, cut, g, w)
		}
	}
}

func TestPrependLeavesWhatIsReadInItsPlace(t *testing.T) {
	s := long(20)
	cut := len(s.events) / 2
	tr := New(dark(), Options{})
	tr.SetSize(60, 15)
	tr.SetMore(true)
	tr.Apply(s.events[cut:])
	tr.ToStart()
	before := slices.Clone(tr.Lines())
	tr.Prepend(s.events[:cut], false)
	after := tr.Lines()
	// The first line may get a gap above it, never a move.
	if !slices.Equal(before, after) {
		t.Errorf("before:\n%s\nafter:\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	checkWindow(t, tr)
}

func TestNoSizeIsTooSmall(t *testing.T) {
	s := checkout()
	for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 5}, {5, 2}, {10, 3}, {19, 6}, {20, 1}, {1, 40}, {300, 100}, {3, 3}, {0, 24}, {80, 0}, {40, 4}, {-1, -1}, {80, 24}} {
		tr := screen(s.events[:4], size[0], size[1])
		for _, do := range []func(){
			func() { tr.Apply(s.events) }, func() { tr.Focus(true) }, func() { tr.Toggle() }, func() { tr.Move(-1) },
			func() { tr.Scroll(-3) }, func() { tr.Page(1) }, func() { tr.Find("cart") }, func() { tr.NextMatch() },
			func() { tr.Click(0) }, func() { tr.First() }, func() { tr.Last() }, func() { tr.GoTo("e1") }, func() { tr.ToStart() },
			func() { tr.SetSize(80, 24) }, func() { tr.SetSize(size[0], size[1]) }, func() { tr.NeedsOlder() }, func() { tr.Unseen() },
			func() { tr.SetTheme(bare()) }, func() { tr.Steps() }, func() { tr.Focus(false) }, func() { tr.Flush() },
		} {
			do()
			if n := len(tr.Lines()); n != max(tr.h, 0) {
				t.Fatalf("size %v: %d lines", size, n)
			}
		}
	}
}
