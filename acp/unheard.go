package acp

// Unheard counts the messages that were ignored because their kind is not known,
// by kind, since the engine was made. It asks nobody.
func (e *Engine) Unheard() map[string]int { return e.program.Unheard() }
