package tui

import (
	"context"
	"errors"
)

// Run shows the screen until the person leaves. When it returns the terminal is
// as it was, and the last answer and the line that carries the chat on are
// printed on it. Chats that Run opened are closed. The error is for what kept
// the screen from running; how it ended is in Exit.
func Run(ctx context.Context, d Deps) (Exit, error) {
	return Exit{}, errors.New("the screen is not built yet")
}
