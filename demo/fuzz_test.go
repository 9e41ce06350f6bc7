package demo

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// FuzzClient: whatever a client sends, the agent ends with its input, in time.
func FuzzClient(f *testing.F) {
	const open = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/x"}}` + "\n"
	f.Add(open)
	f.Add(open + `{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"../x","cwd":7}}` + "\n")
	f.Add(open + `{"jsonrpc":"2.0","id":"3","method":"session/prompt","params":{"sessionId":null,"prompt":{}}}` + "\n")
	f.Add("{}\n[]\nnull\n{\"id\":0,\"result\":null}\n{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":[]}}\n")
	f.Fuzz(func(t *testing.T, sent string) {
		if strings.Contains(sent, "grandchild") {
			t.Skip("it would start one")
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		before := time.Now()
		err := Run(ctx, Host{In: strings.NewReader(sent), Out: io.Discard, Err: io.Discard, Environ: []string{"CONCH_DEMO_FAST=1"}})
		if ctx.Err() != nil {
			t.Fatalf("it went on for %v: %v", time.Since(before), err)
		}
	})
}

// FuzzTestMode: whatever the test mode is told, the agent survives it.
func FuzzTestMode(f *testing.F) {
	for name := range misbehaviours() {
		if name != "grandchild" && name != "ignore-cancel" {
			f.Add(name + " 1 2 x=y")
			f.Add(name + " -1 -99999999999999999999")
		}
	}
	f.Fuzz(func(t *testing.T, what string) {
		name, args := parseTest([]byte("1"), what)
		m, ok := misbehaviours()[name]
		if !ok || name == "grandchild" || name == "ignore-cancel" || args.number(0, 0, 1000) > 20 || args.number(1, 0, 1000) > 20 {
			t.Skip("it would take long")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		a := &agent{host: Host{Out: io.Discard, Err: io.Discard, Now: time.Now}, conn: newConn(io.Discard), store: newStore("", time.Now), sessions: map[string]*session{}, fast: true, die: func(int) {}}
		s := a.open(record{ID: newID()})
		_, _ = m.play(&turn{session: s, ctx: ctx, n: 1}, args) // that it returns is all
		s.close()
	})
}
