package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
)

// stamp is a program that answers each prompt with the time at which it read it.
func stamp(in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || len(m.ID) == 0 {
			continue
		}
		at := time.Now().UnixNano()
		result := "{}"
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":1,"agentCapabilities":{}}`
		case "session/new":
			result = `{"sessionId":"s"}`
		case "session/prompt":
			fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d"}}}}`+"\n", at)
			result = `{"stopReason":"end_turn"}`
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}

// BenchmarkOverhead is what Conch adds to the bare protocol with a warm program:
// from Send until the program has read the prompt, and from the first words that
// it wrote until a screen can take them. The chat has 2,000 messages.
func BenchmarkOverhead(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	times := quick()
	times.Grace = time.Millisecond
	e := New(Agent{ID: "x", Name: "X", Command: self, Env: []string{"ACP_TEST_STAMP=1"}}, Options{Environ: os.Environ(), Timings: times})
	defer e.Close()
	store, err := chats.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	log := store.Create(b.TempDir(), "")
	words := strings.Repeat("some words of an answer ", 60)
	for i := range 1000 {
		turn := fmt.Sprint("t", i)
		for _, body := range []chats.Body{
			chats.UserMessage{MessageID: turn, Text: words},
			chats.AssistantDelta{MessageID: turn + "a", Channel: chats.ChannelText, Delta: words}, chats.AssistantDone{MessageID: turn + "a"},
			chats.TurnCompleted{Outcome: "success", Accepted: true, Engine: "y"},
		} {
			if _, err := log.Append(turn, body); err != nil {
				b.Fatal(err)
			}
		}
	}
	m, err := conversation.New(log, conversation.Deps{Engines: []engine.Engine{e}, DefaultProvider: "x"})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close() //nolint:errcheck // a benchmark
	var out, back []time.Duration
	exchange := func() {
		start := time.Now()
		if err := m.Send(conversation.Message{Text: "go on"}); err != nil {
			b.Fatal(err)
		}
		for heard := false; !heard; {
			<-m.Changed()
			events, _ := m.Take()
			now := time.Now()
			for _, ev := range events {
				d, ok := ev.Body.(chats.AssistantDelta)
				if at, err := strconv.ParseInt(d.Delta, 10, 64); ok && err == nil && !heard {
					heard = true
					out = append(out, time.Unix(0, at).Sub(start))
					back = append(back, now.Sub(time.Unix(0, at)))
				}
			}
		}
		if err := m.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
		m.Take()
	}
	exchange() // starts the program, and hands the chat over
	out, back = nil, nil
	for b.Loop() {
		exchange()
	}
	for name, took := range map[string][]time.Duration{"to-the-program": out, "to-the-screen": back} {
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2])/1e6, name+"-p50-ms")
		b.ReportMetric(float64(took[len(took)*95/100])/1e6, name+"-p95-ms")
	}
}
