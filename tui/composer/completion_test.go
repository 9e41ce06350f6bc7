package composer

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/tui/complete"
)

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
