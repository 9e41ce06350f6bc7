package tui

import (
	"context"
	"math"

	"charm.land/bubbletea/v2"

	"conch/chats"
	"conch/pastchats"
	"conch/tui/sheet"
	"conch/tui/theme"
	"conch/tui/transcript"
)

// How much of a chat the sheet's pane shows: of its end in bytes, around a message
// that matches in messages, and how far back that is looked for in a chat of
// Conch's own.
const (
	previewBytes  = 48 << 10
	previewBefore = 12
	previewAfter  = 24
	previewBack   = 8 << 20
	previewLines  = 400
)

// previewMsg: a chat's words, drawn for the sheet's pane.
type previewMsg struct {
	id, match string
	width     int
	th        *theme.Theme
	lines     []string
	at        int // the line of the match, -1 for none
	err       error
}

// wantPreview reads the chat that the sheet's pane shows: around the message that
// matches, else its end.
func (m *model) wantPreview() {
	m.sheet.Lines(m.w, m.h, m.at) // it tells which chat the pane shows once drawn
	row, width, ok := m.sheet.Preview()
	if !ok {
		return
	}
	hit, _ := m.sheet.Match()
	match := hit.Message
	key := row.ID + " " + match
	if key == m.previewing {
		return
	}
	m.previewing = key
	th, words := m.th, m.sheet.Marked()
	m.later(m.crew.cmd("preview", func(ctx context.Context) tea.Msg {
		msg := previewMsg{id: row.ID, match: match, width: width, th: th, at: -1}
		var events []chats.Event
		if row.Past {
			events, msg.err = m.pastPart(ctx, row, hit)
		} else {
			events, msg.err = m.ownPart(row, match)
		}
		if msg.err == nil {
			msg.lines, msg.at = part(th, events, words, match, width)
		}
		return msg
	}))
}

// ownPart is a part of one of Conch's own chats.
func (m *model) ownPart(row sheet.Row, match string) ([]chats.Event, error) {
	log, err := m.d.Store.OpenReader(row.ID)
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // it was only read
	events, more, err := log.Tail(previewBytes)
	if match == "" || err != nil {
		return events, err
	}
	for size := int64(0); ; size += page {
		if at := messageAt(events, match); at >= 0 {
			return events[max(at-2*previewBefore, 0):min(at+2*previewAfter, len(events))], nil
		}
		if !more || size >= previewBack || len(events) == 0 {
			return events, nil
		}
		if events, more, err = log.Before(events[0].Seq, page); err != nil {
			return nil, err
		}
	}
}

// messageAt is the first event of a message, -1 for none.
func messageAt(events []chats.Event, id string) int {
	for i, e := range events {
		switch b := e.Body.(type) {
		case chats.UserMessage:
			if b.MessageID == id {
				return i
			}
		case chats.AssistantDelta:
			if b.MessageID == id {
				return i
			}
		}
	}
	return -1
}

// pastPart is a part of another app's chat: around the message that matches, else
// its end. What lies before is passed over without being read.
func (m *model) pastPart(ctx context.Context, row sheet.Row, match sheet.Hit) ([]chats.Event, error) {
	if m.past.store == nil {
		return nil, pastchats.ErrNotFound
	}
	from, to := max(row.Messages-previewBefore-previewAfter, 0), math.MaxInt
	if match.Message != "" {
		from, to = max(match.N-previewBefore, 0), match.N+previewAfter
	}
	events, seen, err := m.pastSpan(ctx, row.ID, from, to, match.Message)
	if seen || err != nil {
		return events, err
	}
	return m.pastMoved(ctx, row.ID, match.Message)
}

// pastSpan are the messages of a past chat from one place to another; seen reports
// that the one looked for is among them, or any if none is.
func (m *model) pastSpan(ctx context.Context, id string, from, to int, match string) (events []chats.Event, seen bool, err error) {
	var said pastItems
	err = m.past.store.MessagesAt(id, func(n int) bool { return from <= n && n <= to }, func(n int, msg pastchats.Message) bool {
		said.add(msg)
		seen = seen || match == "" || msg.ID == match
		return n < to && ctx.Err() == nil
	})
	return said.events, seen, err
}

// pastMoved is a part of a past chat that is not as the list or the index has it:
// all of it is read.
func (m *model) pastMoved(ctx context.Context, id, match string) ([]chats.Event, error) {
	place, last := -1, -1
	err := m.past.store.Messages(id, func(msg pastchats.Message) bool {
		last++
		if match != "" && msg.ID == match {
			place = last
		}
		return place < 0 && ctx.Err() == nil
	})
	if err != nil {
		return nil, err
	}
	from, to := max(last-previewBefore-previewAfter, 0), math.MaxInt
	if place >= 0 {
		from, to = max(place-previewBefore, 0), place+previewAfter
	}
	events, _, err := m.pastSpan(ctx, id, from, to, "")
	return events, err
}

// part draws events, with words marked; at is the line of the message that matches.
func part(th *theme.Theme, events []chats.Event, words []string, match string, width int) (lines []string, at int) {
	items := transcript.New(th, transcript.Options{Still: true})
	items.Mark(words)
	items.Apply(events)
	items.SetSize(width, previewLines)
	at = -1
	if match != "" && items.GoToMessage(match) {
		at = items.Offset()
	}
	lines = append(lines, items.Lines()...)
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
		at = max(at-1, -1)
	}
	return lines, at
}

func (m *model) previewKnown(msg previewMsg) {
	m.previewing = ""
	if m.sheet == nil || msg.th != m.th {
		return
	}
	row, width, ok := m.sheet.Preview()
	if !ok || row.ID != msg.id || width != msg.width {
		return
	}
	if h, _ := m.sheet.Match(); h.Message != msg.match {
		return
	}
	if msg.err != nil {
		msg.lines, msg.at = []string{m.th.Muted.Render("it can't be read")}, -1
	}
	m.sheet.SetPreviewAt(msg.id, msg.match, width, msg.lines, msg.at)
}
