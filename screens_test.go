//go:build !windows

package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// stage is where the screens are taken: one place on every machine, for paths
// are on them.
const stage = "/tmp/conch-screens"

// clock is a time of day on a screen; the docs show one time.
var clock = regexp.MustCompile(`\b[0-2][0-9]:[0-5][0-9]\b`)

// TestCapturedScreens plays the demo and holds the screens of the docs against
// what the program shows. CONCH_UPDATE_SCREENS=1 (make screens) writes them.
func TestCapturedScreens(t *testing.T) {
	update := os.Getenv("CONCH_UPDATE_SCREENS") != ""
	shots := capture(t)
	// A busy machine may show how long a step took: such a screen is taken again.
	for range 2 {
		if update || current(t, shots) {
			break
		}
		shots = capture(t)
	}
	for _, page := range []string{"docs/screens.md", "README.md"} {
		was, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		now, missing := fill(string(was), shots)
		if len(missing) > 0 {
			t.Errorf("%s asks for screens that nobody takes: %v", page, missing)
		}
		if update && now != string(was) {
			if err := os.WriteFile(page, []byte(now), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for name, shot := range shots {
			if strings.Contains(string(was), "<!-- screen:"+name+" -->") && !strings.Contains(string(was), shot) {
				t.Errorf("%s shows an old %q; make screens takes it anew. It is now:\n%s", page, name, shot)
			}
		}
	}
}

// current reports that the docs show these screens.
func current(t *testing.T, shots map[string]string) bool {
	t.Helper()
	page, err := os.ReadFile("docs/screens.md")
	if err != nil {
		t.Fatal(err)
	}
	now, _ := fill(string(page), shots)
	return now == string(page)
}

var slot = regexp.MustCompile("(?s)<!-- screen:([a-z-]+) -->\n```\n.*?```\n<!-- /screen -->")

// fill puts the screens where a page asks for them.
func fill(page string, shots map[string]string) (string, []string) {
	var missing []string
	page = slot.ReplaceAllStringFunc(page, func(block string) string {
		name := slot.FindStringSubmatch(block)[1]
		shot, ok := shots[name]
		if !ok {
			missing = append(missing, name)
			return block
		}
		return "<!-- screen:" + name + " -->\n```\n" + shot + "```\n<!-- /screen -->"
	})
	return page, missing
}

func capture(t *testing.T) map[string]string {
	t.Helper()
	// Two runs of the tests on one machine take turns on the stage.
	turn, err := os.OpenFile(stage+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Close() //nolint:errcheck // nothing was written
	if err := syscall.Flock(int(turn.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(stage); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(stage, 0o700); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(stage) //nolint:errcheck // the next run removes it too
	shots := map[string]string{}
	for _, size := range []struct {
		name       string
		cols, rows int
	}{{"", 80, 24}, {"-wide", 120, 40}} {
		p := place{home: stage + "/home" + size.name, project: stage + "/shop"}
		tmp := stage + "/tmp" + size.name
		for _, dir := range []string{p.home, p.project, tmp} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		s := open(t, p, size.cols, size.rows, p.environ("TMPDIR="+tmp), "--provider", "demo")
		take := func(name string) {
			shots[name+size.name] = clock.ReplaceAllString(steady(s), "09:41")
		}
		s.waitFor(prompt)
		s.waitFor("npm install -g @qwen-code/qwen-code")
		take("first")
		s.say("fix the till: it fails when the cart is empty")
		s.waitFor("waits for you")
		s.waitFor("tab to answer")
		take("permission")
		s.answer("y", func() bool { return strings.Contains(s.screen(), "you allowed it once") })
		s.waitFor("sh check.sh")
		s.answer("y", func() bool { return !strings.Contains(s.screen(), "waits for you") })
		s.waitFor("Done.")
		s.waitGone("esc stop")
		s.waitGone("waits for you")
		take("chat")
		s.typed(keyCtrlO)
		s.waitFor("Who answers next?")
		s.waitFor("not here")
		take("switcher")
		s.typed(keyEsc)
		s.waitGone("Who answers next?")
		s.typed(keyCtrlP)
		s.waitFor("enter open")
		take("sheet")
		s.typed(keyEsc)
		s.waitGone("enter open")
		s.typed("?")
		s.waitFor("esc")
		take("help")
		s.signal(syscall.SIGTERM)
		s.ended()
	}
	return shots
}

// steady is the screen once nothing moves on it any more.
func steady(s *terminal) string {
	s.t.Helper()
	last, same := "", 0
	s.until("a screen that stands still", func() bool {
		now := s.screen()
		if now == last {
			same++
		} else {
			last, same = now, 0
		}
		return same > 40
	})
	return last
}

func TestFillingAPageTwiceChangesNothing(t *testing.T) {
	page := "a\n<!-- screen:chat -->\n```\nold\n```\n<!-- /screen -->\nb\n"
	shots := map[string]string{"chat": "new\n"}
	once, missing := fill(page, shots)
	twice, _ := fill(once, shots)
	if len(missing) > 0 || once != twice || !bytes.Contains([]byte(once), []byte("```\nnew\n```")) {
		t.Errorf("filled once:\n%s\ntwice:\n%s\nmissing %v", once, twice, missing)
	}
}
