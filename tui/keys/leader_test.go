package keys

import (
	"strings"
	"testing"

	"charm.land/bubbletea/v2"
)

func TestAKeyBehindTheLeader(t *testing.T) {
	table, warnings := New(map[string][]string{"leader": {"Ctrl+X"}, "provider": {"leader p", "f2"}, "help": {"leader ?"}, "delete": nil, "card-once": {"leader Y"}, "provider-pick": strings.Fields("")})
	if len(warnings) != 1 || !strings.Contains(warnings[0], "delete: there is no such action") {
		t.Error(warnings)
	}
	for _, c := range table.Clashes() {
		t.Error(c)
	}
	for _, c := range []struct {
		place Place
		key   tea.KeyPressMsg
		want  Action
	}{
		{Draft, press("p"), Provider},
		{Sheet, press("p"), Provider},
		{Draft, press("x"), ""},
		{Draft, press("ctrl+p"), ""}, // its meaning alone is not the one behind the leader
		{Empty, tea.KeyPressMsg{Code: '/', ShiftedCode: '?', Text: "?", Mod: tea.ModShift}, Help},
		{Card, press("shift+y"), CardOnce},
		{Draft, press("shift+y"), ""},
		{Draft, press("esc"), ""},
	} {
		led, ok := table.Led(c.place, c.key)
		got := Action("")
		if ok {
			got, _ = table.Find(c.place, led)
		}
		if got != c.want || ok && led.Text != "" {
			t.Errorf("%s behind the leader in %s is %q (types %q), want %q", c.key, c.place, got, led.Text, c.want)
		}
	}
	if a, ok := table.Find(Draft, press("p")); ok {
		t.Errorf("p alone is %s", a)
	}
	led, _ := table.Led(Card, press("shift+y"))
	if std, ok := table.Standard(Card, led); !ok || std.Keystroke() != "y" {
		t.Errorf("a card reads %s", std.Keystroke())
	}
	if e, _ := table.Entry(Provider); e.Shown() != "ctrl+x p, f2" || table.First(Provider, Draft) != "ctrl+x p" {
		t.Errorf("shown as %q, hinted as %q", e.Shown(), table.First(Provider, Draft))
	}
	if !table.Leads(Draft, press("ctrl+x")) || table.Leads(Asking, press("ctrl+x")) || table.Leads(Draft, press("x")) {
		t.Error("the leader is another key")
	}
}

func TestNineKeysBehindTheLeader(t *testing.T) {
	table, _ := New(map[string][]string{"leader": {"ctrl+x"}, "provider-pick": digits("leader ")})
	led, ok := table.Led(Draft, press("3"))
	if n := table.Number(ProviderPick, led); !ok || n != 2 {
		t.Errorf("3 behind the leader picks number %d, want 2", n)
	}
	if e, _ := table.Entry(ProviderPick); e.Shown() != "ctrl+x 1…9" {
		t.Errorf("shown as %q", e.Shown())
	}
}

func TestTheLeaderTakesNoOthersKey(t *testing.T) {
	for _, c := range []struct {
		name    string
		own     map[string][]string
		warning string
	}{
		{"there is none by default", nil, ""},
		{"a default key becomes the leader", map[string][]string{"leader": {"ctrl+o"}, "model": {"leader m"}}, ""},
		{"an action on the leader", map[string][]string{"leader": {"ctrl+x"}, "model": {"ctrl+x"}}, "ctrl+x is the leader"},
		{"no leader", map[string][]string{"model": {"leader m"}}, `set leader = ["ctrl+x"]`},
		{"a letter", map[string][]string{"leader": {"x"}}, "needed for itself"},
		{"a key that edits", map[string][]string{"leader": {"ctrl+a"}}, "needed for itself"},
		{"what stops a turn", map[string][]string{"leader": {"esc"}}, "needed for itself"},
		{"two", map[string][]string{"leader": {"ctrl+x", "ctrl+t"}}, "one key"},
		{"no key", map[string][]string{"leader": {"hyper+x"}}, "is no key"},
		{"a key of the prompt", map[string][]string{"leader": {"ctrl+x"}, "send": {"leader s"}}, "takes no leader"},
		{"esc behind it", map[string][]string{"leader": {"ctrl+x"}, "model": {"leader esc"}}, "drops it"},
		{"two on one", map[string][]string{"leader": {"ctrl+x"}, "model": {"leader m"}, "new": {"leader m"}}, "both are on ctrl+x m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table, warnings := New(c.own)
			all := strings.Join(warnings, "\n")
			if c.warning == "" && all != "" || !strings.Contains(all, c.warning) {
				t.Errorf("warnings %q, want %q", all, c.warning)
			}
			for _, clash := range table.Clashes() {
				t.Error(clash)
			}
		})
	}
	planted, _ := New(map[string][]string{"leader": {"ctrl+x"}})
	planted.entries = append(planted.entries, Entry{Action: "planted", Keys: []string{"ctrl+x"}, Place: Chat})
	if got := planted.Clashes(); len(got) != 1 {
		t.Errorf("an action on the leader's key: %v, want one clash", got)
	}
}
