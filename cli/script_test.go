package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"conch/acp"
	"conch/chats"
	"conch/engine"
	"conch/pastchats"
)

// The program as the scripts run it is this test's own binary under the name
// conch. With the race detector it would start ten times slower, hundreds of
// times: then the scripts run one that was built without it.
func TestMain(m *testing.M) {
	if strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") != "conch" && raced {
		os.Exit(runWithPlainBinary(m))
	}
	testscript.Main(m, map[string]func(){"conch": scriptProgram})
}

func runWithPlainBinary(m *testing.M) int {
	dir, err := os.MkdirTemp("", "conch-cli-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "conch")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	build := exec.Command("go", "test", "-c", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program for the scripts: %v\n%s", err, out)
		return 1
	}
	if err := os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// scriptProgram is the real program, but for its providers, which are the demo
// agent and one that is installed nowhere.
func scriptProgram() {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	os.Exit(Main(context.Background(), Host{
		Args: os.Args[1:], Environ: os.Environ(), Dir: dir, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Executable: self, Version: "v1.2.3", Engines: scriptEngines,
	}))
}

func scriptEngines(s EngineSetup) ([]engine.Engine, error) {
	opts := acp.Options{
		Environ: s.Environ, Guard: s.Guard, Now: s.Now, ClientVersion: s.Version,
		Timings: acp.Timings{Grace: 30 * time.Millisecond}, // the demo's late pieces come at once
	}
	absent := acp.Agent{ID: "absent", Name: "Absent", Command: "no-such-program-anywhere", Install: "npm install -g absent"}
	var list []engine.Engine
	for _, a := range acp.Agents(s.Executable) {
		if a.ID != demoID {
			continue
		}
		for _, own := range s.Config.Agents {
			if own.ID == demoID && len(own.Command) > 0 {
				a.Command, a.Args = own.Command[0], own.Command[1:]
			}
			for k, v := range own.Env {
				a.Env = append(a.Env, k+"="+v)
			}
		}
		list = append(list, acp.New(absent, opts), acp.New(a, opts))
	}
	if len(list) == 0 {
		return nil, errors.New("the table has no demo")
	}
	return list, nil
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "person"))
			e.Setenv("CONCH_HOME", filepath.Join(e.WorkDir, "conch home"))
			e.Setenv("CONCH_DEMO_FAST", "1")
			e.Setenv("CONCH_DEMO_STATE", filepath.Join(e.WorkDir, "demo"))
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, "tmp"))
			e.Setenv("TZ", "UTC")
			for _, dir := range []string{"person", "tmp", "shop"} {
				if err := os.MkdirAll(filepath.Join(e.WorkDir, dir), 0o700); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"conch":    scriptConch,
			"chat":     scriptChat,
			"past":     scriptPast,
			"status":   scriptStatus,
			"refuse":   scriptRefuse,
			"harmless": scriptHarmless,
		},
	})
}

// scriptConch runs the program where testscript did not put it.
func scriptConch(ts *testscript.TestScript, neg bool, args []string) {
	if err := ts.Exec("conch", args...); (err != nil) != neg {
		ts.Fatalf("conch: %v", err)
	}
}

// scriptChat makes a chat: chat TITLE FOLDER WHO:WORDS…, an hour after the one
// before. It puts its id into $CHAT.
func scriptChat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: chat TITLE FOLDER WHO:WORDS…")
	}
	home := ts.Getenv("CONCH_HOME")
	n, _ := filepath.Glob(filepath.Join(home, "chats", "*.jsonl"))
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC).Add(time.Duration(len(n)) * time.Hour)
	store, err := chats.Open(home, func() time.Time { at = at.Add(time.Second); return at })
	ts.Check(err)
	log := store.Create(args[1], "main")
	put := func(body chats.Body) {
		_, err := log.Append("t", body)
		ts.Check(err)
	}
	for i, each := range args[2:] {
		who, words, _ := strings.Cut(each, ":")
		words = strings.NewReplacer(`\n`, "\n", `\e`, "\x1b").Replace(words)
		id := fmt.Sprintf("m%d", i)
		switch who {
		case "user":
			put(chats.UserMessage{MessageID: id, Text: words})
		case "assistant":
			put(chats.AssistantDelta{MessageID: id, Channel: chats.ChannelText, Delta: words})
			put(chats.AssistantDone{MessageID: id})
		case "bash":
			put(chats.ToolStarted{ToolUseID: id, Name: "Bash", ToolKind: "execute", Subject: words})
			put(chats.ToolFinished{ToolUseID: id, Status: "success", Output: "ok\n", DurationMs: 1200})
		case "edit":
			put(chats.ToolStarted{ToolUseID: id, Name: "Edit", ToolKind: "edit", Subject: words})
			put(chats.ToolFinished{ToolUseID: id, Status: "success", View: []byte(`{"diffs":[{"path":"cart.go","old":"a\nb\n","new":"a\nc\n"}]}`)})
		case "asked":
			put(chats.Question{QuestionID: "q", Title: words})
		case "answered":
			put(chats.QuestionAnswered{QuestionID: "q", Answer: &chats.QuestionAnswer{Text: words}})
		case "handed":
			put(chats.Handoff{Engine: words, Messages: 2, Steps: 1, Block: "x"})
		case "end":
			put(chats.TurnCompleted{Outcome: words, Engine: demoID, Model: "demo-calm"})
		default:
			ts.Fatalf("who is %q?", who)
		}
	}
	put(chats.Title{Title: args[0], By: "person"})
	ts.Check(log.Close())
	ts.Setenv("CHAT", log.ID())
}

// scriptPast puts the id of the brought-in chat with a title into $PAST: past TITLE.
func scriptPast(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: past TITLE")
	}
	store, err := pastchats.OpenStore(ts.Getenv("CONCH_HOME"), time.Now, nil)
	ts.Check(err)
	list, err := store.List()
	ts.Check(err)
	for _, e := range list {
		if e.Title == strings.Join(args, " ") {
			ts.Setenv("PAST", e.ID)
			return
		}
	}
	ts.Fatalf("no past chat is called %q", args)
}

// scriptStatus runs a command and checks its exit status: status N conch …
func scriptStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		got = fmt.Sprint(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, not %s", got, args[0])
	}
}

// scriptRefuse tries each line of a file as the id of every command that takes
// one: refuse FILE.
func scriptRefuse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: refuse FILE")
	}
	for _, id := range strings.Split(strings.TrimRight(ts.ReadFile(args[0]), "\n"), "\n") {
		for _, line := range [][]string{{"--resume=" + id}, {"-p", "--resume=" + id, "words"}, {"show", "--", id}, {"export", "--", id}} {
			err := ts.Exec("conch", line...)
			said := ts.ReadFile("stderr")
			if err == nil || !strings.HasPrefix(said, "conch: ") || strings.Count(said, "\n") > 2 || strings.Contains(said, "SECRET") || ts.ReadFile("stdout") != "" {
				ts.Fatalf("conch %q: %v, said %q", line, err, said)
			}
			if i := strings.IndexFunc(said, odd); i >= 0 {
				ts.Fatalf("conch %q: said %q", line, said)
			}
		}
	}
}

// odd are characters that a terminal acts on, or that fool a reader.
func odd(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// scriptHarmless checks the last output.
func scriptHarmless(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range []string{"stdout", "stderr"} {
		if said := ts.ReadFile(name); strings.ContainsFunc(said, odd) {
			ts.Fatalf("%s is %q", name, said)
		}
	}
}
