package engine

import "fmt"

// Mode is how much a provider may do without asking. The four are the same for
// every provider.
type Mode string

// The modes, strictest first.
const (
	ModePlan     Mode = "plan"
	ModeAsk      Mode = "ask"
	ModeAutoRead Mode = "auto-read"
	ModeAutoEdit Mode = "auto-edit"
)

// DefaultMode is the mode of a chat when nobody chose one.
const DefaultMode = ModeAutoRead

// Modes lists the modes, strictest first.
func Modes() []Mode { return []Mode{ModePlan, ModeAsk, ModeAutoRead, ModeAutoEdit} }

// ParseMode reads a mode's name. The empty string is DefaultMode.
func ParseMode(s string) (Mode, error) {
	if s == "" {
		return DefaultMode, nil
	}
	for _, m := range Modes() {
		if string(m) == s {
			return m, nil
		}
	}
	return "", fmt.Errorf("unknown mode %q: use plan, ask, auto-read or auto-edit", s)
}

func (m Mode) rank() int {
	for i, each := range Modes() {
		if each == m {
			return i
		}
	}
	return 0
}

// Stricter returns the stricter of two modes. An unknown mode counts as the
// strictest.
func Stricter(a, b Mode) Mode {
	if b.rank() < a.rank() {
		return b
	}
	return a
}
