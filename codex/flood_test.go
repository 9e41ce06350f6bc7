package codex

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"conch/engine"
)

// listener is a receiver that only counts.
type listener struct{ notes, long int }

func (l *listener) notification(string, json.RawMessage)             { l.notes++ }
func (l *listener) request(json.RawMessage, string, json.RawMessage) {}
func (l *listener) noise([]byte)                                     {}
func (l *listener) tooLong([]byte, int64)                            { l.long++ }

type nowhere struct{ io.Writer }

func (nowhere) Close() error { return nil }

func TestWhatIsSaidIsBounded(t *testing.T) {
	l := &listener{}
	note := func(n int) string {
		return `{"method":"item/agentMessage/delta","params":{"delta":"` + strings.Repeat("x", n) + `"}}` + "\n"
	}
	c := newConn(strings.NewReader(note(maxSaid)+note(10)), nowhere{io.Discard}, l)
	<-c.gone
	<-c.out.Done
	if l.notes != 1 || l.long != 1 {
		t.Errorf("%d were taken, %d left out; want one each", l.notes, l.long)
	}
}

func TestAnAnswerWithoutAnEndIsCutAndThatIsSaidOnce(t *testing.T) {
	sink := &sinkOf{}
	turn := &turn{e: New(Usual(), Options{}), sink: sink}
	turn.words.turn = turn
	piece := strings.Repeat("x", 16<<20)
	for range 8 {
		turn.words.delta("m", piece, false)
	}
	said, notices := 0, 0
	for _, ev := range sink.all() {
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
