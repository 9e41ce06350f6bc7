package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"conch/pastchats"
	"conch/search"
)

// pasts is other apps' chats as a test has them.
type pasts struct {
	mu      sync.Mutex
	status  pastchats.Status
	chats   map[string][]pastchats.Message
	entries []pastchats.Entry
	stamp   int
	result  pastchats.Result
	err     error
	wait    int // chats that are not indexed

	looks   int
	runs    int
	read    int // messages that were read at their places
	notNow  int
	looking chan struct{} // a look waits for it, if it is there
	told    chan pastchats.Progress
	goOn    chan struct{} // a run ends by it, or by being stopped
	stopped chan struct{} // closed when a run was stopped
	slow    chan struct{} // a search waits for it, if it is there
	asked   []string      // what was searched for
	own     *search.Hit   // found in a chat of Conch's own
}

func newPasts() *pasts {
	return &pasts{chats: map[string][]pastchats.Message{}, told: make(chan pastchats.Progress), goOn: make(chan struct{}), stopped: make(chan struct{})}
}

func (p *pasts) others() *others { return &others{apps: p, store: p, find: p, parse: search.Parse} }

func (p *pasts) Look(ctx context.Context) (pastchats.Status, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks++
	if p.looking != nil {
		select {
		case <-p.looking:
		case <-ctx.Done():
		}
	}
	st := p.status
	st.Brought = len(p.entries)
	return st, nil
}

func (p *pasts) LookAgain(ctx context.Context) (pastchats.Status, error) { return p.Look(ctx) }

func (p *pasts) NotNow() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notNow++
	return nil
}

func (p *pasts) BringIn(ctx context.Context, _ []string, progress func(pastchats.Progress)) (pastchats.Result, error) {
	p.mu.Lock()
	p.runs++
	err := p.err
	p.mu.Unlock()
	if err != nil {
		return pastchats.Result{}, err
	}
	for {
		select {
		case <-ctx.Done():
			close(p.stopped)
			res := p.done()
			res.Stopped = true
			return res, nil
		case to := <-p.told:
			progress(to)
		case <-p.goOn:
			return p.done(), nil
		}
	}
}

func (p *pasts) done() pastchats.Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.status.Sources {
		p.status.Sources[i].Fresh = 0
	}
	return p.result
}

// count is how often something was asked.
func (p *pasts) count(what *int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return *what
}

// add puts a chat in: its messages by turns of the person and the assistant.
func (p *pasts) add(e pastchats.Entry, said ...string) {
	for i, text := range said {
		role := pastchats.User
		if i%2 == 1 {
			role = pastchats.Assistant
		}
		p.chats[e.ID] = append(p.chats[e.ID], pastchats.Message{ID: fmt.Sprintf("%s.%d", e.Source, i), Role: role, Text: text, At: e.Created})
	}
	e.Messages = len(said)
	p.entries = append(p.entries, e)
	p.stamp++
}

func (p *pasts) List() ([]pastchats.Entry, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := slices.Clone(p.entries)
	slices.SortFunc(out, func(a, b pastchats.Entry) int { return b.Updated.Compare(a.Updated) })
	return out, nil
}

func (p *pasts) Stamp() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprint("s", p.stamp), nil
}

func (p *pasts) Find(id string) (pastchats.Entry, error) {
	for _, e := range p.entries {
		if e.ID == id {
			return e, nil
		}
	}
	return pastchats.Entry{}, pastchats.ErrNotFound
}

func (p *pasts) MessagesAt(id string, want func(n int) bool, each func(n int, m pastchats.Message) bool) error {
	for n, m := range p.chats[id] {
		if !want(n) {
			continue
		}
		p.mu.Lock()
		p.read++
		p.mu.Unlock()
		if !each(n, m) {
			return nil
		}
	}
	return nil
}

func (p *pasts) Messages(id string, each func(pastchats.Message) bool) error {
	for _, m := range p.chats[id] {
		if !each(m) {
			return nil
		}
	}
	return nil
}

func (p *pasts) Behind() (int, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.wait, len(p.entries)
}

// Search finds messages that hold all words, as the index does.
func (p *pasts) Search(ctx context.Context, q search.Query, o search.Options) (search.Results, error) {
	p.mu.Lock()
	p.asked = append(p.asked, q.Typed)
	slow := p.slow
	p.mu.Unlock()
	if slow != nil {
		select {
		case <-slow:
		case <-ctx.Done():
			return search.Results{}, ctx.Err()
		}
	}
	var res search.Results
	if p.own != nil {
		res.Hits, res.Chats = append(res.Hits, *p.own), 1
	}
	for _, e := range p.entries {
		if len(q.Apps) > 0 && !slices.Contains(q.Apps, e.Source) {
			continue
		}
		n := 0
		for i, m := range p.chats[e.ID] {
			low := strings.ToLower(m.Text)
			all := len(q.Words) > 0
			var marks [][2]int
			for _, w := range q.Words {
				at := strings.Index(low, strings.ToLower(w))
				all = all && at >= 0
				marks = append(marks, [2]int{at, at + len(w)})
			}
			if !all {
				continue
			}
			slices.SortFunc(marks, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
			res.Total++
			if n++; n == 1 {
				res.Chats++
				res.Hits = append(res.Hits, search.Hit{
					Chat:    search.Chat{ID: e.ID, App: e.Source, Title: e.Title, Project: e.Project, From: e.From(), Untrusted: true, Updated: e.Updated},
					Message: m.ID, N: i, Role: string(m.Role), At: m.At, Snippet: m.Text, Marks: marks,
				})
			}
		}
	}
	return res, nil
}

// someSources are what the four apps of a person have.
func someSources() []pastchats.Source {
	at := func(y int, m time.Month) time.Time { return time.Date(y, m, 3, 12, 0, 0, 0, time.Local) }
	return []pastchats.Source{
		{ID: "claude-code", Label: "Claude Code", Found: 912, Fresh: 912, From: at(2025, 3), Projects: []pastchats.Project{{Name: "shop", Count: 310}, {Name: "novel", Count: 122}, {Name: "infra", Count: 88}, {Name: "site", Count: 3}}},
		{ID: "codex", Label: "Codex", Found: 301, Fresh: 301, From: at(2025, 7), Projects: []pastchats.Project{{Name: "shop", Count: 140}, {Name: "site", Count: 61}}},
		{ID: "gemini-cli", Label: "Gemini CLI", Found: 44, Fresh: 44, From: at(2026, 2), Projects: []pastchats.Project{{Name: "notes", Count: 30}}},
		{ID: "opencode", Label: "OpenCode", Found: 27, Fresh: 27, From: at(2026, 9), Projects: []pastchats.Project{{Name: "infra", Count: 19}}},
	}
}

// someChats puts a few past chats in.
func (p *pasts) someChats() {
	at := func(m time.Month, d int) time.Time { return time.Date(2026, m, d, 12, 0, 0, 0, time.Local) }
	add := func(n int, source, label, project, title string, when time.Time, said ...string) {
		p.add(pastchats.Entry{ID: fmt.Sprintf("pc_%016x", n), Source: source, Label: label, Project: project, Title: title, Created: when, Updated: when}, said...)
	}
	add(1, "claude-code", "Claude Code", "shop", "Cart rounding", at(10, 3),
		"the cart total panics when it's empty, can we return zero?",
		"Yes. A zero total for an **empty** cart is what **checkout** expects: it shows \"nothing to pay\" and goes on.\n\n- guard the empty cart\n- return `Zero`\n\n```go\nreturn Zero, nil\n```",
		"and the rounding?", "Half to even, as before.")
	add(2, "codex", "Codex", "shop", "Checkout retries", at(9, 28),
		"checkout sometimes sends two orders", "The retry has no key: an empty reply is taken for a failure.")
	add(3, "gemini-cli", "Gemini CLI", "notes", "Launch list", at(8, 12), "what is left before the launch?", "Prices, the checkout page, the press kit.")
}
