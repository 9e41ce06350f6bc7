package composer

import (
	"strings"
	"testing"
	"time"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"conch/engine"
	"conch/tui/complete"
	"conch/tui/theme"
)

// person types at a prompt, slowly unless told otherwise.
type person struct {
	*Composer
	t   *testing.T
	at  time.Time
	gap time.Duration
}

func newPerson(t *testing.T, h *History) *person {
	t.Helper()
	c := New(theme.New(false, false, theme.Unicode()), h)
	c.SetChat("here")
	return &person{c, t, time.Date(2026, 11, 30, 9, 41, 0, 0, time.UTC), 80 * time.Millisecond}
}

var names = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "backspace": {Code: tea.KeyBackspace}, "esc": {Code: tea.KeyEscape},
	"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "pgdown": {Code: tea.KeyPgDown}, "space": {Code: tea.KeySpace, Text: " "},
	"shift+enter": {Code: tea.KeyEnter, Mod: tea.ModShift}, "alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt},
}

func keyOf(name string) tea.KeyPressMsg {
	if k, ok := names[name]; ok {
		return k
	}
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModCtrl}
	}
	if rest, ok := strings.CutPrefix(name, "alt+"); ok {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: tea.ModAlt}
	}
	r := []rune(name)
	if len(r) == 1 {
		return tea.KeyPressMsg{Code: r[0], Text: name}
	}
	return tea.KeyPressMsg{Code: tea.KeyExtended, Text: name}
}

func (p *person) key(name string) (Action, bool) {
	p.at = p.at.Add(p.gap)
	return p.Key(keyOf(name), p.at)
}

// press presses keys and gives the last action.
func (p *person) press(keys ...string) Action {
	p.t.Helper()
	var a Action
	for _, k := range keys {
		var ok bool
		if a, ok = p.key(k); !ok {
			p.t.Fatalf("%s was not taken; the draft is %q", k, p.Text())
		}
	}
	return a
}

func (p *person) typing(words string) {
	p.t.Helper()
	for _, r := range words {
		switch r {
		case '\n':
			p.press("ctrl+j")
		case ' ':
			p.press("space")
		default:
			p.press(string(r))
		}
	}
}

func (p *person) sends() Message {
	p.t.Helper()
	if a := p.press("enter"); a != Send {
		p.t.Fatalf("enter gave action %d; the draft is %q", a, p.Text())
	}
	m, ok := p.Take()
	if !ok {
		p.t.Fatal("there was nothing to take")
	}
	return m
}

func (p *person) screen() string {
	return ansi.Strip(strings.Join(append(p.Popup(), p.Lines()...), "\n"))
}

func (p *person) shows(part string) {
	p.t.Helper()
	if s := p.screen(); !strings.Contains(s, part) {
		p.t.Errorf("%q is not on the screen:\n%s", part, s)
	}
}

func (p *person) holds(want string) {
	p.t.Helper()
	if got := p.Text(); got != want {
		p.t.Errorf("the prompt holds %q, want %q", got, want)
	}
}

func TestEnterSendsWhatWasTyped(t *testing.T) {
	p := newPerson(t, nil)
	p.typing("why does it fail?")
	if diff := cmp.Diff(Message{Text: "why does it fail?"}, p.sends()); diff != "" {
		t.Error(diff)
	}
	if !p.Empty() {
		t.Error("the prompt is not empty after a send")
	}
	if _, ok := p.key("enter"); ok {
		t.Error("an empty prompt takes enter")
	}
	p.typing("  ")
	if a, ok := p.key("enter"); ok || a != None {
		t.Error("blanks can be sent")
	}
}

func TestEveryWayToBreakALine(t *testing.T) {
	for _, keys := range [][]string{{"shift+enter"}, {"alt+enter"}, {"ctrl+j"}, {`\`, "enter"}} {
		p := newPerson(t, nil)
		p.typing("one")
		if a := p.press(keys...); a != None {
			t.Errorf("%v gave action %d", keys, a)
		}
		p.typing("two")
		p.holds("one\ntwo")
	}
	p := newPerson(t, nil)
	p.typing(`a path\\`)
	if m := p.sends(); m.Text != `a path\\` {
		t.Errorf("a doubled backslash: %q", m.Text)
	}
}

func TestKeysOfTheScreenAreLeftToIt(t *testing.T) {
	p := newPerson(t, nil)
	for _, k := range []string{"ctrl+d", "end", "tab", "esc", "enter", "pgdown", "ctrl+o", "alt+y", "ctrl+c"} {
		if _, ok := p.key(k); ok {
			t.Errorf("an empty prompt takes %s", k)
		}
	}
	p.typing("x")
	for _, k := range []string{"tab", "esc", "pgdown", "ctrl+o", "alt+y", "ctrl+c", "ctrl+t", "ctrl+p"} {
		if _, ok := p.key(k); ok {
			t.Errorf("a prompt with words takes %s", k)
		}
	}
	p.holds("x")
}

func TestUnknownSequencesAreNeverText(t *testing.T) {
	p := newPerson(t, nil)
	for _, k := range []tea.KeyPressMsg{{Text: "\x1b[62;22;52c"}, {Text: "\x07"}, {Code: tea.KeyF5}, {Code: 'c', Mod: tea.ModMeta}, {Text: "\u009b1;2c"}} {
		if _, ok := p.Key(k, p.at); ok {
			t.Errorf("%q was taken", k.Text)
		}
	}
	if !p.Empty() {
		t.Errorf("the prompt holds %q", p.Text())
	}
}

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

func TestAPasteIsNeverACommandAndNeverSends(t *testing.T) {
	for _, paste := range []string{"!rm -rf ~\n", "/quit\n", "/help", "words\r\n"} {
		p := newPerson(t, nil)
		p.SetCommands([]complete.Item{{Insert: "/help", Label: "/help"}, {Insert: "/quit", Label: "/quit"}})
		p.Paste(paste)
		if p.Opened() || p.Kind() != Prompt {
			t.Errorf("%q: opened %v, kind %d", paste, p.Opened(), p.Kind())
		}
		if m := p.sends(); m.Kind != Prompt || m.Text != strings.ReplaceAll(paste, "\r", "") {
			t.Errorf("%q was sent as %#v", paste, m)
		}
	}
	p := newPerson(t, nil)
	p.typing("!")
	p.Paste("ls -l")
	if p.Kind() != Shell {
		t.Error("a typed mark before a paste is a shell line")
	}
	p.shows("$ !ls -l")
	if m := p.sends(); m.Kind != Shell || m.Text != "ls -l" {
		t.Errorf("taken as %#v", m)
	}
}

func TestPathsAreNoCommands(t *testing.T) {
	p := newPerson(t, nil)
	p.typing("/usr/bin/env is gone")
	if p.Kind() != Prompt {
		t.Error("a path is a command")
	}
	p.Clear()
	p.typing("/model gpt")
	if m := p.sends(); m.Kind != Command || m.Text != "/model gpt" {
		t.Errorf("taken as %#v", m)
	}
}

func TestLineEndsOfAPaste(t *testing.T) {
	p := newPerson(t, nil)
	p.Paste("first\nsecond\r\n\tthird\r\x1b[31m")
	p.holds("first\nsecond\n\tthird\n\x1b[31m")
	if s := p.screen(); strings.ContainsRune(s, '\x1b') || !strings.Contains(s, "    third") || !strings.Contains(s, "␛[31m") {
		t.Errorf("drawn as %q", s)
	}
}

func TestALongPasteIsFoldedAndSentWhole(t *testing.T) {
	p := newPerson(t, nil)
	p.typing("see ")
	text := strings.Repeat("line with words\n", 400)
	p.Paste(text)
	p.typing("and this")
	p.shows("▌ see [pasted 400 lines]and this")
	p.shows("alt+o opens what is folded")
	if m := p.sends(); m.Text != "see "+text+"and this" {
		t.Errorf("sent %d bytes", len(m.Text))
	}
	p.Paste(strings.Repeat("x", 1_000_000))
	p.shows("[pasted 1,000,000 characters]")
	p.press("alt+o")
	if strings.Contains(p.screen(), "[pasted") {
		t.Error("the paste is still folded")
	}
	if x, y := p.Cursor(); y >= len(p.Lines()) || x >= 80 {
		t.Errorf("the cursor is at %d, %d", x, y)
	}
	p.typing("end")
	if got := p.Text(); len(got) != 1_000_003 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestAPasteWithoutBracketsIsHeld(t *testing.T) {
	p := newPerson(t, nil)
	p.gap = time.Millisecond
	for _, r := range "one" {
		p.key(string(r))
	}
	if a, _ := p.key("enter"); a != Hold {
		t.Fatalf("enter at the end of a burst gave %d", a)
	}
	p.typing("two")
	p.key("tab")
	p.typing("three")
	if a, _ := p.key("enter"); a != Hold {
		t.Fatalf("the last enter gave %d", a)
	}
	if a := p.Release(p.at.Add(HoldTime)); a != None {
		t.Fatalf("a paste of lines was released as %d", a)
	}
	p.holds("one\ntwo\tthree\n")
	p.gap = time.Second
	if m := p.sends(); m.Text != "one\ntwo\tthree\n" {
		t.Errorf("sent %q", m.Text)
	}
}

func TestAFastTypistStillSends(t *testing.T) {
	p := newPerson(t, nil)
	p.gap = time.Millisecond
	p.typing("yes")
	if a, _ := p.key("enter"); a != Hold {
		t.Fatalf("enter gave %d", a)
	}
	if a := p.Release(p.at.Add(HoldTime)); a != Send {
		t.Fatalf("released as %d", a)
	}
	if a := p.Release(p.at.Add(HoldTime)); a != None {
		t.Error("released twice")
	}
	if m, ok := p.Take(); !ok || m.Text != "yes" {
		t.Errorf("took %q", m.Text)
	}
}

func TestALateReleaseKeepsTheNextKey(t *testing.T) {
	p := newPerson(t, nil)
	p.gap = time.Millisecond
	p.typing("yes")
	p.key("enter")
	p.gap = time.Second
	if a, _ := p.key("n"); a != Send {
		t.Fatalf("the key behind a due enter gave %d", a)
	}
	if m, _ := p.Take(); m.Text != "yes" {
		t.Errorf("took %q", m.Text)
	}
	p.holds("n")
}

func TestABurstIsNoCommandOfItsOwn(t *testing.T) {
	p := newPerson(t, nil)
	p.gap = time.Millisecond
	p.key("!")
	p.typing("rm -rf build")
	p.key("enter")
	if a := p.Release(p.at.Add(HoldTime)); a != None {
		t.Fatalf("a shell line that came in one burst was released as %d", a)
	}
	p.holds("!rm -rf build")
	p.gap = time.Second
	if a := p.press("enter"); a != Send {
		t.Errorf("the person's own enter gave %d", a)
	}

	p = newPerson(t, nil)
	p.gap = time.Millisecond
	p.key("!")
	p.typing("rm")
	p.key("enter")
	p.typing("more")
	if p.Kind() != Prompt {
		t.Error("lines that came in one burst are a shell line")
	}
}

func TestCommandCompletion(t *testing.T) {
	p := newPerson(t, nil)
	p.SetCommands([]complete.Item{
		{Insert: "/chats", Label: "/chats", Detail: "the list of chats"}, {Insert: "/mode", Label: "/mode", Hint: "[name]"},
		{Insert: "/model", Label: "/model", Hint: "[id]"}, {Insert: "/review", Label: "/review", Detail: "codex"},
	})
	p.typing("/")
	p.shows("/chats")
	p.shows("1 of 4")
	p.typing("rev")
	if a := p.press("enter"); a != Send {
		t.Fatalf("enter on a command that takes no words gave %d", a)
	}
	if m, _ := p.Take(); m.Text != "/review" || m.Kind != Command {
		t.Errorf("took %#v", m)
	}
	p.typing("/mod")
	p.press("down")
	p.shows("▌ /model")
	p.press("enter")
	p.holds("/model ")
	p.typing("gpt")
	if p.Opened() {
		t.Error("the list is open behind the command")
	}
	p.Clear()
	p.typing("/mode")
	if a := p.press("enter"); a != Send {
		t.Errorf("enter behind a command typed whole gave %d", a)
	}
	p.Clear()
	p.typing("/zzzz")
	if p.Opened() {
		t.Error("a list without a match is open")
	}
	p.press("backspace")
	p.typing("x")
	p.Clear()
	p.typing("not /mo")
	if p.Opened() {
		t.Error("a slash in the middle opens the list")
	}
}

func TestCancelClosesTheListUntilAnotherWord(t *testing.T) {
	p := newPerson(t, nil)
	p.SetCommands([]complete.Item{{Insert: "/mode", Label: "/mode"}})
	p.typing("/mo")
	if !p.Cancel() || p.Cancel() {
		t.Error("cancel closes one list, once")
	}
	p.typing("d")
	if p.Opened() {
		t.Error("the list opened again in the same word")
	}
	p.press("backspace", "backspace", "backspace")
	if !p.Opened() {
		t.Error("the list stays closed when the word begins anew")
	}
}

func TestFileCompletion(t *testing.T) {
	p := newPerson(t, nil)
	p.typing("look at @")
	if !p.WantsFiles() || p.WantsFiles() {
		t.Fatal("a completion wants its files once")
	}
	p.shows("looking through the files")
	if p.Opened() {
		t.Error("tab and enter would take something that is not there")
	}
	p.SetFiles(&complete.Files{Paths: []string{"cart/", "main.go", "cart/service.go", "my notes/", "my notes/a b.txt"}})
	p.shows("main.go")
	p.typing("serv")
	p.press("tab")
	p.holds("look at @cart/service.go ")
	p.typing("and @my")
	p.press("tab")
	p.holds(`look at @cart/service.go and @"my notes/`)
	p.press("tab")
	p.holds(`look at @cart/service.go and @"my notes/a b.txt" `)
	m := p.sends()
	if diff := cmp.Diff([]string{"cart/service.go", "my notes/a b.txt"}, m.Files); diff != "" {
		t.Error(diff)
	}
	p.typing("@main.go")
	if a := p.press("enter"); a != Send {
		t.Error("a path that was typed whole is not sent by enter")
	}
	p.Clear()
	p.typing("me@main")
	if p.Opened() {
		t.Error("an address opens the list")
	}
	p.Clear()
	p.Paste("see @ma")
	if p.Opened() {
		t.Error("a paste opens the list")
	}
	p.Clear()
	p.typing("@cart/")
	if a := p.press("enter"); a != Send {
		t.Error("a folder that was typed whole is not sent by enter")
	}
}

func TestCompletionInTheMiddleOfALine(t *testing.T) {
	p := newPerson(t, nil)
	p.SetFiles(&complete.Files{Paths: []string{"main.go"}})
	p.typing("see  now")
	p.press("left", "left", "left", "left")
	p.typing("@ma")
	p.press("tab")
	p.holds("see @main.go now")
	p.typing("!")
	p.holds("see @main.go !now")
}

func TestPicturesByPath(t *testing.T) {
	for _, c := range []struct {
		paste string
		want  []Picture
	}{
		{"/home/dev/shot.png", []Picture{{"/home/dev/shot.png", "/home/dev/shot.png"}}},
		{`/home/dev/my\ shot.PNG `, []Picture{{`/home/dev/my\ shot.PNG`, "/home/dev/my shot.PNG"}}},
		{`'/home/dev/my shot.png' "/tmp/b.jpeg"`, []Picture{{`'/home/dev/my shot.png'`, "/home/dev/my shot.png"}, {`"/tmp/b.jpeg"`, "/tmp/b.jpeg"}}},
		{"file:///home/dev/a%20b.webp\n", []Picture{{"file:///home/dev/a%20b.webp", "/home/dev/a b.webp"}}},
		{`C:\Users\dev\shot.png`, []Picture{{`C:\Users\dev\shot.png`, `C:\Users\dev\shot.png`}}},
		{`"C:\Users\my dev\shot.png"`, []Picture{{`"C:\Users\my dev\shot.png"`, `C:\Users\my dev\shot.png`}}},
		{"see /home/dev/shot.png", nil}, {"/home/dev/shot.txt", nil}, {"shot.png", nil}, {"", nil}, {"'", nil}, {`\`, nil},
	} {
		p := newPerson(t, nil)
		got := p.Paste(c.paste).Pictures
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q:\n%s", c.paste, diff)
		}
	}
	p := newPerson(t, nil)
	pasted := p.Paste("/home/dev/shot.png")
	p.typing(" what is it?")
	if !p.Replace(pasted.Pictures[0].Text, engine.Attachment{Name: "shot.png", Path: "/home/dev/shot.png", Data: make([]byte, 120_000)}) {
		t.Fatal("the text is gone")
	}
	p.typing("!")
	p.shows("[shot.png 120 KB] what is it?!")
	m := p.sends()
	if m.Text != "[shot.png] what is it?!" || len(m.Attachments) != 1 || m.Attachments[0].Path != "/home/dev/shot.png" {
		t.Errorf("took %q with %d attachments", m.Text, len(m.Attachments))
	}
	if p.Replace("/home/dev/shot.png", engine.Attachment{}) {
		t.Error("a text that is gone was replaced")
	}
}

func TestAMessageFromTheQueueComesBackBeforeTheDraft(t *testing.T) {
	p := newPerson(t, nil)
	p.SetQueue([]string{"and add a test for one item too"}, false)
	p.shows("queued: it goes when this turn is over · alt+up takes it back")
	p.typing("draft")
	p.Put("and add a test", []engine.Attachment{{Name: "a.png"}})
	p.holds("and add a test[a.png]\ndraft")
	p.SetQueue([]string{"a", "b", "c", "d", "e"}, true)
	p.SetMaxRows(12)
	p.shows("2 more")
	p.shows("held back by the stop")
}

func TestTextFromTheEditor(t *testing.T) {
	p := newPerson(t, nil)
	p.typing("draft")
	p.SetText("!rm -rf\n")
	if p.Kind() != Prompt {
		t.Error("a mark from elsewhere makes a shell line")
	}
	p.holds("!rm -rf")
	p.Undo()
	p.holds("draft")
	p.Clear()
	p.typing("!ls")
	p.SetText("!ls -l\n")
	if p.Kind() != Shell {
		t.Error("a shell line that was edited is one no more")
	}
}

func TestClickPutsTheCursorAndOpensAPaste(t *testing.T) {
	p := newPerson(t, nil)
	p.typing("日本語 text")
	p.Lines()
	p.Click(6, 0)
	p.typing("|")
	p.holds("日本|語 text")
	p.Clear()
	p.Paste(strings.Repeat("a\n", 20))
	p.Lines()
	p.Click(4, 0)
	if strings.Contains(p.screen(), "[pasted") {
		t.Error("a click did not open the paste")
	}
}

func TestKeysCanBeChanged(t *testing.T) {
	p := newPerson(t, nil)
	k := DefaultKeys()
	k.Send, k.Newline, k.HistoryBack, k.Open, k.Unqueue = []string{"ctrl+s"}, []string{"enter"}, nil, nil, ""
	p.SetKeys(k)
	p.typing("a")
	if a := p.press("enter"); a != None {
		t.Errorf("enter gave %d", a)
	}
	if a := p.press("ctrl+s"); a != Send {
		t.Errorf("ctrl+s gave %d", a)
	}
	if _, ok := p.key("up"); ok {
		t.Error("an unbound key was taken")
	}
}
