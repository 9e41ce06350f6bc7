package tui

import (
	"strconv"

	"conch/chats"
	"conch/pastchats"
)

// pastItems are messages of a past chat as events, for the list of items.
type pastItems struct {
	events []chats.Event
	turn   int
}

func (w *pastItems) add(msg pastchats.Message) {
	put := func(b chats.Body) {
		e := chats.Event{V: 1, Seq: int64(len(w.events)), ID: msg.ID, Turn: "t" + strconv.Itoa(w.turn), Body: b}
		if !msg.At.IsZero() {
			e.At = msg.At.UnixMilli()
		}
		w.events = append(w.events, e)
	}
	if msg.Role == pastchats.User {
		w.turn++
		put(chats.UserMessage{MessageID: msg.ID, Text: msg.Text})
		return
	}
	put(chats.AssistantDelta{MessageID: msg.ID, Channel: chats.ChannelText, Delta: msg.Text})
	put(chats.AssistantDone{MessageID: msg.ID})
}
