// Package theme names what the screen's colours and signs mean. Colours are the
// terminal's own sixteen; no pane has a background.
package theme

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Theme is resolved once. Every style is safe to share.
type Theme struct {
	Accent    lipgloss.Style // what can be pressed, where the focus is
	Person    lipgloss.Style // the person's bar
	Added     lipgloss.Style
	Removed   lipgloss.Style
	Attention lipgloss.Style // only for what waits for the person
	Error     lipgloss.Style // only for what failed
	Muted     lipgloss.Style // time, counts, hints
	Strong    lipgloss.Style
	Emph      lipgloss.Style
	Code      lipgloss.Style
	Heading   lipgloss.Style
	Link      lipgloss.Style
	Match     lipgloss.Style
	Selected  lipgloss.Style
	Syntax    Syntax
	Signs     Signs
	Colours   bool // false: no colour at all; every meaning still has a sign
	Links     bool // OSC 8 links may be written

	// Widths is how this terminal counts cells: by grapheme cluster when it
	// said that it has mode 2027, else by character.
	Widths ansi.Method
}

// Syntax colours code.
type Syntax struct {
	Keyword, String, Number, Comment, Name, Type lipgloss.Style
}

// Signs are one cell wide.
type Signs struct {
	Done, Failed, Running, Waiting, NotRun, Unknown, Folded, Open, Bar, Next, Rule, Ellipsis, News, More, Less, Bullet, Minus, Cursor, Dot, Full string
}

// Unicode and ASCII are the two sets of signs.
func Unicode() Signs {
	return Signs{Done: "✓", Failed: "✗", Running: "⋯", Waiting: "○", NotRun: "⊘", Unknown: "?", Folded: "▸", Open: "▾", Bar: "▌", Next: "→", Rule: "─", Ellipsis: "…", News: "●", More: "↓", Less: "↑", Bullet: "•", Minus: "−", Cursor: "❯", Dot: "·", Full: "━"}
}

func ASCII() Signs {
	return Signs{Done: "+", Failed: "x", Running: ":", Waiting: "o", NotRun: "-", Unknown: "?", Folded: ">", Open: "v", Bar: "|", Next: ">", Rule: "-", Ellipsis: ".", News: "*", More: "v", Less: "^", Bullet: "*", Minus: "-", Cursor: ">", Dot: "-", Full: "="}
}

// New makes the theme for a light or dark background. colours false is NO_COLOR.
func New(light, colours bool, signs Signs) *Theme {
	fg := func(c color.Color) lipgloss.Style {
		s := lipgloss.NewStyle()
		if colours {
			s = s.Foreground(c)
		}
		return s
	}
	muted := lipgloss.BrightBlack
	// On white the usual cyan and yellow have a contrast below 2 to 1: blue and
	// magenta take their places there.
	accent, attention := fg(lipgloss.Cyan), fg(lipgloss.Yellow)
	if light {
		accent, attention = fg(lipgloss.Blue), fg(lipgloss.Magenta).Bold(true)
	}
	t := &Theme{
		Accent:    accent,
		Person:    fg(lipgloss.Blue),
		Added:     fg(lipgloss.Green),
		Removed:   fg(lipgloss.Red),
		Attention: attention,
		Error:     fg(lipgloss.Red),
		Muted:     fg(muted),
		Strong:    lipgloss.NewStyle().Bold(true),
		Emph:      lipgloss.NewStyle().Italic(true),
		Code:      fg(lipgloss.Magenta),
		Heading:   lipgloss.NewStyle().Bold(true),
		Link:      accent.Underline(true),
		Match:     lipgloss.NewStyle().Reverse(true),
		Selected:  lipgloss.NewStyle().Bold(true),
		Syntax: Syntax{
			Keyword: fg(lipgloss.Blue), String: fg(lipgloss.Green), Number: fg(lipgloss.Magenta),
			Comment: fg(muted), Name: lipgloss.NewStyle(), Type: accent,
		},
		Signs: signs, Colours: colours, Links: colours,
		Widths: ansi.GraphemeWidth,
	}
	return t
}

// Sequence is what a style writes before text, "" when it writes nothing; Reset
// ends it. Writing the two around text is many times faster than Style.Render
// and the same for text of one line.
func Sequence(s lipgloss.Style) string {
	before, _, _ := strings.Cut(s.Render("x"), "x")
	return before
}

// Reset ends what Sequence began.
const Reset = "\x1b[m"
