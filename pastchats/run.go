package pastchats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"conch/plain"
)

const (
	readers      = 2 // chats at a time: more only fight over the memory's bandwidth
	batch        = 25
	batchTime    = time.Second
	progressTime = 100 * time.Millisecond
	mostProblems = 20
	maxNote      = 300 // characters of a sentence about a chat or a database
)

// bringing is one run: a time that chats are brought in.
type bringing struct {
	s      *Service
	apps   map[string]bool // nil: all that are found
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
	result Result
	err    error

	list     *list    // as it will be written
	wrote    []string // ids of the chats whose logs are to be on the disk before the list says so
	unlisted bool     // it could not be written
	files    []job
	next     atomic.Int64

	mu       sync.Mutex
	progress Progress
	watchers []func(Progress)
}

// job is a chat to read.
type job struct {
	seen
	app    app
	finder finder
	old    Entry
	had    bool // words of it were listed before the run
}

// outcome is what became of a job.
type outcome struct {
	job     *job
	entry   Entry // to be put into the list; without an id there is nothing to put
	added   bool
	updated bool
	skipped string // why
	err     error  // the store cannot be written
	stopped bool
}

// BringIn reads what is new or changed of the named apps (none: all that were
// found), two chats at a time, the largest first. Asking again while it runs
// joins the same run, or waits for it when that run is about other apps. progress
// is called at most ten times a second and once at the end, from one goroutine;
// nil is allowed. Cancelling ctx stops the run: what came in stays and
// Result.Stopped is set. ErrRunning when another conch brings chats in.
func (s *Service) BringIn(ctx context.Context, apps []string, progress func(Progress)) (Result, error) {
	return s.bringIn(ctx, apps, progress, true)
}

func (s *Service) bringIn(ctx context.Context, apps []string, progress func(Progress), yes bool) (Result, error) {
	wanted, err := s.wanted(apps)
	if err != nil {
		return Result{}, err
	}
	for {
		s.mu.Lock()
		if r := s.running; r != nil {
			r.watch(progress)
			s.mu.Unlock()
			stop := context.AfterFunc(ctx, r.cancel)
			<-r.done
			stop()
			if r.covers(wanted) || ctx.Err() != nil {
				return r.result, r.err
			}
			continue
		}
		r := &bringing{s: s, apps: wanted, done: make(chan struct{})}
		r.ctx, r.cancel = context.WithCancel(ctx)
		r.progress.Since = s.o.Now()
		r.watch(progress)
		s.running = r
		s.mu.Unlock()

		r.result, r.err = r.guarded(yes)
		r.cancel()
		s.mu.Lock()
		s.running = nil
		s.mu.Unlock()
		close(r.done)
		return r.result, r.err
	}
}

// wanted is the named apps as a set, nil for all.
func (s *Service) wanted(ids []string) (map[string]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	wanted := map[string]bool{}
	for _, id := range ids {
		if !slices.ContainsFunc(s.apps, func(a app) bool { return a.id == id }) {
			return nil, fmt.Errorf("bring chats in: no app is called %q", plain.Line(id, 60))
		}
		wanted[id] = true
	}
	return wanted, nil
}

// covers reports that the run brings in what is wanted.
func (r *bringing) covers(wanted map[string]bool) bool {
	if r.apps == nil {
		return true
	}
	if wanted == nil {
		return false
	}
	for id := range wanted {
		if !r.apps[id] {
			return false
		}
	}
	return true
}

func (r *bringing) watch(progress func(Progress)) {
	if progress == nil {
		return
	}
	r.mu.Lock()
	r.watchers = append(r.watchers, progress)
	r.mu.Unlock()
}

func (r *bringing) snapshot() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.progress
	p.Counts = maps.Clone(p.Counts)
	return p
}

// tell gives the progress to all who watch.
func (r *bringing) tell() {
	p := r.snapshot()
	r.mu.Lock()
	watchers := slices.Clone(r.watchers)
	r.mu.Unlock()
	for _, w := range watchers {
		w(p)
	}
}

// guarded is all of a run, under the lock.
func (r *bringing) guarded(yes bool) (Result, error) {
	s := r.s
	began := s.o.Now()
	done := Result{At: began}
	own, err := s.own()
	if err != nil {
		return done, err
	}
	lock, err := s.store.tryLock(doingRun)
	if err != nil {
		return done, inWords(err)
	}
	done, err = r.locked(own, lock, yes, done)
	if r.unlisted {
		// As after a death: the next run lists what came in.
		err = errors.Join(err, lock.drop())
	} else if unlocking := lock.release(); err == nil {
		err = unlocking
	}
	done.Took = s.o.Now().Sub(began)
	return done, inWords(err)
}

// inWords says what a person can do about a store that cannot be written.
func inWords(err error) error {
	switch {
	case errors.Is(err, ErrFull):
		return fmt.Errorf("the disk is full. What came in stays; free some space and bring the rest in. (%w)", err)
	case errors.Is(err, ErrLimited):
		return fmt.Errorf("a limit on the size of files was reached. What came in stays; raise the limit (ulimit -f) and bring the rest in. (%w)", err)
	case errors.Is(err, ErrUnwritable):
		return fmt.Errorf("the past-chats folder cannot be written. What came in stays; see that the folder is yours and bring the rest in. (%w)", err)
	}
	return err
}

func (r *bringing) locked(own map[string]map[string]bool, lock *lock, yes bool, done Result) (Result, error) {
	s := r.s
	before, kept, err := s.store.begin(lock)
	s.home.sweep()
	if err != nil {
		return done, err
	}
	findings := make([]finding, len(s.apps))
	defer func() {
		for i, a := range s.apps {
			s.shut(a, findings[i].finder)
		}
	}()
	chats := make([][]seen, len(s.apps))
	s.eachApp(func(i int, a app) {
		if r.apps != nil && !r.apps[a.id] {
			return
		}
		findings[i] = s.find(r.ctx, a)
		chats[i] = findings[i].chats(a, own)
	})
	for i, a := range s.apps {
		done.Problems = append(done.Problems, findings[i].notes(a)...)
	}
	done.Problems = done.Problems[:min(len(done.Problems), mostProblems)]
	if r.ctx.Err() != nil {
		done.Stopped = true
		r.count(&done, kept)
		return done, nil
	}
	s.saw(r.apps, findings, chats, done.At)
	if yes {
		s.remember(r.apps, chats)
	}
	for i, a := range s.apps {
		for _, c := range chats[i] {
			old, known := kept.find(c.pastID)
			if known && old.fits(c.chatFile) {
				continue
			}
			_, listed := before.find(c.pastID)
			r.files = append(r.files, job{seen: c, app: a, finder: findings[i].finder, old: old, had: listed && !old.Empty})
		}
	}
	if len(r.files) == 0 {
		r.count(&done, kept)
		return done, nil
	}
	r.list = kept.copy()
	lock.keep()
	err = r.readAll(&done)
	r.count(&done, r.list)
	return done, err
}

// begin gives the list that a run starts from, and what of it was listed before:
// a killed run's chats are not, but those of a damaged list are. The lock is
// held.
func (s *Store) begin(held *lock) (before, l *list, err error) {
	if held.before.Doing == doingRemove {
		if err := s.empty(); err != nil {
			return nil, nil, err
		}
	}
	l, whole, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	if l.version > listVersion {
		s.tellNewer()
		return nil, nil, ErrNewer
	}
	if whole && !l.clean {
		if l, err = s.cleanNames(l); err != nil {
			return nil, nil, err
		}
	}
	if whole && held.before.Doing == "" {
		return l, l, nil
	}
	mended, err := s.mend()
	if whole {
		return l, mended, err
	}
	return mended, mended, err
}

// remember keeps of which apps chats were brought.
func (s *Service) remember(apps map[string]bool, chats [][]seen) {
	answer, err := s.o.Consent.Answer()
	if err != nil {
		s.o.Log("past-chats-answer", err.Error())
		return
	}
	said := func(answer *Answer) {
		answer.NotNow = false
		answer.Apps = slices.Clone(answer.Apps)
		for i, a := range s.apps {
			if !slices.Contains(answer.Apps, a.id) && (apps[a.id] || apps == nil && len(chats[i]) > 0) {
				answer.Apps = append(answer.Apps, a.id)
			}
		}
	}
	now := answer
	if said(&now); len(now.Apps) == len(answer.Apps) && !answer.NotNow {
		return
	}
	if err := s.o.Consent.Change(said); err != nil {
		s.o.Log("past-chats-answer", err.Error())
	}
}

// readAll reads the chats and keeps the list.
func (r *bringing) readAll(done *Result) error {
	slices.SortStableFunc(r.files, func(a, b job) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(b.Count, a.Count))
	})
	r.mu.Lock()
	r.progress.Total, r.progress.Counts = len(r.files), map[string]int{}
	for i := range r.files {
		r.progress.Of += r.files[i].Size
	}
	r.mu.Unlock()

	results := make(chan outcome, 4*readers)
	var wait sync.WaitGroup
	for range min(readers, len(r.files)) {
		wait.Go(func() { r.work(results) })
	}
	go func() { // ends with the readers, whose results are taken until then
		wait.Wait()
		close(results)
	}()
	err := r.gather(results, done)
	done.Stopped = err == nil && r.ctx.Err() != nil
	settling := r.s.store.settle(r.wrote)
	if settling != nil {
		r.doubt()
	}
	writing := cmp.Or(r.s.store.write(r.finish(done), true), settling)
	r.unlisted = writing != nil
	r.tell()
	r.s.o.Index.Changed()
	return cmp.Or(err, writing)
}

// gather takes the results until the last reader has ended.
func (r *bringing) gather(results <-chan outcome, done *Result) error {
	ticker := time.NewTicker(progressTime)
	defer ticker.Stop()
	r.tell()
	var failed error
	var written time.Time
	waiting := 0
	for {
		select {
		case <-ticker.C:
			r.tell()
		case o, ok := <-results:
			if !ok {
				return failed
			}
			if o.err != nil && failed == nil {
				failed = o.err
				r.cancel()
			}
			if o.err != nil || o.stopped {
				continue
			}
			r.take(o, done)
			if waiting++; waiting < batch || failed != nil || time.Since(written) < batchTime {
				continue
			}
			if err := r.s.store.write(r.list.copy(), false); err != nil {
				failed = err
				r.cancel()
				continue
			}
			r.s.o.Index.Changed()
			waiting, written = 0, time.Now()
		}
	}
}

// take puts a result into the list and the figures.
func (r *bringing) take(o outcome, done *Result) {
	switch {
	case o.skipped != "":
		done.Skipped++
		if len(done.Problems) < mostProblems {
			done.Problems = append(done.Problems, o.skipped)
		}
	default:
		done.Read++
		done.Redacted += o.entry.Redacted
		if o.entry.Empty {
			done.Wordless++
		}
	}
	if o.added {
		done.Added++
	}
	if o.updated {
		done.Updated++
	}
	if o.added || o.updated {
		if done.Came == nil {
			done.Came = map[string]int{}
		}
		done.Came[o.job.app.id]++
	}
	if o.entry.ID != "" {
		r.list.put(o.entry)
		if !o.entry.Empty {
			r.wrote = append(r.wrote, o.entry.ID)
		}
	}
	r.mu.Lock()
	r.progress.Done++
	r.progress.Bytes += o.job.Size
	r.progress.Counts[o.job.app.id]++
	r.mu.Unlock()
}

// doubt has the next run read again what may not be on the disk.
func (r *bringing) doubt() {
	for _, id := range r.wrote {
		if e, ok := r.list.find(id); ok {
			e.Size = unknown
			r.list.put(e)
		}
	}
}

// finish gives the list with the run's figures.
func (r *bringing) finish(done *Result) *list {
	r.list.last = &lastRun{At: done.At.UnixMilli(), Added: done.Added, Updated: done.Updated, Skipped: done.Skipped,
		Redacted: done.Redacted, Read: done.Read, Stopped: done.Stopped, TookMs: r.s.o.Now().Sub(done.At).Milliseconds()}
	return r.list
}

// count adds what is in the store.
func (r *bringing) count(done *Result, l *list) {
	for _, e := range l.entries {
		if e.Empty {
			continue
		}
		done.Chats++
		done.Messages += e.Messages
		done.UserMessages += e.UserMessages
	}
	done.AssistantMessages = done.Messages - done.UserMessages
}

// work reads one chat after another.
func (r *bringing) work(results chan<- outcome) {
	var room []byte
	for r.ctx.Err() == nil {
		i := int(r.next.Add(1)) - 1
		if i >= len(r.files) {
			return
		}
		j := &r.files[i]
		r.mu.Lock()
		r.progress.App = j.app.label
		r.mu.Unlock()
		var o outcome
		o, room = r.bring(j, room[:0])
		results <- o
	}
}
