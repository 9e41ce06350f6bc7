package tui

import (
	"context"
	"errors"
	"sync"

	"conch/pastchats"
	"conch/plain"
	"conch/tui/keys"
	"conch/tui/moment"
)

// elsewhere says why nothing is brought in here now.
const elsewhere = "another conch is bringing chats in; they are in the list as they come"

// bringNew brings in what is new, from the sheet. Where nothing was ever brought in
// it is asked first.
func (m *model) bringNew() {
	switch {
	case m.past.apps == nil:
		m.tellHere("other apps' chats can't be brought in here", true)
	case m.bring.run != nil:
		m.tellHere("they are coming in; /import shows how far it is", false)
	default:
		m.bring.asked = true
		m.tellHere(m.th.Signs.Running+" looking for chats of your other apps", false)
		m.look(forSheet)
	}
}

// bringIn begins a run. It goes on beside everything else, and ends with Conch at
// the latest.
func (m *model) bringIn() {
	b, apps := &m.bring, m.past.apps
	if b.run != nil {
		return
	}
	if b.card == nil {
		m.newMoment()
	}
	if b.status != nil && b.card.Total() == 0 {
		b.card.Found(*b.status)
	}
	b.card.Run(m.at)
	b.status, b.quarter = nil, 0
	ctx, cancel := context.WithCancel(m.crew.ctx)
	b.run = cancel
	if m.sheet != nil {
		m.sheet.SetNote("")
		m.sheet.SetFresh("")
		m.sheet.SetGoing(m.goesOn())
	}
	send := m.crew.send
	m.crew.run("bring in", func(context.Context) {
		defer cancel()
		box := newMailbox()
		var told sync.WaitGroup
		told.Go(func() {
			defer m.crew.guard("progress")
			box.deliver(ctx, func(p pastchats.Progress) { send(progressMsg{p}) })
		})
		res, err := apps.BringIn(ctx, nil, box.put)
		box.close()
		told.Wait()
		send(broughtMsg{res, err})
	})
}

// stopBringing stops a run; what came in stays.
func (m *model) stopBringing() {
	if b := &m.bring; b.run != nil {
		b.card.Stop()
		b.run()
	}
}

func (m *model) progress(msg progressMsg) {
	b := &m.bring
	if b.run == nil {
		return
	}
	b.card.Progress(msg.progress)
	m.sayQuarter(msg.progress)
	if !m.sheeted {
		return
	}
	m.sheet.SetGoing(m.goesOn())
	if m.at.Sub(b.relisted) >= relistTime {
		b.relisted = m.at
		m.readRows()
	}
}

// brought takes in the end of a run.
func (m *model) brought(msg broughtMsg) {
	b := &m.bring
	b.run = nil
	res, err := msg.result, msg.err
	if errors.Is(err, context.Canceled) {
		res.Stopped, err = true, nil
	}
	plainly := m.d.Options.Plain
	switch {
	case errors.Is(err, pastchats.ErrRunning):
		m.hideMoment()
		m.tellHere(elsewhere, false)
	case err != nil:
		m.d.Log("bring in past chats: %v", err)
		b.card.Fail(bringFailed(err))
		if !b.shown {
			m.hideMoment()
			m.tellHere("your other apps' chats couldn't be brought in: "+bringFailed(err)+" → /import tries again", true)
		}
	default:
		b.card.Finish(res)
		if !b.shown {
			words := moment.Sum(res)
			if !m.sheeted && res.Chats > 0 {
				words += " · " + firstOf(m.keys.First(keys.OpenSheet, keys.Empty), "/search") + " searches them"
			}
			if plainly && res.Chats > 0 {
				words = moment.Sum(res) + ". /search and words searches them."
			}
			m.hideMoment()
			m.tellHere(words, false)
		}
	}
	if m.sheet != nil {
		m.sheet.SetGoing(m.goesOn())
	}
	if m.sheeted {
		m.readRows()
	}
}

func bringFailed(err error) string {
	if errors.Is(err, pastchats.ErrNewer) {
		return "a newer conch wrote the list of past chats; it isn't changed by this one"
	}
	return plain.Line(err.Error(), 200)
}

// bringingWords say how far a run is, "" when none is going.
func (m *model) bringingWords() string {
	b := &m.bring
	if b.run == nil || b.card == nil {
		return ""
	}
	return m.th.Signs.Running + " bringing in your other apps' chats · " + b.card.Far(m.at)
}

// sayQuarter says in plain lines how far a run is, four times.
func (m *model) sayQuarter(p pastchats.Progress) {
	if !m.d.Options.Plain || p.Total < 100 {
		return
	}
	if q := p.Done * 4 / p.Total; q > m.bring.quarter && q < 4 {
		m.bring.quarter = q
		m.say(m.bringingWords(), false)
	}
}
