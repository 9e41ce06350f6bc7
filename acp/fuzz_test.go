package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"conch/engine"
)

// recordedUpdates are the updates of some recordings, as seeds.
func recordedUpdates(f *testing.F) []json.RawMessage {
	f.Helper()
	paths, err := filepath.Glob("../testdata/wire/*/tools.ndjson")
	if err != nil || len(paths) == 0 {
		f.Fatal("no recordings", err)
	}
	more, _ := filepath.Glob("../testdata/wire/*/bash-a*.ndjson")
	var list []json.RawMessage
	for _, path := range append(paths, more...) {
		recording, err := readRecording(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range recording {
			if u := parse(c.parsed().Params)["update"]; c.Dir == "in" && len(u) > 0 && len(u) < 2000 {
				list = append(list, u)
			}
		}
	}
	return list
}

// Whatever a program says of a session, each row begins once and ends once, each
// message ends once, and nothing panics.
func FuzzUpdates(f *testing.F) {
	for _, u := range recordedUpdates(f) {
		f.Add([]byte(u))
	}
	f.Add([]byte(`{"sessionUpdate":"tool_call","toolCallId":"a","content":[{"type":"diff","path":"","oldText":3}]}` + "\n" +
		`{"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed","rawOutput":[[]]}`))
	agents := Agents("conch")
	f.Fuzz(func(t *testing.T, data []byte) {
		var updates []string
		for _, line := range bytes.Split(data, []byte("\n")) {
			updates = append(updates, string(line))
		}
		for _, agent := range []Agent{agents[0], agents[1], agents[2], agents[3], agents[4], {ID: "x", Name: "X"}} {
			s := mapped(agent, updates...)
			rows := map[string]int{}
			for _, ev := range s.events {
				if _, err := json.Marshal(ev); err != nil {
					t.Fatalf("%#v is no JSON: %v", ev, err)
				}
				switch ev := ev.(type) {
				case engine.ToolStart:
					if rows[ev.ToolUseID] != 0 {
						t.Fatalf("row %s begins in state %d", ev.ToolUseID, rows[ev.ToolUseID])
					}
					rows[ev.ToolUseID] = 1
				case engine.ToolUpdate:
					if rows[ev.ToolUseID] != 1 {
						t.Fatalf("row %s goes on in state %d", ev.ToolUseID, rows[ev.ToolUseID])
					}
				case engine.ToolEnd:
					if rows[ev.ToolUseID] != 1 {
						t.Fatalf("row %s ends in state %d", ev.ToolUseID, rows[ev.ToolUseID])
					}
					rows[ev.ToolUseID] = 2
				}
			}
			for id, state := range rows {
				if state != 2 {
					t.Fatalf("row %s is left in state %d", id, state)
				}
			}
		}
	})
}

// Whatever a program writes, reading goes on until its end.
func FuzzStream(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":"3","result":null}` + "\n" + `{"id":4}` + "\n" + `{"jsonrpc":"2.0","method":"x"}`))
	f.Add([]byte("banner\n[1,2]\n{\"id\":1.5,\"method\":\"m\"}\n\xff\xfe\n{}"))
	f.Add([]byte(`{"id":2,"error":{"code":"E","message":7}}` + "\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		noises := 0
		s := newStream(bytes.NewReader(data), nopCloser{io.Discard}, func(line []byte) {
			noises++
			if len(line) > 200 {
				t.Fatalf("%d bytes of noise", len(line))
			}
		}, func([]byte, int64) {})
		defer func() {
			s.Close()
			<-s.Done
		}()
		for range bytes.Count(data, []byte("\n")) + 2 {
			var m json.RawMessage
			if err := s.ReadObject(&m); err != nil {
				if !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				return
			}
			if !json.Valid(m) {
				t.Fatalf("%q is no JSON", m)
			}
		}
		t.Fatal("more messages than lines")
	})
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Answers to initialize and to the opening of a session, and requests.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}},"authMethods":[{"id":"a","type":"terminal","args":["x"],"env":{"A":"b"}}]}`,
		withModes,
		`{"configOptions":[{"id":"m","type":"select","category":"model","currentValue":"a","options":[{"group":"g","options":[{"value":"a"}]}]}]}`,
		`{"message":"m","mode":"form","requestedSchema":{"properties":{"a":{"type":"array","items":{"enum":["x"]}}},"required":["a"]}}`,
		`{"options":` + yesNo + `,"toolCall":{"toolCallId":"a"}}`,
		`{"code":-32603,"message":"{\"error\":{\"message\":\"x\"}}","data":{"details":"{}"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o := parse(data)
		readCapabilities(o).words()
		versionOf(o)
		var s settings
		s.read(o, nil)
		s.wanted(Agents("conch")[0], engine.Options{})
		if options, sound := readOptions(o); sound && len(options) == 0 {
			t.Fatal("sound, and nothing is offered")
		}
		readQuestion(o)
		readCommands(o)
		r := New(Agents("conch")[4], Options{}).explain(&refused{code: 1, message: o.text("message"), data: o["data"]})
		if r.Error == "" || r.Next == "" {
			t.Fatalf("%+v", r)
		}
		glance(data)
		parseResume(string(data))
	})
}
