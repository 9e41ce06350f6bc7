package child

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Guard is a small process that outlives Conch by three seconds at most, to end
// what Conch could not end because it was killed. Conch tells it of each child
// over a pipe; the end of the pipe is the end of Conch. It is started with the
// first child and sleeps until the pipe ends.
//
// Windows needs none: there the job object does it, and a Guard does nothing.
type Guard struct {
	command, env []string

	mu     sync.Mutex
	pipe   *os.File
	over   chan struct{} // closed when the guard's process was waited for
	marks  map[string]ident
	closed bool
	err    error
}

// A guard that doesn't read must not hold Conch up.
const tellLimit = time.Second

// NewGuard makes a guard that runs command (conch child-guard), whose process
// calls RunGuard. Close it when all children have ended.
func NewGuard(command, env []string) *Guard {
	return &Guard{command: command, env: env, marks: map[string]ident{}}
}

// Problem is why the guard is not there; nil when it is, or when it was not
// needed yet.
func (g *Guard) Problem() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// Close lets the guard go and waits for it. Children that were not ended are
// ended by it then, as if Conch had died.
func (g *Guard) Close() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.pipe != nil {
		g.pipe.Close()
		<-g.over
		g.pipe = nil
	}
}

func (g *Guard) watch(mark string) {
	g.change(func() string {
		g.marks[mark] = ident{}
		return "watch " + mark + "\n"
	})
}

func (g *Guard) add(mark string, root ident) {
	g.change(func() string {
		g.marks[mark] = root
		return tell("add", mark, root)
	})
}

func (g *Guard) note(mark string, fresh []ident) {
	if len(fresh) == 0 {
		return
	}
	g.change(func() string {
		var b strings.Builder
		for _, id := range fresh {
			b.WriteString(tell("note", mark, id))
		}
		return b.String()
	})
}

func (g *Guard) gone(mark string) {
	g.change(func() string {
		delete(g.marks, mark)
		return "gone " + mark + "\n"
	})
}

func tell(word, mark string, id ident) string {
	return fmt.Sprintf("%s %s %d %d\n", word, mark, id.pid, id.start)
}

// change makes a change and tells the guard. A guard that died is started once
// more and told everything.
func (g *Guard) change(make func() string) {
	if g == nil || runtime.GOOS == "windows" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	words := make()
	if g.closed {
		return
	}
	if g.pipe != nil && g.write(words) == nil {
		return
	}
	if len(g.marks) == 0 && g.pipe == nil {
		return // nothing to guard
	}
	if g.err = g.start(); g.err != nil {
		return
	}
	var all strings.Builder
	for mark, root := range g.marks {
		all.WriteString("watch " + mark + "\n")
		if root.pid > 0 {
			all.WriteString(tell("add", mark, root))
		}
	}
	g.err = g.write(all.String())
}

func (g *Guard) write(words string) error {
	g.pipe.SetWriteDeadline(time.Now().Add(tellLimit)) //nolint:errcheck // a pipe can
	_, err := io.WriteString(g.pipe, words)
	return err
}

func (g *Guard) start() error {
	if g.pipe != nil {
		g.pipe.Close()
		g.pipe = nil
	}
	if len(g.command) == 0 {
		return fmt.Errorf("start guard: %w", ErrNotFound)
	}
	path, ok := Look(g.command[0], g.env)
	if !ok {
		return fmt.Errorf("start guard: %s: %w", g.command[0], ErrNotFound)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start guard: %w", err)
	}
	defer r.Close()
	// Nothing of Conch's: its streams are null, its folder is the root, its
	// session its own, so that it holds no terminal, no pipe and no disk.
	cmd := &exec.Cmd{Path: path, Args: g.command, Env: g.env, Dir: string(os.PathSeparator), Stdin: r}
	if _, err := startInGroup(cmd); err != nil {
		w.Close()
		return fmt.Errorf("start guard: %w", err)
	}
	g.pipe, g.over = w, make(chan struct{})
	go func(over chan<- struct{}) {
		defer close(over)
		cmd.Wait() //nolint:errcheck // that it is gone is seen by the next write
	}(g.over)
	return nil
}

// RunGuard is the guard's own process (conch child-guard): it reads what Conch
// tells from stdin, and when that ends, ends what Conch has left. The result is
// the exit status.
func RunGuard(ctx context.Context, stdin io.Reader, args []string) int {
	if len(args) > 0 {
		return 2
	}
	ignoreSignals()
	return runGuard(ctx, stdin, defaultWaits)
}

func runGuard(ctx context.Context, stdin io.Reader, w waits) int {
	trees := map[string]*tree{}
	lines := bufio.NewScanner(stdin)
	for lines.Scan() {
		hear(trees, lines.Text())
	}
	left := make([]*tree, 0, len(trees))
	for _, t := range trees {
		t.walk(true) // at once, before parents die
		left = append(left, t)
	}
	if len(left) == 0 {
		return 0
	}
	finish(ctx, w, left, nil, func() bool {
		for _, t := range left {
			if start, there := startOf(t.root.pid); t.root.pid > 0 && there && start == t.root.start {
				return false
			}
		}
		return true
	})
	return 0
}

// hear takes one line of Conch's. What is not understood is skipped.
func hear(trees map[string]*tree, line string) {
	f := strings.Fields(line)
	if len(f) < 2 {
		return
	}
	word, mark := f[0], f[1]
	t := trees[mark]
	switch {
	case word == "gone":
		delete(trees, mark)
		return
	case word == "watch":
		if t == nil {
			trees[mark] = newTree(mark, ident{})
		}
		return
	case t == nil || len(f) != 4:
		return
	}
	pid, err := strconv.Atoi(f[2])
	if err != nil || pid <= 1 {
		return
	}
	start, err := strconv.ParseUint(f[3], 10, 64)
	if err != nil {
		return
	}
	id := ident{pid: pid, start: start}
	switch word {
	case "add":
		t.root = id
		t.add(id)
	case "note":
		t.add(id)
		if t.size() > noteLimit {
			t.walk(false) // forgets those that are gone
			t.fresh = nil
		}
	}
}

// noteLimit is how many processes of one child are remembered before the dead
// among them are looked for.
const noteLimit = 512
