package tools

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"conch/engine"
)

// waits is what a call has waited for.
func (h *hands) waits(args string) Waiting {
	h.t.Helper()
	h.turn.waits = nil
	r := h.call(h.turn, "wait_for", args)
	if len(h.turn.waits) != 1 || !strings.Contains(r.Text, "wakes you then. End your turn now") {
		h.t.Fatalf("%s: %d waits, %q", args, len(h.turn.waits), r.Text)
	}
	return h.turn.waits[0]
}

// looks reports what one look finds.
func looks(t *testing.T, w Waiting) (bool, string) {
	t.Helper()
	happened, words, err := w.Look(t.Context())
	must(t, err)
	return happened, words
}

func TestAFileIsWaitedFor(t *testing.T) {
	h := newHands(t, map[string]string{"log.txt": "begun\n"})
	for _, c := range []struct{ args, says, then, text string }{
		{`{"file":"out/done"}`, "until out/done exists", "out/done", ""},
		{`{"file":"log.txt","text":"built"}`, `until log.txt holds "built"`, "log.txt", "begun\nbuilt\n"},
		{`{"file":"log.txt","state":"changed"}`, "until log.txt changes", "log.txt", "other\n"},
	} {
		w := h.waits(c.args)
		if w.Says != c.says || w.Limit != 30*time.Minute || w.Runs {
			t.Errorf("%s: %+v", c.args, w)
		}
		if happened, _ := looks(t, w); happened {
			t.Errorf("%s: it has happened already", c.args)
		}
		h.write(c.then, c.text)
		if happened, _ := looks(t, w); !happened {
			t.Errorf("%s: it has not happened", c.args)
		}
	}
	for _, p := range h.turn.permissions {
		if p.Kind != engine.KindRead || len(p.Paths) != 1 {
			t.Errorf("asked for %+v", p)
		}
	}
	if p := h.turn.permissions[0]; p.Paths[0] != h.folder {
		t.Errorf("what is not there yet is asked for by the folder that is: %v", p.Paths)
	}
}

func TestACommandIsWaitedForOnlyWithAYes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are of another shell")
	}
	h := newHands(t, nil)
	w := h.waits(`{"command":"test -e built || { echo not yet; exit 3; }","every":30,"limit":60}`)
	if p := h.asked(); p.Tool != "Bash" || p.Kind != engine.KindExecute || p.Reason != "it is looked at every 30s, for at most 60 minutes" {
		t.Errorf("asked for %+v", p)
	}
	if happened, words := looks(t, w); happened || words != "It ended with exit 3.\nnot yet" || !w.Runs || w.Every != 30*time.Second || w.Limit != time.Hour {
		t.Errorf("%v, %q, %+v", happened, words, w)
	}
	h.write("built", "")
	if happened, _ := looks(t, w); !happened {
		t.Error("it has not happened")
	}
	h.sayNo()
	if why := h.refused(h.turn, "wait_for", `{"command":"true"}`); why != "it was not run: the person said no" {
		t.Error(why)
	}
	if len(h.turn.waits) != 1 {
		t.Error("it waits for what was declined")
	}
}

func TestAPageIsWaitedForWithoutItsWords(t *testing.T) {
	h := newHands(t, nil)
	s, mux := site(t)
	up := false
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		if !up {
			http.Error(w, "secret words", http.StatusServiceUnavailable)
		}
	})
	w := h.waits(`{"page":"` + s.URL + `"}`)
	if happened, words := looks(t, w); happened || words != "It answered 503 Service Unavailable." {
		t.Errorf("%v, %q", happened, words)
	}
	up = true
	if happened, _ := looks(t, w); !happened || len(h.turn.taints) > 0 {
		t.Error("it has not happened, or it tainted the chat")
	}
}

func TestWithNobodyThereTheCallItselfWaits(t *testing.T) {
	h := newHands(t, map[string]string{"done": ""})
	h.turn.unattended = true
	if r := h.call(h.turn, "wait_for", `{"file":"done"}`); r.Text != "You waited until done exists. It has happened, after 0s." || len(h.turn.waits) > 0 {
		t.Errorf("%q", r.Text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := h.tool(h.turn, "wait_for").Call(ctx, []byte(`{"seconds":3600}`))
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestOneThingIsWaitedFor(t *testing.T) { // R-102-15
	h := newHands(t, nil)
	for args, want := range map[string]string{
		`{}`:                                     "wanted one of command, file, page and seconds, got 0 of them",
		`{"file":"a","seconds":3}`:               "wanted one of command, file, page and seconds, got 2 of them",
		`{"seconds":3,"state":"gone"}`:           "state: wanted only with file",
		`{"file":"a","state":"moved"}`:           `state: wanted one of exists, changed, gone, got "moved"`,
		`{"file":"a","text":"x","state":"gone"}`: "text: wanted without state",
		`{"page":"ftp://a/"}`:                    "page: wanted a whole http or https address",
		`{"file":"a","state":"changed"}`:         "wait_for: there is no a",
	} {
		if why := h.refused(h.turn, "wait_for", args); !strings.Contains(why, want) {
			t.Errorf("%s: %s", args, why)
		}
	}
}

func TestWatchingEndsAtItsLimit(t *testing.T) {
	n := 0
	w := Waiting{Says: "for ever", Every: time.Millisecond, Limit: 30 * time.Millisecond, Look: func(context.Context) (bool, string, error) { n++; return false, "no", nil }}
	woke, err := w.Watch(t.Context())
	if err != nil || woke.Happened || n < 2 || woke.Words != "no" {
		t.Errorf("%+v, %v after %d looks", woke, err, n)
	}
}

// FuzzNothingIsDoneWithoutAYes gives each tool what a model could send.
func FuzzNothingIsDoneWithoutAYes(f *testing.F) {
	for _, seed := range []string{`{"path":"a","offset":-1}`, `{"pattern":"(?i","glob":"{{,"}`, `{"file":"\u0000"}`, `{"url":"http://%zz"}`, `[]`, `{"path":"../../x","content":""}`, `{"command":"","folder":"/"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		h := newHands(t, map[string]string{"a": "one\n"})
		h.sayNo()
		for _, each := range h.kit.For(h.turn) {
			if shown, ok := each.(engine.Shown); ok {
				shown.Show([]byte(args))
			}
			if each.Name() == "ask" || each.Name() == "plan" || each.Name() == "wait_for" {
				continue
			}
			if r, err := each.Call(t.Context(), []byte(args)); err == nil {
				t.Errorf("%s was done though the person said no: %q", each.Name(), r.Text)
			}
		}
		if h.read("a") != "one\n" {
			t.Error("the file was changed")
		}
	})
}
