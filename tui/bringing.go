package tui

import (
	"context"
	"time"

	"charm.land/bubbletea/v2"

	"conch/pastchats"
	"conch/plain"
	"conch/tui/keys"
	"conch/tui/moment"
)

// How often a run is shown: its figures ten times a second, the list of chats while
// the sheet is open every other second. pressTime is how long an enter that brings
// chats in waits for another key, which would make it part of something else.
const (
	progressTime = 100 * time.Millisecond
	relistTime   = 2 * time.Second
	pressTime    = 60 * time.Millisecond
)

// bringing is other apps' chats being offered and brought in.
type bringing struct {
	card  *moment.Moment // nil: there is nothing to show
	shown bool           // it takes the place of the chat's items
	asked bool           // the person asked for it
	since time.Time      // when its question came

	status   *pastchats.Status // of the last look, nil when it is old
	looking  bool
	next     want               // looked for after that; forOffer for nothing
	run      context.CancelFunc // stops what comes in; nil when nothing does
	relisted time.Time
	quarter  int // --plain: quarters of the run that were said

	key      time.Time // when the last key came
	pressing int       // serial of the enter that waits
}

// want is why one looks.
type want int

const (
	forOffer want = iota // to offer it at the first start
	forCount             // to say in the sheet that there is something
	forSheet             // to bring in what is new from the sheet
	forCard              // /import
)

type (
	// lookMsg: what other apps have.
	lookMsg struct {
		want   want
		status pastchats.Status
		err    error
	}
	// countMsg: the number counts on.
	countMsg struct{ card *moment.Moment }
	// pressedMsg: no key came after an enter.
	pressedMsg struct{ serial int }
	// progressMsg: how far a run is.
	progressMsg struct{ progress pastchats.Progress }
	// broughtMsg: a run is over.
	broughtMsg struct {
		result pastchats.Result
		err    error
	}
)

// look asks what other apps have.
func (m *model) look(why want) {
	apps := m.past.apps
	if apps == nil {
		return
	}
	if m.bring.looking {
		m.bring.next = max(m.bring.next, why)
		return
	}
	m.bring.looking = true
	m.later(m.crew.cmd("look", func(ctx context.Context) tea.Msg {
		look := apps.Look
		if why == forCard || why == forSheet {
			look = apps.LookAgain
		}
		st, err := look(ctx)
		return lookMsg{want: why, status: st, err: err}
	}))
}

// countFresh looks what could be brought in, when the sheet is open that says it.
// Another conch may have brought it in meanwhile.
func (m *model) countFresh() {
	if m.sheeted && m.begun && m.bring.run == nil && !m.d.Options.Plain {
		m.look(forCount)
	}
}

// lookKnown takes in what other apps have. Somebody who never used one is told
// nothing of it.
func (m *model) lookKnown(msg lookMsg) {
	b := &m.bring
	b.looking = false
	if next := b.next; next > forOffer {
		b.next = forOffer
		m.look(next)
		return
	}
	quiet := msg.want == forOffer || msg.want == forCount
	if msg.err != nil {
		m.d.Log("look for past chats: %v", msg.err)
		if !quiet {
			m.hideMoment()
			m.tellHere("other apps' chats can't be looked for: "+plain.Line(msg.err.Error(), 200), true)
		}
		return
	}
	st := msg.status
	b.status = &st
	if m.sheet != nil {
		m.sheet.SetFresh(m.freshWords())
	}
	fresh := moment.Fresh(st)
	switch {
	case b.run != nil || msg.want == forCount:
	case quiet && (fresh == 0 || st.Running != nil || st.Answer.NotNow):
	case st.Running != nil:
		m.hideMoment()
		m.tellHere(elsewhere, false)
	case fresh == 0:
		m.hideMoment()
		m.tellHere(m.nothingNew(st), false)
	case msg.want == forSheet && len(st.Answer.Apps) > 0:
		m.bringIn()
	case m.d.Options.Plain:
		m.offerPlain(st, quiet)
	case quiet && !m.room.items.Empty():
		m.say("found "+count(fresh, "conversation", "conversations")+" of your other apps · /import brings them in", false)
	default:
		m.offer(st)
	}
}

func (m *model) nothingNew(st pastchats.Status) string {
	if st.Brought == 0 {
		return "no chats of other apps were found"
	}
	return "nothing new: " + number(st.Brought) + " chats of your other apps are here"
}

// tellHere says a line where the person looks: in the sheet, or below the chat.
func (m *model) tellHere(words string, bad bool) {
	if m.sheeted && !m.d.Options.Plain {
		m.sheet.SetNote(words)
		return
	}
	m.say(words, bad)
}

// offer shows what was found in the place of the chat's items.
func (m *model) offer(st pastchats.Status) {
	m.newMoment().Found(st)
	m.showMoment()
	m.count()
}

func (m *model) newMoment() *moment.Moment {
	m.bring.card = moment.New(m.th, moment.Keys{Yes: m.keys.First(keys.MomentYes, keys.Moment), Later: m.keys.First(keys.MomentLater, keys.Moment)}, m.motion)
	return m.bring.card
}

func (m *model) showMoment() {
	m.reader = nil
	if m.sheeted {
		m.closeSheet()
	}
	m.bring.shown, m.bring.since = true, m.at
	m.focusOn(m.room, onPrompt)
}

// hideMoment puts it away. What comes in goes on.
func (m *model) hideMoment() {
	b := &m.bring
	b.shown = false
	if b.run == nil {
		b.card = nil
	}
}

// count lets the number run up, where things may move.
func (m *model) count() {
	if b := &m.bring; b.card != nil && b.card.Counting() {
		m.later(m.crew.after(moment.StepTime, countMsg{b.card}))
	}
}

func (m *model) countOn(msg countMsg) {
	if msg.card == m.bring.card && msg.card.Step() {
		m.count()
	}
}

// momentKey does what a key means below the offer; false for one that is the
// prompt's. What was typed before the offer could be read answers nothing, and an
// enter that comes together with other keys is part of those.
func (m *model) momentKey(a keys.Action, last time.Time) bool {
	b := &m.bring
	early := m.at.Sub(b.since) < quiet
	switch {
	case a == keys.MomentLater && !early:
		m.momentLater()
	case a == keys.MomentYes && !early && m.at.Sub(last) >= quiet:
		m.serial++
		b.pressing = m.serial
		m.later(m.crew.after(pressTime, pressedMsg{b.pressing}))
	case a == keys.MomentYes || a == keys.MomentLater:
	default:
		return false
	}
	return true
}

// pressed is an enter that no other key followed.
func (m *model) pressed(msg pressedMsg) {
	b := &m.bring
	if msg.serial != b.pressing || !b.shown || m.place() != keys.Moment {
		return
	}
	b.pressing = 0
	switch b.card.State() {
	case moment.Offer:
		m.bringIn()
	case moment.Done:
		words := b.card.Example()
		m.hideMoment()
		m.openSheet(words)
	case moment.Failed:
		m.hideMoment()
	}
}

func (m *model) momentLater() {
	b := &m.bring
	switch b.card.State() {
	case moment.Running:
		m.stopBringing()
	case moment.Stopping:
	case moment.Offer:
		if b.asked {
			m.hideMoment()
			return
		}
		m.notNow()
	default:
		m.hideMoment()
	}
}

// notNow remembers that the offer was put off.
func (m *model) notNow() {
	apps := m.past.apps
	if apps == nil {
		return
	}
	m.hideMoment()
	m.say("not now · /import brings them in whenever you like", false)
	m.later(m.crew.cmd("not now", func(context.Context) tea.Msg {
		if err := apps.NotNow(); err != nil {
			m.d.Log("remember that past chats were put off: %v", err)
		}
		return nil
	}))
}

// wroteOn puts the offer away when the person writes: what they do comes first.
func (m *model) wroteOn() {
	b := &m.bring
	if !b.shown {
		return
	}
	offered := b.card.State() == moment.Offer
	m.hideMoment()
	if offered {
		m.say("/import brings in your other apps' chats later", false)
	}
}

// openMoment is /import.
func (m *model) openMoment() {
	b := &m.bring
	switch {
	case m.past.apps == nil:
		m.say("other apps' chats can't be brought in here", true)
	case b.run != nil && m.d.Options.Plain:
		m.say(m.bringingWords(), false)
	case b.run != nil:
		m.showMoment()
	default:
		b.asked = true
		m.newMoment()
		if !m.d.Options.Plain {
			m.showMoment()
		}
		m.look(forCard)
	}
}

// freshWords say in the sheet what could be brought in.
func (m *model) freshWords() string {
	b := &m.bring
	if b.status == nil || b.run != nil {
		return ""
	}
	n := moment.Fresh(*b.status)
	if n == 0 {
		return ""
	}
	key := firstOf(m.keys.First(keys.Import, keys.Sheet), "/import")
	if b.status.Brought > 0 {
		return number(n) + " new in your other apps · " + key + " brings them in"
	}
	return count(n, "conversation", "conversations") + " of your other apps can be searched here too · " + key + " brings them in"
}

// offerPlain is the offer as lines.
func (m *model) offerPlain(st pastchats.Status, quiet bool) {
	c := m.newMoment()
	c.Found(st)
	found := "Found " + count(c.Total(), "conversation", "conversations") + " from " + moment.Gathered(c.Apps()) + "."
	if quiet {
		m.say(found+" /import brings them in, /import no is not now.", false)
		return
	}
	m.asks(found+" Bring them in? They stay where they are; Conch copies the words, takes keys out, and makes them searchable. Nothing is sent anywhere.", "bring in", func() {
		m.bringIn()
		m.say("Bringing them in. You can write meanwhile.", false)
	})
}
