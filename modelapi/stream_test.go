package modelapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"conch/engine"
)

// got is what came of a stream.
type got struct {
	Text, Thought, Stop, Refused string
	Calls                        []string
	In, Out, Cached              int64
	Ended                        bool
}

// read takes a stream apart as a turn does.
func read(kind Kind, stream string) got {
	a := &answer{shown: silent{}}
	r := dialectOf(kind).reader(a)
	events := newEvents(strings.NewReader(stream))
	var g got
	for {
		name, data, err := events.next()
		if err == nil {
			err = r.event(name, data)
		}
		var no *refusal
		if errors.As(err, &no) {
			g.Refused = no.Error()
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && no == nil {
				g.Refused = err.Error()
			}
			break
		}
	}
	_ = a.close() // only words
	g.Text, g.Thought, g.Stop, g.Ended = a.text.String(), a.thought.String(), a.stop, a.ended
	g.In, g.Out, g.Cached = a.usage.in, a.usage.out, a.usage.cached
	for _, c := range a.message(1).Calls {
		g.Calls = append(g.Calls, fmt.Sprintf("%s %s %s", c.ID, c.Name, c.Args))
	}
	return g
}

func data(lines ...string) string { return "data: " + strings.Join(lines, "\n\ndata: ") + "\n\n" }

// Chat Completions as the servers really write them.
func TestEachServersWayOfChatCompletionsIsUnderstood(t *testing.T) {
	for name, test := range map[string]struct {
		stream string
		want   got
	}{
		"OpenAI: arguments in pieces, figures behind the end": {
			data(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"read","arguments":""}}]}}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\""}}]}}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"list","arguments":"{}"}}]}}]}`,
				`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
				`{"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":16}}}`, `[DONE]`),
			got{Calls: []string{`call_a read {"p":1}`, `call_b list {}`}, In: 20, Out: 5, Cached: 16, Ended: true},
		},
		"Ollama: whole calls, all with index 0, no figures, thinking as reasoning": {
			data(`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"hm"}}]}`,
				`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","index":0,"type":"function","function":{"name":"read","arguments":"{\"p\":1}"}}]}}]}`,
				`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_2","index":0,"type":"function","function":{"name":"read","arguments":"{\"p\":2}"}}]}}]}`,
				`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"tool_calls"}]}`, `[DONE]`),
			got{Thought: "hm", Calls: []string{`call_1 read {"p":1}`, `call_2 read {"p":2}`}, Ended: true},
		},
		"no ids, no index, arguments as an object": {
			data(`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"read","arguments":{"p":1}}},{"function":{"name":"read","arguments":{"p":2}}}]}}]}`,
				`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`),
			got{Calls: []string{`call_1_1 read {"p":1}`, `call_1_2 read {"p":2}`}, Ended: true},
		},
		"index 0 for each call, and in pieces": {
			data(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\":1}"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"read","arguments":"{\"p\""}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":2}"}}]},"finish_reason":"tool_calls"}]}`),
			got{Calls: []string{`a read {"p":1}`, `b read {"p":2}`}, Ended: true},
		},
		"the name with every piece": {
			data(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"}"}}]},"finish_reason":"tool_calls"}]}`),
			got{Calls: []string{`a read {}`}, Ended: true},
		},
		"OpenRouter: comments, then an error inside the stream": {
			": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" + data(`{"choices":[{"index":0,"delta":{"content":"Hel"}}]}`,
				`{"error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`),
			got{Text: "Hel", Refused: "Provider disconnected (HTTP 502)"},
		},
		"llama.cpp: thinking as reasoning_content": {
			data(`{"choices":[{"index":0,"delta":{"reasoning_content":"let me "}}]}`, `{"choices":[{"index":0,"delta":{"reasoning_content":"see"}}]}`,
				`{"choices":[{"index":0,"delta":{"content":"Hi"}}]}`, `{"choices":[{"finish_reason":"stop","index":0,"delta":{}}],"usage":{"completion_tokens":3,"prompt_tokens":9}}`, `[DONE]`),
			got{Text: "Hi", Thought: "let me see", In: 9, Out: 3, Ended: true},
		},
		"thinking inside the words, its tag in pieces": {
			data(`{"choices":[{"delta":{"content":"<th"}}]}`, `{"choices":[{"delta":{"content":"ink>hm, </thi"}}]}`, `{"choices":[{"delta":{"content":"nk>\n\nHi <think> there"}}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`),
			got{Text: "Hi <think> there", Thought: "hm, ", Ended: true},
		},
		"words that only look like a tag": {
			data(`{"choices":[{"delta":{"content":"<thi"}}]}`, `{"choices":[{"delta":{"content":"s"},"finish_reason":"stop"}]}`),
			got{Text: "<this", Ended: true},
		},
		"cut at the limit, Windows line ends, an event without its blank line": {
			"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}",
			got{Text: "a", Stop: stopLength, Ended: true},
		},
		"noise": {
			data(`not json`, `[]`, `null`, `"x"`, `{"choices":"no"}`, `{"choices":[{"index":0,"delta":7}]}`, `{"choices":[{"index":3,"delta":{"content":"other"}}]}`, `{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"ok"}]},"finish_reason":"stop"}]}`),
			got{Text: "ok", Ended: true},
		},
	} {
		if diff := cmp.Diff(test.want, read(OpenAI, test.stream)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestResponsesAndMessagesAreUnderstood(t *testing.T) {
	for name, test := range map[string]struct {
		kind   Kind
		stream string
		want   got
	}{
		"Responses: an item that came only whole": {
			Responses, data(`{"type":"response.output_item.done","item":{"type":"message","id":"m","content":[{"type":"output_text","text":"Hi"}]}}`,
				`{"type":"response.output_item.done","item":{"type":"function_call","id":"f","call_id":"c","name":"read","arguments":"{\"p\":1}"}}`,
				`{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":9,"output_tokens":2,"input_tokens_details":{"cached_tokens":4}}}}`),
			got{Text: "Hi", Calls: []string{`c read {"p":1}`}, In: 9, Out: 2, Cached: 4, Ended: true},
		},
		"Responses: failed": {
			Responses, data(`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"It broke"}}}`),
			got{Refused: "It broke"},
		},
		"Responses: cut": {
			Responses, data(`{"type":"response.output_text.delta","item_id":"m","delta":"a"}`, `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`),
			got{Text: "a", Stop: stopLength, Ended: true},
		},
		"Messages: figures at both ends, ping, an unknown block": {
			Anthropic, data(`{"type":"message_start","message":{"model":"m","usage":{"input_tokens":5,"cache_read_input_tokens":100,"cache_creation_input_tokens":10,"output_tokens":1}}}`,
				`{"type":"ping"}`, `{"type":"content_block_start","index":0,"content_block":{"type":"news"}}`, `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hi"}}`, `{"type":"content_block_stop","index":1}`,
				`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{}}}`,
				`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"p\":"}}`, `{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"1}"}}`,
				`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}`, `{"type":"message_stop"}`),
			got{Text: "Hi", Calls: []string{`toolu_1 read {"p":1}`}, In: 115, Out: 7, Cached: 100, Ended: true},
		},
		"Messages: overloaded in the middle": {
			Anthropic, data(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
			got{Refused: "Overloaded"},
		},
	} {
		if diff := cmp.Diff(test.want, read(test.kind, test.stream)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestHostileStreamsAreBounded(t *testing.T) {
	endless := func(line string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, line); err != nil {
					return
				}
			}
		}
	}
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"a line without an end": endless(strings.Repeat("a", 1<<16)),
		"words without an end":  endless(chunk(strings.Repeat("b", 1<<14)) + "\n\n"),
		"comments without end":  endless(": " + strings.Repeat("c", 1<<14) + "\n"),
		"calls without an end":  endless(`data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"x","arguments":"{}"}}]}}]}` + "\n\n"),
		"a huge whole answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range maxStream>>16 + 2 {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := byHand(t, answer)
			b := newBench(t, API{Kind: OpenAI, URL: h.URL})
			r, _ := b.turn(engine.TurnInput{Prompt: "x"})
			if r.Outcome != engine.Failed || !strings.Contains(r.Error, "too large") || len(h.asked()) != 1 {
				t.Errorf("%+v, %d requests", r, len(h.asked()))
			}
		})
	}
}

func TestAnAnswerInOnePieceIsTakenToo(t *testing.T) {
	for kind, body := range map[Kind]string{
		OpenAI:    `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","reasoning_content":"hm"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`,
		Responses: `{"model":"m","status":"completed","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","id":"x","content":[{"type":"output_text","text":"Hi"}]}],"usage":{"input_tokens":3,"output_tokens":1}}`,
		Anthropic: `{"type":"message","model":"m","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":1}}`,
	} {
		h := byHand(t, refuse(200, body))
		b := newBench(t, API{Kind: kind, URL: h.URL})
		r, sink := b.turn(engine.TurnInput{Prompt: "x"})
		if r.Outcome != engine.Success || sink.text() != "Hi" || kind != Responses && sink.thought() != "hm" || *r.Usage.InputTokens != 3 {
			t.Errorf("%s: %+v %q %q", kind, r, sink.text(), sink.thought())
		}
	}
}

func FuzzChatStream(f *testing.F)      { fuzz(f, OpenAI) }
func FuzzResponsesStream(f *testing.F) { fuzz(f, Responses) }
func FuzzMessagesStream(f *testing.F)  { fuzz(f, Anthropic) }

func fuzz(f *testing.F, kind Kind) {
	for _, seed := range []string{
		data(`{"choices":[{"index":0,"delta":{"content":"<think>a</think>b","tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]},"finish_reason":"stop"}]}`, "[DONE]"),
		data(`{"type":"response.output_item.added","item":{"type":"function_call","id":"f","call_id":"c","name":"x"}}`, `{"type":"response.function_call_arguments.delta","item_id":"f","delta":"{"}`, `{"type":"response.completed","response":{}}`),
		data(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"x","input":{}}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, `{"type":"content_block_stop","index":0}`, `{"type":"message_stop"}`),
		": x\n\nevent: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"no\",\"code\":429}}\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		a := &answer{shown: silent{}}
		r := dialectOf(kind).reader(a)
		events := newEvents(strings.NewReader(stream))
		for {
			name, data, err := events.next()
			if err == nil {
				err = r.event(name, data)
			}
			if err != nil {
				break
			}
		}
		_ = a.close()
		m := a.message(1)
		ids := map[string]bool{}
		for _, c := range m.Calls {
			if c.ID == "" || ids[c.ID] || idOnly(c.ID) != c.ID {
				t.Errorf("the id %q", c.ID)
			}
			ids[c.ID] = true
		}
		if _, err := dialectOf(kind).body(request{history: []message{{Role: ofPerson, Text: "x"}, m}}); err != nil {
			t.Errorf("it can't be sent again: %v", err)
		}
		_ = dialectOf(kind).reader(&answer{shown: silent{}}).whole([]byte(stream))
	})
}

func FuzzKept(f *testing.F) {
	f.Add([]byte(`{"form":"conch model session","v":1,"id":"ma-00000000000000000000000000000000","digest":""}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, _ = parseKept(data, "ma-00000000000000000000000000000000")
		_, _ = parseModels(data)
		_ = refusalOf(data).Error()
	})
}
