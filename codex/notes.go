package codex

// ReadsNotes reports that Codex reads the AGENTS.md of its folder by itself.
func (e *Engine) ReadsNotes() bool { return true }
