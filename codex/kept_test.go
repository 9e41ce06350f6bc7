package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	rolloutPath = "sessions/2026/11/30/rollout-2026-11-30T17-08-31-" + someThread + ".jsonl"
	otherThread = "01a22d6d-fd44-7ab1-a488-061dd8c15c21"
	someDigest  = "00112233445566aa"
)

// rolloutText is a thread as Codex 0.171.0 writes it, made small.
func rolloutText(thread string, turns int) string {
	var b strings.Builder
	line := func(kind string, payload map[string]any) {
		data, _ := json.Marshal(map[string]any{"timestamp": "2026-11-30T17:08:31.000Z", "ordinal": strings.Count(b.String(), "\n"), "type": kind, "payload": payload})
		b.Write(append(data, '\n'))
	}
	line("session_meta", map[string]any{"id": thread, "session_id": thread, "cwd": "/code/shop", "cli_version": "0.171.0", "history_mode": "paginated", "base_instructions": map[string]any{"text": strings.Repeat("You are. ", 40)}})
	for i := range turns {
		line("event_msg", map[string]any{"type": "task_started", "turn_id": fmt.Sprint(i)})
		line("response_item", map[string]any{"type": "message", "role": "user", "content": []any{map[string]any{"type": "input_text", "text": fmt.Sprintf("Question %d", i)}}})
		line("response_item", map[string]any{"type": "message", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": fmt.Sprintf("Answer %d \u2028 …", i)}}})
		line("event_msg", map[string]any{"type": "task_complete", "turn_id": fmt.Sprint(i)})
	}
	return b.String()
}

// run writes a thread into a home, as Codex would.
func (p *place) run(h *home, path, text string) {
	p.t.Helper()
	p.write(filepath.Join(h.dir(), filepath.FromSlash(path)), text)
}

// keep has a thread of some turns kept, in a run of its own.
func (p *place) keep(thread string, turns int) {
	p.t.Helper()
	h := p.home()
	path := strings.Replace(rolloutPath, someThread, thread, 1)
	p.run(h, path, rolloutText(thread, turns))
	p.ok(h.keep(thread, path, sidecar{Instructions: someDigest, Turns: turns}))
	p.ok(h.close())
}

func TestAThreadComesBackUnderItsOwnNameInANewHome(t *testing.T) { // R-69-72, checklist 20
	p := newPlace(t)
	p.keep(someThread, 2)
	if got := strings.Join(p.under(p.kept), " "); got != someThread+".json "+someThread+".jsonl lock" {
		t.Errorf("kept: %s", got)
	}
	if got := p.read(filepath.Join(p.kept, someThread+".json")); got != `{"rollout":"`+rolloutPath+`","instructions":"`+someDigest+`","turns":2}`+"\n" {
		t.Errorf("beside it: %s", got)
	}
	if runtime.GOOS != "windows" {
		for name, want := range map[string]os.FileMode{".": 0o700, someThread + ".json": 0o600, someThread + ".jsonl": 0o600} {
			if info, err := os.Stat(filepath.Join(p.kept, name)); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v %v", name, info.Mode(), err)
			}
		}
	}
	h := p.home()
	got, err := h.place(someThread)
	p.ok(err)
	if want := (placed{path: filepath.Join(h.dir(), filepath.FromSlash(rolloutPath)), instructions: someDigest, turns: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if p.read(got.path) != rolloutText(someThread, 2) {
		t.Error("it is not what was kept")
	}
	// Once more in the same home: Codex may have written on.
	p.run(h, rolloutPath, rolloutText(someThread, 3))
	_, err = h.place(someThread)
	p.ok(err)
	if p.read(got.path) != rolloutText(someThread, 3) {
		t.Error("an older copy was put over it")
	}
	p.ok(h.keep(someThread, rolloutPath, sidecar{Turns: 3}))
	if p.read(filepath.Join(p.kept, someThread+".jsonl")) != rolloutText(someThread, 3) {
		t.Error("the later one is not kept")
	}
}

func TestASqueezedRolloutIsKeptAsItIs(t *testing.T) {
	squeezed := "\x28\xb5\x2f\xfd\x04\x00no line ends here"
	for name, asked := range map[string]string{"by its name": rolloutPath + ".zst", "by its name before": rolloutPath} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			h := p.home()
			p.run(h, rolloutPath+".zst", squeezed)
			p.ok(h.keep(someThread, asked, sidecar{Turns: 1}))
			got, err := p.home().place(someThread)
			p.ok(err)
			if !strings.HasSuffix(got.path, ".jsonl.zst") || p.read(got.path) != squeezed {
				t.Errorf("%s", got.path)
			}
		})
	}
	t.Run("unpacked again", func(t *testing.T) {
		p := newPlace(t)
		h := p.home()
		p.run(h, rolloutPath, rolloutText(someThread, 1))
		p.ok(h.keep(someThread, rolloutPath+".zst", sidecar{Turns: 1}))
		got, err := p.home().place(someThread)
		p.ok(err)
		if !strings.HasSuffix(got.path, ".jsonl") {
			t.Errorf("%s", got.path)
		}
	})
}

func TestATornLastLineIsCutBeforeAThreadIsKept(t *testing.T) { // R-69-80
	good := rolloutText(someThread, 1)
	long := strings.Repeat("x", 200<<10)
	for name, c := range map[string]struct{ in, want string }{
		"whole":                     {good, good},
		"torn":                      {good + `{"timestamp":"2026-`, good},
		"torn within a character":   {good + "{\"a\":\"\xe2\x80", good},
		"torn, longer than a block": {good + `{"a":"` + long, good},
		"only without its end":      {strings.TrimSuffix(good, "\n"), good},
		"a bad line in the middle":  {good + "noise\n" + good, good + "noise\n" + good},
		"only a torn line":          {`{"timest`, ""},
		"empty":                     {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			h := p.home()
			p.run(h, rolloutPath, c.in)
			err := h.keep(someThread, rolloutPath, sidecar{Turns: 1})
			if c.want == "" {
				if err == nil {
					t.Error("it is kept")
				}
				if _, err := p.home().place(someThread); !errors.Is(err, errNotKept) {
					t.Errorf("it comes back: %v", err)
				}
				return
			}
			p.ok(err)
			if got := p.read(filepath.Join(p.kept, someThread+".jsonl")); got != c.want {
				t.Errorf("%d bytes kept, want %d", len(got), len(c.want))
			}
		})
	}
}

func TestAThreadThatIsTooLargeIsNotKeptNorWhatWasKeptOfIt(t *testing.T) { // R-69-78, checklist 20
	if newStores("", "", nil).limit != 64<<20 {
		t.Fatal("the limit is another one")
	}
	p := newPlace(t)
	text := rolloutText(someThread, 2)
	p.limit = int64(len(text))
	p.keep(someThread, 2) // at the limit
	h := p.home()
	p.run(h, rolloutPath, text+"\n")
	if err := h.keep(someThread, rolloutPath, sidecar{Turns: 3}); !errors.Is(err, errTooLarge) {
		t.Errorf("%v", err)
	}
	if left := p.under(p.kept); len(left) != 1 {
		t.Errorf("left: %q", left)
	}
	// One that grew where it is kept does not come back either.
	p.keep(someThread, 2)
	p.write(filepath.Join(p.kept, someThread+".jsonl"), text+"\n")
	if _, err := p.home().place(someThread); !errors.Is(err, errNotKept) {
		t.Errorf("one that grew comes back: %v", err)
	}
}

func TestNoNameOfAnotherFormBecomesAFile(t *testing.T) { // R-69-73, checklist 20
	p := newPlace(t)
	victim := filepath.Join(filepath.Dir(p.conch), "x.jsonl")
	p.write(victim, "safe")
	p.write(filepath.Join(filepath.Dir(p.conch), "x.json"), "safe")
	h := p.home()
	for _, thread := range []string{"../../x", "../x", "x", "", ".", "..", strings.ToUpper(someThread), someThread + "/x", someThread + "\x00", "CON", strings.Repeat("a", 36)} {
		p.ok(p.forget(thread))
		if _, err := h.place(thread); !errors.Is(err, errNotKept) {
			t.Errorf("%q is placed: %v", thread, err)
		}
		if err := h.keep(thread, rolloutPath, sidecar{}); err == nil {
			t.Errorf("%q is kept", thread)
		}
	}
	if p.read(victim) != "safe" {
		t.Error("a file outside is gone")
	}
	p.run(h, rolloutPath, rolloutText(someThread, 1))
	for _, path := range []string{
		"", "auth.json", "config.toml", "../" + rolloutPath, "/" + rolloutPath, "sessions/../" + rolloutPath,
		strings.ReplaceAll(rolloutPath, "/", `\`), strings.Replace(rolloutPath, "rollout-", "x-", 1),
		strings.Replace(rolloutPath, "sessions", "archived_sessions", 1), rolloutPath + "/x", rolloutPath + "\n",
		"sessions/2026/11/30/rollout-" + someThread + ".jsonl", strings.Replace(rolloutPath, someThread, otherThread, 1),
		"sessions/2026/11/30/../30/rollout-2026-11-30T17-08-31-" + someThread + ".jsonl",
	} {
		if err := h.keep(someThread, path, sidecar{Turns: 1}); err == nil {
			t.Errorf("%q is kept", path)
		}
	}
	if left := p.under(p.kept); len(left) > 0 {
		t.Errorf("kept: %q", left)
	}
}

func TestALinkThatWasPlantedIsNotFollowed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	p := newPlace(t)
	outside := filepath.Join(filepath.Dir(p.conch), "outside")
	p.write(filepath.Join(outside, filepath.Base(rolloutPath)), "{\"secret\":1}\n")
	t.Run("the rollout", func(t *testing.T) {
		h := p.home()
		at := filepath.Join(h.dir(), filepath.FromSlash(rolloutPath))
		p.ok(os.MkdirAll(filepath.Dir(at), 0o700))
		p.ok(os.Symlink(filepath.Join(outside, filepath.Base(rolloutPath)), at))
		if h.keep(someThread, rolloutPath, sidecar{}) == nil {
			t.Error("kept")
		}
	})
	t.Run("a folder above it", func(t *testing.T) {
		h := p.home()
		p.ok(os.MkdirAll(filepath.Join(h.dir(), "sessions/2026/11"), 0o700))
		p.ok(os.Symlink(outside, filepath.Join(h.dir(), "sessions/2026/11/30")))
		if h.keep(someThread, rolloutPath, sidecar{}) == nil {
			t.Error("kept")
		}
	})
}

func TestADamagedRecordGivesNoThread(t *testing.T) { // R-69-75, checklist 20
	good := `{"rollout":"` + rolloutPath + `","instructions":"` + someDigest + `","turns":2}`
	for name, text := range map[string]string{
		"empty": "", "torn": good[:30], "no JSON": "x", "another kind": "[]", "nothing said": "{}",
		"less than no turns": strings.Replace(good, ":2}", ":-1}", 1), "turns as words": strings.Replace(good, ":2}", `:"2"}`, 1),
		"another thread's": strings.ReplaceAll(good, someThread, otherThread), "a way out": strings.Replace(good, "sessions/", "sessions/../../", 1),
		"no digest": strings.Replace(good, someDigest, "../../../../../x", 1), "far too long": good + strings.Repeat(" ", maxSidecar),
	} {
		p := newPlace(t)
		p.keep(someThread, 2)
		p.write(filepath.Join(p.kept, someThread+".json"), text)
		h := p.home()
		if _, err := h.place(someThread); !errors.Is(err, errNotKept) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(h.dir(), "sessions")); err == nil {
			t.Errorf("%s: something is placed", name)
		}
	}
}

func FuzzParseSidecar(f *testing.F) {
	f.Add([]byte(`{"rollout":"`+rolloutPath+`","instructions":"`+someDigest+`","turns":2}`), someThread)
	f.Add([]byte(`{"rollout":"../../x","turns":1e99}`), "../../x")
	f.Fuzz(func(t *testing.T, data []byte, thread string) {
		side, err := parseSidecar(data, thread)
		if err != nil {
			return
		}
		if !filepath.IsLocal(filepath.FromSlash(side.Rollout)) || !strings.HasPrefix(side.Rollout, "sessions/") || side.Turns < 0 || strings.Contains(side.Rollout, "..") {
			t.Errorf("%+v", side)
		}
	})
}

func TestThreadsUnusedFor30DaysAreSwept(t *testing.T) { // R-69-78, checklist 20
	const day = 24 * time.Hour
	p := newPlace(t)
	age := func(name string, by time.Duration) {
		t.Helper()
		at := p.clock.Add(-by)
		p.ok(os.Chtimes(filepath.Join(p.kept, name), at, at))
	}
	kept := map[string]bool{}
	for i, c := range []struct {
		lines, side time.Duration
		stays       bool
	}{
		{29 * day, 29 * day, true}, {31 * day, 31 * day, false},
		{31 * day, 29 * day, true}, // used once more since it was written
		{-day, -day, true},         // a clock that was ahead
	} {
		thread := fmt.Sprintf("00000000-0000-0000-0000-00000000000%d", i)
		p.keep(thread, 1)
		age(thread+".jsonl", c.lines)
		age(thread+".json", c.side)
		kept[thread] = c.stays
	}
	// Halves of a pair, and what is nobody's.
	p.write(filepath.Join(p.kept, someThread+".jsonl"), "{}\n")
	p.write(filepath.Join(p.kept, otherThread+".json"), "{}")
	p.write(filepath.Join(p.kept, "notes.txt"), "mine")
	p.ok(p.other().sweep())
	for thread, stays := range kept {
		for _, suffix := range []string{".json", ".jsonl"} {
			if _, err := os.Stat(filepath.Join(p.kept, thread+suffix)); (err == nil) != stays {
				t.Errorf("%s%s: stays %v, want %v", thread, suffix, err == nil, stays)
			}
		}
	}
	for _, name := range []string{someThread + ".jsonl", otherThread + ".json"} {
		if p.read(filepath.Join(p.kept, name)) != "(none)" {
			t.Errorf("half a pair stays: %s", name)
		}
	}
	if p.read(filepath.Join(p.kept, "notes.txt")) != "mine" {
		t.Error("what is nobody's here is gone")
	}
}

func TestCarryingAThreadOnCountsAsUse(t *testing.T) {
	p := newPlace(t)
	p.keep(someThread, 1)
	old := p.clock.Add(-29 * 24 * time.Hour)
	for _, suffix := range []string{".json", ".jsonl"} {
		p.ok(os.Chtimes(filepath.Join(p.kept, someThread+suffix), old, old))
	}
	_, err := p.home().place(someThread)
	p.ok(err)
	p.clock = p.clock.Add(20 * 24 * time.Hour)
	p.ok(p.sweep())
	_, err = p.home().place(someThread)
	p.ok(err)
}

// A kill between any two steps: the thread as it was before or after, or none; and
// nothing is left after the next start.
func TestAKillWhileAThreadIsKept(t *testing.T) {
	for _, step := range []string{"copied", "lines kept"} {
		for _, before := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s, %d before", step, before), func(t *testing.T) {
				p := newPlace(t)
				if before > 0 {
					p.keep(someThread, before)
				}
				h := p.home()
				p.run(h, rolloutPath, rolloutText(someThread, 2))
				p.killed(step, func() { _ = h.keep(someThread, rolloutPath, sidecar{Turns: 2}) })
				crash(t, h)
				// The lock on the threads went with the process; here a thread of its own
				// holds it until it is collected.
				p.ok(os.Remove(filepath.Join(p.kept, "lock")))
				p.ok(p.other().sweep())
				if left := p.under(p.running); len(left) > 0 {
					t.Errorf("left in the run homes: %q", left)
				}
				for _, name := range p.under(p.kept) {
					if name != "lock" && name != someThread+".json" && name != someThread+".jsonl" {
						t.Errorf("left: %q", name)
					}
				}
				got, err := p.home().place(someThread)
				if before == 0 {
					if !errors.Is(err, errNotKept) || len(p.under(p.kept)) != 1 {
						t.Errorf("half a thread: %v, %q", err, p.under(p.kept))
					}
					return
				}
				p.ok(err)
				if turns := strings.Count(p.read(got.path), "task_complete"); turns < got.turns {
					t.Errorf("%d turns came back, %d are said", turns, got.turns)
				}
			})
		}
	}
}

func TestTwoConchKeepAndSweepOnOneHome(t *testing.T) {
	p := newPlace(t)
	over := make(chan error, 2)
	for i := range 2 {
		go func() {
			s := p.other()
			h, err := s.newHome(homeConfig{})
			thread := fmt.Sprintf("00000000-0000-0000-0000-00000000000%d", i)
			path := strings.Replace(rolloutPath, someThread, thread, 1)
			if err == nil {
				at := filepath.Join(h.dir(), filepath.FromSlash(path))
				err = errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(rolloutText(thread, 1)), 0o600))
			}
			for range 20 {
				if err != nil {
					break
				}
				err = errors.Join(h.keep(thread, path, sidecar{Turns: 1}), s.sweep())
				if _, statErr := os.Stat(filepath.Join(s.kept, thread+".jsonl")); err == nil {
					err = statErr
				}
				if err == nil {
					err = s.forget(thread)
				}
			}
			if h != nil {
				err = errors.Join(err, h.close())
			}
			over <- err
		}()
	}
	p.ok(<-over)
	p.ok(<-over)
}

func TestWhatCannotBeKeptLeavesNoOlderCopy(t *testing.T) {
	p := newPlace(t)
	p.keep(someThread, 1)
	h := p.home()
	// The rollout is gone from the home: the kept one lacks what was said since.
	if h.keep(someThread, rolloutPath, sidecar{Turns: 2}) == nil {
		t.Error("kept")
	}
	if _, err := h.place(someThread); !errors.Is(err, errNotKept) {
		t.Errorf("an older copy comes back: %v", err)
	}
	p.ok(p.forget(someThread)) // and once more is no error
}

// A folder of threads that is a link leads to somebody else's: nothing in it is read,
// written, swept or forgotten, and it is said which one it is.
func TestAFolderOfThreadsThatIsALinkIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making a link needs rights there")
	}
	p := newPlace(t)
	p.keep(someThread, 1)
	elsewhere := filepath.Join(p.conch, "..", "elsewhere")
	p.ok(os.Rename(p.kept, elsewhere))
	p.ok(os.Symlink(elsewhere, p.kept))
	p.ok(os.Chmod(elsewhere, 0o755))
	p.clock = p.clock.Add(100 * 24 * time.Hour)
	for what, do := range map[string]func() error{
		"sweep":  func() error { return p.other().sweep() },
		"forget": func() error { return p.forget(someThread) },
		"place":  func() error { _, err := p.home().place(someThread); return err },
		"keep": func() error {
			h, path := p.home(), strings.Replace(rolloutPath, someThread, otherThread, 1)
			p.run(h, path, rolloutText(otherThread, 1))
			return h.keep(otherThread, path, sidecar{Turns: 1})
		},
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), "codex-sessions is a link") {
			t.Errorf("%s: %v", what, err)
		}
	}
	var names []string
	for _, path := range p.under(elsewhere) {
		names = append(names, filepath.Base(path))
	}
	slices.Sort(names)
	if want := []string{someThread + ".json", someThread + ".jsonl", "lock"}; !slices.Equal(names, want) {
		t.Errorf("behind the link: %q", names)
	}
	if info, err := os.Stat(elsewhere); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}
