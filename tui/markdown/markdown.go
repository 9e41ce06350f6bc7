// Package markdown draws Markdown and diffs as lines for a terminal: wrapped at
// a width in cells, coloured with a theme, and harmless, since all text passes
// plain on its way in.
//
// Render draws a whole text. A Stream draws a text that grows: what can no
// longer change is kept drawn and only the end is drawn again; both give the
// same lines. No line has a border character, so that a selection with the mouse
// takes the text alone. The package does no input or output and starts nothing.
package markdown

import "conch/tui/theme"

// Render draws Markdown as lines of at most width cells. No line holds a line
// break. A width below 1 counts as 1.
func Render(src string, width int, th *theme.Theme) []string { return nil }

// Stream draws a text while it grows.
type Stream struct{}

// NewStream begins an empty text.
func NewStream(width int, th *theme.Theme) *Stream { return &Stream{} }

// Write adds a piece. It may end anywhere, in the middle of a character or of an
// escape sequence too.
func (s *Stream) Write(delta string) {}

// Lines are those of Render over all that was written. The slice is valid until
// the next call of a method.
func (s *Stream) Lines() []string { return nil }

// SetWidth draws for another width from now on.
func (s *Stream) SetWidth(width int) {}

// SetTheme draws with another theme from now on.
func (s *Stream) SetTheme(th *theme.Theme) {}

// CodeBlocks gives the text of each fenced or indented block of code, in order.
func CodeBlocks(src string) []string { return nil }
