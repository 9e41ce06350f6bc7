package tui

import (
	"context"
	"strings"

	"charm.land/bubbletea/v2"

	"conch/allchat/change"
	"conch/allchat/record"
	"conch/conversation"
	"conch/engine"
	"conch/plain"
	"conch/tui/card"
	"conch/tui/keys"
	"conch/tui/markdown"
)

// offer is what a proposal would change.
type offer struct {
	preview change.Preview
	failed  string
}

// The options of a proposal's card.
const (
	approves = "approve"
	declines = "decline"
)

// setOffers makes a card of each proposal that waits and whose preview is there, and
// asks for the previews that are not.
func (m *model) setOffers(r *running) {
	var cards []conversation.Card
	if r.alive() {
		for _, p := range r.snapshot().State.Proposals {
			if p.Status != record.ProposalWaits {
				continue
			}
			o, ok := r.previews[p.Proposal]
			if !ok {
				m.wantPreviewOf(r, p.Proposal)
				continue
			}
			cards = append(cards, m.offerCard(r, p, o))
		}
	}
	r.offers.Set(cards)
	if r.offering && r.offers.Len() == 0 {
		m.closeOffers(r)
	}
}

func (m *model) wantPreviewOf(r *running, proposal string) {
	if r.reading[proposal] || r.w == nil {
		return
	}
	r.reading[proposal] = true
	send := m.crew.send
	r.w.do(func(open run) {
		p, err := open.Preview(proposal)
		send(offerMsg{run: r, proposal: proposal, preview: p, err: err})
	})
}

func (m *model) offerKnown(msg offerMsg) {
	r := msg.run
	delete(r.reading, msg.proposal)
	o := offer{preview: msg.preview}
	if msg.err != nil {
		m.d.Log("preview of a proposal: %v", msg.err)
		o.failed = "what it would change can't be shown, so it can't be approved"
	}
	r.previews[msg.proposal] = o
	if !r.alive() && msg.err == nil {
		m.pager = m.previewPage(msg.proposal, msg.preview)
		return
	}
	m.setOffers(r)
}

// offerCard is a proposal as a card. The files are its subject: what is approved was on
// the screen whole.
func (m *model) offerCard(r *running, p record.Proposal, o offer) conversation.Card {
	by, n := r.pane.Of(p.By)
	perm := &engine.Permission{Tool: "proposal " + p.Proposal, Kind: engine.KindEdit, Subject: counted(o.preview, m.th.Signs.Minus), Diffs: o.preview.Diffs}
	if o.failed == "" {
		perm.Options = append(perm.Options, engine.PermissionOption{ID: approves, Name: "approve and apply", Kind: engine.AllowOnce})
	}
	perm.Options = append(perm.Options, engine.PermissionOption{ID: declines, Name: "decline", Kind: engine.RejectOnce})
	why := "nothing is written before you approve exactly this"
	if left := o.preview.Left; left > 0 {
		why = count(left, "line", "lines") + " of it are not shown here · " + why
	}
	for _, f := range o.preview.Files {
		if f.Hidden {
			why = plain.Line(f.Path, 200) + " gets characters that are not seen as they are · " + why
			break
		}
	}
	if o.failed != "" {
		why = o.failed
	}
	return conversation.Card{ID: p.Proposal, AskedBy: number(n) + " " + string(by.Role) + " " + by.Engine, Why: why, Permission: perm}
}

// counted are the files of a proposal with what is added and removed.
func counted(p change.Preview, minus string) string {
	type file struct {
		path, what     string
		added, removed int
	}
	var files []file
	for _, d := range p.Diffs {
		if len(files) == 0 || files[len(files)-1].path != d.Path {
			files = append(files, file{path: d.Path})
		}
		f := &files[len(files)-1]
		added, removed := markdown.Count(d.Old, d.New)
		f.added, f.removed = f.added+added, f.removed+removed
		switch {
		case d.Old == nil:
			f.what = "  new"
		case d.New == nil:
			f.what = "  goes"
		}
	}
	var lines []string
	for _, f := range files {
		lines = append(lines, f.path+"  +"+number(f.added)+" "+minus+number(f.removed)+f.what)
	}
	return strings.Join(lines, "\n")
}

// openOffers shows the proposals that wait, one after the other.
func (m *model) openOffers(r *running) {
	switch {
	case r.offers.Len() > 0:
		r.offering = true
		m.focusRun(r, runCard)
	case r.alive() && waitingOffers(r.snapshot()) > 0:
		m.say("the proposal is being read", false)
	case !r.alive() && len(r.snapshot().State.Proposals) > 0:
		m.openOldOffers(r)
	default:
		m.say("no proposal waits for you", false)
	}
}

func (m *model) closeOffers(r *running) {
	r.offering = false
	r.offers.Blur()
	m.focusRun(r, runTimeline)
}

// offerKey hands a key to the proposal that is shown.
func (m *model) offerKey(r *running, k tea.KeyPressMsg) {
	std, ok := m.keys.Standard(keys.Card, k)
	if !ok {
		return
	}
	out, _ := r.offers.Key(std, m.at)
	switch out.Kind {
	case card.Leave:
		m.closeOffers(r)
	case card.Answer:
		m.decideOffer(r, out.Card, out.Option == approves)
	}
}

// decideOffer is the person's word on a proposal, bound to the digest of what they saw.
func (m *model) decideOffer(r *running, proposal string, approve bool) {
	made := r.snapshot().State.Proposal(proposal)
	if made == nil {
		return
	}
	digest, ctx := made.Digest, m.crew.ctx
	doing := "apply the proposal"
	if !approve {
		doing = "decline the proposal"
	}
	m.doRun(r, doing, func(open run) error { return open.Decide(ctx, proposal, approve, digest) })
	if r.offers.Len() > 1 { // the next one is focused anew, by the person
		m.say("there are more: "+m.focusKey()+" to the next one", false)
	}
}

// openOldOffers lists the proposals of a run that goes on no more, to be read.
func (m *model) openOldOffers(r *running) {
	all, id := m.d.runs, r.id
	m.openPicker(&picker{
		title: "Proposals of this run",
		fill: func(p *picker) {
			p.rows = nil
			for _, each := range r.snapshot().State.Proposals {
				p.rows = append(p.rows, pick{id: each.Proposal, cells: []cell{{each.Proposal, plainly}, {string(each.Status), muted}, {count(len(each.Files), "file", "files") + ": " + each.Files[0].Path, muted}}})
			}
		},
		take: func(row pick) {
			m.later(m.crew.cmd("preview", func(context.Context) tea.Msg {
				p, err := all.Preview(id, row.id)
				if err != nil {
					return runTroubleMsg{run: r, doing: "show the proposal", err: err}
				}
				return offerMsg{run: r, proposal: row.id, preview: p}
			}))
		},
	})
}
