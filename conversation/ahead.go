package conversation

// Ahead says that no turn runs yet: what is offered now is told of and not called, so
// that nothing needs to be started for it.
func (noTurn) Ahead() bool { return true }
