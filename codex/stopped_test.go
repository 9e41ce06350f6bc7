package codex

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"conch/engine"
)

// Codex keeps nothing of an answer that was stopped, and the person has read it: the
// next message tells it, once, also in another life of the program.
func TestWhatWasSaidBeforeAStopGoesWithTheNextMessage(t *testing.T) {
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprintf("a new process %v", again), func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "heard")
			e := testEngine(t, "testdata/wire/0.171.0/interrupt-stream.ndjson", "CODEX_TEST_HEARD="+log)
			in, sink := aMessage(t), &sinkOf{}
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan engine.Result, 1)
			go func() { over <- e.Turn(ctx, in, sink) }()
			waitUntil(t, nil, func() bool { return e.Health(context.Background()).Unheard["test/now"] > 0 })
			cancel()
			if r := <-over; r.Outcome != engine.Interrupted {
				t.Fatalf("%+v", r)
			}
			var words strings.Builder
			for _, ev := range sink.all() {
				if text, ok := ev.(engine.Text); ok {
					words.WriteString(text.Delta)
				}
			}
			if words.Len() == 0 {
				t.Fatal("nothing was said: the test shows nothing")
			}
			th := e.chats.Process(in.ConversationID).thread
			if !strings.HasSuffix(words.String(), th.unsaid) || th.unsaid == "" {
				t.Errorf("%q is kept of %q", th.unsaid, words.String())
			}
			if again {
				p, err := th.p.home.place(th.id)
				if err != nil || p.unsaid != th.unsaid {
					t.Errorf("%q, %v", p.unsaid, err)
				}
			}
			turn := &turn{e: e, th: th}
			params, _ := turn.params(in, "go on")
			context, _ := params["additionalContext"].(map[string]any)
			entry, _ := context["conch-stopped"].(map[string]any)
			if entry["kind"] != "application" || entry["value"] != stoppedAfter+th.unsaid {
				t.Errorf("the next message goes with %v", context)
			}
		})
	}
}
