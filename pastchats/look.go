package pastchats

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"conch/plain"
)

// keepLook is how long a look is good for.
const keepLook = 60 * time.Second

// maxProjects is how many projects a look names of an app.
const maxProjects = 12

// sight is what was found, by app in the order of the table.
type sight struct {
	at    time.Time
	apps  [][]seen
	left  int
	notes []string
}

// seen is a chat that was found.
type seen struct {
	chatFile
	pastID string
}

// looking is a look that is going on. It ends early when nobody waits any more.
type looking struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiters int
	look    *sight
	err     error
}

// Look says what is there. It is kept for 60 seconds; two askers share one look.
func (s *Service) Look(ctx context.Context) (Status, error) { return s.see(ctx, false) }

// LookAgain looks whatever was kept.
func (s *Service) LookAgain(ctx context.Context) (Status, error) { return s.see(ctx, true) }

func (s *Service) see(ctx context.Context, again bool) (Status, error) {
	l, err := s.look(ctx, again)
	if err != nil {
		return Status{}, err
	}
	return s.status(l)
}

func (s *Service) look(ctx context.Context, again bool) (*sight, error) {
	s.mu.Lock()
	if l := s.kept; l != nil && !again {
		if age := s.o.Now().Sub(l.at); age >= 0 && age < keepLook {
			s.mu.Unlock()
			return l, nil
		}
	}
	g := s.looking
	if g == nil {
		within, cancel := context.WithCancel(context.WithoutCancel(ctx))
		g = &looking{done: make(chan struct{}), cancel: cancel}
		s.looking = g
		go s.goLooking(within, g)
	}
	g.waiters++
	s.mu.Unlock()

	select {
	case <-g.done:
		return g.look, g.err
	case <-ctx.Done():
	}
	s.mu.Lock()
	g.waiters--
	last := g.waiters == 0
	if last && s.looking == g {
		s.looking = nil // who asks from now on gets a look of their own, not an ended one
	}
	s.mu.Unlock()
	if last {
		g.cancel()
		<-g.done
	}
	return nil, ctx.Err()
}

func (s *Service) goLooking(ctx context.Context, g *looking) {
	defer g.cancel()
	l := &sight{at: s.o.Now(), apps: make([][]seen, len(s.apps))}
	own, err := s.own()
	if err == nil {
		findings := make([]finding, len(s.apps))
		s.eachApp(func(i int, a app) {
			findings[i] = s.find(ctx, a)
			s.shut(a, findings[i].finder)
			l.apps[i] = findings[i].chats(a, own)
		})
		for i, a := range s.apps {
			l.left += findings[i].left
			l.notes = append(l.notes, findings[i].notes(a)...)
		}
		err = ctx.Err()
	}
	g.look, g.err = l, err
	s.mu.Lock()
	if s.looking == g {
		s.looking = nil
	}
	if err == nil {
		s.kept = l
	}
	s.mu.Unlock()
	close(g.done)
}

// saw keeps what a run found as the newest look, so that asking what is there
// after it costs nothing. apps are those that it looked for, nil for all.
func (s *Service) saw(apps map[string]bool, findings []finding, chats [][]seen, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &sight{at: at, apps: chats}
	if apps != nil {
		if s.kept == nil {
			return
		}
		l = &sight{at: s.kept.at, apps: slices.Clone(s.kept.apps), left: s.kept.left, notes: s.kept.notes}
		for i, a := range s.apps {
			if apps[a.id] {
				l.apps[i] = chats[i]
			}
		}
	} else {
		for i, a := range s.apps {
			l.left += findings[i].left
			l.notes = append(l.notes, findings[i].notes(a)...)
		}
	}
	s.kept = l
}

// eachApp calls do for every app of the table, at the same time, and waits.
func (s *Service) eachApp(do func(i int, a app)) {
	var wait sync.WaitGroup
	for i, a := range s.apps {
		wait.Go(func() { do(i, a) })
	}
	wait.Wait()
}

// finding is a finder and what it found.
type finding struct {
	finder finder
	found
}

// find looks for an app's chats. A finder that fails or panics is nothing; the
// others go on.
func (s *Service) find(ctx context.Context, a app) (f finding) {
	defer func() {
		if p := recover(); p != nil {
			f.found = found{}
			s.o.Log("past-chats-panic", fmt.Sprintf("find %s: %v\n%s", a.id, p, debug.Stack()))
		}
	}()
	f.finder = a.open(s.home)
	got, err := f.finder.find(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.o.Log("past-chats-find", a.id+": "+err.Error())
		}
		return f
	}
	f.found = got
	return f
}

// notes are what a person should know of what was found.
func (f finding) notes(a app) (notes []string) {
	for _, path := range f.old {
		notes = append(notes, plain.Line(fmt.Sprintf("%s: %s could not be copied whole; what was said last comes when %s has been closed.", a.label, clean(filepath.Base(path)), a.label), maxNote))
	}
	return notes
}

// shut lets go of what a finder holds.
func (s *Service) shut(a app, f finder) {
	if f == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			s.o.Log("past-chats-panic", fmt.Sprintf("close %s: %v", a.id, p))
		}
	}()
	if err := f.close(); err != nil {
		s.o.Log("past-chats-close", a.id+": "+err.Error())
	}
}

// chats gives what was found, each once and without Conch's own.
func (f finding) chats(a app, own map[string]map[string]bool) []seen {
	mine := own[a.id]
	chats := make([]seen, 0, len(f.files))
	for _, file := range f.files {
		if file.Key == "" || mine[file.Key] {
			continue
		}
		file.Source = a.id
		chats = append(chats, seen{file, pastID(a.id, file.Key)})
	}
	return chats
}

// own gives the sessions that are Conch's own, by app.
func (s *Service) own() (map[string]map[string]bool, error) {
	if s.o.Own == nil {
		return nil, nil
	}
	ids, err := s.o.Own()
	if err != nil {
		return nil, fmt.Errorf("tell Conch's own sessions from other chats: %w", err)
	}
	own := make(map[string]map[string]bool, len(ids))
	for app, list := range ids {
		own[app] = make(map[string]bool, len(list))
		for _, id := range list {
			own[app][id] = true
		}
	}
	return own, nil
}

// status compares a look with the store.
func (s *Service) status(l *sight) (Status, error) {
	kept, err := s.store.load()
	if err != nil {
		return Status{}, err
	}
	answer, err := s.o.Consent.Answer()
	if err != nil {
		s.o.Log("past-chats-answer", err.Error())
	}
	st := Status{Brought: kept.brought(), Answer: answer, Left: l.left, Notes: l.notes, Running: s.progress()}
	if kept.last != nil {
		st.Last = kept.last.result()
	}
	for i, a := range s.apps {
		if source := sourceOfLook(a, l.apps[i], kept); source.Found > 0 {
			st.Sources = append(st.Sources, source)
		}
	}
	return st, nil
}

func sourceOfLook(a app, chats []seen, kept *list) Source {
	source := Source{ID: a.id, Label: a.label}
	projects := map[string]int{}
	var from, to int64
	for i := range chats {
		c := &chats[i]
		project, first, last := c.Project, c.MTime, c.MTime
		e, known := kept.find(c.pastID)
		fits := known && e.fits(c.chatFile)
		if fits && e.Empty {
			continue
		}
		source.Found++
		if !fits {
			source.Fresh++
		}
		if known && !e.Empty {
			first, last = e.Created.UnixNano(), e.Updated.UnixNano()
			if e.Project != "" {
				project = e.Project
			}
		}
		if project != "" {
			projects[project]++
		}
		if first > 0 && (from == 0 || first < from) {
			from = first
		}
		to = max(to, last)
	}
	if from > 0 {
		source.From, source.To = time.Unix(0, from), time.Unix(0, to)
	}
	tidy := make(map[string]int, len(projects)) // as they are stored
	for name, n := range projects {
		tidy[tidyName(name, nil)] += n
	}
	for name, n := range tidy {
		source.Projects = append(source.Projects, Project{name, n})
	}
	slices.SortFunc(source.Projects, func(a, b Project) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	source.Projects = source.Projects[:min(len(source.Projects), maxProjects)]
	return source
}

func (l *lastRun) result() *Result {
	return &Result{At: time.UnixMilli(l.At), Added: l.Added, Updated: l.Updated, Skipped: l.Skipped, Redacted: l.Redacted,
		Read: l.Read, Stopped: l.Stopped, Took: time.Duration(l.TookMs) * time.Millisecond}
}

// progress is how far the run is that is going on, here or in another conch.
func (s *Service) progress() *Progress {
	s.mu.Lock()
	r := s.running
	s.mu.Unlock()
	if r != nil {
		p := r.snapshot()
		return &p
	}
	if since, ok := s.store.running(); ok {
		return &Progress{Since: since}
	}
	return nil
}
