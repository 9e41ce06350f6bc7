package keys

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbletea/v2"
)

// Leader is the name in [keys] of the key after which the next one has another
// meaning. It is no action. There is none unless a person sets it.
const Leader = "leader"

// lead sets the leader. Actions that have the key by default lose it.
func (t *Table) lead(written []string) (warnings []string) {
	if len(written) == 0 {
		return nil
	}
	k, err := parse(written[0])
	switch {
	case err != nil:
		return []string{fmt.Sprintf("[keys] %s: %s", Leader, err)}
	case len(written) > 1:
		return []string{fmt.Sprintf("[keys] %s: it is one key", Leader)}
	case isText(k), slices.Contains(editing, k), slices.Contains([]string{"esc", "enter", "tab", "ctrl+c"}, k):
		return []string{fmt.Sprintf("[keys] %s: %s is needed for itself; take one such as ctrl+x", Leader, written[0])}
	}
	t.leader = k
	for i := range t.entries {
		e := &t.entries[i]
		e.Keys = slices.DeleteFunc(slices.Clone(e.Keys), func(s string) bool { return s == k })
	}
	return nil
}

// chord reads a key of an entry as a person writes it: one key, or "leader p".
func (t *Table) chord(e *Entry, written string) (string, error) {
	parts := strings.Fields(written)
	if len(parts) != 2 || !strings.EqualFold(parts[0], Leader) {
		k, err := parse(written)
		if err == nil && t.leader != "" && k == t.leader {
			err = fmt.Errorf("%s is the leader", written)
		}
		return k, err
	}
	k, err := parse(parts[1])
	switch {
	case t.leader == "":
		err = fmt.Errorf("there is no leader: set leader = [\"ctrl+x\"] too")
	case err == nil && e.Place&^Prompt == 0:
		err = fmt.Errorf("it is a key of the prompt itself and takes no leader")
	case k == "esc":
		err = fmt.Errorf("esc after the leader drops it")
	}
	return t.leader + " " + k, err
}

// Leads reports that a key is the leader. It has no meaning of its own anywhere
// but at a yes or no of Conch's.
func (t *Table) Leads(p Place, k tea.KeyPressMsg) bool {
	return t.leader != "" && p != Asking && slices.Contains(names(k), t.leader)
}

// LeaderName is the leader as it is shown, "" when there is none.
func (t *Table) LeaderName() string { return Name(t.leader) }

// Led gives the key that is meant when k follows the leader. It types nothing,
// and the table knows it. ok is false when it means nothing in this place.
func (t *Table) Led(p Place, k tea.KeyPressMsg) (led tea.KeyPressMsg, ok bool) {
	for _, name := range names(k) {
		led = press(name)
		led.Text, led.ShiftedCode = "", 0
		led.Mod |= tea.ModHyper
		if _, ok = t.Find(p, led); ok {
			return led, true
		}
	}
	return k, false
}

// names are what a key press may be called in the table; one of Led's comes
// behind the leader.
func (t *Table) names(k tea.KeyPressMsg) []string {
	if !k.Mod.Contains(tea.ModHyper) || t.leader == "" {
		return names(k)
	}
	k.Mod &^= tea.ModHyper
	return []string{t.leader + " " + k.Keystroke()}
}
