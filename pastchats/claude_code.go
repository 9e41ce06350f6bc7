package pastchats

// newClaudeCode reads Claude Code.
func newClaudeCode(h *Home) finder { return nothing{} }
