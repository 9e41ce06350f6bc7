package moment

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"conch/pastchats"
	"conch/tui/theme"
)

var now = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

func some() pastchats.Status {
	return pastchats.Status{Sources: []pastchats.Source{
		{ID: "claude-code", Label: "Claude Code", Found: 912, Fresh: 912, From: now.AddDate(-1, 0, 0), Projects: []pastchats.Project{{Name: "shop", Count: 310}, {Name: "novel", Count: 122}}},
		{ID: "codex", Label: "Codex", Found: 301, Fresh: 301, Projects: []pastchats.Project{{Name: "novel", Count: 240}}},
		{ID: "hermes", Label: "Hermes", Found: 7}, // all of them are in
	}}
}

func screen(m *Moment, w, h int) string {
	return ansi.Strip(strings.Join(m.Lines(w, h, now, false), "\n"))
}

func TestTheNumberCountsUpInOneSecond(t *testing.T) {
	m := New(theme.New(false, true, theme.Unicode()), Keys{"enter", "esc"}, true)
	m.Found(some())
	if Steps*StepTime > 1200*time.Millisecond || Steps > 24 {
		t.Errorf("%d steps of %v", Steps, StepTime)
	}
	last, steps := -1, 0
	for {
		n := m.counted()
		if n < last {
			t.Fatalf("it counts back from %d to %d", last, n)
		}
		last = n
		steps++
		if !m.Step() {
			break
		}
	}
	if m.counted() != 1213 || steps != Steps || m.Counting() {
		t.Errorf("%d after %d steps", m.counted(), steps)
	}
	still := New(theme.New(false, true, theme.Unicode()), Keys{}, false)
	still.Found(some())
	if still.counted() != 1213 || still.Counting() {
		t.Error("where nothing moves the number is there at once")
	}
}

func TestWhatIsOffered(t *testing.T) {
	m := New(theme.New(false, false, theme.Unicode()), Keys{"enter", "esc"}, false)
	m.Found(some())
	s := screen(m, 80, 20)
	for _, part := range []string{"Found  1,213  conversations", "from Claude Code and Codex.", "912   shop 310 · novel 122", "since Nov 2025", "enter  bring them in        esc  not now"} {
		if !strings.Contains(s, part) {
			t.Errorf("%q is missing:\n%s", part, s)
		}
	}
	if strings.Contains(s, "Hermes") {
		t.Errorf("an app without anything new:\n%s", s)
	}
	if m.Example() != "novel" {
		t.Errorf("the busiest project is %q", m.Example())
	}
	again := some()
	again.Brought = 40
	m.Found(again)
	if s := screen(m, 80, 20); !strings.Contains(s, "new or longer conversations") {
		t.Errorf("not the first time:\n%s", s)
	}
	m.Found(pastchats.Status{Sources: []pastchats.Source{{ID: "pi", Label: "pi", Found: 1, Fresh: 1}}})
	if s := screen(m, 80, 20); !strings.Contains(s, "Found  1  conversation\n") {
		t.Errorf("one:\n%s", s)
	}
	bare := New(theme.New(false, false, theme.Unicode()), Keys{}, false)
	bare.Found(some())
	if s := screen(bare, 80, 20); strings.Contains(s, "not now") {
		t.Errorf("keys that were taken away:\n%s", s)
	}
}

func TestHowFarItIs(t *testing.T) {
	for name, c := range map[string]struct {
		p    pastchats.Progress
		want string
	}{
		"at first":    {pastchats.Progress{}, "looking through them"},
		"no time yet": {pastchats.Progress{Done: 10, Total: 100, App: "Codex", Since: now}, "10 of 100 · Codex"},
		"by size":     {pastchats.Progress{Done: 10, Total: 100, Bytes: 90, Of: 100, App: "Codex", Since: now.Add(-9 * time.Second)}, "10 of 100 · Codex · 1 s left"},
		"by number":   {pastchats.Progress{Done: 25, Total: 100, Since: now.Add(-10 * time.Second)}, "25 of 100 · 30 s left"},
		"minutes":     {pastchats.Progress{Done: 25, Total: 100, Since: now.Add(-time.Minute)}, "25 of 100 · 3 min left"},
		"all":         {pastchats.Progress{Done: 100, Total: 100, Since: now.Add(-time.Minute)}, "100 of 100"},
	} {
		m := New(theme.New(false, true, theme.Unicode()), Keys{"enter", "esc"}, false)
		m.Found(some())
		m.Run(now)
		m.Progress(c.p)
		if got := m.Far(now); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestWhatARunDid(t *testing.T) {
	for want, r := range map[string]pastchats.Result{
		"1,281 brought in · 3 couldn't be read · 47 keys taken out": {Added: 1280, Updated: 1, Skipped: 3, Redacted: 47},
		"1 brought in · 1 key taken out":                            {Added: 1, Redacted: 1},
		"nothing new was there":                                     {},
		"stopped · 612 brought in, and they stay":                   {Added: 612, Stopped: true},
		"stopped, nothing was brought in yet":                       {Stopped: true},
		"0 brought in · 2 couldn't be read":                         {Skipped: 2},
		"98 brought in · 8 without words · 5 couldn't be read":      {Added: 98, Wordless: 8, Skipped: 5},
		"0 brought in · 1 without words":                            {Wordless: 1},
		"stopped · 3 brought in, and they stay · 2 without words":   {Added: 3, Wordless: 2, Stopped: true},
	} {
		if got := Sum(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What was found may be empty or damaged: the rows at the end are of what came in.
func TestTheRowsAtTheEndAreOfWhatCameIn(t *testing.T) {
	m := New(theme.New(false, true, theme.Unicode()), Keys{"enter", "esc"}, false)
	m.Found(some())
	m.Run(now)
	m.Progress(pastchats.Progress{Done: 1213, Total: 1213, Counts: map[string]int{"claude-code": 912, "codex": 301}})
	m.Finish(pastchats.Result{Added: 1200, Wordless: 8, Skipped: 5, Chats: 1200, Came: map[string]int{"claude-code": 905, "codex": 295}})
	s := screen(m, 80, 20)
	for _, part := range []string{"1,200 brought in · 8 without words · 5 couldn't be read", "Claude Code  905", "Codex        295"} {
		if !strings.Contains(s, part) {
			t.Errorf("%q is missing:\n%s", part, s)
		}
	}
	m.Finish(pastchats.Result{Added: 910, Stopped: true, Chats: 910, Came: map[string]int{"claude-code": 905, "codex": 5}})
	if s := screen(m, 80, 20); !strings.Contains(s, "905 of 912") || !strings.Contains(s, "5 of 301") {
		t.Errorf("stopped:\n%s", s)
	}
}

func TestAppsThatDoNotFitAreCounted(t *testing.T) {
	st := pastchats.Status{}
	for i := range 10 {
		st.Sources = append(st.Sources, pastchats.Source{ID: fmt.Sprint(i), Label: fmt.Sprintf("App %d", i), Fresh: 11})
	}
	m := New(theme.New(false, true, theme.Unicode()), Keys{"enter", "esc"}, false)
	m.Found(st)
	for height := 5; height < 20; height++ {
		s := screen(m, 50, height)
		shown := 0
		for i := range 10 {
			if strings.Contains(s, fmt.Sprintf("App %d", i)) {
				shown++
			}
		}
		more := ""
		if shown > 0 && shown < 10 {
			more = fmt.Sprintf("  %d more\n", 10-shown)
		}
		if !strings.Contains(s, more) || more == "" && strings.Contains(s, " more\n") {
			t.Errorf("%d rows, %d apps:\n%s", height, shown, s)
		}
	}
}

func TestItFitsEverySizeAndCarriesNoSequence(t *testing.T) {
	evil := "a\x1b[2J\x1b]0;owned\x07 界界 \u202egnol 👨\u200d👩\u200d👧"
	st := pastchats.Status{Notes: []string{evil, strings.Repeat(evil, 30)}}
	for i := range 10 {
		st.Sources = append(st.Sources, pastchats.Source{ID: fmt.Sprint(i), Label: evil, Fresh: i * i * 1000, From: now, Projects: []pastchats.Project{{Name: evil, Count: 5}, {Name: strings.Repeat("界", 60), Count: 4}}})
	}
	res := pastchats.Result{Added: 5, Skipped: 3, Redacted: 2, Chats: 3, Problems: []string{evil, evil, evil, evil}}
	random := rand.New(rand.NewSource(1))
	for _, signs := range []theme.Signs{theme.Unicode(), theme.ASCII()} {
		for _, widths := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
			th := theme.New(false, true, signs)
			th.Widths = widths
			states := map[string]func(m *Moment){
				"looking": func(*Moment) {},
				"offer":   func(m *Moment) { m.Found(st) },
				"running": func(m *Moment) {
					m.Found(st)
					m.Run(now)
					m.Progress(pastchats.Progress{Done: random.Intn(100), Total: 50, Bytes: int64(random.Intn(1e9)), Of: 5e8, App: evil, Since: now.Add(-time.Hour), Counts: map[string]int{"3": 1e6, "4": -3}})
				},
				"stopping": func(m *Moment) { m.Found(st); m.Run(now); m.Stop() },
				"done":     func(m *Moment) { m.Found(st); m.Finish(res) },
				"stopped":  func(m *Moment) { m.Found(st); r := res; r.Stopped = true; m.Finish(r) },
				"failed":   func(m *Moment) { m.Fail(strings.Repeat(evil, 20)) },
			}
			for name, do := range states {
				m := New(th, Keys{"enter", "esc"}, false)
				do(m)
				for width := 1; width <= 130; width += 1 + random.Intn(14) {
					for _, height := range []int{1, 2, 3, 5, 9, 14, 20, 40} {
						lines := m.Lines(width, height, now, random.Intn(3) == 0)
						if len(lines) != height {
							t.Fatalf("%s at %dx%d: %d rows", name, width, height, len(lines))
						}
						for _, l := range lines {
							if got := widths.StringWidth(l); got > width {
								t.Fatalf("%s at %dx%d: %d cells: %q", name, width, height, got, l)
							}
							if strings.ContainsAny(l, "\x07\u202e") || strings.Contains(l, "\x1b]") || strings.Contains(l, "\x1b[2J") {
								t.Fatalf("%s: a sequence from outside: %q", name, l)
							}
						}
					}
				}
				if lines := m.Lines(0, 5, now, false); lines != nil {
					t.Error("lines without a width")
				}
			}
		}
	}
}

func TestInAShortWindowTheKeysStay(t *testing.T) {
	m := New(theme.New(false, false, theme.Unicode()), Keys{"enter", "esc"}, false)
	m.Found(some())
	for _, h := range []int{2, 3, 5, 8} {
		if s := screen(m, 80, h); !strings.Contains(s, "Found  1,213") || !strings.Contains(s, "enter  bring them in") {
			t.Errorf("%d rows:\n%s", h, s)
		}
	}
	m.Run(now)
	m.Progress(pastchats.Progress{Done: 1, Total: 4})
	if s := screen(m, 80, 3); !strings.Contains(s, "1 of 4") || !strings.Contains(s, "25 %") {
		t.Errorf("running:\n%s", s)
	}
}
