package acp

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"conch/engine"
)

// counting is a sink that only counts.
type counting struct{ events int }

func (c *counting) Emit(engine.Event)                                       { c.events++ }
func (c *counting) Ask(context.Context, engine.Permission) engine.Decision  { return engine.Decision{} }
func (c *counting) Question(context.Context, engine.Question) engine.Answer { return engine.Answer{} }

// A fast answer: so many pieces of text in one turn, from a process.
func BenchmarkPieces(b *testing.B) {
	const pieces = 20000
	dir := b.TempDir()
	path := filepath.Join(dir, "script.jsonl")
	lines := []string{hello, opened}
	for range b.N {
		lines = append(lines, asked, strings.Replace(says("a piece of an answer "), `{"send"`, `{"repeat":`+strconv.Itoa(pieces)+`,"send"`, 1), done)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		b.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	e := New(Agent{ID: "x", Name: "X", Command: self, Env: []string{"ACP_TEST_SCRIPT=" + path, "ACP_TEST_SIGNALS=" + dir}},
		Options{Environ: os.Environ(), Timings: quick()})
	defer e.Close()
	in := engine.TurnInput{ConversationID: "c", Cwd: dir, Prompt: "go"}
	sink := &counting{}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if r := e.Turn(context.Background(), in, sink); r.Outcome != engine.Success {
			b.Fatalf("%+v", r)
		}
		in.ResumeID = digestOf("") + ":sess-1"
	}
	b.ReportMetric(float64(pieces*b.N)/b.Elapsed().Seconds(), "pieces/s")
}

// Mapping alone, without the wire.
func BenchmarkMapping(b *testing.B) {
	update := text("1", "a piece of an answer ")
	updates := make([]string, 1000)
	for i := range updates {
		updates[i] = update
	}
	b.ReportAllocs()
	for b.Loop() {
		mapped(Agent{ID: "x", Name: "X"}, updates...)
	}
}
