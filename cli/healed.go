package cli

import (
	"slices"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/plain"
)

// jsonHealed is a provider's own session that was gone.
type jsonHealed struct {
	Chat     string `json:"chat"`
	Title    string `json:"title"`
	Provider string `json:"provider"`
	At       string `json:"at"`
}

// How far back doctor looks for what was fixed.
const (
	healedChats = 40
	healedBytes = 256 << 10 // of the end of each chat
	healedMost  = 20
)

// healed finds what was fixed in the newest chats, newest first.
func (a *app) healed() []jsonHealed {
	all := []jsonHealed{}
	list, err := a.store.List()
	if err != nil {
		return all // the stores say so
	}
	for _, s := range list[:min(len(list), healedChats)] {
		events, err := a.readTail(s.ID, healedBytes)
		if err != nil {
			continue // a chat that cannot be read says nothing
		}
		for _, e := range slices.Backward(events) {
			b, ok := e.Body.(chats.Session)
			if ok && b.Restarted == engine.Lost && len(all) < healedMost {
				all = append(all, jsonHealed{s.ID, titleOf(s), plain.Line(b.Engine, 64), stamp(time.UnixMilli(e.At))})
			}
		}
	}
	return all
}
