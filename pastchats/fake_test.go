package pastchats

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeApp is another app whose chats lie in memory.
type fakeApp struct {
	id, label string

	mu    sync.Mutex
	chats []*fakeChat
	finds int // how often it was looked at
	reads int
	fail  error // of find
	panic bool  // in find
	old   []string

	block chan struct{} // when set, find waits for it or the context
}

// fakeChat is one of its chats.
type fakeChat struct {
	file chatFile
	chat talk
	do   func(ctx context.Context, c *talk) error // called after the words were given
}

// say makes a chat of alternating lines: the person begins.
func (a *fakeApp) say(key string, lines ...string) *fakeChat {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := &fakeChat{file: chatFile{Source: a.id, Key: key, Path: "/home/dev/." + a.id + "/" + key + ".jsonl", MTime: int64(len(a.chats)+1)*int64(time.Hour) + 123_456_789}}
	for i, line := range lines {
		role := User
		if i%2 == 1 {
			role = Assistant
		}
		c.chat.say(role, line, c.file.MTime/1e6+int64(i)*1000)
	}
	c.touch()
	a.chats = append(a.chats, c)
	return c
}

// touch makes the file look as its words are.
func (c *fakeChat) touch() {
	c.file.Size = 1
	for _, m := range c.chat.words {
		c.file.Size += int64(len(m.text))
	}
	c.file.MTime++
}

func (a *fakeApp) find(ctx context.Context) (found, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.finds++
	if a.block != nil {
		a.mu.Unlock()
		select {
		case <-a.block:
		case <-ctx.Done():
		}
		a.mu.Lock()
	}
	if a.panic {
		panic("a finder that fell over")
	}
	f := found{old: a.old}
	for _, c := range a.chats {
		f.files = append(f.files, c.file)
	}
	return f, a.fail
}

func (a *fakeApp) read(ctx context.Context, f chatFile, c *talk) error {
	a.mu.Lock()
	a.reads++
	var chat *fakeChat
	for _, known := range a.chats {
		if known.file.Key == f.Key {
			chat = known
		}
	}
	*c = chat.chat
	c.words = append([]message(nil), chat.chat.words...)
	do := chat.do
	a.mu.Unlock()
	if do != nil {
		return do(ctx, c)
	}
	return nil
}

func (a *fakeApp) close() error { return nil }

func (a *fakeApp) counts() (finds, reads int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.finds, a.reads
}

// fakeWorld is a service over fake apps in a home of its own.
type fakeWorld struct {
	*Service
	t     testing.TB
	home  string
	apps  []*fakeApp
	clock *fakeClock
	index *fakeIndex
	yes   *fakeConsent
	own   map[string][]string

	mu    sync.Mutex
	notes []string
	logs  []string
}

type fakeClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *fakeClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *fakeClock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

type fakeIndex struct {
	mu      sync.Mutex
	changed int
	hear    func()
}

func (i *fakeIndex) Changed() {
	i.mu.Lock()
	i.changed++
	hear := i.hear
	i.mu.Unlock()
	if hear != nil {
		hear()
	}
}

type fakeConsent struct {
	mu     sync.Mutex
	answer Answer
	set    func(Answer) error // before an answer is kept
}

func (c *fakeConsent) Answer() (Answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answer, nil
}

func (c *fakeConsent) Change(change func(*Answer)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.answer
	change(&a)
	if c.set != nil {
		if err := c.set(a); err != nil {
			return err
		}
	}
	c.answer = a
	return nil
}

// newWorld makes the apps of the given ids, with labels as the table has them.
func newWorld(t testing.TB, ids ...string) *fakeWorld {
	t.Helper()
	w := &fakeWorld{t: t, home: t.TempDir(), clock: &fakeClock{at: time.UnixMilli(1_796_000_000_000)}, index: &fakeIndex{}, yes: &fakeConsent{}}
	for _, id := range ids {
		w.apps = append(w.apps, &fakeApp{id: id, label: Labels()[id]})
	}
	w.Service = w.again()
	return w
}

// again is the service of another conch over the same home.
func (w *fakeWorld) again() *Service {
	w.t.Helper()
	store, err := OpenStore(w.home, w.clock.now, func(note string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.notes = append(w.notes, note)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	o := Options{Home: NewHome("", w.t.TempDir(), nil, ""), Store: store, Now: w.clock.now, Index: w.index, Consent: w.yes,
		Own: func() (map[string][]string, error) { return w.own, nil },
		Log: func(code, line string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.logs = append(w.logs, code+" "+line)
		}}
	for _, a := range w.apps {
		o.apps = append(o.apps, app{a.id, a.label, func(*Home) finder { return a }})
	}
	return New(o)
}

func (w *fakeWorld) bringIn(apps ...string) Result {
	w.t.Helper()
	r, err := w.BringIn(context.Background(), apps, nil)
	if err != nil {
		w.t.Fatalf("bring in: %v", err)
	}
	return r
}

func (w *fakeWorld) look() Status {
	w.t.Helper()
	st, err := w.LookAgain(context.Background())
	if err != nil {
		w.t.Fatalf("look: %v", err)
	}
	return st
}

func (w *fakeWorld) list() []Entry {
	w.t.Helper()
	list, err := w.Store().List()
	if err != nil {
		w.t.Fatalf("list: %v", err)
	}
	return list
}

// said is a chat's messages, one a line, with who said them.
func (w *fakeWorld) said(id string) string {
	w.t.Helper()
	var b strings.Builder
	err := w.Store().Messages(id, func(m Message) bool {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Text)
		return true
	})
	if err != nil {
		w.t.Fatalf("messages of %s: %v", id, err)
	}
	return b.String()
}

func (w *fakeWorld) dir() string { return filepath.Join(w.home, "past-chats") }

func (w *fakeWorld) listFile() string { return filepath.Join(w.dir(), listName) }

// everything is the bytes of all files in the home, with their names.
func (w *fakeWorld) everything() string {
	w.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(w.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		b.WriteString(path + "\n" + string(data))
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return b.String()
}

// until waits for a condition.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited too long for: %s", what)
		}
	}
}
