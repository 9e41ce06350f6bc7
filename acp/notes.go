package acp

// ReadsNotes reports that the program reads the AGENTS.md of its folder by itself, as
// measured on the version that the table names.
func (e *Engine) ReadsNotes() bool { return e.agent.ReadsNotes }
