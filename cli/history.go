package cli

import (
	"fmt"

	"conch/chats"
)

// What is loaded of what was typed before.
const (
	historyChats = 40
	historyBytes = 128 << 10 // of the end of each chat
	historyMost  = 500
)

// typedBefore gives the person's messages of the newest chats, oldest first. The
// chats are the only place where they are kept.
func (a *app) typedBefore() ([]string, error) {
	list, err := a.store.List()
	if err != nil {
		return nil, fmt.Errorf("read what was typed before: %w", err)
	}
	var typed []string
	for i := min(len(list), historyChats) - 1; i >= 0; i-- {
		events, err := a.readTail(list[i].ID, historyBytes)
		if err != nil {
			continue // a chat that cannot be read has no history
		}
		for _, e := range events {
			if m, ok := e.Body.(chats.UserMessage); ok && m.Text != "" && m.By == "" {
				typed = append(typed, m.Text)
			}
		}
	}
	return typed[max(0, len(typed)-historyMost):], nil
}
