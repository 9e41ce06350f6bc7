package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"conch/flock"
)

func TestNothingIsMadeForSomeoneWithoutAChat(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	ix := open(t, home, newShelf())
	if r := find(t, ix, "words", Options{}); len(r.Hits) != 0 {
		t.Errorf("found %v", messages(r))
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("a search made something: %v", err)
	}
	catchUp(t, ix)
	if _, err := os.Stat(ix.path); !os.IsNotExist(err) {
		t.Errorf("there is an index of nothing: %v", err)
	}
}

func TestTheFilesAreForThePersonAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps no modes")
	}
	s := newShelf()
	s.put(Chat{ID: "a"}, "words")
	home := filepath.Join(t.TempDir(), "home")
	ix := open(t, home, s)
	find(t, ix, "words", Options{})
	catchUp(t, ix)
	find(t, ix, "words", Options{})
	files, err := os.ReadDir(home)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(home); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("home: %v, %v", info.Mode(), err)
	}
}

func TestWhatIsNotIndexedYetIsFoundToo(t *testing.T) { // R-111-49
	s := newShelf()
	s.put(Chat{ID: "a", Updated: monday.Add(-time.Hour)}, "a pear")
	ix := open(t, t.TempDir(), s)
	if wait, of := ix.Behind(); wait != 1 || of != 1 {
		t.Errorf("before anything: behind %d of %d", wait, of)
	}
	catchUp(t, ix)
	s.put(Chat{ID: "b", Updated: monday}, "another pear", "and a fig")
	s.put(Chat{ID: "a", Updated: monday.Add(-time.Minute)}, "a pear", "the pear tree")
	ix.Changed()
	r := find(t, ix, "pear", Options{Newest: true})
	if got := messages(r); !slices.Equal(got, []string{"b.0", "a.1", "a.0"}) || r.Wait != 2 || r.Total != 3 {
		t.Errorf("found %v, total %d, %d wait", got, r.Total, r.Wait)
	}
	if wait, of := ix.Behind(); wait != 2 || of != 2 {
		t.Errorf("behind %d of %d", wait, of)
	}
	catchUp(t, ix)
	if wait, of := ix.Behind(); wait != 0 || of != 2 {
		t.Errorf("behind %d of %d", wait, of)
	}
	r = find(t, ix, "pear", Options{Newest: true})
	if got := messages(r); !slices.Equal(got, []string{"a.1", "b.0", "a.0"}) && !slices.Equal(got, []string{"b.0", "a.1", "a.0"}) || r.Wait != 0 || r.Total != 3 {
		t.Errorf("found %v, total %d, %d wait", got, r.Total, r.Wait)
	}
}

func TestAChatThatWentOnIsNotIndexedAgain(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a"}, "one lemon", "two lemons")
	s.put(Chat{ID: "b"}, "three lemons")
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	s.put(Chat{ID: "a", Updated: monday.Add(time.Hour)}, "one lemon", "two lemons", "a new lemon")
	catchUp(t, ix)
	s.put(Chat{ID: "a", Updated: monday.Add(2 * time.Hour)}, "one lemon", "two lemons", "a new lemon", "the newest lemon")
	catchUp(t, ix)
	if n := number(t, ix, `SELECT count(*) FROM pieces`); n != 3 {
		t.Errorf("%d pieces, want the two first ones and one that grew", n)
	}
	if n := number(t, ix, `SELECT count(*) FROM words WHERE words MATCH 'lemon*'`); n != 5 {
		t.Errorf("%d rows, want 5", n)
	}
	r := find(t, ix, "lemon", Options{Newest: true})
	if got := messages(r); !slices.Equal(got[:2], []string{"a.3", "a.2"}) || r.Total != 5 || r.Chats != 2 {
		t.Errorf("found %v, total %d in %d chats", got, r.Total, r.Chats)
	}
}

func number(t *testing.T, ix *Index, query string) (n int) {
	t.Helper()
	db, err := openDatabase(context.Background(), ix.path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only read
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAChatThatWasChangedIsIndexedAnew(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a"}, "one lime", "two limes", "three limes")
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	for _, texts := range [][]string{
		{"one lime", "two melons", "three limes"}, // an earlier message
		{"one lime"},                        // rewound
		{"one lime", "kiwi"},                // and gone on another way
		{"kiwi", "one lime", "three limes"}, // something put before
		{},
	} {
		s.put(Chat{ID: "a"}, texts...)
		catchUp(t, ix)
		want := 0
		for _, text := range texts {
			if strings.Contains(text, "lime") {
				want++
			}
		}
		if r := find(t, ix, "lime", Options{}); r.Total != want || len(r.Hits) != want {
			t.Errorf("%q: total %d, hits %v", texts, r.Total, messages(r))
		}
		if n := number(t, ix, `SELECT count(*) FROM words WHERE words MATCH 'lime OR limes'`); n != want {
			t.Errorf("%q: %d rows", texts, n)
		}
	}
}

func TestATitleThatChangedIsShownWithoutIndexingAgain(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a", Title: "old"}, "a grape")
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	s.mu.Lock()
	s.chats[0].Title = "new\x1b[2J\u202etitle"
	s.gen++
	s.mu.Unlock()
	read := s.asked["a"]
	catchUp(t, ix)
	if s.asked["a"] != read {
		t.Error("the chat was read again")
	}
	if r := find(t, ix, "grape", Options{}); r.Hits[0].Chat.Title != "new [2Jtitle" {
		t.Errorf("title %q", r.Hits[0].Chat.Title)
	}
}

func TestChatsThatAreGoneAreTakenOut(t *testing.T) {
	own, past := newShelf(), newShelf()
	own.put(Chat{ID: "mine", App: "codex"}, "my apricot "+strings.Repeat("and more of it ", 50), "and more", "and more", "and more")
	for i := range 3 {
		past.put(Chat{ID: fmt.Sprint("past", i), Untrusted: true}, fmt.Sprint("their apricot zebrawood", i))
	}
	ix := open(t, t.TempDir(), own, past)
	catchUp(t, ix)
	past.drop("past1")
	catchUp(t, ix)
	if r := find(t, ix, "apricot", Options{}); r.Total != 3 {
		t.Errorf("total %d", r.Total)
	}
	if err := ix.tidy(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r := find(t, ix, "zebrawod1", Options{}); slices.Contains(r.Close, "zebrawood1") {
		t.Error("a word of a chat that is gone is still known")
	}
	if r := find(t, ix, "brawood2", Options{}); r.Total != 1 {
		t.Errorf("a word that is there is not known any more: total %d", r.Total)
	}
	past.drop("past0")
	past.drop("past2")
	catchUp(t, ix)
	if r := find(t, ix, "apricot", Options{}); r.Total != 1 || r.Hits[0].Chat.ID != "mine" {
		t.Errorf("total %d, hits %v", r.Total, messages(r))
	}
	// After all of another app's chats are taken out no word of them is in a file.
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(ix.path + end)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte("ebrawood")) {
			t.Errorf("conch.db%s still has a word of theirs", end)
		}
	}
}

func TestAChatThatCannotBeReadIsTriedAgain(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a"}, "a cherry")
	s.put(Chat{ID: "b"}, "a cherry too")
	s.broken["a"] = true
	ix := open(t, t.TempDir(), s)
	catchUp(t, ix)
	if r := find(t, ix, "cherry", Options{}); r.Total != 2 {
		t.Errorf("total %d", r.Total)
	}
	s.mu.Lock()
	s.broken["a"] = false
	s.words["a"] = append(s.words["a"], Word{ID: "a.1", Role: "user", Text: "and more cherries"})
	s.gen++
	s.mu.Unlock()
	catchUp(t, ix)
	if r := find(t, ix, "cherries", Options{}); r.Total != 1 {
		t.Errorf("total %d", r.Total)
	}
}

func TestAnotherThatIndexesIsWaitedForAsLongAsItGoesOn(t *testing.T) {
	s := newShelf()
	s.put(Chat{ID: "a"}, "a fig")
	ix := open(t, t.TempDir(), s)
	ix.patience = time.Millisecond
	other, err := os.OpenFile(ix.lock, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := flock.Try(other); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := ix.CatchUp(context.Background()); !errors.Is(err, errHeld) {
		t.Errorf("one that has stopped: %v", err)
	}
	if r := find(t, ix, "fig", Options{}); len(r.Hits) != 1 {
		t.Errorf("meanwhile: %+v", r)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	catchUp(t, ix)
}

func TestFollowTakesInWhatComes(t *testing.T) { // R-111-49
	s := newShelf()
	s.put(Chat{ID: "a"}, "a date")
	ix := open(t, t.TempDir(), s)
	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	wait.Go(func() { ix.Follow(ctx) })
	defer wait.Wait()
	defer cancel()
	for i := range 5 {
		s.put(Chat{ID: fmt.Sprint("n", i)}, fmt.Sprint("date number", i))
		ix.Changed()
		until(t, func() bool {
			in, err := openDatabase(ctx, ix.path)
			if err != nil {
				return false
			}
			defer in.Close() //nolint:errcheck // only read
			var n int
			return in.QueryRow(`SELECT count(*) FROM words WHERE words MATCH ?`, fmt.Sprint("number", i)).Scan(&n) == nil && n == 1
		})
	}
}

// until waits for something to come true.
func until(t *testing.T, what func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !what(); {
		if time.Now().After(end) {
			t.Fatal("it did not come true")
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func TestSeveralCatchUpsAndSearchesAtOnce(t *testing.T) {
	s := newShelf()
	home := t.TempDir()
	for i := range 40 {
		s.put(Chat{ID: fmt.Sprint("c", i)}, "a mango", strings.Repeat("words and words ", 100))
	}
	a, b := open(t, home, s), open(t, home, s) // as two processes have it
	var wait sync.WaitGroup
	for _, ix := range []*Index{a, b, a, b} {
		wait.Go(func() {
			for range 3 {
				if err := ix.CatchUp(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
		wait.Go(func() {
			for range 20 {
				if r, err := ix.Search(context.Background(), Parse("mango", monday), Options{}); err != nil || r.Total > 40 || r.Total < 40 && !r.More || len(r.Hits) != 20 {
					t.Errorf("total %d, %d hits, more %v: %v", r.Total, len(r.Hits), r.More, err)
				}
			}
		})
	}
	wait.Wait()
	if n := number(t, a, `SELECT count(*) FROM words WHERE words MATCH 'mango'`); n != 40 {
		t.Errorf("%d rows", n)
	}
}

// gated is a shelf of which the first reading of one chat waits.
type gated struct {
	*shelf
	chat      string
	met, open chan struct{}
	begun     atomic.Bool
}

func (g *gated) Words(id string, each func(Word) bool) error {
	if id == g.chat && g.begun.CompareAndSwap(false, true) {
		close(g.met)
		<-g.open
	}
	return g.shelf.Words(id, each)
}

// An import brings chats in, the index follows it, and somebody searches: what is
// on the disk is found, whether the index has it or not.
func TestASearchWhileChatsComeInGivesWhatIsThereSoFar(t *testing.T) { // R-111-49
	s := newShelf()
	s.put(Chat{ID: "first", Updated: monday}, "a papaya", "a papaya and more")
	s.put(Chat{ID: "second", Updated: monday.Add(time.Hour)}, "another papaya")
	g := &gated{shelf: s, chat: "second", met: make(chan struct{}), open: make(chan struct{})}
	ix := open(t, t.TempDir(), g)
	ix.txBytes = 1
	over := make(chan error, 1)
	go func() { over <- ix.CatchUp(context.Background()) }()
	<-g.met
	until(t, func() bool {
		r := find(t, ix, "papaya", Options{})
		return r.Wait == 1 && r.Total == 3
	})
	s.put(Chat{ID: "third", Updated: monday.Add(2 * time.Hour)}, "a third papaya") // the next batch
	ix.Changed()
	r := find(t, ix, "papaya", Options{Newest: true})
	if got := messages(r); !slices.Equal(got, []string{"third.0", "second.0", "first.1", "first.0"}) || r.Wait != 2 {
		t.Errorf("found %v, %d wait", got, r.Wait)
	}
	close(g.open)
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	if r := find(t, ix, "papaya", Options{Newest: true}); r.Total != 4 || r.Wait != 0 {
		t.Errorf("in the end: total %d, %d wait", r.Total, r.Wait)
	}
}

func TestLogsAreReadFromTheNewestUntilThePageIsFull(t *testing.T) { // R-111-49
	s := newShelf()
	for i := range 10 {
		s.put(Chat{ID: fmt.Sprint("c", i), Updated: monday.Add(time.Duration(i) * time.Hour)}, "a guava", "two guavas")
	}
	ix := open(t, t.TempDir(), s)
	r := find(t, ix, "guava", Options{Limit: 3, Newest: true})
	if got := messages(r); !slices.Equal(got, []string{"c9.1", "c9.0", "c8.1"}) || !r.More {
		t.Errorf("found %v, more %v", got, r.More)
	}
	for i := range 10 {
		if id := fmt.Sprint("c", i); (s.asked[id] > 0) != (i >= 8) {
			t.Errorf("%s was read %d times", id, s.asked[id])
		}
	}
}

// many is a shelf with enough words for several transactions.
func many() *shelf {
	s := newShelf()
	text := strings.Repeat("some words that are said again and again ", 200)
	for i := range 30 {
		var texts []string
		for j := range 20 {
			texts = append(texts, fmt.Sprintf("papaya%d x%dx%d %s", j, i, j, text))
		}
		s.put(Chat{ID: fmt.Sprint("c", i), Updated: monday.Add(time.Duration(i) * time.Minute)}, texts...)
	}
	return s
}

// indexUntilKilled is what the killed process does.
func indexUntilKilled(home string) {
	ix, err := Open(home, nil, many())
	if err == nil {
		ix.txBytes = 100 << 10
		err = ix.CatchUp(context.Background())
	}
	fmt.Println(err)
}

func TestACatchUpThatIsKilledGoesOnNextTime(t *testing.T) {
	home := t.TempDir()
	s := many()
	ix := open(t, home, s)
	rows := func() (n int) {
		db, err := openDatabase(context.Background(), ix.path)
		if err != nil {
			return 0
		}
		defer db.Close() //nolint:errcheck // only read
		_ = db.QueryRow(`SELECT coalesce(sum(messages), 0) FROM pieces`).Scan(&n)
		return n
	}
	killed := 0
	for rows() < 500 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "CONCH_TEST_INDEX_HOME="+home)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// It is ended as soon as it has written more than the time before.
		before := rows()
		until(t, func() bool { return rows() > before })
		_ = cmd.Process.Kill()
		if err := cmd.Wait(); err != nil {
			killed++
		}
		if r := find(t, ix, "papaya7", Options{Limit: 40}); r.Total+r.Wait < 30 {
			t.Errorf("after a kill: total %d, %d wait", r.Total, r.Wait)
		}
	}
	if killed == 0 {
		t.Skip("it was done before it could be killed")
	}
	catchUp(t, ix)
	if n := number(t, ix, `SELECT count(*) FROM words WHERE words MATCH 'papaya7'`); n != 30 {
		t.Errorf("%d rows, want 30", n)
	}
	if n := number(t, ix, `SELECT sum(messages) FROM pieces`); n != 600 {
		t.Errorf("%d messages in pieces, want 600", n)
	}
	if r := find(t, ix, "papaya7", Options{Limit: 40, Newest: true}); len(r.Hits) != 30 || r.Total != 30 {
		t.Errorf("total %d, %d hits", r.Total, len(r.Hits))
	}
}

func TestAnInterruptedCatchUpKeepsWhatItHas(t *testing.T) {
	s := many()
	ix := open(t, t.TempDir(), s)
	ix.txBytes = 100 << 10
	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	wait.Go(func() {
		defer cancel()
		until(t, func() bool {
			db, err := openDatabase(context.Background(), ix.path)
			if err != nil {
				return false
			}
			defer db.Close() //nolint:errcheck // only read
			var n int
			return db.QueryRow(`SELECT count(*) FROM pieces`).Scan(&n) == nil && n > 0
		})
	})
	err := ix.CatchUp(ctx)
	wait.Wait()
	if err == nil {
		t.Skip("it was done before it could be interrupted")
	}
	if n := number(t, ix, `SELECT count(*) FROM chats WHERE stamp <> ''`); n == 0 {
		t.Error("nothing was kept")
	}
	catchUp(t, ix)
	if n := number(t, ix, `SELECT count(*) FROM words WHERE words MATCH 'papaya7'`); n != 30 {
		t.Errorf("%d rows, want 30", n)
	}
}
