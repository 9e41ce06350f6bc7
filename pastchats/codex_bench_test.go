package pastchats

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// codexLong is a rollout in a real one's proportions, of about 32 MB: nearly all
// of it is what tools gave and what was written twice.
func codexLong() string {
	var b strings.Builder
	output := strings.Repeat(`func (s *Shop) Total() int {\n\treturn s.\"sum\"\n}\n`, 200)
	number := 0
	line := func(kind, payload string) {
		fmt.Fprintf(&b, `{"timestamp":"2026-11-30T10:00:00.000Z","ordinal":%d,"type":%q,"payload":%s}`+"\n", number, kind, payload)
		number++
	}
	line("session_meta", `{"id":"`+codexOne+`","timestamp":"2026-11-30T10:00:00Z","cwd":"/home/dev/shop","source":"cli","base_instructions":{"text":"`+strings.Repeat("long ", 4000)+`"}}`)
	for turn := range 200 {
		text := fmt.Sprintf("%d: %s", turn, strings.Repeat("Please look at the cart again. ", 10))
		line("turn_context", `{"turn_id":"t","cwd":"/home/dev/shop","approval_policy":"never","model":"gpt-5.4","user_instructions":"`+strings.Repeat("rules ", 100)+`"}`)
		line("response_item", `{"type":"message","id":"m","role":"user","content":[{"type":"input_text","text":"`+text+`"}]}`)
		line("event_msg", `{"type":"item_completed","thread_id":"t","turn_id":"u","item":{"type":"UserMessage","id":"i","content":[{"type":"text","text":"`+text+`"}]}}`)
		for range 6 {
			line("response_item", `{"type":"function_call","id":"f","name":"exec_command","arguments":"{\"cmd\":\"cat cart.go\"}","call_id":"c"}`)
			line("event_msg", `{"type":"item_completed","thread_id":"t","turn_id":"u","item":{"type":"CommandExecution","id":"i","aggregated_output":"`+output+`"}}`)
			line("response_item", `{"type":"function_call_output","id":"o","call_id":"c","output":"`+output+`"}`)
			line("event_msg", `{"type":"token_count","info":{"total_token_usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}}`)
		}
		line("event_msg", `{"type":"item_completed","thread_id":"t","turn_id":"u","item":{"type":"AgentMessage","id":"i","content":[{"type":"Text","text":"`+text+`"}]}}`)
		line("response_item", `{"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"`+text+`"}]}`)
		if turn%20 == 19 {
			line("compacted", `{"message":"A summary","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"`+strings.Repeat(output, 50)+`"}]}]}`)
		}
	}
	return b.String()
}

// BenchmarkCodexLines reads a rollout that is in memory: what the reader itself
// costs.
func BenchmarkCodexLines(b *testing.B) {
	text := []byte(codexLong())
	words, lr := newCodexWords(), new(lineReader)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var c talk
		s := &codexReading{chat: &c, words: words, own: codexOne, until: 1 << 60}
		if _, err := lr.each(bytes.NewReader(text), maxLine, s.line); err != nil {
			b.Fatal(err)
		}
		if s.finish(); len(c.words) != 400 {
			b.Fatal(len(c.words))
		}
	}
}

// BenchmarkCodexRead reads it from a file, plain and squeezed.
func BenchmarkCodexRead(b *testing.B) {
	text := codexLong()
	for name, file := range map[string]string{"": text, ".zst": squeezed(b, text)} {
		b.Run("jsonl"+name, func(b *testing.B) {
			finder := newCodex(homeWith(b, map[string]string{codexRollout(codexOne) + name: file}))
			found, err := finder.find(context.Background())
			if err != nil || len(found.files) != 1 {
				b.Fatal(found, err)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var c talk
				if err := finder.read(context.Background(), found.files[0], &c); err != nil || len(c.words) != 400 {
					b.Fatal(len(c.words), err)
				}
			}
		})
	}
}

// BenchmarkCodexSkips judges single lines.
func BenchmarkCodexSkips(b *testing.B) {
	for name, text := range map[string]string{
		"token_count": codexEvent("token_count", `"info":null`),
		"result":      codexLine("response_item", `{"type":"function_call_output","output":"`+strings.Repeat("x", 10_000)+`"}`),
		"item":        codexShown("CommandExecution", `[]`),
		"developer":   codexItem("developer", "x"),
	} {
		b.Run(name, func(b *testing.B) {
			line := []byte(text)
			b.ReportAllocs()
			for b.Loop() {
				if !codexSkips(line, false) {
					b.Fatal("it is read")
				}
			}
		})
	}
}

// BenchmarkCodexFind looks at a thousand rollouts whose first lines have 20 KB.
func BenchmarkCodexFind(b *testing.B) {
	h := madeHome(b)
	const many = 1000
	for i := range many {
		id := fmt.Sprintf("01a22d6b-0000-7000-8000-%012d", i)
		put(b, filepath.Join(h.Dir, codexRollout(id)), lines(codexMeta(id, `"source":"cli","base_instructions":{"text":"`+strings.Repeat("long ", 4000)+`"}`), codexUser("hi")))
	}
	b.ReportAllocs()
	for b.Loop() {
		if found, err := newCodex(h).find(context.Background()); err != nil || len(found.files) != many {
			b.Fatal(len(found.files), err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/many, "µs/file")
}
