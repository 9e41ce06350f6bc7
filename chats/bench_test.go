package chats

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// longChat makes a chat of 4,000 messages, about 6 MB.
func longChat(b *testing.B, s *Store) string {
	b.Helper()
	l := s.Create("/code/shop", "main")
	add := func(turn string, body Body) {
		if _, err := l.Append(turn, body); err != nil {
			b.Fatal(err)
		}
	}
	for i := range 2000 {
		turn := fmt.Sprint("turn-", i)
		add(turn, UserMessage{MessageID: "u", Text: "Please look at the file and fix what is wrong."})
		add(turn, Session{Engine: "codex", ResumeID: "r"})
		add(turn, ToolStarted{ToolUseID: turn, Name: "Bash", ToolKind: "execute", Subject: "go test ./..."})
		add(turn, ToolFinished{ToolUseID: turn, Status: "success", Output: strings.Repeat("ok  \tconch/pkg\t0.01s\n", 40)})
		add(turn, answer("m", strings.Repeat("a piece of the answer, ", 40)))
		add(turn, TurnCompleted{Outcome: "success", Engine: "codex", Accepted: true})
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	return l.ID()
}

func benchStore(b *testing.B) *Store {
	b.Helper()
	s, err := Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkAppend(b *testing.B) {
	l := benchStore(b).Create("/w", "")
	defer l.Close() //nolint:errcheck // a benchmark
	body := answer("m", strings.Repeat("word ", 100))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Append("turn", body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLongChat(b *testing.B) {
	s := benchStore(b)
	id := longChat(b, s)
	if _, err := s.List(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(s.path(id))
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d bytes", info.Size())
	open := func(b *testing.B) *Log {
		l, err := s.OpenLog(id)
		if err != nil {
			b.Fatal(err)
		}
		return l
	}
	b.Run("OpenAndTail", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l := open(b)
			if _, _, err := l.Tail(256 << 10); err != nil {
				b.Fatal(err)
			}
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("OpenAndSummary", func(b *testing.B) {
		for b.Loop() {
			l := open(b)
			if _, err := l.Summary(); err != nil {
				b.Fatal(err)
			}
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	l := open(b)
	defer l.Close() //nolint:errcheck // a benchmark
	b.Run("BeforeTheMiddle", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := l.Before(6000, 256<<10); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("SinceTheLastTurn", func(b *testing.B) {
		for b.Loop() {
			if _, err := l.Since(l.LastSeq() - 6); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("SinceTheBeginning", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			if _, err := l.Since(-1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("FoldAll", func(b *testing.B) {
		b.SetBytes(info.Size())
		for b.Loop() {
			f := fold{Seq: -1}
			if err := f.file(s.path(id)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkList1000(b *testing.B) {
	s := benchStore(b)
	for i := range 1000 {
		l := s.Create(fmt.Sprint("/code/", i%20), "main")
		for j := range 10 {
			turn := fmt.Sprint(j)
			for _, body := range []Body{
				UserMessage{Text: fmt.Sprint("message ", j, " of chat ", i)}, ToolStarted{ToolUseID: turn, Name: "Bash"},
				ToolFinished{ToolUseID: turn, Status: "success", Output: strings.Repeat("line\n", 100)},
				answer("m", strings.Repeat("word ", 50)), TurnCompleted{Outcome: "success", Engine: "codex"},
			} {
				if _, err := l.Append(turn, body); err != nil {
					b.Fatal(err)
				}
			}
		}
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
	}
	again := func() *Store {
		fresh, err := Open(b.TempDir(), nil)
		if err != nil {
			b.Fatal(err)
		}
		fresh.dir = s.dir
		return fresh
	}
	count := func(b *testing.B, s *Store) {
		if rows, err := s.List(); err != nil || len(rows) != 1000 {
			b.Fatal(len(rows), err)
		}
	}
	b.Run("NoListKept", func(b *testing.B) {
		for b.Loop() {
			if err := os.RemoveAll(s.listPath()); err != nil {
				b.Fatal(err)
			}
			count(b, again())
		}
	})
	b.Run("ListKept", func(b *testing.B) {
		for b.Loop() {
			count(b, again())
		}
	})
	b.Run("Again", func(b *testing.B) {
		warm := again()
		for b.Loop() {
			count(b, warm)
		}
	})
	b.Run("OpenANewChat", func(b *testing.B) {
		for b.Loop() {
			l := again().Create("/w", "")
			if err := l.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
