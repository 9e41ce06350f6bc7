//go:build !windows

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"conch/chats"
)

const benchCols, benchRows = 120, 40

// bareSource is the least that Bubble Tea can do: the floor of a first screen.
const bareSource = `package main

import (
	"strings"

	"charm.land/bubbletea/v2"
)

type bare struct{}

func (bare) Init() tea.Cmd { return nil }

func (b bare) Update(tea.Msg) (tea.Model, tea.Cmd) { return b, nil }

func (bare) View() tea.View {
	return tea.View{AltScreen: true, Content: strings.Repeat("a bare program shows some words\n", 20)}
}

func main() {
	if _, err := tea.NewProgram(bare{}).Run(); err != nil {
		panic(err)
	}
}
`

// benchBuilt builds a program as make build does.
func benchBuilt(name, source string) (string, error) {
	path := filepath.Join(built, "bench-"+name)
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

var benchConch = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("CONCH_BENCH_BIN"); path != "" {
		return path, nil
	}
	return benchBuilt("conch", ".")
})

var benchBare = sync.OnceValues(func() (string, error) {
	source := filepath.Join(built, "bare.go")
	if err := os.WriteFile(source, []byte(bareSource), 0o600); err != nil {
		return "", err
	}
	return benchBuilt("bare", source)
})

func conchPath(b *testing.B) string { return must(b, benchConch) }
func barePath(b *testing.B) string  { return must(b, benchBare) }

func must(b *testing.B, path func() (string, error)) string {
	b.Helper()
	p, err := path()
	if err != nil {
		b.Fatal(err)
	}
	return p
}

// begin starts a program on a terminal of the size that is measured.
func begin(b *testing.B, p place, program string, args ...string) *terminal {
	b.Helper()
	return onTerminal(b, p, benchCols, benchRows, p.environ(), append([]string{program}, args...)...)
}

// painted reports a screen with some words on it.
func painted(s *terminal) bool {
	cells := 0
	for _, r := range s.screen() {
		if r > ' ' {
			cells++
		}
	}
	return cells >= 60
}

// when calls do, if there is one, and gives the time at which the bytes came that
// made the screen as wanted.
func (s *terminal) when(what string, ok func() bool, do func()) time.Time {
	s.t.Helper()
	found := make(chan time.Time, 1)
	look := func(at time.Time) {
		if ok() {
			select {
			case found <- at:
			default:
			}
		}
	}
	watch := func(f func(time.Time)) {
		s.mu.Lock()
		s.watch = f
		s.mu.Unlock()
	}
	watch(look)
	defer watch(nil)
	if do != nil {
		do()
	} else {
		look(time.Now()) // it may stand there already
	}
	select {
	case at := <-found:
		return at
	case <-time.After(patience):
		s.t.Fatalf("waited for %s; the screen is\n%s", what, s.screen())
		return time.Time{}
	}
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	if len(sorted) == 0 {
		return 0
	}
	return (sorted[len(sorted)/2] + sorted[(len(sorted)-1)/2]) / 2
}

// processorTime is what all threads of a process have used.
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if len(tasks) == 0 {
		b.Skip("needs /proc to see what a process uses")
	}
	var used time.Duration
	for _, task := range tasks {
		raw, _ := os.ReadFile(task) // a thread may be gone
		first, _, _ := strings.Cut(string(raw), " ")
		ns, _ := strconv.ParseInt(first, 10, 64)
		used += time.Duration(ns)
	}
	return used
}

func residentMiB(b *testing.B, pid int) float64 {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("needs /proc to see what a process uses")
	}
	_, rest, _ := strings.Cut(string(raw), "VmRSS:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib / 1024
}

// lastWords are the last ones of the long chat.
const lastWords = "the end of answer 1999"

// longChat writes a chat of 4,000 messages, 6 MB, and gives its id.
func longChat(b *testing.B, p place) string {
	b.Helper()
	const paragraph = "Some more words about how the total is made, and why it was **wrong** before this change. "
	answer := "## Answer\n\nThe cart is empty. Look at `cart/service.go`:\n\n- first the total\n- then the test\n\n" +
		"```go\nfunc (c *Cart) Total() (Money, error) {\n\treturn Zero, nil\n}\n```\n\n" + strings.Repeat(paragraph, 26)
	return newChats(b, p, func(put func(turn string, body chats.Body), n int) bool {
		turn := fmt.Sprint("turn-", n)
		put(turn, chats.UserMessage{MessageID: turn, Text: fmt.Sprintf("question %d about the checkout", n)})
		put(turn, chats.ToolStarted{ToolUseID: turn, Name: "Read", ToolKind: "read", Subject: "cart/service.go"})
		put(turn, chats.ToolFinished{ToolUseID: turn, Status: "success", DurationMs: 3})
		put(turn, chats.AssistantDelta{MessageID: turn + "a", Channel: chats.ChannelText, Delta: fmt.Sprintf("%s\n\nThis is the end of answer %d.", answer, n)})
		put(turn, chats.AssistantDone{MessageID: turn + "a"})
		put(turn, chats.TurnCompleted{Outcome: "success", Accepted: true, Engine: "demo"})
		return n < 1999
	}, 1)
}

// manyChats writes chats of six messages.
func manyChats(b *testing.B, p place, count int) {
	b.Helper()
	newChats(b, p, func(put func(turn string, body chats.Body), n int) bool {
		turn := fmt.Sprint("turn-", n)
		put(turn, chats.UserMessage{MessageID: turn, Text: fmt.Sprintf("question %d about the checkout", n)})
		put(turn, chats.AssistantDelta{MessageID: turn + "a", Channel: chats.ChannelText, Delta: strings.Repeat("Some words of an answer. ", 60)})
		put(turn, chats.AssistantDone{MessageID: turn + "a"})
		put(turn, chats.TurnCompleted{Outcome: "success", Accepted: true, Engine: "demo"})
		return n < 2
	}, count)
}

// newChats writes chats turn by turn until turn says no, and gives the id of the
// last one.
func newChats(b *testing.B, p place, turn func(put func(string, chats.Body), n int) bool, count int) (id string) {
	b.Helper()
	now := time.Now().Add(-time.Duration(count) * time.Hour)
	store, err := chats.Open(filepath.Join(p.home, ".conch"), func() time.Time { return now })
	if err != nil {
		b.Fatal(err)
	}
	for range count {
		now = now.Add(time.Hour)
		log := store.Create(p.project, "main")
		put := func(turn string, body chats.Body) {
			if _, err := log.Append(turn, body); err != nil {
				b.Fatal(err)
			}
		}
		put("", chats.Options{Engine: "demo", Mode: "auto-read"})
		for n := 0; turn(put, n); n++ {
		}
		id = log.ID()
		if err := log.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return id
}

// dropList takes away what Conch derived from the logs.
func dropList(b *testing.B, p place) {
	b.Helper()
	err := os.Remove(filepath.Join(p.home, ".conch", "chats", "list.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.Fatal(err)
	}
}
