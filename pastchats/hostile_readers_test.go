package pastchats

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// hostile is 1 MiB made to be slow or large to read.
type hostile struct {
	app, rel string
	also     map[string]string
	name     string
	text     func() string
}

const hostileBytes = 1 << 20

// filled repeats what make gives for 0, 1, 2 … up to 1 MiB.
func filled(begin string, make func(i int) string, end string) func() string {
	return func() string {
		var b strings.Builder
		b.WriteString(begin)
		for i := 0; ; i++ {
			next := make(i)
			if b.Len()+len(next)+len(end) > hostileBytes {
				break
			}
			b.WriteString(next)
		}
		b.WriteString(end)
		return b.String()
	}
}

func same(s string) func(int) string { return func(int) string { return s } }

func hostileInputs() []hostile {
	var all []hostile
	codex := func(name string, text func() string) {
		all = append(all, hostile{app: "codex", rel: codexRollout(codexOne), name: name, text: text})
	}
	meta := codexMeta(codexOne) + "\n"
	codexText := func(s string) func() string { // one user's text, made of s again and again
		line := codexItem("user", "|")
		at := strings.IndexByte(line, '|')
		return filled(meta+line[:at], same(s), line[at+1:]+"\n")
	}
	codex("short messages", filled(meta, same(codexUser("a")+"\n"+codexAgent("b")+"\n"), ""))
	codex("a row of answers, then turns taken back", filled(meta+strings.Repeat(codexAgent("b")+"\n", 4000)+codexUser("a")+"\n", same(codexBack(1<<30)+"\n"), ""))
	codex("items, then turns taken back", filled(meta+strings.Repeat(codexItem("user", "b")+"\n", 4000), same(codexBack(1)+"\n"), ""))
	codex("headers", filled("", same(meta), ""))
	codex("lines of one brace", filled(meta, same("{\n"), ""))
	codex("line ends", filled(meta, same("\n"), ""))
	codex("braces", filled(meta+`{"timestamp":"x","type":"event_msg","payload":`, same("{"), ""))
	codex("objects in objects", filled(meta+`{"payload":`, same(`{"a":`), ""))
	codex("the same member again and again", filled(meta+"{", same(`"payload":{},`), `"type":"event_msg"}`+"\n"))
	codex("many parts", filled(meta+`{"timestamp":"x","type":"response_item","payload":{"type":"message","role":"user","content":[`, same(`{"text":"a"},`), `{}]}}`+"\n"))
	codex("many kinds of parts", filled(meta+`{"timestamp":"x","type":"response_item","payload":{"type":"message","role":"user","content":[{"text":"a"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":[`, same(`"u",`), `""]}}}`+"\n"))
	codex("envelopes", codexText("<skill></skill>"))
	codex("open envelopes", codexText("<skill>"))
	codex("envelopes of other names", codexText("<context_window_a></context_window_b>"))
	codex("preambles", codexText("# AGENTS.md instructions</INSTRUCTIONS>"))
	codex("escaped quotes", codexText(`\"`))
	codex("backslashes", codexText(`\\`))
	codex("escaped letters", codexText(`\u0041`))
	codex("halves of pairs", codexText(`\ud800`))
	codex("environments", filled(meta, same(codexItem("user", "<environment_context>")+"\n"), ""))
	codex("no header at all", filled("", same("a"), ""))
	all = append(all, hostile{app: "codex", rel: ".codex/sessions/rollout-2025-04-29-" + codexOne + ".json", name: "many items",
		text: filled(`{"session":{},"items":[`, same(`{"type":"message","role":"user","content":"a"},`), `{}]}`)})
	all = append(all, hostile{app: "codex", rel: ".codex/session_index.jsonl", also: map[string]string{codexRollout(codexOne): meta + codexUser("a")}, name: "many names",
		text: filled("", func(i int) string { return fmt.Sprintf(`{"id":"%d","thread_name":"a"}`+"\n", i) }, "")})

	gemini := func(name string, text func() string) {
		all = append(all, hostile{app: "gemini-cli", rel: geminiLog, name: name, text: text})
	}
	header := geminiHeader() + "\n"
	gemini("many messages", filled(header, func(i int) string { return fmt.Sprintf(`{"id":"%d","type":"user","content":"a"}`+"\n", i) }, ""))
	gemini("many ids", filled(header, func(i int) string { return fmt.Sprintf(`{"id":"%d"}`+"\n", i) }, ""))
	gemini("a list of new ones", filled(header+`{"$set":{"messages":[`, func(i int) string { return fmt.Sprintf(`{"id":"%d"},`, i) }, `{}]}}`+"\n"))
	gemini("new ones at the front", filled(header+geminiSays(1, "user", "a")+"\n", func(i int) string {
		return fmt.Sprintf(`{"$set":{"messages":[{"id":"n%d"},{"id":"m1"}]}}`+"\n", i)
	}, ""))
	gemini("rewinds", filled(header, func(i int) string { return fmt.Sprintf(`{"id":"%d"}`+"\n"+`{"$rewindTo":"%d"}`+"\n", i, i/2) }, ""))
	gemini("rewinds to one that is gone", filled(header+`{"id":"a"}`+"\n", same(`{"$rewindTo":"a"}`+"\n"), ""))
	gemini("one id again and again", filled(header, same(geminiSays(1, "user", "a")+"\n"), ""))
	gemini("open blocks", filled(header+`{"id":"a","type":"user","content":"`, same("<session_context>"), `"}`+"\n"))
	gemini("blocks", filled(header+`{"id":"a","type":"user","content":"`, same("<hook_context></hook_context>a"), `"}`+"\n"))
	gemini("parts", filled(header+`{"id":"a","type":"user","content":[`, same(`"a",`), `""]}`+"\n"))
	gemini("headers", filled("", same(header), ""))
	gemini("braces", filled(header, same("{"), ""))
	all = append(all, hostile{app: "gemini-cli", rel: geminiJSON, name: "one JSON of many messages",
		text: filled(`{"sessionId":"s","messages":[`, func(i int) string { return fmt.Sprintf(`{"id":"%d","type":"user","content":"a"},`, i) }, `{}]}`)})
	all = append(all, hostile{app: "gemini-cli", rel: ".gemini/projects.json", also: map[string]string{geminiLog: header + geminiSays(1, "user", "a")}, name: "many projects",
		text: filled(`{"projects":{`, func(i int) string { return fmt.Sprintf(`"/home/dev/%d":"%d",`, i, i) }, `"":""}}`)})

	copilot := func(name string, text func() string) {
		all = append(all, hostile{app: "copilot", rel: copilotLogAt, name: name, text: text})
	}
	whole := copilotWholeLine(`{"message":"a","response":[]}`) + "\n"
	zeros := `{"kind":0,"v":{"requests":[` + strings.Repeat("0,", hostileBytes/4) + "0]}}\n"
	copilot("a long list, then changes of it", filled(zeros, func(i int) string { return fmt.Sprintf(`{"kind":1,"k":["requests",%d],"v":{}}`+"\n", i) }, ""))
	copilot("a long list, then cuts", filled(zeros, func(i int) string {
		return fmt.Sprintf(`{"kind":2,"k":["requests"],"i":%d,"v":[0]}`+"\n", hostileBytes/4-i)
	}, ""))
	copilot("a long list that is set again", filled(whole, same(copilotSet(`["requests"]`, "["+strings.Repeat("0,", 5000)+"0]")+"\n"+copilotSet(`["requests",0]`, "1")+"\n"), ""))
	copilot("whole objects", filled("", same(whole), ""))
	copilot("changes of many members", filled(whole, func(i int) string { return fmt.Sprintf(`{"kind":1,"k":["requests",0,"message%d"]}`+"\n", i) }, ""))
	copilot("many members", filled(`{"kind":0,"v":{"requests":[{"modelState":{`, func(i int) string { return fmt.Sprintf(`"%d":0,`, i) }, `"a":0}}]}}`+"\n"+strings.Repeat(copilotSet(`["requests",0,"modelState","b"]`, "1")+"\n", 100)))
	copilot("a part of many members", filled(`{"kind":0,"v":{"requests":[{"response":[{`, same(`"value":0,`), `"a":0}]}]}}`+"\n"))
	copilot("fragments", filled(whole, same(copilotPush(`["requests",0,"response"]`, `[{"value":"a"}]`)+"\n"), ""))
	copilot("steps between fragments", filled(`{"kind":0,"v":{"requests":[{"response":[`, same(`{"kind":"command"},"a",`), `""]}]}}`+"\n"))
	copilot("fences", filled(`{"kind":0,"v":{"requests":[{"response":"`, same("```\\n"), `"}]}}`+"\n"))
	copilot("blank lines in a fence", filled("{\"kind\":0,\"v\":{\"requests\":[{\"response\":\"```", same(`\n`), `a"}]}}`+"\n"))
	copilot("long paths", filled(whole, same(`{"kind":1,"k":[`+strings.Repeat(`"requests",`, 5000)+`0],"v":1}`+"\n"), ""))
	copilot("lists in lists", filled(`{"kind":0,"v":{"requests":`, same("["), ""))
	all = append(all, hostile{app: "copilot", rel: copilotJSONAt, name: "one JSON of many requests",
		text: filled(`{"requests":[`, same(`{"message":"a"},`), `{}]}`)})
	all = append(all, hostile{app: "copilot", rel: copilotJSONAt, name: "empty requests", text: filled(`{"requests":[`, same(`0,`), `0]}`)})
	return append(all, hostileLines()...)
}

// hostileLines are those of the apps whose lines form trees.
func hostileLines() []hostile {
	var all []hostile
	claude := func(name string, text func() string) {
		all = append(all, hostile{app: "claude-code", rel: ".claude/projects/-home-dev-shop/11111111-0000-4000-8000-000000000001.jsonl", name: name, text: text})
	}
	number := func(format string) func(int) string {
		return func(i int) string { return fmt.Sprintf(format+"\n", i, i-1) }
	}
	const claudeShort = `{"type":"%s","uuid":"%%[1]d","parentUuid":"%s","message":{"role":"%[1]s","id":"%s","content":"a"}}`
	claude("a chain of short messages", filled("", number(fmt.Sprintf(claudeShort, "user", "%[2]d", "m")), ""))
	claude("prompts of one parent", filled("", number(fmt.Sprintf(claudeShort, "user", "p", "m")), ""))
	claude("a chain behind prompts of one parent", filled(strings.Repeat(fmt.Sprintf(strings.ReplaceAll(claudeShort, "%%[1]d", "x"), "user", "p", "m")+"\n", 2), number(fmt.Sprintf(claudeShort, "user", "%[2]d", "m")), ""))
	claude("lines that are their own parents", filled("", number(fmt.Sprintf(claudeShort, "user", "%[1]d", "m")), ""))
	claude("one reply in very many lines", filled("", number(`{"type":"assistant","uuid":"%[1]d","message":{"role":"assistant","id":"m","content":[{"type":"text","text":"%[1]d"}]}}`), ""))
	claude("a reply that grows", filled("", func(i int) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"%d","message":{"id":"m","content":[{"type":"text","text":"%s"}]}}`+"\n", i, strings.Repeat("x", min(i, 3000)))
	}, ""))
	claude("replies of names of their own", filled("", number(`{"type":"assistant","uuid":"%[1]d","message":{"id":"%[1]d","content":"a"}}`), ""))
	claude("summaries of leaves that are not there", filled("", number(`{"type":"summary","summary":"a","leafUuid":"%[1]d"}`), ""))
	claude("very many blocks", filled(`{"type":"user","uuid":"u","message":{"role":"user","content":[`, same(`{"type":"text","text":"a"},`), `{}]}}`+"\n"))
	claude("marks in marks", filled(`{"type":"user","uuid":"u","message":{"role":"user","content":"`, same("<system-reminder>"), `"}}`+"\n"))
	claude("marks that close", filled(`{"type":"user","uuid":"u","message":{"role":"user","content":"`, same("<system-reminder></system-reminder>a"), `"}}`+"\n"))
	claude("the same member again and again", filled("{", same(`"message":{},`), `"type":"user"}`+"\n"))
	claude("braces", filled(`{"type":"user","message":`, same("{"), ""))
	claude("lists in lists", filled(`{"type":"user","message":{"content":`, same("["), ""))
	claude("lines of one brace", filled("", same("{\n"), ""))
	claude("titles", filled("", same(`{"type":"custom-title","customTitle":"a","sessionId":"x"}`+"\n"), ""))
	claude("queued words", filled("", number(`{"type":"attachment","uuid":"%[1]d","attachment":{"type":"queued_command","prompt":"a"}}`), ""))

	copilot := func(name string, text func() string) {
		all = append(all, hostile{app: "copilot-cli", rel: ".copilot/session-state/e0000000-0000-4000-8000-000000000001/events.jsonl", name: name, text: text})
	}
	copilot("short messages", filled("", number(`{"type":"user.message","data":{"content":"a"},"id":"%[1]d","timestamp":"2026-11-30T10:00:00Z"}`), ""))
	copilot("answers of one name", filled("", number(`{"type":"assistant.message","data":{"messageId":"m","content":"a%[1]d"},"id":"%[1]d","timestamp":"2026-11-30T10:00:00Z"}`), ""))
	copilot("one event again and again", filled("", same(`{"type":"user.message","data":{"content":"a"},"id":"1","timestamp":"2026-11-30T10:00:00Z"}`+"\n"), ""))
	copilot("starts", filled("", same(`{"type":"session.start","data":{"context":{"cwd":"/x"}},"id":"1","timestamp":"2026-11-30T10:00:00Z"}`+"\n"), ""))
	copilot("marks", filled(`{"type":"user.message","id":"1","timestamp":"2026-11-30T10:00:00Z","data":{"content":"`, same("<reminder>"), `"}}`+"\n"))
	copilot("braces", filled(`{"type":"user.message","data":`, same("{"), ""))
	copilot("lines of one brace", filled("", same("{\n"), ""))
	all = append(all, hostile{
		app: "copilot-cli", rel: ".copilot/session-state/e0000000-0000-4000-8000-000000000001/workspace.yaml", name: "a long workspace",
		also: map[string]string{".copilot/session-state/e0000000-0000-4000-8000-000000000001/events.jsonl": `{"type":"user.message","data":{"content":"hi"},"id":"1","timestamp":"2026-11-30T10:00:00Z"}`},
		text: filled("", same("name: a\n"), ""),
	})

	pi := func(name string, text func() string) {
		all = append(all, hostile{app: "pi", rel: ".pi/agent/sessions/--home-dev-shop--/2026-03-08T20-00-00-000Z_01a00000-0000-7000-8000-000000000001.jsonl", name: name, text: text})
	}
	const piHead = `{"type":"session","version":3,"id":"01a00000-0000-7000-8000-000000000001","timestamp":"2026-03-08T20:00:00.000Z","cwd":"/home/dev/shop"}` + "\n"
	pi("a chain of short messages", filled(piHead, number(`{"type":"message","id":"%[1]d","parentId":"%[2]d","message":{"role":"user","content":"a"}}`), ""))
	pi("messages of one parent", filled(piHead, number(`{"type":"message","id":"%[1]d","parentId":"p","message":{"role":"user","content":"a"}}`), ""))
	pi("their own parents", filled(piHead, number(`{"type":"message","id":"%[1]d","parentId":"%[1]d","message":{"role":"user","content":"a"}}`), ""))
	pi("one id again and again", filled(piHead, same(`{"type":"message","id":"a","parentId":"a","message":{"role":"user","content":"a"}}`+"\n"), ""))
	pi("parts", filled(piHead+`{"type":"message","id":"1","message":{"role":"user","content":[`, same(`{"type":"text","text":"a"},`), `{}]}}`+"\n"))
	pi("heads", filled("", same(piHead), ""))
	pi("names", filled(piHead, same(`{"type":"session_info","name":"a"}`+"\n"), ""))
	pi("braces", filled(piHead+`{"type":"message","message":`, same("{"), ""))
	pi("lines of one brace", filled(piHead, same("{\n"), ""))
	return all
}

// Whatever 1 MiB holds: it is read in less than 64 MiB, of which all that was
// ever taken is counted here, and it is no hang. BenchmarkHostile has the times.
func TestHostileInputIsBounded(t *testing.T) {
	const memory = 64 << 20
	var most uint64
	for _, in := range hostileInputs() {
		t.Run(in.app+" "+in.name, func(t *testing.T) {
			h := in.home(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			in.read(t, h)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			taken := after.TotalAlloc - before.TotalAlloc
			if most = max(most, taken); taken > memory && !raceDetector {
				t.Errorf("%d KiB were taken", taken>>10)
			}
			if took > hostileTime {
				t.Errorf("it took %v", took)
			}
			t.Logf("%d KiB, %v", taken>>10, took)
		})
	}
	t.Logf("at most %d KiB", most>>10)
}

func (in hostile) home(t testing.TB) *Home {
	t.Helper()
	text := in.text()
	if len(text) > hostileBytes+1<<16 || len(text) < hostileBytes/2 {
		t.Fatalf("%d bytes", len(text))
	}
	h := homeWith(t, in.also)
	put(t, filepath.Join(h.Dir, filepath.FromSlash(in.rel)), text)
	return h
}

func (in hostile) read(t testing.TB, h *Home) {
	t.Helper()
	finder := table(t, in.app).open(h)
	defer finder.close()
	found, err := finder.find(context.Background())
	if err != nil || len(found.files) == 0 {
		t.Fatalf("%d files, %v", len(found.files), err)
	}
	for _, f := range found.files {
		_ = finder.read(context.Background(), f, new(talk)) // any end is right but none at all
	}
}

// One finder's chats are read by several workers at once.
func TestReadersServeSeveralWorkers(t *testing.T) {
	for _, id := range everyApp() {
		for _, h := range fixtureHomes(t) {
			finder := table(t, id).open(h)
			found, err := finder.find(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			alone := map[string]string{}
			for _, f := range found.files {
				var c talk
				err := finder.read(context.Background(), f, &c)
				alone[f.Key] = told(finishedFor(f, &c, err))
			}
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					for _, f := range found.files {
						var c talk
						err := finder.read(context.Background(), f, &c)
						if got := told(finishedFor(f, &c, err)); got != alone[f.Key] {
							t.Errorf("%s said %q beside others, %q alone", f.Path, got, alone[f.Key])
						}
					}
				})
			}
			all.Wait()
			if err := finder.close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for _, in := range hostileInputs() {
		b.Run(strings.ReplaceAll(in.app+"/"+in.name, " ", "_"), func(b *testing.B) {
			h := in.home(b)
			b.SetBytes(hostileBytes)
			b.ReportAllocs()
			for b.Loop() {
				in.read(b, h)
			}
		})
	}
}

// FuzzCopilotApply applies any lines after a whole object: what is made is an
// object that can be read, and no name that means something else is in it.
func FuzzCopilotApply(f *testing.F) {
	for _, line := range []string{
		copilotPush(`["requests",0,"response"]`, `[{"value":"a"}]`), copilotSet(`["requests",0,"message","text"]`, `"b"`),
		`{"kind":3,"k":["requests",0]}`, `{"kind":2,"k":["requests"],"i":1}`, copilotSet(`["__proto__","a"]`, `1`),
		copilotWholeLine(copilotAsked("a", "b")), copilotSet(`["requests",1]`, `{"message":{"constructor":1}}`),
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var log copilotLog
		log.apply([]byte(copilotWholeLine(copilotAsked("one", "1"), copilotAsked("two", "2"))))
		for _, line := range bytes.Split(data, []byte("\n")) {
			log.apply(line)
		}
		if log.bytes > len(data)+4096 {
			t.Errorf("%d bytes are kept of %d", log.bytes, len(data))
		}
		copilotNames(t, &log.root)
		var c talk
		newCopilotChat(&Home{}).(*copilotChat).tell(log.root, &c)
		for _, m := range c.words {
			if m.text == "" {
				t.Error("a message without words")
			}
		}
	})
}

func copilotNames(t *testing.T, n *copilotNode) {
	in := n.open()
	if in == nil {
		return
	}
	for name, m := range in.members {
		if copilotForbidden(name) {
			t.Errorf("%q is in our data", name)
		}
		copilotNames(t, m)
	}
	for i := range in.list {
		copilotNames(t, &in.list[i])
	}
}

// fuzzLines gives a reader any lines, without a file: many more of them a second.
func fuzzLines(f *testing.F, seeds []string, read func(t *testing.T, data []byte) talk) {
	for _, pattern := range seeds {
		paths, err := filepath.Glob(filepath.Join(past, pattern))
		if err != nil || len(paths) == 0 {
			f.Fatalf("no seed is %s: %v", pattern, err)
		}
		for _, p := range paths {
			b, err := os.ReadFile(p)
			if err != nil {
				f.Fatal(err)
			}
			if len(b) <= seedBytes {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c talk
		bounded(t, func() { c = read(t, data) })
		for _, m := range c.words {
			if !utf8.ValidString(m.text) || m.role != User && m.role != Assistant {
				t.Errorf("%q said %q", m.role, m.text)
			}
		}
	})
}

func FuzzCodexLines(f *testing.F) {
	words := newCodexWords()
	fuzzLines(f, []string{"home-a/.codex/sessions/*/*/*/*.jsonl", "../cases/006-*/home/.codex/sessions/*/*/*/*.jsonl"}, func(t *testing.T, data []byte) (c talk) {
		s := &codexReading{chat: &c, words: words, own: codexOne, until: 1 << 60, based: true}
		if _, err := new(lineReader).each(bytes.NewReader(data), maxLine, s.line); err != nil {
			t.Error(err)
		}
		s.finish()
		codexPeeked(codexPlain, data, true)
		codexPeeked(codexWhole, data, false)
		return c
	})
}

func FuzzGeminiLines(f *testing.F) {
	words := newGeminiWords()
	fuzzLines(f, []string{"home-a/.gemini/tmp/*/chats/*.jsonl", "../cases/008-*/home/.gemini/tmp/*/chats/*.jsonl"}, func(t *testing.T, data []byte) (c talk) {
		talk := newGeminiTalk(words)
		if _, err := new(lineReader).each(bytes.NewReader(data), maxLine, func(line []byte) error {
			talk.line(line)
			return nil
		}); err != nil {
			t.Error(err)
		}
		talk.tell(&c)
		seen, before := 0, -1
		for i := talk.first; i >= 0; i = talk.nodes[i].after {
			if n := talk.nodes[i]; n.before != before || talk.byID[n.id] != i {
				t.Fatalf("the list is broken at %q", n.id)
			}
			before = i
			seen++
		}
		if before != talk.last || seen != len(talk.byID) {
			t.Errorf("%d messages in their places, %d known", seen, len(talk.byID))
		}
		geminiPeeked(data, true)
		geminiPeeked(data, false)
		return c
	})
}

func FuzzCodex(f *testing.F) {
	fuzzApp(f, fuzzed{
		app: "codex", rel: codexRollout(codexTwo),
		also:  map[string]string{codexRollout(codexOne): codexNumbered(0, codexMeta(codexOne), codexUser("one"), codexAgent("1"))},
		seeds: []string{"home-a/.codex/sessions/*/*/*/*.jsonl", "../cases/006-*/home/.codex/sessions/*/*/*/*.jsonl"},
	})
}

func FuzzCodexSqueezed(f *testing.F) {
	fuzzApp(f, fuzzed{
		app: "codex", rel: codexRollout(codexTwo) + ".zst",
		seeds: []string{"home-a/.codex/sessions/*/*/*/*.zst", "../cases/012-*/home/.codex/sessions/*/*/*/*709.jsonl.zst"},
	})
}

func FuzzCodexWhole(f *testing.F) {
	fuzzApp(f, fuzzed{
		app: "codex", rel: ".codex/sessions/rollout-2025-04-29-" + codexOne + ".json",
		seeds: []string{"home-a/.codex/sessions/*.json"},
	})
}

func FuzzGeminiCLI(f *testing.F) {
	fuzzApp(f, fuzzed{
		app: "gemini-cli", rel: geminiLog,
		also:  map[string]string{".gemini/projects.json": `{"projects":{"/home/dev/shop":"shop"}}`},
		seeds: []string{"home-a/.gemini/tmp/*/chats/*.jsonl", "../cases/008-*/home/.gemini/tmp/*/chats/*.jsonl"},
	})
}

func FuzzGeminiCLIWhole(f *testing.F) {
	fuzzApp(f, fuzzed{
		app: "gemini-cli", rel: geminiJSON,
		seeds: []string{"home-a/.gemini/tmp/*/chats/*.json", "../cases/008-*/home/.gemini/tmp/*/chats/*.json"},
	})
}

func FuzzCopilotChat(f *testing.F) {
	fuzzApp(f, fuzzed{
		app: "copilot", rel: copilotLogAt,
		also:  map[string]string{copilotFolder + "workspace.json": `{"folder":"file:///home/dev/shop"}`},
		seeds: []string{"home-b/.config/*/User/workspaceStorage/*/chatSessions/*.jsonl", "../cases/007-*/home/.config/*/User/workspaceStorage/*/chatSessions/*.jsonl"},
	})
}

func FuzzCopilotChatWhole(f *testing.F) {
	fuzzApp(f, fuzzed{
		app: "copilot", rel: copilotJSONAt,
		seeds: []string{"home-b/.config/*/User/workspaceStorage/*/chatSessions/*.json"},
	})
}
