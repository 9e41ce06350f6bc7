package composer

import (
	"strings"
	"testing"
	"time"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

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

// The screen takes ctrl+z where there is a shell to go back to; on Windows it
// comes here.
func TestCtrlZUndoesWhereItDoesNotSuspend(t *testing.T) {
	p := newPerson(t, nil)
	p.typing("words ")
	p.Paste("and a paste")
	p.press("ctrl+z")
	p.holds("words ")
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
