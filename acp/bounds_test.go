package acp

import (
	"encoding/json"
	"strings"
	"testing"

	"conch/engine"
)

// aTurn is a turn of a session that no program is behind.
func aTurn(t *testing.T) (*turn, *tape) {
	t.Helper()
	sink := newTape()
	e := New(Agent{ID: "test", Name: "Test Agent"}, Options{})
	turn := &turn{e: e, sink: sink, key: "t", s: &session{p: &process{e: e}}}
	turn.words.turn, turn.rows.turn = turn, turn
	return turn, sink
}

func TestAnAnswerWithoutAnEndIsCutAndThatIsSaidOnce(t *testing.T) {
	turn, sink := aTurn(t)
	piece := strings.Repeat("x", 16<<20)
	for range 8 {
		turn.words.add(channelText, "", piece)
	}
	said, notices := 0, 0
	for _, ev := range sink.events {
		switch e := ev.(type) {
		case engine.Text:
			said += len(e.Delta)
		case engine.Notice:
			notices++
		}
	}
	if said != maxWords || notices != 1 {
		t.Errorf("%d bytes, %d notices", said, notices)
	}
}

func TestARowThatIsOverHoldsNothingMore(t *testing.T) {
	turn, sink := aTurn(t)
	long := strings.Repeat("y", 100_000)
	c := turn.rows.update(parse(json.RawMessage(`{"toolCallId":"a","title":"Bash","kind":"execute","status":"in_progress","rawInput":{"command":"make"}}`)))
	turn.rows.update(parse(json.RawMessage(`{"toolCallId":"a","status":"completed","rawOutput":"` + long + `","content":[{"type":"content","content":{"type":"text","text":"` + long + `"}}]}`)))
	if held := len(c.input) + len(c.output) + len(c.text) + len(c.shown.output); held != 0 {
		t.Errorf("%d bytes", held)
	}
	end, ok := sink.events[len(sink.events)-1].(engine.ToolEnd)
	if !ok || end.Status != engine.ToolSuccess || !strings.HasSuffix(end.Output, "yyy") {
		t.Errorf("%+v", sink.events)
	}
	turn.rows.update(parse(json.RawMessage(`{"toolCallId":"a","status":"failed","rawOutput":"late"}`)))
	turn.rows.closeAll(true)
	if last, ok := sink.events[len(sink.events)-1].(engine.ToolEnd); !ok || last.Output != end.Output {
		t.Error("what came behind the end changed it")
	}
}

func TestUpdatesOfASessionWithoutANameAreBounded(t *testing.T) {
	turn, _ := aTurn(t)
	p := turn.s.p
	update := func(text string) {
		p.sessionUpdate(parse(json.RawMessage(`{"sessionId":"s","update":{"sessionUpdate":"x","text":"` + text + `"}}`)))
	}
	for range 4 {
		update(strings.Repeat("z", 3<<20))
	}
	update("small")
	if len(p.early) != 3 {
		t.Errorf("%d are kept, want two large ones and the small one", len(p.early))
	}
	for range 2 * maxEarly {
		update("small")
	}
	if len(p.early) != maxEarly {
		t.Errorf("%d are kept", len(p.early))
	}
	p.adopt(&session{p: p, id: "other"})
	if len(p.early) != 0 || p.earlyN != 0 {
		t.Errorf("%d of %d bytes are left", len(p.early), p.earlyN)
	}
}
