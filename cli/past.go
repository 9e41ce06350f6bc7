package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"conch/chats"
	"conch/config"
	"conch/conversation"
	"conch/engine"
	"conch/pastchats"
	"conch/plain"
	"conch/search"
	"conch/tools"
)

// past is what was brought in from other apps, and the index over all chats.
type past struct {
	service *pastchats.Service
	store   *pastchats.Store
	index   *search.Index
	notes   []string // what a person should know, such as that the list was rebuilt
}

// openPast opens the past chats and the index. Nothing is looked at and nothing
// is made by it. The engines are needed to tell Conch's own sessions.
func (a *app) openPast() error {
	_, err := a.pastOpened()
	return err
}

// pastOpened is openPast for who is not alone: a tool is called while others work.
func (a *app) pastOpened() (*past, error) {
	a.opening.Lock()
	defer a.opening.Unlock()
	if a.closed {
		return nil, errors.New("conch is closing")
	}
	if err := a.openEngines(); err != nil || a.past != nil {
		return a.past, err
	}
	p := &past{}
	store, err := pastchats.OpenStore(a.home, a.host.Now, func(note string) {
		a.logger().Info(note, "code", "past-chats")
		p.notes = append(p.notes, note)
	})
	if err != nil {
		return nil, fmt.Errorf("open the past chats in %s: %w", a.home, err)
	}
	p.store = store
	keys := a.givenKeys()
	clean := tools.Clean(keys)
	log := func(code, line string) { a.logger().Info(line, "code", code) }
	p.index, err = search.Open(a.home, log, search.Cleaned(search.Own(a.store), clean), search.Cleaned(pastWords{store}, clean))
	if err != nil {
		return nil, fmt.Errorf("open the search index in %s: %w", a.home, err)
	}
	env := func(name string) string { return a.env(name) }
	home := pastchats.NewHome(personHome(a.host), a.pretendHome(), env, filepath.Join(a.home, "past-chats", "tmp"))
	p.service = pastchats.New(pastchats.Options{
		Home: home, Store: store, Now: a.host.Now, Own: a.ownSessions, Index: p.index, Keys: keys,
		Consent: consent{config.OpenState(a.home)}, Log: log,
	})
	a.past = p
	return p, nil
}

// pretendHome is the only home that past chats are looked for in, "" for the
// person's own.
func (a *app) pretendHome() string {
	dir := a.env("CONCH_IMPORT_HOME")
	if dir == "" {
		return ""
	}
	return absolute(a.host.Dir, dir)
}

// ownSessions gives the sessions behind Conch's own chats, deleted ones too, as
// their programs call them. An id is one in a world of them, so that it is left
// out wherever it is met.
func (a *app) ownSessions() (map[string][]string, error) {
	list, err := a.store.List()
	if err != nil {
		return nil, err
	}
	gone, err := a.store.Deleted(0)
	if err != nil {
		// At worst a chat that was thrown away is met again as a past one.
		a.logger().Warn("list the deleted chats", "error", err)
	}
	var ids []string
	for _, chat := range append(list, gone...) {
		for _, resume := range chat.Held {
			ids = append(ids, appSession(a.engines, resume))
		}
	}
	own := map[string][]string{}
	for _, app := range pastchats.Order() {
		own[app] = ids
	}
	return own, nil
}

// appSession is what a resume id comes to for the engine that can read it, else
// the id itself.
func appSession(engines []engine.Engine, resume string) string {
	for _, e := range engines {
		if namer, ok := e.(engine.SessionNamer); ok {
			if id := namer.AppSession(resume); id != "" {
				return id
			}
		}
	}
	return resume
}

// consent keeps the person's answer in state.json.
type consent struct{ file *config.StateFile }

func (c consent) Answer() (pastchats.Answer, error) {
	s, err := c.file.Load()
	return pastchats.Answer{NotNow: s.PastNotNow, Apps: s.PastApps}, err
}

func (c consent) Change(change func(*pastchats.Answer)) error {
	return c.file.Change(func(s *config.State) {
		a := pastchats.Answer{NotNow: s.PastNotNow, Apps: s.PastApps}
		change(&a)
		s.PastNotNow, s.PastApps = a.NotNow, a.Apps
	})
}

// pastWords makes the past chats a source of the index.
type pastWords struct{ store *pastchats.Store }

func (w pastWords) Stamp() (string, error) { return w.store.Stamp() }

func (w pastWords) Chats() ([]search.Chat, error) {
	entries, err := w.store.List()
	list := make([]search.Chat, 0, len(entries))
	for _, e := range entries {
		list = append(list, search.Chat{
			ID: e.ID, App: e.Source, Title: e.Title, Project: e.Project, From: e.From(), Untrusted: true, Updated: e.Updated,
			Stamp: strconv.FormatInt(e.Size, 36) + "." + strconv.FormatInt(e.MTime, 36) + "." + strconv.Itoa(e.Count) + "." + strconv.Itoa(e.Messages),
		})
	}
	return list, err
}

func (w pastWords) Words(id string, each func(search.Word) bool) error {
	return w.store.Messages(id, func(m pastchats.Message) bool { return each(pastWord(m)) })
}

func (w pastWords) WordsAt(id string, want func(int) bool, each func(int, search.Word) bool) error {
	return w.store.MessagesAt(id, want, func(n int, m pastchats.Message) bool { return each(n, pastWord(m)) })
}

func pastWord(m pastchats.Message) search.Word {
	return search.Word{ID: m.ID, Role: string(m.Role), Text: m.Text, At: m.At}
}

var (
	pastForm   = regexp.MustCompile(`^pc_[0-9a-f]{16}$`)
	pastPrefix = regexp.MustCompile(`^pc_[0-9a-f]{0,15}$`)
)

// isPast reports that a word means a past chat: its id or the beginning of one.
func isPast(word string) bool { return strings.HasPrefix(strings.TrimSpace(word), "pc_") }

// findPast resolves a past chat's id or its unique beginning. Nothing that has
// not the form comes near a path.
func (a *app) findPast(word string) (pastchats.Entry, error) {
	if err := a.openPast(); err != nil {
		return pastchats.Entry{}, err
	}
	word = strings.TrimSpace(word)
	none := &failure{say: "no such past chat: " + plain.Line(word, 60), next: "conch import --list lists them", status: statusFailed}
	switch {
	case pastForm.MatchString(word):
		e, err := a.past.store.Find(word)
		if errors.Is(err, pastchats.ErrNotFound) {
			return e, none
		}
		return e, err
	case !pastPrefix.MatchString(word):
		none.next = "an id is pc_ and 16 letters a–f and digits; conch import --list lists them"
		return pastchats.Entry{}, none
	}
	list, err := a.past.store.List()
	if err != nil {
		return pastchats.Entry{}, fmt.Errorf("list the past chats: %w", err)
	}
	var near []pastchats.Entry
	for _, e := range list {
		if strings.HasPrefix(e.ID, word) {
			near = append(near, e)
		}
	}
	if len(near) == 1 {
		return near[0], nil
	}
	if len(near) > 1 {
		none.say = fmt.Sprintf("%s past chats begin with %s", grouped(len(near)), word)
	}
	return pastchats.Entry{}, none
}

// pastSummary gives a past chat the form in which chats are printed.
func pastSummary(e pastchats.Entry) chats.Summary {
	return chats.Summary{
		ID: e.ID, Title: e.Title, Folder: e.Project, Provider: e.Source, Answered: e.Model, Started: e.Created, Updated: e.Updated, Messages: e.Messages,
	}
}

// readPast reads a past chat whole.
func (a *app) readPast(word string) (pastchats.Entry, chats.Summary, []chats.Event, error) {
	e, err := a.findPast(word)
	if err != nil {
		return e, chats.Summary{}, nil, err
	}
	var events []chats.Event
	err = a.past.store.Events(e.ID, func(event chats.Event) bool {
		events = append(events, event)
		return true
	})
	if err != nil {
		return e, chats.Summary{}, nil, fmt.Errorf("read past chat %s: %w", e.ID, err)
	}
	return e, pastSummary(e), events, nil
}

// carry starts a chat of Conch's own with a past chat's words.
func (a *app) carry(ctx context.Context, id, folder string) (string, error) {
	if err := a.openPast(); err != nil {
		return "", err
	}
	return conversation.Adopt(ctx, conversation.Adoption{
		Past: a.past.store, Own: a.store, ID: id, Folder: folder, Branch: branchOf(folder), Engines: a.engines,
	})
}

// closePast lets go of the index, for good.
func (a *app) closePast() {
	a.opening.Lock()
	defer a.opening.Unlock()
	a.closed = true // a turn that was given up may still call a tool
	if a.past == nil {
		return
	}
	if err := a.past.index.Close(); err != nil {
		a.logger().Warn("close the search index", "error", err)
	}
	a.past = nil
}
