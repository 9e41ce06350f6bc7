package tools

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf16"

	"conch/child"
	"conch/engine"
)

// Limits of run_command.
const (
	maxCommandLine = 20_000
	defaultTimeout = 120 // seconds
	maxTimeout     = 600
	keptHead       = 10 << 10 // bytes of output: the first
	keptTail       = 30 << 10 // and the last
	sayEvery       = 250 * time.Millisecond
)

const runCommandWhat = `Run a command line in the working folder by the system's shell (bash where there is one, else sh; PowerShell on Windows) and give its output, both channels together, and how it ended. ` +
	`It has no input and no terminal: nothing that asks, and no editor or pager. At most 120 seconds, or timeout (up to 600). What it leaves running is ended with it: wait_for waits for something longer. ` +
	`Of long output the beginning and the end are given. To read, search or change files the other tools are better. folder is one in the working folder to run it in.`

var runCommandTakes = []argument{
	{name: "command", what: "The command line.", kind: "string", min: 1, max: maxCommandLine, required: true},
	{name: "folder", what: "Where. Without it: the working folder.", kind: "string", min: 1, max: maxPath},
	{name: "timeout", what: "Seconds until it is ended. Without it: 120.", kind: "integer", min: 1, max: maxTimeout},
}

type runCommandArgs struct {
	Command string `json:"command"`
	Folder  string `json:"folder"`
	Timeout int    `json:"timeout"`
}

// subject is the command as it is asked for, with where it runs.
func (a runCommandArgs) subject() string {
	if a.Folder == "" || a.Folder == "." {
		return a.Command
	}
	return "cd " + a.Folder + " && " + a.Command
}

func (b *bound) runCommand() *tool {
	t := bind("run_command", runCommandWhat, runCommandTakes, func(ctx context.Context, args runCommandArgs) (engine.ToolResult, error) {
		dir, err := b.workplace("run_command", args.Folder)
		if err != nil {
			return engine.ToolResult{}, err
		}
		p := engine.Permission{Tool: "Bash", Kind: engine.KindExecute, Subject: args.subject()}
		if args.Folder != "" {
			p.Paths = dir.paths()
		}
		if err := b.may(ctx, p); err != nil {
			return engine.ToolResult{}, err
		}
		if err := dir.folder(); err != nil {
			return engine.ToolResult{}, err
		}
		return b.running(ctx, dir.real, args.Command, time.Duration(orElse(args.Timeout, defaultTimeout))*time.Second)
	})
	return rowed(t, func(args runCommandArgs) engine.ToolStart {
		return engine.ToolStart{Name: "Bash", Kind: engine.KindExecute, Subject: args.subject()}
	})
}

// workplace is a folder that a command runs in: the working folder or one in it.
func (b *bound) workplace(tool, folder string) (target, error) {
	dir, err := b.target(tool, "folder", folder)
	if err != nil {
		return dir, err
	}
	if !dir.inner {
		return dir, &BadArguments{Tool: tool, Problems: []string{"folder: wanted one in the working folder, got " + strconv.Quote(shown(folder))}}
	}
	return dir, b.missing(tool, dir)
}

// running runs a command that was allowed, to its end or the end of its time.
func (b *bound) running(ctx context.Context, dir, command string, limit time.Duration) (engine.ToolResult, error) {
	began := time.Now()
	out := &output{}
	say := b.progress(ctx, out)
	code, err := b.shell(ctx, dir, command, limit, func(piece []byte) {
		out.Write(piece) //nolint:errcheck // it is kept in memory
		say()
	})
	if cause := ctx.Err(); cause != nil {
		return engine.ToolResult{}, cause
	}
	text := b.clean.text(out.String())
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		text = withNotes(text, []string{fmt.Sprintf("It was ended after %s, with all that it had started. It may have done part of its work.", limit)})
		return engine.ToolResult{Text: text, Failed: true, View: engine.View{Result: "ended after " + limit.String()}}, nil
	case err != nil:
		return engine.ToolResult{}, err
	}
	took := time.Since(began).Round(100 * time.Millisecond)
	said := fmt.Sprintf("exit %d", code)
	if code < 0 {
		said = "ended by a signal"
	}
	if took >= time.Second {
		said += ", " + took.String()
	}
	if strings.TrimSpace(text) == "" {
		text = "No output."
	}
	return engine.ToolResult{Text: withNotes(text, []string{said}), Failed: code != 0, View: engine.View{ExitCode: &code}}, nil
}

// shell runs a command line, and hands its output on as it comes. An end by the limit
// is context.DeadlineExceeded. It returns when all that was started is gone.
func (b *bound) shell(ctx context.Context, dir, command string, limit time.Duration, out func([]byte)) (code int, err error) {
	env := child.Environ(b.kit.Environ, nil, nil, []string{"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"})
	p, err := child.Start(ctx, child.Spec{Args: shellArgs(command, env), Dir: dir, Env: env, Guard: b.kit.Guard, StderrBytes: keptTail})
	if err != nil {
		if ctx.Err() != nil {
			return -1, ctx.Err()
		}
		return -1, fmt.Errorf("run the command: %w", err)
	}
	_ = p.Stdin.Close() // it has nobody to ask
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 16<<10)
		for {
			n, err := p.Stdout.Read(buf)
			if n > 0 {
				out(buf[:n])
				p.Note()
			}
			if err != nil {
				return
			}
		}
	}()
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-p.Done():
	case <-timed.Done():
		err = timed.Err()
	}
	now, end := context.WithCancel(context.Background())
	end() // its time is over, or it is: what is left of it is not waited for
	p.End(now)
	<-read
	if err != nil {
		return -1, err
	}
	if runtime.GOOS == "windows" {
		out([]byte(p.Stderr()))
	}
	_, code = p.Exit()
	return code, nil
}

// shellArgs makes the shell send both its outputs the same way.
func shellArgs(command string, env []string) []string {
	if runtime.GOOS == "windows" {
		script := command + "\nif ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE }"
		units := utf16.Encode([]rune(script))
		raw := make([]byte, 0, 2*len(units))
		for _, u := range units {
			raw = binary.LittleEndian.AppendUint16(raw, u)
		}
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-EncodedCommand", base64.StdEncoding.EncodeToString(raw)}
	}
	shell := "/bin/sh"
	if bash, ok := child.Look("bash", env); ok {
		shell = bash
	}
	// The outer shell only joins the outputs; the command is the inner one's.
	return []string{"/bin/sh", "-c", `exec "$1" -c "$2" 2>&1`, "conch", shell, command}
}

// progress shows the output of a call in its row while it runs, now and then.
func (b *bound) progress(ctx context.Context, out *output) func() {
	id := engine.CallID(ctx)
	if id == "" {
		return func() {}
	}
	var last time.Time
	return func() {
		if now := time.Now(); now.Sub(last) >= sayEvery {
			last = now
			b.turn.Emit(engine.ToolUpdate{ToolUseID: id, Output: b.clean.text(out.end())})
		}
	}
}

// output keeps the beginning and the end of what a command says.
type output struct {
	mu    sync.Mutex
	head  []byte
	tail  []byte // the last of what is behind it
	total int64
}

var _ io.Writer = (*output)(nil)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(p)
	if n == 0 {
		return 0, nil
	}
	o.total += int64(n)
	if room := keptHead - len(o.head); room > 0 {
		take := min(room, len(p))
		o.head = append(o.head, p[:take]...)
		p = p[take:]
	}
	o.tail = append(o.tail, p...)
	if len(o.tail) > 2*keptTail {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-keptTail:]...)
	}
	return n, nil
}

// String is what was kept, and how much is not in it.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	tail := o.tail
	if len(tail) > keptTail {
		tail = tail[len(tail)-keptTail:]
	}
	left := o.total - int64(len(o.head)+len(tail))
	if left <= 0 {
		return string(o.head) + string(tail)
	}
	head := string(o.head)
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		left += int64(len(head) - i - 1)
		head = head[:i+1]
	}
	end := string(tail)
	if i := strings.IndexByte(end, '\n'); i >= 0 && i < len(end)-1 {
		left += int64(i + 1)
		end = end[i+1:]
	}
	return fmt.Sprintf("%s\n[… %s left out of %s in all …]\n\n%s", head, sizeWords(left), sizeWords(o.total), end)
}

// end is the last of it, for a row.
func (o *output) end() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	const most = 4000
	if len(o.tail) >= most {
		return string(o.tail[len(o.tail)-most:])
	}
	all := string(o.head) + string(o.tail)
	return all[max(0, len(all)-most):]
}
