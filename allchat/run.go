package allchat

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"conch/allchat/change"
	"conch/allchat/record"
	"conch/engine"
)

// Run is a run that is open for writing in this process. Its methods may be called
// from several goroutines. Those with an error change nothing when they give one; it
// has a code (record.CodeOf) and Sentence puts it into words.
type Run struct {
	deps   Deps
	id     string
	folder string
	home   string
	mode   engine.Mode
	within time.Duration // of a participant's turn
	parts  []*participant

	lease   *record.Lease
	log     *record.Log
	cleaner *record.Cleaner
	project change.Project
	shelf   shelf

	life context.Context // ends when the run is let go
	end  context.CancelFunc
	work sync.WaitGroup // every goroutine of the run

	// commits is held while something is put into the record, and while an approved
	// change is made. It is never held while an agent, a person or a process is waited for.
	commits sync.Mutex
	watch   *change.Watch // guarded by commits
	offered int           // proposals so far, for their ids; guarded by commits

	changed chan struct{} // holds one

	mu        sync.Mutex
	state     *record.State
	news      chan struct{} // closed with the next commit
	cards     []*card
	questions []*question
	notices   []Notice
	spent     spent
	asked     int  // requests so far, for their ids
	recorded  int  // calls of tools
	renewing  bool // its sessions are opened anew
	closing   bool // nothing new begins, and what ends is not noted any more
	gone      bool // everything is let go
	problem   string
	next      string
}

// ID is the run's id.
func (r *Run) ID() string { return r.id }

// Changed wakes whoever shows the run: a Snapshot would differ from the last one. Many
// changes are one wake-up. It is never closed.
func (r *Run) Changed() <-chan struct{} { return r.changed }

func (r *Run) wake() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// start runs something on a goroutine that Close waits for. It reports false when the
// run is being let go: then nothing was started.
func (r *Run) start(do func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closing {
		return false
	}
	r.work.Go(do)
	return true
}

func (r *Run) logf(format string, args ...any) {
	if r.deps.Logf != nil {
		r.deps.Logf("run "+r.id+": "+format, args...)
	}
}

// protected are the places that no participant's tool may touch.
func (r *Run) protected() []string {
	return append([]string{r.home}, r.deps.Protected...)
}

// participant is the one with this id, nil for none.
func (r *Run) participant(id record.Who) *participant {
	for _, p := range r.parts {
		if p.id == id {
			return p
		}
	}
	return nil
}

func (r *Run) coordinator() *participant { return r.parts[0] }

// now is what is committed.
func (r *Run) now() *record.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// usable says why nothing can be done in the run any more.
func (r *Run) usable() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.problem != "":
		return &record.Error{Code: record.StateInvalid, What: r.problem}
	case r.closing:
		return &record.Error{Code: record.StateInvalid, What: "the run is closed here"}
	}
	return nil
}

// Complete ends the run as done. Refused while a turn or a task is open.
func (r *Run) Complete() error {
	if err := r.usable(); err != nil {
		return err
	}
	if _, err := r.commit(record.Entry{By: record.Coordinator, Body: record.RunCompleted{}}); err != nil {
		return err
	}
	r.over("the run is completed")
	return r.letGo()
}

// Cancel ends the run: open tasks fail, every participant is told once, and its
// program ended when it has not stopped within two seconds. What was applied stays.
func (r *Run) Cancel(context.Context) error {
	if err := r.usable(); err != nil {
		return err
	}
	if err := r.commitEnd(record.Entry{By: record.Person, Body: record.RunCancelled{}}); err != nil {
		return err
	}
	r.over("the run is cancelled")
	return r.letGo()
}

// fail ends a run that can't go on. It does not wait.
func (r *Run) fail(code record.Code) {
	if err := r.commitEnd(record.Entry{By: record.Conch, Body: record.RunFailed{Code: code}}); err != nil {
		r.logf("end the run: %v", err)
	}
	r.over("the run failed: " + wordsOf(code))
	for _, p := range r.parts {
		if t := p.current(); t != nil {
			t.stop(stoppedByEnd, "")
		}
	}
}

// over notes that the run has ended, for good.
func (r *Run) over(why string) {
	r.mu.Lock()
	if r.problem == "" {
		r.problem, r.next = why, "start another run for what is left"
	}
	r.mu.Unlock()
	r.wake()
}

// Close lets the run go, and returns when every program that it started is gone. A run
// in which something is open can be carried on later.
func (r *Run) Close() error { return r.letGo() }

// letGo ends what runs, waits for it, and gives the project free. Nothing is committed
// of what it cuts short.
func (r *Run) letGo() error {
	r.mu.Lock()
	if r.gone {
		r.mu.Unlock()
		return nil
	}
	r.closing = true
	r.mu.Unlock()
	for _, p := range r.parts {
		if t := p.current(); t != nil {
			t.stop(stoppedByEnd, "")
		}
	}
	r.end()
	r.work.Wait()
	err := r.leave()
	r.commits.Lock()
	if r.log != nil {
		err = errors.Join(err, r.log.Close())
	}
	if r.lease != nil {
		err = errors.Join(err, r.lease.Close())
	}
	r.commits.Unlock()
	r.mu.Lock()
	r.gone = true
	r.mu.Unlock()
	r.wake()
	return err
}

// leave ends every participant's engine, side by side, and waits until all are gone.
func (r *Run) leave() error {
	errs := make([]error, len(r.parts))
	var all sync.WaitGroup
	for i, p := range r.parts {
		all.Go(func() {
			errs[i] = p.engine.Close()
			p.await()
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// lateLimit is how long a turn that was given up may take to end once its engine is
// closed. Engines promise three seconds.
const lateLimit = 5 * time.Second

// await waits for a turn that was given up.
func (p *participant) await() {
	p.r.mu.Lock()
	late := p.late
	p.r.mu.Unlock()
	if late == nil {
		return
	}
	limit := time.NewTimer(lateLimit)
	defer limit.Stop()
	select {
	case <-late:
	case <-limit.C:
		p.r.logf("%s has not let go of a turn", p.id)
	}
}

// cleanerOf makes what takes secrets and paths out of a run's words.
func cleanerOf(folder string, d Deps) *record.Cleaner {
	places := record.Places{Folder: folder, Home: d.UserHome, Secrets: d.Secrets}
	if real, err := filepath.EvalSymlinks(folder); err == nil && real != folder {
		places.Also = []string{real}
	}
	return record.NewCleaner(places)
}
