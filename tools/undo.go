package tools

// Undo keeps what edits overwrite, so that the person can take them back.
type Undo struct{}
