package tui

import (
	"context"
	"slices"

	"charm.land/bubbletea/v2"

	"conch/chats"
	"conch/engine"
	"conch/tui/clip"
	"conch/tui/keys"
)

// pictures is what the screen knows of pictures from the clipboard.
type pictures struct {
	reading *room           // the chat for which one is being read; nil: none is
	refused map[string]bool // providers that said in this process that they take none
	told    map[string]bool // running turns in which that was said
}

// clipboardMsg: what was in the clipboard for a chat.
type clipboardMsg struct {
	room    *room
	picture clip.Picture
}

// pastePicture puts the clipboard's picture into the prompt, once it is read.
func (m *model) pastePicture(r *room) {
	provider := r.status.Provider
	switch {
	case m.d.Options.Plain:
		m.say("a picture is pasted on the screen only; here, write @ and the path of its file", true)
		return
	case m.takesNoPictures(provider):
		m.say(provider+" takes no pictures  → "+m.keys.First(keys.Provider, keys.Draft)+" chooses another provider", true)
		return
	case m.pictures.reading != nil:
		return
	}
	m.pictures.reading = r
	c := copier(m.d)
	m.later(m.crew.cmd("clipboard", func(ctx context.Context) tea.Msg {
		return clipboardMsg{room: r, picture: c.Picture(ctx)}
	}))
}

func (m *model) picturePasted(msg clipboardMsg) {
	m.pictures.reading = nil
	if msg.picture.Words != "" {
		m.say(msg.picture.Words, true)
		return
	}
	if msg.room == m.room && msg.room.focus != onCard {
		m.focusOn(msg.room, onPrompt)
	}
	msg.room.prompt.AttachPicture(msg.picture.MIME, msg.picture.Data)
}

// takesNoPictures reports what is known for sure: the provider said so when it
// was asked for what it can do, or to a picture that it was sent.
func (m *model) takesNoPictures(provider string) bool {
	able := m.health[provider].Capabilities
	return m.pictures.refused[provider] || len(able) > 0 && !slices.Contains(able, engine.TakesImages)
}

// learnPictures hears a provider say that it takes no pictures. Which one it is
// stands in the end of the turn.
func (m *model) learnPictures(events []chats.Event) {
	p := &m.pictures
	for _, e := range events {
		switch b := e.Body.(type) {
		case chats.Notice:
			if b.Code == "no-images" {
				if p.told == nil {
					p.told, p.refused = map[string]bool{}, map[string]bool{}
				}
				p.told[e.Turn] = true
			}
		case chats.TurnCompleted:
			if p.told[e.Turn] && b.Engine != "" {
				p.refused[b.Engine] = true
			}
			delete(p.told, e.Turn)
		}
	}
}
