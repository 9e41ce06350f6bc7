package tui

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/conversation"
	"conch/pastchats"
	"conch/pretend/home"
	"conch/search"
)

// remembered is an answer that is kept for a test.
type remembered struct {
	mu     sync.Mutex
	answer pastchats.Answer
}

func (r *remembered) Answer() (pastchats.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answer, nil
}

func (r *remembered) Change(change func(*pastchats.Answer)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.answer)
	return nil
}

// pastWords gives what was brought in to the index.
type pastWords struct{ store *pastchats.Store }

func (w pastWords) Stamp() (string, error) { return w.store.Stamp() }

func (w pastWords) Chats() ([]search.Chat, error) {
	entries, err := w.store.List()
	list := make([]search.Chat, 0, len(entries))
	for _, e := range entries {
		list = append(list, search.Chat{ID: e.ID, App: e.Source, Title: e.Title, Project: e.Project, From: e.From(), Untrusted: true, Updated: e.Updated, Stamp: strconv.Itoa(e.Messages)})
	}
	return list, err
}

func (w pastWords) Words(id string, each func(search.Word) bool) error {
	return w.store.Messages(id, func(m pastchats.Message) bool {
		return each(search.Word{ID: m.ID, Role: string(m.Role), Text: m.Text, At: m.At})
	})
}

// realPasts gives a screen the real service, store and index over a pretend home.
func realPasts(t testing.TB, p place, d Deps, spec home.Spec) (Deps, home.Manifest) {
	t.Helper()
	dir := filepath.Join(filepath.Dir(p.home), "pretend")
	made, err := home.Make(dir, spec)
	if err != nil {
		t.Fatal(err)
	}
	conchHome := filepath.Join(p.home, ".conch")
	store, err := pastchats.OpenStore(conchHome, p.now, nil)
	if err != nil {
		t.Fatal(err)
	}
	index, err := search.Open(conchHome, func(string, string) {}, search.Own(p.store), pastWords{store})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var follow sync.WaitGroup
	follow.Go(func() { index.Follow(ctx) })
	t.Cleanup(func() {
		cancel()
		follow.Wait()
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	d.Past = pastchats.New(pastchats.Options{
		Home:  pastchats.NewHome(p.home, dir, func(string) string { return "" }, filepath.Join(conchHome, "past-chats", "tmp")),
		Store: store, Now: p.now, Index: index, Consent: &remembered{},
	})
	d.Search = index
	d.Carry = func(ctx context.Context, id string) (string, error) {
		return conversation.Adopt(ctx, conversation.Adoption{Past: store, Own: p.store, ID: id, Folder: p.folder, Engines: d.Engines})
	}
	d.Start.Offer = true
	return d, made
}

// From the first start of a person with other apps' chats to one of them carried
// on, with nothing made up but their home.
func TestFromTheFirstStartToAChatCarriedOn(t *testing.T) {
	p := newPlace(t)
	codex, claude := ready("codex"), ready("claude-code", answers("I remember."))
	d, made := realPasts(t, p, p.deps(t, codex, claude, ready("gemini-cli")), home.Few(24))
	tt := start(t, 100, 30, d)
	tt.sees("Found", "conversations", "Claude Code", "Codex")
	tt.agrees()
	tt.sees("brought in")
	tt.until("the exact number", func(s string) bool { return strings.Contains(s, strconv.Itoa(made.Chats)+" brought in") })
	tt.press("ctrl+p")
	tt.sees("of " + strconv.Itoa(made.Chats))
	needle := made.Needles[0]
	tt.types(needle.Word)
	tt.until("the needle's chats", func(s string) bool {
		first, _, _ := strings.Cut(s, "\n")
		return strings.Contains(first, " "+strconv.Itoa(needle.Chats)+" of ") && !strings.Contains(s, "still indexing")
	})
	tt.press("enter")
	tt.sees("/ find", needle.Word)
	tt.types("c")
	tt.sees("carried on from", "nothing runs until you write")
	tt.says("do you remember?")
	tt.until("an answer", func(s string) bool { return strings.Contains(s, "I remember.") || strings.Contains(s, "ok") })
	tt.rests()
	tt.press("ctrl+d")
	tt.ended()

	// No ten characters of a key that was in these chats were on the screen or are
	// anywhere below Conch's home; the index folds letters, so these are folded too.
	pieces := map[string]string{}
	for _, secret := range made.Secrets {
		for i := 0; i+10 <= len(secret); i++ {
			pieces[strings.ToLower(secret[i:i+10])] = secret
		}
	}
	if len(pieces) == 0 {
		t.Fatal("no keys were planted")
	}
	without := func(what, text string) {
		text = strings.ToLower(text)
		for i := 0; i+10 <= len(text); i++ {
			if secret, leaked := pieces[text[i:i+10]]; leaked {
				t.Errorf("%q, a piece of the key %q, is in %s", text[i:i+10], secret, what)
				return
			}
		}
	}
	without("the screen", tt.out.bytes())
	err := filepath.WalkDir(filepath.Join(p.home, ".conch"), func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		without(path, string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkKeyToScreenWhileBringingIn is the time from a key to the screen that
// shows it, at rest and while a large home is brought in and indexed. The home has
// CONCH_BENCH_MB megabytes, 200 by default.
func BenchmarkKeyToScreenWhileBringingIn(b *testing.B) {
	mb := int64(200)
	if n, err := strconv.ParseInt(os.Getenv("CONCH_BENCH_MB"), 10, 64); err == nil {
		mb = n
	}
	spec := home.Reference()
	spec.Chats, spec.Bytes = max(20, int(105*mb/792)), mb*1_000_000
	p := newPlace(b)
	d, _ := realPasts(b, p, p.deps(b, ready("codex")), spec)
	tt := start(b, 120, 40, d)
	tt.sees("Bring them in?")
	tt.press("down") // the prompt is there; nothing is typed
	key := func() time.Duration {
		began := time.Now()
		tt.types("x")
		for tt.promptLine() != "▌ x" {
			if time.Since(began) > 10*time.Second {
				b.Fatalf("the key does not come:\n%s", tt.shown())
			}
			time.Sleep(time.Millisecond)
		}
		took := time.Since(began)
		tt.press("backspace")
		for tt.promptLine() != "▌ type" && tt.promptLine() != "▌" {
			time.Sleep(time.Millisecond)
		}
		return took
	}
	middle := func(all []time.Duration) float64 {
		var sum time.Duration
		for _, d := range all {
			sum += d
		}
		return float64(sum.Microseconds()) / float64(max(len(all), 1)) / 1000
	}
	// Once is enough: it takes longer than a benchmark wants to.
	var rest, busy []time.Duration
	for range 20 {
		rest = append(rest, key())
	}
	tt.agrees()
	tt.sees("Bringing in")
	for !strings.Contains(tt.shown(), "brought in") {
		busy = append(busy, key())
	}
	b.ReportMetric(middle(rest), "ms-at-rest")
	b.ReportMetric(middle(busy), "ms-bringing-in")
	b.ReportMetric(float64(len(busy)), "keys")
	b.ReportMetric(0, "ns/op")
}
