//go:build conformance && unix

package pretend

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long one step of a test may take. A first start of an agent in
// an empty home took 12 seconds on a machine under load.
const patience = 2 * time.Minute

// world is a pretend home with a project in it, and a pretend model that the
// agents of this home are pointed at.
type world struct {
	model *Server
	home  string
	work  string
	env   []string
	bin   string
	base  string // what config.toml always holds
}

// newWorld makes a home in which the agents are installed and set up.
func newWorld(t *testing.T, script func(work string) Script, agents ...agent) *world {
	t.Helper()
	bin := os.Getenv("CONCH_BIN")
	if bin == "" {
		t.Fatal("CONCH_BIN is not set: use make conformance")
	}
	// Some agents treat files under the temporary folder in their own way, so
	// the world stands beside the agents.
	root, err := agentsDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err = os.MkdirTemp(root, "world-")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{home: filepath.Join(root, "home"), work: filepath.Join(root, "shop"), bin: bin}
	t.Cleanup(func() {
		w.alone(t)
		if t.Failed() {
			t.Logf("kept: %s", root)
			return
		}
		os.RemoveAll(root)
	})
	for _, dir := range []string{w.home, w.work, filepath.Join(root, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.file(t, "prices.txt", "apple 1\npear 2\nplum 3\n")
	w.model, err = Start(script(w.work))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.model.Close)
	w.env = []string{"HOME=" + w.home, "CONCH_HOME=" + filepath.Join(w.home, ".conch"), "TERM=xterm-256color", "LANG=C.UTF-8",
		"SHELL=/bin/sh", "TZ=UTC", "TMPDIR=" + filepath.Join(root, "tmp")}
	var path []string
	for _, a := range agents {
		if a.config != nil {
			w.env = append(w.env, a.env(w.model.URL())...)
			w.base += a.config(w.model.URL())
			continue
		}
		dir, err := install(a.npm, a.version)
		if err != nil {
			t.Fatal(err)
		}
		path = append(path, dir)
		if a.needs22 {
			node, err := node22()
			if err != nil {
				t.Fatal(err)
			}
			if node != "" {
				path = append([]string{node}, path...)
			}
		}
		w.env = append(w.env, a.env(w.model.URL())...)
		if a.files == nil {
			continue
		}
		for name, text := range a.files(w.model.URL()) {
			name = filepath.Join(w.home, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if w.base != "" {
		w.config(t, "")
	}
	w.env = append(w.env, "PATH="+strings.Join(append(path, os.Getenv("PATH")), ":"))
	return w
}

func (w *world) file(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.work, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	b, _ := os.ReadFile(filepath.Join(w.work, name))
	return string(b)
}

// first is the first request by a rule among those that came after the first
// before. Programs ask more than they are asked: for titles, for what to say next.
func (w *world) first(t *testing.T, before int, rule string) Request {
	t.Helper()
	for _, q := range w.model.Asked()[before:] {
		if q.Rule == rule {
			return q
		}
	}
	t.Fatalf("the model was not asked %q", rule)
	return Request{}
}

// alone says that nothing that was started in this home is left. Within 3 seconds
// of the end of Conch all is killed; a machine under load may need longer to
// take the dead away.
func (w *world) alone(t *testing.T) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left = left[:0]
		environs, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range environs {
			env, err := os.ReadFile(file)
			if err == nil && bytes.Contains(env, []byte("HOME="+w.home+"\x00")) {
				words, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
				left = append(left, filepath.Base(filepath.Dir(file))+" "+strings.ReplaceAll(string(words), "\x00", " "))
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("still running:\n%s", strings.Join(left, "\n"))
			return
		}
	}
}

// show is a chat as conch show prints it: the words of the answers.
func (w *world) show(t *testing.T, chat string) string {
	t.Helper()
	cmd := exec.Command(w.bin, "show", chat, "--json")
	cmd.Dir, cmd.Env = w.work, w.env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("conch show %s: %v", chat, err)
	}
	var shown struct {
		Messages []struct{ Role, Text string }
	}
	if err := json.Unmarshal(out, &shown); err != nil {
		t.Fatalf("conch show %s: %v\n%s", chat, err, out)
	}
	var b strings.Builder
	for _, m := range shown.Messages {
		if m.Role == "assistant" {
			b.WriteString(m.Text + "\n")
		}
	}
	return b.String()
}

// event is a line of conch -p --json.
type event map[string]any

func (e event) is(kind string) bool { return e["type"] == kind }

// run is one conch -p --json.
type run struct {
	t      *testing.T
	w      *world
	cmd    *exec.Cmd
	began  time.Time
	events []event
	after  []time.Duration // since the start, of each event
	stderr bytes.Buffer
	status int

	mu   sync.Mutex
	news chan struct{}
	over chan struct{}
}

// begin starts conch -p --json with the words and flags.
func (w *world) begin(t *testing.T, args ...string) *run {
	t.Helper()
	r := &run{t: t, w: w, news: make(chan struct{}, 1), over: make(chan struct{})}
	r.cmd = exec.Command(w.bin, append([]string{"-p", "--json"}, args...)...)
	r.cmd.Dir, r.cmd.Env, r.cmd.Stderr = w.work, w.env, &r.stderr
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.began = time.Now()
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go r.follow(out)
	return r
}

func (r *run) follow(out io.Reader) {
	defer close(r.over)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				e = event{"type": "not JSON", "text": string(line)}
			}
			r.mu.Lock()
			r.events, r.after = append(r.events, e), append(r.after, time.Since(r.began))
			r.mu.Unlock()
			select {
			case r.news <- struct{}{}:
			default:
			}
		}
		if err != nil {
			break
		}
	}
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.status = exit.ExitCode()
	}
}

// play runs conch -p --json to its end.
func (w *world) play(t *testing.T, args ...string) *run {
	t.Helper()
	r := w.begin(t, args...)
	r.wait()
	return r
}

func (r *run) wait() {
	r.t.Helper()
	select {
	case <-r.over:
	case <-time.After(patience):
		r.cmd.Process.Signal(syscall.SIGQUIT)
		<-r.over
		r.t.Fatalf("no end after %s\n%s", patience, r)
	}
	r.w.alone(r.t)
}

// until waits for an event.
func (r *run) until(what string, ok func(event) bool) {
	r.t.Helper()
	late := time.After(patience)
	for {
		if r.find(ok) != nil {
			return
		}
		select {
		case <-r.news:
		case <-r.over:
			if r.find(ok) == nil {
				r.t.Fatalf("it ended without %s\n%s", what, r)
			}
			return
		case <-late:
			r.cmd.Process.Kill()
			r.t.Fatalf("no %s after %s\n%s", what, patience, r)
		}
	}
}

func (r *run) all(kind string) []event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []event
	for _, e := range r.events {
		if e.is(kind) {
			out = append(out, e)
		}
	}
	return out
}

func (r *run) find(ok func(event) bool) event {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if ok(e) {
			return e
		}
	}
	return nil
}

// text is the whole answer.
func (r *run) text() string {
	var b strings.Builder
	for _, e := range r.all("text") {
		b.WriteString(str(map[string]any(e), "text"))
	}
	return b.String()
}

// tool is the end of a tool's row.
func (r *run) tool(name string) event {
	return r.find(func(e event) bool { return e.is("tool-end") && e["name"] == name })
}

func (r *run) chat() string {
	return str(map[string]any(r.find(func(e event) bool { return e.is("session") })), "chat")
}

func (r *run) done() event { return r.find(func(e event) bool { return e.is("done") }) }

// String is what a failing test shows.
func (r *run) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "conch %s\nexit %d\n", strings.Join(r.cmd.Args[1:], " "), r.status)
	for i, e := range r.events {
		line := encode(e)
		fmt.Fprintf(&b, "  %6d ms  %.400s\n", r.after[i].Milliseconds(), line)
	}
	if r.stderr.Len() > 0 {
		fmt.Fprintf(&b, "stderr: %s\n", r.stderr.String())
	}
	for _, q := range r.w.model.Requests() {
		fmt.Fprintf(&b, "  model %d: %s %s rule %q step %d fault %v, %d messages, %d tools\n", q.N, q.Dialect, q.Path, q.Rule, q.Step, q.Fault, len(q.Messages), len(q.Tools))
	}
	return b.String()
}
