package tui

import (
	"context"
	"strings"
	"time"

	"charm.land/bubbletea/v2"

	"conch/plain"
	"conch/search"
	"conch/tui/sheet"
)

// How a search goes that is made anew with every key: it begins when no key came
// for the time of a frame, and says that it goes on when it takes longer.
const (
	foundAtFirst = 200 // hits; more when the person comes to their end
	foundAtMost  = 5000
	slowSearch   = 300 * time.Millisecond
	behindTime   = time.Second
)

// finding is the search for what is typed in the sheet.
type finding struct {
	serial int
	words  string // what was looked for last
	limit  int
	cancel context.CancelFunc

	wait, of int  // chats that are not indexed yet
	looking  bool // behindMsg is on its way
}

type (
	// foundMsg: what a search gave.
	foundMsg struct {
		serial   int
		found    *sheet.Found
		err      error
		wait, of int
	}
	// slowMsg: a search takes its time.
	slowMsg struct{ serial int }
	// behindMsg: how far the index is.
	behindMsg struct{ wait, of int }
)

// wantFound looks for what is typed in the sheet unless that was done.
func (m *model) wantFound() {
	f := &m.finding
	words := strings.TrimSpace(m.sheet.Filter())
	if strings.HasPrefix(words, "/") {
		words = ""
	}
	switch {
	case words != f.words:
		f.words, f.limit = words, foundAtFirst
		if words != "" {
			m.sheet.Searching(false)
		}
	case f.cancel == nil && words != "" && f.limit < foundAtMost && m.sheet.WantsMore():
		f.limit = min(f.limit*5, foundAtMost)
	default:
		return
	}
	m.findAgain()
}

// findAgain looks for the words; a search that is under way is given up.
func (m *model) findAgain() {
	f := &m.finding
	f.stop()
	if f.words == "" {
		m.sheet.SetFound(nil)
		return
	}
	f.serial++
	ctx, cancel := context.WithCancel(m.crew.ctx)
	f.cancel = cancel
	serial, words, now := f.serial, f.words, m.at
	o := search.Options{Limit: f.limit, PerChat: 1, Newest: true}
	find, parse := m.past.find, m.past.parse
	m.later(m.crew.cmd("search", func(context.Context) tea.Msg {
		defer cancel()
		t := time.NewTimer(frame)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		q := parse(words, now)
		res, err := find.Search(ctx, q, o)
		if ctx.Err() != nil {
			return nil
		}
		wait, of := find.Behind()
		wait = max(wait, res.Wait) // what the search had to do without is looked through later
		of = max(of, wait)
		return foundMsg{serial: serial, found: foundOf(q, res), err: err, wait: wait, of: of}
	}))
	m.later(m.crew.after(slowSearch, slowMsg{serial}))
}

// stop gives up a search that is under way.
func (f *finding) stop() {
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
}

// forgetFound gives up what was looked for in the sheet: when it is opened again,
// the same words are looked for anew.
func (m *model) forgetFound() {
	m.finding.stop()
	if m.finding.words != "" {
		m.finding.words = ""
		m.sheet.SetFound(nil)
	}
}

// foundOf is what a search gave, as the sheet shows it.
func foundOf(q search.Query, res search.Results) *sheet.Found {
	f := &sheet.Found{
		Hits: make([]sheet.Hit, 0, len(res.Hits)), Chats: res.Chats, More: res.More,
		Hint: plain.Line(res.Hint, 300), Words: append(append([]string(nil), q.Words...), q.Phrases...),
	}
	for _, w := range res.Close {
		f.Close = append(f.Close, plain.Line(w, 60))
		f.Words = append(f.Words, w)
	}
	for _, h := range res.Hits {
		f.Hits = append(f.Hits, sheet.Hit{
			Row: sheet.Row{
				ID: h.Chat.ID, Provider: h.Chat.App, Project: h.Chat.Project, Title: h.Chat.Title,
				Updated: h.Chat.Updated, Past: h.Chat.Untrusted,
			},
			Message: h.Message, N: h.N, Mine: h.Role == "user", Snippet: h.Snippet, Marks: h.Marks,
		})
	}
	return f
}

// foundKnown takes in what a search gave, unless it is for other words by now.
func (m *model) foundKnown(msg foundMsg) {
	if msg.serial != m.finding.serial || m.sheet == nil {
		return
	}
	m.finding.cancel = nil
	if msg.err != nil {
		m.d.Log("search: %v", msg.err)
		m.sheet.SetFound(nil)
		m.sheet.SetNote("all that was said can't be searched now; titles are")
		return
	}
	m.behind(msg.wait, msg.of, true)
	if act := m.sheet.SetFound(msg.found); act.Kind != sheet.None && m.sheeted {
		m.sheetAction(act)
	}
}

func (m *model) slowFound(msg slowMsg) {
	if msg.serial == m.finding.serial && m.finding.cancel != nil && m.sheet != nil && m.sheet.Pending() {
		m.sheet.Searching(true)
	}
}

// behind says how far the index is, and looks again while it isn't there and the
// sheet is open; once, too, after a search: chats that came right before it may not
// be counted yet.
func (m *model) behind(wait, of int, searched bool) {
	f := &m.finding
	f.wait, f.of = wait, of
	m.sheet.SetGoing(m.goesOn())
	if wait == 0 && !searched || !m.sheeted || f.looking {
		return
	}
	f.looking = true
	m.lookBehind(behindTime)
}

// lookBehind asks how far the index is, after some time.
func (m *model) lookBehind(after time.Duration) {
	if m.past.find == nil {
		return
	}
	find := m.past.find
	m.later(m.crew.cmd("index", func(ctx context.Context) tea.Msg {
		t := time.NewTimer(after)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		wait, of := find.Behind()
		return behindMsg{wait, of}
	}))
}

// behindKnown takes in how far the index is. What it has more of is looked through,
// too.
func (m *model) behindKnown(msg behindMsg) {
	f := &m.finding
	f.looking = false
	if m.sheet == nil {
		return
	}
	was, of := f.wait, f.of
	m.behind(msg.wait, msg.of, false)
	if (msg.wait < was || msg.of != of) && m.sheeted && f.words != "" && f.cancel == nil {
		m.findAgain()
	}
}

// worthSaying is from how many chats on it is said that the index is behind. Fewer
// are read in less time than it takes to notice, and the chat that one is in is
// always among them.
const worthSaying = 25

// goesOn is one line about what goes on while the sheet is open.
func (m *model) goesOn() string {
	if words := m.bringingWords(); words != "" {
		return words
	}
	if f := m.finding; f.wait >= worthSaying {
		return m.th.Signs.Running + " still indexing " + number(f.wait) + " of " + number(f.of) + "; these are read as far as there is time"
	}
	return ""
}
