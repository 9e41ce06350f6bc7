// Package keys is the one table of keys: what each action is called, which keys
// and which command do it, where it can be used and why not. Routing, help,
// footer, the docs and the names in config.toml all come from it.
//
// Two actions may share a key only where they cannot both happen. Letters are
// keys only where nothing can be typed.
package keys

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbletea/v2"
)

// Table is the actions with the keys that they have now.
type Table struct {
	entries []Entry
	byKey   map[string][]int // a key's entries, by index
	leader  string
}

// New makes the table with a person's own keys over the default ones, by the
// action's name; an empty list takes an action's keys away. What cannot be done
// is left as it was and said in a sentence each.
func New(own map[string][]string) (*Table, []string) {
	t := &Table{entries: defaults()}
	warnings := t.lead(own[Leader])
	names := make([]string, 0, len(own))
	for name := range own {
		if name != Leader {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		i := t.index(Action(name))
		if i < 0 || !t.entries[i].bindable() {
			warnings = append(warnings, fmt.Sprintf("[keys] %s: there is no such action; /help lists them", name))
			continue
		}
		warnings = append(warnings, t.rebind(i, own[name])...)
	}
	t.look()
	return t, warnings
}

// rebind gives an entry other keys. They are taken away from the default
// bindings of others where both could happen.
func (t *Table) rebind(at int, keys []string) (warnings []string) {
	e := &t.entries[at]
	var good []string
	for _, written := range keys {
		k, err := t.chord(e, written)
		switch {
		case err != nil:
			warnings = append(warnings, fmt.Sprintf("[keys] %s: %s", e.Action, err))
			continue
		case isText(k) && e.Place&Typing != 0:
			warnings = append(warnings, fmt.Sprintf("[keys] %s: %s is typed into the prompt; take a key with ctrl or alt, or an f key", e.Action, written))
			continue
		}
		good = append(good, k)
	}
	if len(keys) > 0 && len(good) == 0 {
		return warnings
	}
	if e.Ordered && len(good) > 0 && len(good) != len(e.Keys) {
		return append(warnings, fmt.Sprintf("[keys] %s: it takes %d keys, one for each place in the list", e.Action, len(e.Keys)))
	}
	e.Keys, e.Only, e.own = good, nil, true
	for i := range t.entries {
		other := &t.entries[i]
		if i == at {
			continue
		}
		for _, k := range good {
			if !other.has(k) || other.at(k)&e.Place == 0 {
				continue
			}
			if other.own {
				warnings = append(warnings, fmt.Sprintf("[keys] %s and %s: both are on %s", other.Action, e.Action, k))
			}
			other.Keys = slices.DeleteFunc(slices.Clone(other.Keys), func(s string) bool { return s == k })
		}
	}
	return warnings
}

// Without takes actions out of the table: nothing says that they exist.
func (t *Table) Without(gone ...Action) {
	t.entries = slices.DeleteFunc(t.entries, func(e Entry) bool { return slices.Contains(gone, e.Action) })
	t.look()
}

func (t *Table) look() {
	t.byKey = map[string][]int{}
	for i, e := range t.entries {
		for _, k := range e.Keys {
			t.byKey[k] = append(t.byKey[k], i)
		}
	}
}

func (t *Table) index(a Action) int {
	return slices.IndexFunc(t.entries, func(e Entry) bool { return e.Action == a })
}

// Find gives the action that a key means in a place.
func (t *Table) Find(p Place, k tea.KeyPressMsg) (Action, bool) {
	for _, name := range t.names(k) {
		for _, i := range t.byKey[name] {
			if t.entries[i].at(name)&p != 0 {
				return t.entries[i].Action, true
			}
		}
	}
	return "", false
}

// Number is the place of a key among those of its action, from 0: of the nine
// keys that pick one of a list.
func (t *Table) Number(a Action, k tea.KeyPressMsg) int {
	i := t.index(a)
	if i < 0 {
		return -1
	}
	for _, name := range t.names(k) {
		if n := slices.Index(t.entries[i].Keys, name); n >= 0 {
			return n
		}
	}
	return -1
}

// Entry gives an action's row.
func (t *Table) Entry(a Action) (Entry, bool) {
	i := t.index(a)
	if i < 0 {
		return Entry{}, false
	}
	return t.entries[i], true
}

// Entries gives all rows in the order of the help.
func (t *Table) Entries() []Entry { return slices.Clone(t.entries) }

// Keys gives an action's keys, the first of which is shown.
func (t *Table) Keys(a Action) []string {
	e, _ := t.Entry(a)
	return e.Keys
}

// First is the key that hints show for an action in a place; "" when it has none
// there.
func (t *Table) First(a Action, p Place) string {
	e, _ := t.Entry(a)
	for _, k := range e.Keys {
		if e.at(k)&p != 0 {
			return Name(k)
		}
	}
	return ""
}

// Plain is the key that hints show on a terminal that can't tell shift+enter from
// enter.
func (t *Table) Plain(a Action, p Place) string {
	e, _ := t.Entry(a)
	for _, k := range e.Keys {
		if e.at(k)&p != 0 && !strings.HasPrefix(k, "shift+") {
			return Name(k)
		}
	}
	return ""
}

// Standard gives the key by which a part that knows only the default keys calls
// what k means in a place: with card-once on "a", an a is its y. ok is false for
// a default key that was taken away there.
func (t *Table) Standard(p Place, k tea.KeyPressMsg) (std tea.KeyPressMsg, ok bool) {
	if a, found := t.Find(p, k); found {
		e, _ := t.Entry(a)
		if !e.own {
			return k, true
		}
		n := t.Number(a, k)
		was := defaults()[t.index(a)].Keys
		if !e.Ordered {
			n = 0
		}
		if n < len(was) {
			return press(was[n]), true
		}
		return k, true
	}
	for _, e := range defaults() {
		for _, name := range t.names(k) {
			if e.has(name) && e.at(name)&p != 0 {
				return k, false // it was unbound or moved
			}
		}
	}
	return k, true
}

// Clash is two actions on one key where both can happen.
type Clash struct {
	Key  string
	A, B Action
	Both Place
}

func (c Clash) String() string {
	return fmt.Sprintf("%s is on %s and on %s, and both can happen in: %s", c.Key, c.A, c.B, c.Both)
}

// Clashes lists what no table may have.
func (t *Table) Clashes() []Clash {
	if t.leader == "" {
		return clashes(t.entries)
	}
	return clashes(append(slices.Clone(t.entries), Entry{Action: Leader, Keys: []string{t.leader}, Place: Everywhere &^ Asking}))
}

func clashes(entries []Entry) (out []Clash) {
	for i, a := range entries {
		for _, b := range entries[i+1:] {
			for _, k := range a.Keys {
				if both := a.at(k) & b.at(k); b.has(k) && both != 0 {
					out = append(out, Clash{Key: k, A: a.Action, B: b.Action, Both: both})
				}
			}
		}
		for _, k := range a.Keys {
			if both := a.at(k) & (Empty | Draft | RunEmpty | RunDraft); both != 0 && slices.Contains(editing, k) {
				if both &^= freeWhenEmpty(k); both != 0 {
					out = append(out, Clash{Key: k, A: a.Action, B: "editing", Both: both})
				}
			}
			if both := a.at(k) & Typing &^ (Empty | Moment | RunEmpty); both != 0 && isText(k) {
				out = append(out, Clash{Key: k, A: a.Action, B: "typing", Both: both})
			}
		}
	}
	return out
}

// editing are the keys that edit the prompt.
var editing = strings.Fields(`ctrl+a ctrl+e ctrl+b ctrl+f ctrl+d ctrl+h ctrl+k ctrl+u ctrl+w ctrl+y alt+b alt+f alt+d
	left right home end backspace delete ctrl+left ctrl+right alt+left alt+right alt+backspace`)

// freeWhenEmpty is where an editing key has nothing to do.
func freeWhenEmpty(k string) Place {
	if k == "ctrl+d" || k == "end" || k == "home" {
		return Empty | RunEmpty
	}
	return 0
}
