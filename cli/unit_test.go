package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"conch/chats"
	"conch/child"
	"conch/config"
	"conch/engine"
	"conch/tui"
)

func TestATimeIsSaidAsAPersonReadsIt(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) // a Monday
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{time.Time{}, ""},
		{now.Add(-time.Minute), "11:59"},
		{time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), "00:00"},
		{time.Date(2026, 11, 29, 23, 59, 0, 0, time.UTC), "Sun 23:59"},
		{time.Date(2026, 11, 24, 9, 41, 0, 0, time.UTC), "Tue 09:41"},
		{time.Date(2026, 11, 23, 9, 41, 0, 0, time.UTC), "23 Nov"},
		{time.Date(2026, 10, 3, 9, 41, 0, 0, time.UTC), "3 Oct"},
		{time.Date(2025, 10, 3, 9, 41, 0, 0, time.UTC), "Oct 2025"},
		{now.Add(time.Hour), "13:00"},
		{time.Date(2026, 12, 2, 9, 46, 0, 0, time.UTC), "2 Dec 2026"},
	} {
		if got := when(c.at, now); got != c.want {
			t.Errorf("%v is %q, want %q", c.at, got, c.want)
		}
	}
}

func TestColumnsLineUpByCells(t *testing.T) {
	got := columns([][]string{{"a", "割引", "x"}, {"long", "b", ""}, {"👩‍💻", "c", "y z"}})
	want := []string{"a     割引  x", "long  b", "👩‍💻    c     y z"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestNumbersAndSizes(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1284: "1,284", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1500: "1.5 KB", 6_000_000: "6.0 MB", 2_500_000_000: "2.5 GB"} {
		if got := sized(n); got != want {
			t.Errorf("%d is %q", n, got)
		}
	}
}

func TestTheEditorIsAProgramWithArguments(t *testing.T) {
	for line, want := range map[string][]string{
		"":                            nil,
		"vim":                         {"vim"},
		"code --wait":                 {"code", "--wait"},
		`"/my apps/ed" -n 'a b' "" x`: {"/my apps/ed", "-n", "a b", "", "x"},
		"ed; rm -rf $HOME":            {"ed;", "rm", "-rf", "$HOME"},
	} {
		if d := cmp.Diff(want, splitWords(line)); d != "" {
			t.Errorf("%q: %s", line, d)
		}
	}
	a := newApp(Host{Environ: []string{"EDITOR=nano", "VISUAL=vim -f"}})
	if d := cmp.Diff([]string{"vim", "-f"}, a.editor()); d != "" {
		t.Error(d)
	}
}

func TestTheBranchIsReadFromGitsFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, words string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(words), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("repo/.git/HEAD", "ref: refs/heads/fix/empty-cart\n")
	write("repo/sub/deep/x", "")
	write("detached/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n")
	write("repo/.git/worktrees/w/HEAD", "ref: refs/heads/other\n")
	write("work/.git", "gitdir: ../repo/.git/worktrees/w\n")
	write("odd/.git", "nonsense")
	write("hostile/.git/HEAD", "ref: refs/heads/a\x1b[2Jb\n")
	write("plain/x", "")
	for folder, want := range map[string]string{
		"repo": "fix/empty-cart", "repo/sub/deep": "fix/empty-cart", "detached": "", "work": "other", "odd": "", "hostile": "ab", "plain": "",
	} {
		if got := branchOf(filepath.Join(dir, folder)); got != want {
			t.Errorf("%s is on %q, want %q", folder, got, want)
		}
	}
}

func TestTheHomeAndTheFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are of Unix")
	}
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"HOME=/home/dev"}, "/home/dev/.conch"},
		{[]string{"HOME=/home/dev", "CONCH_HOME=/x/y/"}, "/x/y"},
		{[]string{"HOME=/home/dev", "CONCH_HOME=rel"}, "/code/rel"},
		{[]string{"HOME=/home/dev", "CONCH_HOME="}, "/home/dev/.conch"},
		{[]string{"HOME=rel"}, ""},
		{nil, ""},
	} {
		got, err := homeOf(Host{Environ: c.env, Dir: "/code"})
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q: %q, %v", c.env, got, err)
		}
	}
	a := newApp(Host{Environ: []string{"HOME=/home/dev"}})
	for path, want := range map[string]string{"/home/dev": "~", "/home/dev/a": "~/a", "/home/developer": "/home/developer", "/x\x1b[2J": "/x"} {
		if got := a.shortPath(path); got != want {
			t.Errorf("%q is %q", path, got)
		}
	}
}

func TestSignsFollowTheLocale(t *testing.T) {
	for env, ascii := range map[string]bool{
		"": false, "LANG=C": true, "LANG=C.UTF-8": false, "LANG=de_DE.ISO-8859-1": true, "LANG=en_US.UTF-8": false,
		"LC_ALL=POSIX LANG=en_US.UTF-8": true, "TERM=linux LANG=en_US.UTF-8": true, "LC_CTYPE=en_US.utf8 LANG=C": false,
	} {
		if got := newApp(Host{Environ: strings.Fields(env)}).asciiOnly(); got != ascii {
			t.Errorf("%q: %v", env, got)
		}
	}
}

func TestWhoAnswersWhenNobodyChose(t *testing.T) {
	ids := []string{"claude-code", "codex", "demo", "far"}
	var engines []engine.Engine
	for _, id := range ids {
		engines = append(engines, named(id))
	}
	for _, c := range []struct {
		states [4]engine.State
		want   string
	}{
		{[4]engine.State{engine.NotFound, engine.NotFound, engine.Ready, engine.NotFound}, "demo"},
		{[4]engine.State{engine.Unknown, engine.Ready, engine.Ready, engine.Ready}, "codex"},
		{[4]engine.State{engine.NeedSignIn, engine.Unknown, engine.Ready, engine.NotFound}, "codex"},
		{[4]engine.State{engine.NotFound, engine.Broken, engine.Ready, engine.Unknown}, "far"},
		{[4]engine.State{engine.NeedSignIn, engine.TooOld, engine.NotFound, engine.Broken}, "demo"},
	} {
		var found []engine.Health
		for _, s := range c.states {
			found = append(found, engine.Health{State: s})
		}
		if got := firstReady(engines, found); got != c.want {
			t.Errorf("%v: %s, want %s", c.states, got, c.want)
		}
	}
}

// named is an engine that only has a name.
type named string

func (n named) Info() engine.Info                    { return engine.Info{ID: string(n), Name: string(n)} }
func (n named) Health(context.Context) engine.Health { return engine.Health{} }
func (n named) Turn(context.Context, engine.TurnInput, engine.Sink) engine.Result {
	return engine.Result{}
}
func (n named) Release(string)                              {}
func (n named) ForgetSession(context.Context, string) error { return nil }
func (n named) Close() error                                { return nil }

func TestErrorsBecomeASentenceAStepAndAStatus(t *testing.T) {
	var said strings.Builder
	a := newApp(Host{Stderr: &said})
	for _, c := range []struct {
		err    error
		want   string
		status int
	}{
		{errors.New("unknown flag: --x"), "conch: unknown flag: --x\n→ conch --help lists commands and flags\n", 2},
		{&config.Error{Line: 3, Column: 1, Reason: "bad", Next: "mend it"}, "conch: config.toml cannot be read: line 3, column 1: bad\n→ mend it\n", 2},
		{chats.ErrNotFound, "conch: no such chat\n→ conch chats lists them\n", 1},
		{context.Canceled, "conch: stopped\n", 130},
		{errors.New("odd \x1b[2J\nthing"), "conch: odd thing\n", 1},
		{errors.New("key sk-ant-api03-hbvtskg6f9Fcbfrs4_b7q6EsG9vanFzvmrzgfCgAA_ucH6hCf7w-B8qecswfsgCvHBnBArve_n6tnHCv7sydscyDver8yAA"), "conch: key [redacted]\n", 1},
		{wrong("do this", "no %s", "way"), "conch: no way\n→ do this\n", 2},
	} {
		said.Reset()
		f := asFailure(c.err)
		a.tell(f)
		if said.String() != c.want || f.status != c.status {
			t.Errorf("%v: status %d, said %q", c.err, f.status, said.String())
		}
	}
}

func TestTheLogIsMadeLateRotatedAndHoldsNoKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home", "log")
	l := newLogFile(dir, time.Now)
	log := l.logger()
	if _, err := os.Stat(dir); err == nil {
		t.Error("it is there before the first record")
	}
	key := "sk-ant-api03-hbvtskg6f9Fcbfrs4_b7q6EsG9vanFzvmrzgfCgAA_ucH6hCf7w-B8qecswfsgCvHBnBArve_n6tnHCv7sydscyDver8yAA"
	log.With("with", key).Info("start \x1b[2J "+key, "error", errors.New("refused "+key), slog.Group("g", "k", key), "n", 3, "long", strings.Repeat("x", 5000))
	l.close()
	path := filepath.Join(dir, logName)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "hbvtskg6f9") || strings.Contains(string(raw), "\x1b") || len(raw) > 1500 || !strings.Contains(string(raw), "n=3") {
		t.Errorf("the log holds %s", raw)
	}
	if info, _ := os.Stat(path); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v", info.Mode())
	}
	if err := os.WriteFile(path, make([]byte, logBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	l = newLogFile(dir, time.Now)
	l.logger().Info("again")
	l.close()
	if info, err := os.Stat(path + ".1"); err != nil || info.Size() != logBytes+1 {
		t.Errorf("not rotated: %v", err)
	}
	if info, _ := os.Stat(path); info.Size() > 1000 {
		t.Errorf("the new one has %d bytes", info.Size())
	}
}

func TestALogThatCannotBeWrittenIsNoTrouble(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := newLogFile(filepath.Join(file, "log"), time.Now)
	l.logger().Info("lost")
	l.close()
	(*logFile)(nil).close()
}

func TestACrashIsReportedRedacted(t *testing.T) {
	home := t.TempDir()
	a := newApp(Host{Environ: []string{"CONCH_HOME=" + home}, Now: time.Now, Version: "v1"})
	var path string
	for range maxReports + 5 {
		path = a.report(tui.Crash{Where: "view", Value: "key sk-ant-api03-hbvtskg6f9Fcbfrs4_b7q6EsG9vanFzvmrzgfCgAA_ucH6hCf7w-B8qecswfsgCvHBnBArve_n6tnHCv7sydscyDver8yAA \x1b[2J", Stack: []byte("goroutine 1\n"), Chat: "01X"})
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"conch v1", "in view", "chat 01X", "key [redacted]", "goroutine 1"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%q is missing in %s", want, raw)
		}
	}
	if all, _ := filepath.Glob(filepath.Join(home, "log", "crash-*")); len(all) != maxReports {
		t.Errorf("%d reports are kept", len(all))
	}
}

// Main's own panics end in a sentence, a report and status 2.
func TestAPanicIsASentence(t *testing.T) {
	var out, said strings.Builder
	home := t.TempDir()
	status := Main(t.Context(), Host{
		Args: []string{"doctor"}, Environ: []string{"CONCH_HOME=" + home}, Dir: home, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &said,
		Engines: func(EngineSetup) ([]engine.Engine, error) { panic("boom") },
	})
	if status != 2 || !strings.HasPrefix(said.String(), "conch: Conch broke") || !strings.Contains(said.String(), "→ the report is "+home) || strings.Contains(said.String(), "goroutine") {
		t.Errorf("status %d, said %q", status, said.String())
	}
}

func TestTheShellsOutputComesAsItGrows(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are of Unix")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := newApp(Host{Environ: []string{"PATH=" + os.Getenv("PATH"), "SHELL=/bin/sh", "MINE=yes"}, Executable: self})
	a.guard = child.NewGuard(nil, nil)
	defer a.guard.Close()
	var got strings.Builder
	exit, err := a.shell(t.Context(), t.TempDir(), `echo "out $MINE"; echo err >&2; cat; exit 3`, func(s string) { got.WriteString(s) })
	if err != nil || exit != 3 || got.String() != "out yes\nerr\n" {
		t.Errorf("exit %d, %v, output %q", exit, err, got.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	before := time.Now()
	_, err = a.shell(ctx, t.TempDir(), "echo started; sleep 60", func(string) { cancel() })
	if !errors.Is(err, context.Canceled) || time.Since(before) > 10*time.Second {
		t.Errorf("stopped with %v after %v", err, time.Since(before))
	}
	if _, err := a.shell(t.Context(), filepath.Join(t.TempDir(), "nowhere"), "true", func(string) {}); err == nil {
		t.Error("it ran in a folder that is not there")
	}
}

// FuzzPump: what is handed on is what came, and no character is cut in two.
func FuzzPump(f *testing.F) {
	f.Add("héllo 割引 👩‍💻", 3)
	f.Add("\xff\xe2\x82", 1)
	f.Fuzz(func(t *testing.T, text string, step int) {
		var got strings.Builder
		pump(&slow{text, max(1, step%7)}, func(s string) { got.WriteString(s) })
		if got.String() != text {
			t.Errorf("%q became %q", text, got.String())
		}
	})
}

type slow struct {
	left string
	step int
}

func (s *slow) Read(p []byte) (int, error) {
	if s.left == "" {
		return 0, io.EOF
	}
	n := copy(p, s.left[:min(len(s.left), s.step)])
	s.left = s.left[n:]
	return n, nil
}

func TestASilentPipeIsLeftWhenThereAreWords(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	before := time.Now()
	raw, err := readPiped(r, true)
	if err != nil || raw != nil || time.Since(before) < idleLimit {
		t.Errorf("read %q, %v after %v", raw, err, time.Since(before))
	}
	raw, err = readPiped(&slow{"some words", 3}, true)
	if err != nil || string(raw) != "some words" {
		t.Errorf("read %q, %v", raw, err)
	}
	if raw, err = readPiped(strings.NewReader(""), false); err != nil || len(raw) != 0 {
		t.Errorf("read %q, %v", raw, err)
	}
}

func TestSignalsAndTheirStatuses(t *testing.T) {
	for s, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		if got := statusOf(s); got != want {
			t.Errorf("%v is %d", s, got)
		}
	}
}

func TestUnheardMessagesAreCountedAcrossRuns(t *testing.T) {
	home := t.TempDir()
	a := newApp(Host{Environ: []string{"CONCH_HOME=" + home}, Now: time.Now})
	if err := a.open(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a.engines = []engine.Engine{deafTo{named("codex"), map[string]int{"session/update:hologram": 2, "a kind = \"odd\"": 1}}}
		a.close()
	}
	want := map[string]map[string]int{"codex": {"session/update:hologram": 4, `a kind = "odd"`: 2}}
	if d := cmp.Diff(want, a.unheardBefore()); d != "" {
		t.Error(d)
	}
}

type deafTo struct {
	named
	kinds map[string]int
}

func (d deafTo) Unheard() map[string]int { return d.kinds }

func TestNothingIsSaidOfAReaderThatHasEnough(t *testing.T) {
	h := Host{Args: []string{"--help"}}
	var said bytes.Buffer
	h.Stderr = &said
	a := newApp(h)
	f := asFailure(&os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE})
	a.tell(f)
	if said.Len() > 0 || f.status != statusFailed {
		t.Errorf("status %d, %q", f.status, said.String())
	}
}
