package pastchats

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBringInGivesExactFiguresAndASecondRunDoesNothing(t *testing.T) {
	w := newWorld(t, "claude-code", "codex", "opencode")
	one := w.apps[0].say("s1", "fix the cart", "done")
	one.chat.Cwd, one.chat.Model, one.chat.Title = "/code/shop", "model-1", "The cart"
	w.apps[0].say("s2", "use "+key, "no")
	w.apps[1].say("s1", "why?", "because", "ah")
	w.apps[1].say("opened and left")
	bad := w.apps[2].say("damaged")
	bad.chat.Damaged = true

	st := w.look()
	if st.Found() != 5 || st.Fresh() != 5 || st.Brought != 0 || st.Last != nil {
		t.Errorf("before: %+v", st)
	}
	if _, err := os.Lstat(w.dir()); !errors.Is(err, os.ErrNotExist) {
		t.Error("a look made the folder")
	}
	r := w.bringIn()
	problems := []string{"OpenCode: damaged.jsonl could not be read: it is damaged, or larger than what is read."}
	want := Result{At: w.clock.at, Added: 3, Skipped: 1, Redacted: 1, Read: 4, Chats: 3, Messages: 7, UserMessages: 4, AssistantMessages: 3, Problems: problems,
		Wordless: 1, Came: map[string]int{"claude-code": 2, "codex": 1}}
	if d := cmp.Diff(want, r); d != "" {
		t.Error(d)
	}
	st = w.look()
	if st.Found() != 3 || st.Fresh() != 0 || st.Brought != 3 || st.Last == nil || st.Last.Added != 3 {
		t.Errorf("after: %+v", st)
	}
	if d := cmp.Diff([]string{"claude-code", "codex"}, []string{st.Sources[0].ID, st.Sources[1].ID}); d != "" {
		t.Error(d)
	}
	e, err := w.Store().Find(pastID("claude-code", "s1"))
	if err != nil || e.Title != "The cart" || e.From() != "Claude Code, in shop" || e.Model != "model-1" || e.Messages != 2 || e.Key != "s1" || !e.fits(one.file) {
		t.Errorf("%+v %v", e, err)
	}
	if got := w.said(e.ID); got != "user: fix the cart\nassistant: done\n" {
		t.Error(got)
	}
	_, reads := w.apps[0].counts()
	files := w.everything()
	want = Result{At: w.clock.at, Chats: 3, Messages: 7, UserMessages: 4, AssistantMessages: 3}
	for _, s := range []*Service{w.Service, w.again()} { // also a conch that is started anew
		r, err := s.BringIn(context.Background(), nil, nil)
		if d := cmp.Diff(want, r); d != "" || err != nil {
			t.Error(err, d)
		}
	}
	if _, again := w.apps[0].counts(); again != reads {
		t.Error("unchanged chats were read again")
	}
	if w.everything() != files {
		t.Error("a run without anything new changed files")
	}
	if hasPiece(files, key) {
		t.Error("a piece of the key is in the store")
	}
}

// R-111-43: a key in an app's id or in a file's name is as much a key as one that
// was said.
func TestAKeyInANameStaysOutOfTheListAndWhatIsSaid(t *testing.T) {
	w := newWorld(t, "claude-code", "codex")
	w.apps[0].say(key, "fix the cart").file.Project = key
	bad := w.apps[0].say("damaged-" + key)
	bad.chat.Damaged = true
	w.apps[1].old = []string{"/home/dev/" + key + ".db"}
	look := w.look()
	r := w.bringIn()
	if kept := w.everything(); strings.Contains(kept, key[4:14]) {
		t.Error(kept)
	}
	e, err := w.Store().Find(pastID("claude-code", key))
	if said := fmt.Sprint(look, w.look(), r, e, err); strings.Contains(said, key[4:14]) || e.Key != "[redacted]" {
		t.Error(said)
	}
	if again := w.bringIn(); again.Read != 0 {
		t.Errorf("read again: %+v", again)
	}
}

func TestARunThatFindsNothingLeavesNothing(t *testing.T) {
	w := newWorld(t, "codex")
	if r := w.bringIn(); r.Read != 0 || r.Chats != 0 {
		t.Errorf("%+v", r)
	}
	if files := w.everything(); files != "" {
		t.Errorf("there is %q", files)
	}
	if _, err := os.Lstat(w.dir()); !errors.Is(err, os.ErrNotExist) {
		t.Error("the folder stays")
	}
}

func TestAChatThatGrewIsUpdatedUnderItsID(t *testing.T) {
	w := newWorld(t, "codex")
	c := w.apps[0].say("s1", "one", "two")
	w.apps[0].say("s2", "other")
	w.bringIn()
	c.chat.say(User, "three", 0)
	c.touch()
	if st := w.look(); st.Fresh() != 1 || st.Found() != 2 {
		t.Errorf("%+v", st)
	}
	r := w.bringIn()
	if r.Added != 0 || r.Updated != 1 || r.Read != 1 || r.Chats != 2 {
		t.Errorf("%+v", r)
	}
	if got := w.said(pastID("codex", "s1")); got != "user: one\nassistant: two\nuser: three\n" {
		t.Error(got)
	}
	c.touch() // touched, but it says the same
	info, err := os.Stat(w.dir() + "/" + pastID("codex", "s1") + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if r := w.bringIn(); r.Updated != 0 || r.Read != 1 {
		t.Errorf("touched: %+v", r)
	}
	if now, err := os.Stat(w.dir() + "/" + info.Name()); err != nil || !os.SameFile(info, now) {
		t.Error("a log that says the same was written again")
	}
}

func TestWordsThatCameInStayWhenTheAppHasThemNoMore(t *testing.T) {
	w := newWorld(t, "codex")
	c := w.apps[0].say("s1", "one", "two")
	d := w.apps[0].say("s2", "three", "four")
	w.bringIn()
	c.chat.words, d.chat.words, d.chat.Damaged = nil, nil, true
	c.touch()
	d.touch()
	if r := w.bringIn(); r.Chats != 2 || r.Skipped != 1 || r.Updated != 0 {
		t.Errorf("%+v", r)
	}
	if got := w.said(pastID("codex", "s1")) + w.said(pastID("codex", "s2")); got != "user: one\nassistant: two\nuser: three\nassistant: four\n" {
		t.Error(got)
	}
	if r := w.bringIn(); r.Read+r.Skipped != 0 {
		t.Errorf("%+v", r)
	}
}

func TestNamedAppsAloneAreRead(t *testing.T) {
	w := newWorld(t, "claude-code", "codex")
	w.apps[0].say("a", "one")
	w.apps[1].say("b", "two")
	if r := w.bringIn("codex"); r.Added != 1 || r.Chats != 1 {
		t.Errorf("%+v", r)
	}
	if d := cmp.Diff(Answer{Apps: []string{"codex"}}, w.yes.answer); d != "" {
		t.Error(d)
	}
	if _, err := w.BringIn(context.Background(), []string{"codex", "no\x1b[31mthing"}, nil); err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("an app that is none: %v", err)
	}
	if r := w.bringIn(); r.Added != 1 || r.Chats != 2 {
		t.Errorf("%+v", r)
	}
}

func TestConchsOwnSessionsAreLeftOut(t *testing.T) {
	w := newWorld(t, "claude-code", "codex")
	for _, a := range w.apps {
		a.say("mine", "one")
		a.say("Mine", "two")
	}
	w.own = map[string][]string{"codex": {"mine"}}
	if st := w.look(); st.Found() != 3 {
		t.Errorf("%+v", st)
	}
	if r := w.bringIn(); r.Added != 3 {
		t.Errorf("%+v", r)
	}
	if _, err := w.Store().Find(pastID("codex", "mine")); !errors.Is(err, ErrNotFound) {
		t.Error("Conch's own session came in")
	}
}

func TestALookIsKeptForAMinuteAndShared(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].say("a", "one")
	ctx := context.Background()
	for range 3 {
		if _, err := w.Look(ctx); err != nil {
			t.Fatal(err)
		}
	}
	w.clock.forward(59 * time.Second)
	if _, err := w.Look(ctx); err != nil {
		t.Fatal(err)
	}
	if n, _ := w.apps[0].counts(); n != 1 {
		t.Errorf("looked %d times in the first minute, want once", n)
	}
	w.clock.forward(2 * time.Second)
	if _, err := w.Look(ctx); err != nil {
		t.Fatal(err)
	}
	if n, _ := w.apps[0].counts(); n != 2 {
		t.Errorf("looked %d times after a minute, want twice", n)
	}

	w.clock.forward(time.Hour)
	w.apps[0].block = make(chan struct{})
	var wait sync.WaitGroup
	impatient, cancel := context.WithCancel(ctx)
	errs := make([]error, 3)
	for i, ctx := range []context.Context{impatient, ctx, ctx} {
		wait.Go(func() { _, errs[i] = w.Look(ctx) })
	}
	until(t, "three who wait for one look", func() bool {
		w.Service.mu.Lock()
		defer w.Service.mu.Unlock()
		return w.looking != nil && w.looking.waiters == 3
	})
	cancel()
	until(t, "the impatient one leaves", func() bool {
		w.Service.mu.Lock()
		defer w.Service.mu.Unlock()
		return w.looking.waiters == 2
	})
	close(w.apps[0].block)
	wait.Wait()
	if !errors.Is(errs[0], context.Canceled) || errs[1] != nil || errs[2] != nil {
		t.Errorf("%v", errs)
	}
	if n, _ := w.apps[0].counts(); n != 3 {
		t.Errorf("looked %d times, want one more", n)
	}
}

func TestAskingAfterARunCostsNoFurtherLook(t *testing.T) {
	w := newWorld(t, "claude-code", "codex")
	w.apps[0].say("a", "one")
	w.apps[1].say("b", "two")
	w.bringIn()
	st, err := w.Look(context.Background())
	if err != nil || st.Found() != 2 || st.Fresh() != 0 {
		t.Errorf("%+v %v", st, err)
	}
	w.apps[1].say("c", "three")
	w.bringIn("codex")
	if st, err = w.Look(context.Background()); err != nil || st.Found() != 3 || st.Fresh() != 0 {
		t.Errorf("%+v %v", st, err)
	}
	a, _ := w.apps[0].counts()
	b, _ := w.apps[1].counts()
	if a != 1 || b != 2 {
		t.Errorf("looked at %d and %d times, want 1 and 2", a, b)
	}
}

func TestALookThatNobodyWaitsForEnds(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].block = make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(5*time.Millisecond, cancel)
	if _, err := w.Look(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAFailingFinderAndAFailingChatHinderNothingElse(t *testing.T) {
	w := newWorld(t, "claude-code", "codex", "gemini-cli", "opencode")
	w.apps[0].panic = true
	w.apps[1].say("a", "lost")
	w.apps[1].fail = errors.New("no permission")
	w.apps[2].say("panics", "x").do = func(context.Context, *talk) error { panic("a reader that fell over") }
	w.apps[2].say("fails", "").do = func(context.Context, *talk) error { return errors.New("input/output error") }
	w.apps[2].say("breaks part way", "kept", "too").do = func(context.Context, *talk) error { return errors.New("unexpected end") }
	w.apps[2].say("whole", "one", "two")
	w.apps[3].say("whole", "three", "four")
	w.apps[3].old = []string{"/home/dev/.local/share/opencode/opencode.db"}
	if st := w.look(); st.Found() != 5 || len(st.Notes) != 1 || !strings.HasPrefix(st.Notes[0], "OpenCode: opencode.db could not be copied whole") {
		t.Errorf("%+v", st)
	}
	r := w.bringIn()
	if r.Added != 3 || r.Skipped != 2 || len(r.Problems) != 3 {
		t.Errorf("%+v", r)
	}
	for _, p := range r.Problems {
		if strings.Contains(p, "fell over") || strings.Contains(p, "\n") {
			t.Errorf("a person reads %q", p)
		}
	}
	if !slices.ContainsFunc(w.logs, func(l string) bool { return strings.Contains(l, "a reader that fell over") }) {
		t.Errorf("the log does not say what happened: %q", w.logs)
	}
	if r := w.bringIn(); r.Added+r.Updated != 0 || r.Skipped != 2 {
		t.Errorf("what failed is tried again: %+v", r)
	}
}

func TestAskingAgainJoinsTheRun(t *testing.T) {
	w := newWorld(t, "codex", "opencode")
	going, reading := make(chan struct{}), make(chan struct{})
	w.apps[0].say("a", "one").do = func(context.Context, *talk) error {
		close(reading)
		<-going
		return nil
	}
	w.apps[1].say("b", "two")
	results := make([]Result, 3)
	var wait sync.WaitGroup
	ask := func(i int, apps ...string) {
		wait.Go(func() {
			var err error
			if results[i], err = w.BringIn(context.Background(), apps, nil); err != nil {
				t.Error(err)
			}
		})
	}
	ask(0, "codex")
	<-reading
	if st := w.look(); st.Running == nil || st.Running.Total != 1 {
		t.Errorf("%+v", st.Running)
	}
	if _, err := w.Remove(context.Background()); !errors.Is(err, ErrRunning) {
		t.Errorf("remove while a run is going: %v", err)
	}
	seen := make(chan struct{}, 100)
	wait.Go(func() {
		var err error
		results[1], err = w.BringIn(context.Background(), []string{"codex"}, func(Progress) { seen <- struct{}{} })
		if err != nil {
			t.Error(err)
		}
	})
	ask(2) // all apps: more than the run brings in
	<-seen
	close(going)
	wait.Wait()
	if results[0].Added != 1 || results[1].Added != 1 || results[2].Added != 1 || results[2].Chats != 2 {
		t.Errorf("%+v", results)
	}
	if _, n := w.apps[0].counts(); n != 1 {
		t.Errorf("the chat was read %d times, want once", n)
	}
}

func TestARunCanBeStoppedAndWhatCameInStays(t *testing.T) {
	w := newWorld(t, "codex")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for i := range 60 {
		c := w.apps[0].say(fmt.Sprint(i), fmt.Sprint("question ", i))
		c.do = func(ctx context.Context, c *talk) error {
			if _, n := w.apps[0].counts(); n >= 30 {
				cancel()
				<-ctx.Done()
				c.words = c.words[:0] // a part only
				return ctx.Err()
			}
			return nil
		}
	}
	var calls []Progress
	r, err := w.BringIn(ctx, nil, func(p Progress) { calls = append(calls, p) })
	if err != nil || !r.Stopped || r.Added < 28 || r.Added > 30 || r.Skipped != 0 || r.Chats != r.Added {
		t.Errorf("%+v %v", r, err)
	}
	last := calls[len(calls)-1]
	if last.Done != r.Added || last.Total != 60 || last.Counts["codex"] != r.Added || last.App != "Codex" {
		t.Errorf("%+v", last)
	}
	if n := len(w.list()); n != r.Added {
		t.Errorf("%d chats are listed, want %d", n, r.Added)
	}
	if st := w.look(); st.Last == nil || !st.Last.Stopped || st.Running != nil {
		t.Errorf("%+v", st)
	}
	w.apps[0].mu.Lock()
	for _, c := range w.apps[0].chats {
		c.do = nil
	}
	w.apps[0].mu.Unlock()
	if again := w.bringIn(); again.Added != 60-r.Added || again.Chats != 60 {
		t.Errorf("the next run: %+v", again)
	}
}

func TestTheListIsWrittenAndSearchIsToldOnTheWay(t *testing.T) {
	w := newWorld(t, "codex")
	for i := range 60 {
		w.apps[0].say(fmt.Sprint(i), fmt.Sprint("question ", i))
	}
	var listed []int
	w.index.hear = func() {
		list, err := w.Store().List()
		if err != nil {
			t.Error(err)
		}
		listed = append(listed, len(list))
	}
	w.bringIn()
	// The second batch comes within the same second.
	if d := cmp.Diff([]int{25, 60}, listed); d != "" && !slices.Equal(listed, []int{25, 50, 60}) {
		t.Error(d)
	}
}

func TestProgressComesAtMostTenTimesASecond(t *testing.T) {
	w := newWorld(t, "codex")
	for i := range 50 {
		w.apps[0].say(fmt.Sprint(i), "q").do = func(context.Context, *talk) error {
			time.Sleep(4 * time.Millisecond) // what is tested is time
			return nil
		}
	}
	began, n := time.Now(), 0
	if _, err := w.BringIn(context.Background(), nil, func(Progress) { n++ }); err != nil {
		t.Fatal(err)
	}
	if most := int(time.Since(began)/progressTime) + 2; n > most || n < 2 {
		t.Errorf("%d calls, want 2 to %d", n, most)
	}
}

func TestNewChatsOfAppsOnceBroughtComeByThemselves(t *testing.T) {
	w := newWorld(t, "claude-code", "codex")
	w.apps[0].say("a", "one")
	w.apps[1].say("b", "two")
	ticks := make(chan chan time.Time)
	var waits []time.Duration
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.KeepUp(ctx, func(d time.Duration) <-chan time.Time {
			waits = append(waits, d)
			c := make(chan time.Time)
			select {
			case ticks <- c:
			case <-ctx.Done():
			}
			return c
		})
	}()
	next := func() { (<-ticks) <- w.clock.now() }
	next() // nothing before a yes
	tick := <-ticks
	if a, b := w.apps[0], w.apps[1]; a.finds+b.finds != 0 {
		t.Error("apps were looked at before a yes")
	}
	w.bringIn("codex")
	w.apps[1].say("c", "three")
	w.apps[0].say("d", "four")
	tick <- w.clock.now()
	tick = <-ticks
	if list := w.list(); len(list) != 2 || w.apps[0].finds != 0 {
		t.Errorf("%d chats came, Claude Code was looked at %d times; want Codex's two, never", len(list), w.apps[0].finds)
	}
	if d := cmp.Diff(Answer{Apps: []string{"codex"}}, w.yes.answer); d != "" {
		t.Error(d)
	}
	cancel()
	<-ended
	if d := cmp.Diff([]time.Duration{2 * time.Minute, 6 * time.Hour, 6 * time.Hour}, waits); d != "" {
		t.Error(d)
	}
	_ = tick
}

func TestRemoveTakesEverythingOutAndForgetsTheYes(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].say("a", "one", "two")
	w.apps[0].say("b")
	if n, err := w.Remove(context.Background()); n != 0 || err != nil {
		t.Errorf("of nothing: %d %v", n, err)
	}
	w.bringIn()
	if err := os.WriteFile(w.listFile()+".20260101-000000.damaged", []byte("titles"), 0o600); err != nil {
		t.Fatal(err)
	}
	told := w.index.changed
	n, err := w.Remove(context.Background())
	if n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if _, err := os.Lstat(w.dir()); !errors.Is(err, os.ErrNotExist) {
		t.Error("the folder stays:", w.everything())
	}
	if len(w.list()) != 0 || w.index.changed != told+1 || len(w.yes.answer.Apps) != 0 || !w.yes.answer.NotNow {
		t.Errorf("%v %d %+v", w.list(), w.index.changed, w.yes.answer)
	}
	if r := w.bringIn(); r.Added != 1 || w.yes.answer.NotNow {
		t.Errorf("brought in again: %+v", r)
	}
}

func TestARemovalThatWasCutShortIsEndedNotUndone(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].say("a", "one", "two")
	w.bringIn()
	if err := os.Remove(w.listFile()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.dir()+"/lock", []byte(`{"pid":1,"started":1,"doing":"remove"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if list := w.list(); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if _, err := os.Lstat(w.dir() + "/" + pastID("codex", "a") + ".jsonl"); !errors.Is(err, os.ErrNotExist) {
		t.Error("a log stays")
	}
}

func TestNotNowIsKeptBesideTheYes(t *testing.T) {
	w := newWorld(t, "codex")
	w.yes.answer.Apps = []string{"codex"}
	if err := w.NotNow(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(Answer{NotNow: true, Apps: []string{"codex"}}, w.look().Answer); d != "" {
		t.Error(d)
	}
}

func TestCheckNamesWhatWaitsAfterAYes(t *testing.T) {
	w := newWorld(t, "codex", "pi")
	w.apps[0].say("a", "one")
	w.apps[1].say("b", "two")
	ctx := context.Background()
	if c := w.Check(ctx); c.Problem != "" || c.Waiting != nil || c.Brought != 0 {
		t.Errorf("before a yes: %+v", c)
	}
	w.bringIn("codex")
	w.apps[0].say("c", "three")
	w.clock.forward(time.Hour)
	if d := cmp.Diff(Check{Brought: 1, Waiting: map[string]int{"Codex": 1}}, w.Check(ctx)); d != "" {
		t.Error(d)
	}
	if err := os.Remove(w.dir() + "/" + pastID("codex", "a") + ".jsonl"); err != nil {
		t.Fatal(err)
	}
	if c := w.Check(ctx); c.Problem == "" || c.Next == "" {
		t.Errorf("with a lost log: %+v", c)
	}
	r, err := w.Repair(ctx)
	if err != nil || r.Read != 2 || r.Chats != 2 {
		t.Errorf("%+v %v", r, err)
	}
	if d := cmp.Diff(Check{Brought: 2, Waiting: map[string]int{}}, w.Check(ctx)); d != "" {
		t.Error(d)
	}
	if err := os.WriteFile(w.listFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := w.again().Check(ctx); c.Problem != "The list of past chats is damaged." {
		t.Errorf("%+v", c)
	}
	if data, err := os.ReadFile(w.listFile()); err != nil || string(data) != "{" {
		t.Error("a check changed the list")
	}
}

func TestALookNamesTheBusiestProjectsAndSinceWhen(t *testing.T) {
	w := newWorld(t, "codex")
	for i := range 15 {
		for n := range 1 + i%3 {
			w.apps[0].say(fmt.Sprint(i, ".", n), "x").file.Project = fmt.Sprintf("p%02d", i)
		}
	}
	s := w.look().Sources[0]
	if len(s.Projects) != 12 || s.Projects[0] != (Project{"p02", 3}) || s.Projects[4] != (Project{"p14", 3}) || s.Projects[5] != (Project{"p01", 2}) {
		t.Errorf("%+v", s.Projects)
	}
	chats := w.apps[0].chats
	if !s.From.Equal(time.Unix(0, chats[0].file.MTime)) || !s.To.Equal(time.Unix(0, chats[len(chats)-1].file.MTime)) {
		t.Errorf("%v to %v", s.From, s.To)
	}
}

func TestAStoreThatCannotBeWrittenStopsTheRunAndKeepsWhatCameIn(t *testing.T) {
	w := newWorld(t, "codex")
	for i := range 30 {
		w.apps[0].say(fmt.Sprintf("%02d", i), strings.Repeat("question ", 100-i))
	}
	id := pastID("codex", "20")
	inTheWay := w.dir() + "/" + id + ".jsonl/folder"
	if err := os.MkdirAll(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	r, err := w.BringIn(context.Background(), nil, nil)
	if err == nil || r.Added < 19 || r.Added > 29 || r.Chats != r.Added {
		t.Errorf("%+v %v", r, err)
	}
	if n := len(w.list()); n != r.Added {
		t.Errorf("%d chats are listed, want %d", n, r.Added)
	}
	if err := os.RemoveAll(w.dir() + "/" + id + ".jsonl"); err != nil {
		t.Fatal(err)
	}
	if again := w.bringIn(); again.Added != 30-r.Added {
		t.Errorf("the next run: %+v", again)
	}
}

func TestAFileInThePlaceOfTheFolderIsSaidAndHindersNothingElse(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].say("a", "one")
	if err := os.WriteFile(w.dir(), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if st := w.look(); st.Fresh() != 1 || len(w.list()) != 0 {
		t.Errorf("%+v", st)
	}
	if _, err := w.BringIn(context.Background(), nil, nil); !errors.Is(err, ErrUnwritable) {
		t.Error(err)
	}
	if c := w.Check(context.Background()); c.Problem == "" || !strings.Contains(c.Next, w.dir()) {
		t.Errorf("%+v", c)
	}
	if data, err := os.ReadFile(w.dir()); err != nil || string(data) != "mine" {
		t.Error("the file was changed")
	}
}

func TestALinkInTheLocksPlaceIsNoLock(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].say("a", "one")
	other := w.home + "/other"
	if err := errors.Join(os.MkdirAll(w.dir(), 0o700), os.WriteFile(other, []byte("mine"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, w.dir()+"/"+lockName); err != nil {
		t.Skip(err)
	}
	if r := w.bringIn(); r.Added != 1 {
		t.Errorf("%+v", r)
	}
	if data, err := os.ReadFile(other); err != nil || string(data) != "mine" {
		t.Error("what the link leads to was changed")
	}
}

func TestAListThatCannotBeWrittenIsMadeUpForByTheNextRun(t *testing.T) {
	w := newWorld(t, "codex")
	w.apps[0].say("gone soon", "one")
	w.apps[0].chats[0].do = func(context.Context, *talk) error { return os.MkdirAll(w.listFile()+"/folder", 0o700) }
	if _, err := w.BringIn(context.Background(), nil, nil); err == nil {
		t.Fatal("nobody says that the list could not be written")
	}
	if err := os.RemoveAll(w.listFile()); err != nil {
		t.Fatal(err)
	}
	w.apps[0].chats = nil // the app has it no more
	if r := w.bringIn(); r.Chats != 1 || len(w.list()) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestAFullDiskIsSaidInWords(t *testing.T) {
	err := inWords(plainly("write past chat pc_1", &os.PathError{Op: "write", Path: "/x", Err: full}))
	if !errors.Is(err, ErrFull) || !strings.HasPrefix(err.Error(), "the disk is full. What came in stays; free some space") {
		t.Error(err)
	}
}
