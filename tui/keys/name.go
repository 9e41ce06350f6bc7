package keys

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbletea/v2"
)

// names are what a key press may be called in the table: as text, and as a
// chord.
func names(k tea.KeyPressMsg) []string {
	stroke, text := k.Keystroke(), k.String()
	if stroke == text {
		return []string{stroke}
	}
	return []string{stroke, text}
}

var named = map[string]rune{
	"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "space": tea.KeySpace, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "insert": tea.KeyInsert,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6,
	"f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9, "f10": tea.KeyF10, "f11": tea.KeyF11, "f12": tea.KeyF12,
}

var spellings = map[string]string{"pgdn": "pgdown", "pagedown": "pgdown", "pageup": "pgup", "escape": "esc", "return": "enter", "del": "delete", "ins": "insert", "option": "alt", "meta": "alt", "control": "ctrl"}

// parse reads a key as a person writes it: "ctrl+o", "Alt+1", "shift+y", "Y".
func parse(written string) (string, error) {
	s := strings.TrimSpace(written)
	if utf8.RuneCountInString(s) == 1 {
		if low := strings.ToLower(s); low != s {
			return "shift+" + low, nil
		}
		return s, nil
	}
	parts := strings.Split(strings.ToLower(s), "+")
	for i, p := range parts {
		if other, ok := spellings[p]; ok {
			parts[i] = other
		}
	}
	last := parts[len(parts)-1]
	if _, ok := named[last]; !ok && utf8.RuneCountInString(last) != 1 {
		return "", fmt.Errorf("%q is no key: use ctrl+o, alt+1, shift+tab, f2, pgdn", written)
	}
	var mods []string
	for _, m := range []string{"ctrl", "alt", "shift"} {
		if slices.Contains(parts[:len(parts)-1], m) {
			mods = append(mods, m)
		}
	}
	if len(mods) != len(parts)-1 {
		return "", fmt.Errorf("%q is no key: use ctrl+o, alt+1, shift+tab, f2, pgdn", written)
	}
	return strings.Join(append(mods, last), "+"), nil
}

// isText reports a key that types a character.
func isText(k string) bool {
	k = strings.TrimPrefix(k, "shift+")
	return utf8.RuneCountInString(k) == 1 || k == "space"
}

// Name is a key as it is shown.
func Name(k string) string {
	if leader, next, ok := strings.Cut(k, " "); ok {
		return Name(leader) + " " + Name(next)
	}
	if k == "pgdown" {
		return "pgdn"
	}
	if low, ok := strings.CutPrefix(k, "shift+"); ok && utf8.RuneCountInString(low) == 1 {
		return strings.ToUpper(low)
	}
	return k
}

// press makes the key press of a name of the table.
func press(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		name = rest
	}
	if code, ok := named[name]; ok {
		k.Code = code
		if code == tea.KeySpace && k.Mod == 0 {
			k.Text = " "
		}
		return k
	}
	r, _ := utf8.DecodeRuneInString(name)
	k.Code = r
	switch k.Mod {
	case 0:
		k.Text = name
	case tea.ModShift:
		k.Text = strings.ToUpper(name)
		k.ShiftedCode, _ = utf8.DecodeRuneInString(k.Text)
	}
	return k
}
