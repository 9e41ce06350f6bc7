package modelapi

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/engine"
	"conch/pretend"
	"conch/redact"
)

var talk = pretend.Script{Rules: []pretend.Rule{
	{Match: "first", Steps: []pretend.Step{{Thought: "hm", Text: "Reading. ", Calls: []pretend.Call{{Name: "read_file", Args: map[string]any{"path": "a"}}}}, {Text: "First answer."}}},
	{Match: "second", Steps: []pretend.Step{{Text: "Second answer."}}},
}}

func TestAChatIsCarriedOnAfterARestart(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		s := pretendModel(t, talk)
		b := newBench(t, API{Kind: kind, URL: s.URL()})
		in := engine.TurnInput{Prompt: "first; my key is ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i", Tools: []engine.Tool{says("read_file")},
			Attachments: []engine.Attachment{{Name: "p.png", MIME: "image/png", Data: []byte("\x89PNG picture")}, {Name: "n.txt", MIME: "text/plain", Data: []byte("some notes")}, {Name: "big", Path: "/code/shop/big"}}}
		_, sink := b.turn(in)
		id := resumeOf(t, sink)
		first := s.Asked()[0]
		if !first.Saw("some notes", "user") || !first.Saw("The person attached the file /code/shop/big", "user") || !strings.Contains(string(first.Body), "iVBORyBwaWN0dXJl") && !strings.Contains(string(first.Body), "iVBORw") && !strings.Contains(string(first.Body), "UE5H") {
			t.Errorf("attachments: %s", first.Body)
		}
		path := filepath.Join(b.home, keptDir, id+".jsonl")
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%v %v", info, err)
		}
		data, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(data), "ghp_Zk3v") || !strings.Contains(string(data), "[redacted]") {
			t.Errorf("a key lies on the disk: %s %v", data, err)
		}
		b.e = b.engine(API{Kind: kind, URL: s.URL()}) // another process
		r, sink := b.turn(engine.TurnInput{Prompt: "second", ResumeID: id, Tools: in.Tools, FreshPrompt: func() string { t.Error("told anew"); return "" }})
		if r.Outcome != engine.Success || sink.text() != "Second answer." || resumeOf(t, sink) != id || of[engine.Session](sink)[0].Restarted != "" {
			t.Fatalf("%+v %q", r, sink.text())
		}
		all := s.Asked()
		last := all[len(all)-1]
		if !last.Saw("First answer.", "assistant") || !last.Saw(`read_file of {"path":"a"}`, "result") || !last.Saw("first; my key", "user") {
			t.Errorf("%+v", last.Messages)
		}
	})
}

func TestADamagedHistoryIsLostAndToldAgain(t *testing.T) {
	s := pretendModel(t, talk)
	for name, damage := range map[string]func(path string) error{
		"gone":         os.Remove,
		"cut":          func(path string) error { return os.Truncate(path, 300) },
		"empty":        func(path string) error { return os.Truncate(path, 0) },
		"changed":      func(path string) error { return edit(path, "First answer", "Worst answer") },
		"another form": func(path string) error { return edit(path, `"v":1`, `"v":2`) },
		"a folder": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, API{Kind: OpenAI, URL: s.URL()})
			_, sink := b.turn(engine.TurnInput{Prompt: "first", Tools: []engine.Tool{says("read_file")}})
			id := resumeOf(t, sink)
			if err := damage(filepath.Join(b.home, keptDir, id+".jsonl")); err != nil {
				t.Fatal(err)
			}
			b.e.Release("c1")
			r, sink := b.turn(engine.TurnInput{Prompt: "second", ResumeID: id, Tools: []engine.Tool{says("read_file")}, FreshPrompt: func() string { return "all that was said, then second" }})
			told := of[engine.Session](sink)
			if r.Outcome != engine.Success || len(told) != 1 || told[0].Restarted != engine.Lost || told[0].ResumeID == id {
				t.Fatalf("%+v %+v", r, told)
			}
			all := s.Asked()
			if last := all[len(all)-1]; last.LastUser() != "all that was said, then second" || last.Saw("First answer") {
				t.Errorf("%+v", last.Messages)
			}
			r, sink = b.turn(engine.TurnInput{Prompt: "second", ResumeID: told[0].ResumeID, FreshPrompt: func() string { t.Error("lost again"); return "" }})
			if r.Outcome != engine.Success || of[engine.Session](sink)[0].Restarted != "" {
				t.Errorf("%+v", r)
			}
		})
	}
}

func edit(path, old, new string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Replace(string(data), old, new, 1)), 0o600)
}

func TestASessionIsForgottenAndAForeignIDIsNoPath(t *testing.T) {
	s := pretendModel(t, talk)
	b := newBench(t, API{Kind: OpenAI, URL: s.URL()})
	_, sink := b.turn(engine.TurnInput{Prompt: "second"})
	outside := filepath.Join(b.home, "outside.jsonl")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"../outside", "", "ma-", "ma-" + strings.Repeat("g", 32), "/etc/passwd", "ma-00000000000000000000000000000000/../x"} {
		if err := b.e.ForgetSession(context.Background(), id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
		if _, _, err := b.e.kept.load(id); err == nil {
			t.Errorf("%q was read", id)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	id := resumeOf(t, sink)
	if err := b.e.ForgetSession(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	if list, _ := os.ReadDir(filepath.Join(b.home, keptDir)); len(list) != 0 {
		t.Errorf("%v is left", list)
	}
}

func TestWhatWasNotUsedForLongGoes(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	k := newKeeper(dir, func() time.Time { return now })
	old, young := &session{id: newSessionID()}, &session{id: newSessionID()}
	for _, s := range []*session{old, young} {
		s.history = []message{{Role: ofPerson, Text: "x"}}
		if err := k.save(s, redact.New()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(k.path(old.id), now.Add(-61*24*time.Hour), now.Add(-61*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	k.sweep()
	if _, _, err := k.load(old.id); err == nil {
		t.Error("the old one is there")
	}
	if _, _, err := k.load(young.id); err != nil {
		t.Error(err)
	}
}

func TestAHistoryThatIsTooLargeIsNotKeptInPart(t *testing.T) {
	k := newKeeper(t.TempDir(), time.Now)
	s := &session{id: newSessionID(), history: []message{{Role: ofPerson, Text: "small"}}}
	if err := k.save(s, redact.New()); err != nil {
		t.Fatal(err)
	}
	k.max = 1000
	s.history = append(s.history, message{Role: ofModel, Text: strings.Repeat("x", 2000)})
	if err := k.save(s, redact.New()); err == nil {
		t.Error("it was kept")
	}
	if _, _, err := k.load(s.id); err == nil {
		t.Error("the one of before is there: a chat would go on without its end")
	}
}

// The answers to the calls of one message stand together: OpenAI refuses a history in
// which something is between them.
func TestPicturesOfToolsStandBehindTheAnswers(t *testing.T) {
	h := byHand(t, stream(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"shot","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"shot","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, "data: [DONE]"),
		stream(chunk("I see two"), chatEnd), stream(chunk("still"), chatEnd))
	b := newBench(t, API{Kind: OpenAI, URL: h.URL})
	shot := aTool{"shot", func(context.Context, json.RawMessage) (engine.ToolResult, error) {
		return engine.ToolResult{Text: "1 picture", Images: []engine.Attachment{{Name: "picture", MIME: "image/png", Data: []byte("png")}}}, nil
	}}
	_, sink := b.turn(engine.TurnInput{Prompt: "look", Tools: []engine.Tool{shot}})
	b.turn(engine.TurnInput{Prompt: "again", Tools: []engine.Tool{shot}, ResumeID: resumeOf(t, sink)})
	roles := func(n int) (list []string) {
		for _, m := range h.asked()[n]["messages"].([]any) {
			list = append(list, m.(map[string]any)["role"].(string))
		}
		return list
	}
	if got, want := strings.Join(roles(1), " "), "user assistant tool tool user user"; got != want {
		t.Errorf("the messages are of %s, want %s", got, want)
	}
	if got, want := strings.Join(roles(2), " "), "user assistant tool tool user user assistant user"; got != want {
		t.Errorf("the next time they are of %s, want %s", got, want)
	}
}

func TestPicturesGoOnlyToModelsThatTakeThem(t *testing.T) {
	h := byHand(t, refuse(400, `{"error":{"message":"this model does not support image input"}}`), stream(chunk("I see nothing"), chatEnd))
	b := newBench(t, API{Kind: OpenAI, URL: h.URL})
	r, sink := b.turn(engine.TurnInput{Prompt: "what is it", Attachments: []engine.Attachment{{Name: "p.png", MIME: "image/png", Data: []byte("png")}}})
	if r.Outcome != engine.Success || !strings.Contains(sink.notices(), "Plum takes no pictures with m1") {
		t.Fatalf("%+v %q", r, sink.notices())
	}
	raw, _ := json.Marshal(h.asked()[1]["messages"])
	if strings.Contains(string(raw), "image_url") || !strings.Contains(string(raw), "(A picture was here; this model takes none.)") {
		t.Errorf("%s", raw)
	}
}
