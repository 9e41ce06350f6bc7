package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"conch/flock"
)

// Index is the search index in CONCH_HOME/conch.db. Methods may be called from
// several goroutines; several processes may use one file.
type Index struct {
	path, lock string
	log        func(code, line string)
	sources    []Source
	scanTime   time.Duration
	txBytes    int
	maxPages   int // of the file, for tests of a full disk; 0: no bound
	patience   time.Duration

	changes atomic.Int64  // counts Changed
	changed chan struct{} // one place: a Changed that Follow has not seen
	wait    atomic.Int64  // chats that are not in
	of      atomic.Int64  // chats that there are
	looked  atomic.Bool   // the two were found out

	turn chan struct{} // whoever has its one place may write; the lock keeps other processes off

	mu     sync.Mutex
	db     *database // nil until it is needed
	closed bool
	ledger *ledger // what was found out last about what is not in
	in     in      // what was in when it was last asked for

	locked time.Time // when another program was found to have locked the file whole
}

// Open opens the index below home (CONCH_HOME). Nothing is made before CatchUp,
// and a damaged file is made anew. log gets what is for the program's own log.
// An index is for one set of sources: CatchUp takes out what none of them has.
func Open(home string, log func(code, line string), sources ...Source) (*Index, error) {
	if home == "" {
		return nil, errors.New("open the index: no home folder")
	}
	home, err := filepath.Abs(home)
	if err != nil {
		return nil, fmt.Errorf("open the index: %w", err)
	}
	if log == nil {
		log = func(string, string) {}
	}
	return &Index{
		path: filepath.Join(home, fileName), lock: filepath.Join(home, lockName),
		log: log, sources: sources, scanTime: scanTime, txBytes: txBytes, patience: patience, changed: make(chan struct{}, 1), turn: make(chan struct{}, 1),
	}, nil
}

// Changed says that a source has changed: a catch-up that runs goes on until it
// has what there is now, and Follow begins one.
func (ix *Index) Changed() {
	ix.changes.Add(1)
	select {
	case ix.changed <- struct{}{}:
	default:
	}
}

// Behind is how many chats wait to be indexed, of how many, as was found out last
// by a search or a catch-up. It is cheap but for the first call, which looks.
func (ix *Index) Behind() (wait, of int) {
	if !ix.looked.Swap(true) {
		ix.look()
	}
	return int(ix.wait.Load()), int(ix.of.Load())
}

// look finds out what is not in.
func (ix *Index) look() {
	ctx := context.Background()
	db, err := ix.reader(ctx)
	if err == nil {
		if _, err = ix.known(ctx, db); err != nil {
			ix.meets(err)
		}
	}
	if err != nil {
		if l, err := ix.compare(ctx, nil); err == nil {
			ix.wait.Store(int64(len(l.todo)))
			ix.of.Store(int64(len(l.all)))
		}
	}
}

// Close lets go of the file. A search or a catch-up that runs fails.
func (ix *Index) Close() error {
	ix.mu.Lock()
	db := ix.db
	ix.db, ix.closed = nil, true
	ix.mu.Unlock()
	if db == nil {
		return nil
	}
	if err := db.Close(); err != nil {
		return fmt.Errorf("close the index: %w", err)
	}
	return nil
}

// reader gives the index for reading: errNone when there is none.
func (ix *Index) reader(ctx context.Context) (*database, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.closed {
		return nil, fmt.Errorf("read the index: %w", os.ErrClosed)
	}
	if ix.lockedOut() {
		return nil, errLocked
	}
	if ix.db != nil {
		// Another conch may have made it anew.
		if file, err := os.Stat(ix.path); err == nil && os.SameFile(file, ix.db.file) {
			return ix.db, nil
		}
		ix.drop()
	}
	db, err := openDatabase(ctx, ix.path)
	if errors.Is(err, errLocked) {
		ix.locked = time.Now()
	}
	if err != nil {
		return nil, err
	}
	ix.db = db
	return db, nil
}

// lockedFor is how long an index that another program has locked is let alone: one
// wait of a person is enough, and the logs have everything.
const lockedFor = 2 * time.Second

// lockedOut reports that another program had the file locked a moment ago; ix.mu
// is held.
func (ix *Index) lockedOut() bool { return !ix.locked.IsZero() && time.Since(ix.locked) < lockedFor }

// meets keeps in mind that the file was found locked.
func (ix *Index) meets(err error) {
	if errors.Is(err, errLocked) {
		ix.mu.Lock()
		ix.locked = time.Now()
		ix.mu.Unlock()
	}
}

// drop lets the file go; ix.mu is held.
func (ix *Index) drop() {
	if ix.db == nil {
		return
	}
	if err := ix.db.Close(); err != nil {
		ix.log("search-close", "close the index: "+err.Error())
	}
	ix.db = nil
}

// renew takes a damaged index away. The one that holds the lock calls it.
func (ix *Index) renew(why error) error {
	ix.log("search-damaged", "the search index is made anew: "+why.Error())
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.drop()
	ix.ledger = nil
	return removeDatabase(ix.path)
}

// discard takes a damaged index away at once, unless another process is at it.
func (ix *Index) discard() {
	f, err := os.OpenFile(ix.lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		ix.log("search-damaged", "the damaged index stays: "+err.Error())
		return
	}
	defer f.Close() //nolint:errcheck // nothing was written to it
	if ok, err := flock.Try(f); err != nil || !ok {
		return
	}
	if err := ix.renew(errDamaged); err != nil {
		ix.log("search-damaged", err.Error())
	}
	ix.Changed() // whoever follows makes it anew
}

// lockPoll is how often another process that indexes is looked after.
const lockPoll = 200 * time.Millisecond

// patience is how long another process may hold the index without writing to it:
// one that was suspended would be waited for without end.
const patience = 30 * time.Second

var errHeld = errors.New("another conch is at it and does not go on")

// hold waits until this process, and the caller in it, is the one that writes the
// index, with patience not 0 no longer than another process writes. release lets
// go.
func (ix *Index) hold(ctx context.Context, patience time.Duration) (release func(), err error) {
	select {
	case ix.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	unlock, err := ix.lockFile(ctx, patience)
	if err != nil {
		<-ix.turn
		return nil, err
	}
	return func() { unlock(); <-ix.turn }, nil
}

func (ix *Index) lockFile(ctx context.Context, patience time.Duration) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(ix.lock), 0o700); err != nil {
		return nil, fmt.Errorf("lock the index: %w", err)
	}
	f, err := os.OpenFile(ix.lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the index: %w", err)
	}
	written, since := ix.written(), time.Now()
	for {
		ok, err := flock.Try(f)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("lock the index: %w", err), f.Close())
		}
		if ok {
			return func() { _ = f.Close() }, nil // nothing was written to it
		}
		if now := ix.written(); now != written {
			written, since = now, time.Now()
		} else if patience > 0 && time.Since(since) > patience {
			return nil, errors.Join(fmt.Errorf("lock the index: %w", errHeld), f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(lockPoll):
		}
	}
}

// written changes with every write to the index.
func (ix *Index) written() (stamp [4]int64) {
	for i, end := range []string{"", "-wal"} {
		if info, err := os.Stat(ix.path + end); err == nil {
			stamp[2*i], stamp[2*i+1] = info.Size(), info.ModTime().UnixNano()
		}
	}
	return stamp
}
