package keys

import (
	"slices"
	"strings"
	"testing"

	"charm.land/bubbletea/v2"
)

func TestNoTwoActionsShareAKeyWhereBothCanHappen(t *testing.T) {
	table, warnings := New(nil)
	if len(warnings) > 0 {
		t.Error(warnings)
	}
	for _, c := range table.Clashes() {
		t.Error(c)
	}
}

func TestAPlantedClashIsFound(t *testing.T) {
	for name, plant := range map[string]Entry{
		"another action's key":     {Action: "planted", Keys: []string{"ctrl+o"}, Place: Draft},
		"a key of the prompt":      {Action: "planted", Keys: []string{"ctrl+e"}, Place: Everywhere},
		"a letter where one types": {Action: "planted", Keys: []string{"x"}, Place: Draft | Chat},
	} {
		if got := clashes(append(defaults(), plant)); len(got) != 1 {
			t.Errorf("%s: found %v, want one clash", name, got)
		}
	}
	apart := Entry{Action: "planted", Keys: []string{"ctrl+r"}, Place: Chat}
	if got := clashes(append(defaults(), apart)); len(got) != 0 {
		t.Errorf("a key in another place is no clash: %v", got)
	}
}

func TestEveryActionCanBeReachedWithoutAChord(t *testing.T) {
	for _, e := range defaults() {
		chord := func(k string) bool { return strings.Contains(k, "ctrl+") }
		if len(e.Keys) > 0 && !slices.ContainsFunc(e.Keys, func(k string) bool { return !chord(k) }) && e.Command == "" && e.Action != Quit {
			t.Errorf("%s is only on %v and has no command", e.Action, e.Keys)
		}
	}
}

func TestCommandsAreOneEach(t *testing.T) {
	seen := map[string]Action{}
	for _, e := range defaults() {
		if e.Command == "" {
			continue
		}
		for _, name := range append([]string{e.Name()}, e.Aliases...) {
			if other, ok := seen[name]; ok {
				t.Errorf("%s is %s and %s", name, other, e.Action)
			}
			seen[name] = e.Action
		}
	}
	table, _ := New(nil)
	for name, action := range seen {
		if e, ok := table.Command(name); !ok || e.Action != action {
			t.Errorf("%s finds %v", name, e.Action)
		}
	}
}

func TestKeysAreFoundByPlace(t *testing.T) {
	table, _ := New(nil)
	for _, c := range []struct {
		place Place
		key   tea.KeyPressMsg
		want  Action
	}{
		{Draft, tea.KeyPressMsg{Code: 'o', Mod: tea.ModCtrl}, Provider},
		{Sheet, tea.KeyPressMsg{Code: tea.KeyF2}, Provider},
		{Draft, tea.KeyPressMsg{Code: 'y', Text: "y"}, ""},
		{Card, tea.KeyPressMsg{Code: 'y', Text: "y"}, CardOnce},
		{Card, tea.KeyPressMsg{Code: 'y', ShiftedCode: 'Y', Text: "Y", Mod: tea.ModShift}, CardAlways},
		{Chat, tea.KeyPressMsg{Code: 'y', Text: "y"}, ItemCopy},
		{Empty, tea.KeyPressMsg{Code: '?', Text: "?"}, Help},
		{Empty, tea.KeyPressMsg{Code: '/', ShiftedCode: '?', Text: "?", Mod: tea.ModShift}, Help},
		{Draft, tea.KeyPressMsg{Code: '?', Text: "?"}, ""},
		{Empty, tea.KeyPressMsg{Code: tea.KeyEnd}, Follow},
		{Draft, tea.KeyPressMsg{Code: tea.KeyEnd}, ""},
		{Draft, tea.KeyPressMsg{Code: tea.KeyTab}, FocusNext},
		{List, tea.KeyPressMsg{Code: tea.KeyTab}, Complete},
		{Draft, tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl}, ""},
		{Empty, tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl}, Quit},
		{Asking, tea.KeyPressMsg{Code: 'o', Mod: tea.ModCtrl}, ""},
	} {
		got, _ := table.Find(c.place, c.key)
		if got != c.want {
			t.Errorf("%s in %s is %q, want %q", c.key, c.place, got, c.want)
		}
	}
	if n := table.Number(ProviderPick, tea.KeyPressMsg{Code: '3', Mod: tea.ModAlt}); n != 2 {
		t.Errorf("alt+3 picks number %d, want 2", n)
	}
}

func TestKeysOfAPersonsOwn(t *testing.T) {
	ctrlX := tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl}
	ctrlO := tea.KeyPressMsg{Code: 'o', Mod: tea.ModCtrl}
	for _, c := range []struct {
		name    string
		own     map[string][]string
		key     tea.KeyPressMsg
		want    Action
		warning string
	}{
		{"moved", map[string][]string{"provider": {"Ctrl+X"}}, ctrlX, Provider, ""},
		{"the old key is free", map[string][]string{"provider": {"ctrl+x"}}, ctrlO, "", ""},
		{"unbound", map[string][]string{"provider": {}}, ctrlO, "", ""},
		{"taken from another", map[string][]string{"model": {"ctrl+o"}}, ctrlO, Model, ""},
		{"given to two", map[string][]string{"model": {"ctrl+x"}, "new": {"ctrl+x"}}, ctrlX, NewChat, "both are on ctrl+x"},
		{"no such action", map[string][]string{"fly": {"ctrl+x"}}, ctrlX, "", "no such action"},
		{"no such key", map[string][]string{"provider": {"hyper+mouse"}}, ctrlO, Provider, "is no key"},
		{"a letter", map[string][]string{"provider": {"x"}}, ctrlO, Provider, "typed into the prompt"},
		{"too few of a list", map[string][]string{"provider-pick": {"alt+a"}}, tea.KeyPressMsg{Code: '1', Mod: tea.ModAlt}, ProviderPick, "9 keys"},
		{"a command without a place", map[string][]string{"sign-in": {"ctrl+x"}}, ctrlX, "", "no such action"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, warnings := New(c.own)
			if got, _ := table.Find(Draft, c.key); got != c.want {
				t.Errorf("%s is %q, want %q", c.key, got, c.want)
			}
			all := strings.Join(warnings, "\n")
			if c.warning == "" && all != "" || !strings.Contains(all, c.warning) {
				t.Errorf("warnings %q, want %q", all, c.warning)
			}
			if got := table.Clashes(); len(got) > 0 {
				t.Error(got)
			}
		})
	}
}

func TestPartsSeeTheirDefaultKeys(t *testing.T) {
	table, _ := New(map[string][]string{"card-once": {"a"}, "card-no": {}, "card-option": strings.Fields("q w e r t z u i o")})
	for _, c := range []struct {
		pressed, want string
		ok            bool
	}{
		{"a", "y", true}, {"y", "y", false}, {"n", "n", false}, {"shift+y", "shift+y", true}, {"w", "2", true}, {"2", "2", false}, {"d", "d", true}, {"x", "x", true},
	} {
		got, ok := table.Standard(Card, press(c.pressed))
		if ok != c.ok || got.Keystroke() != c.want {
			t.Errorf("%s reads as %s %v, want %s %v", c.pressed, got.Keystroke(), ok, c.want, c.ok)
		}
	}
}

func TestWhyAnActionDoesNothing(t *testing.T) {
	table, _ := New(nil)
	e, _ := table.Entry(Unqueue)
	if got := e.Why(0); got != "no message waits" {
		t.Errorf("got %q", got)
	}
	if got := e.Why(Queue); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestEveryRowHasWordsAndAHeading(t *testing.T) {
	for _, e := range defaults() {
		if e.Words == "" || !slices.Contains(Groups(), e.Group) || (len(e.Keys) == 0 && e.Command == "") {
			t.Errorf("%s is not whole: %+v", e.Action, e)
		}
		for _, k := range e.Keys {
			if parsed, err := parse(k); err != nil || parsed != k {
				t.Errorf("%s: %q is written as %q (%v)", e.Action, k, parsed, err)
			}
			if got := press(k).Keystroke(); got != k {
				t.Errorf("%s: %q is pressed as %q", e.Action, k, got)
			}
		}
	}
}
