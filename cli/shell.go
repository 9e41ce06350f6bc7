package cli

import (
	"context"
	"errors"
	"io"
	"runtime"
	"unicode/utf8"

	"conch/child"
)

// shell runs a command line that the person typed after "!". It is theirs, so it
// gets their whole environment and their shell; a model has no way here.
func (a *app) shell(ctx context.Context, dir, command string, out func(string)) (exit int, err error) {
	p, err := child.Start(ctx, child.Spec{Args: a.shellArgs(command), Dir: dir, Env: a.host.Environ, Guard: a.guard})
	if err != nil {
		return -1, err
	}
	_ = p.Stdin.Close() // it has no terminal to ask on
	read := make(chan struct{})
	go func() {
		defer close(read)
		pump(p.Stdout, out)
	}()
	select {
	case <-p.Done():
	case <-ctx.Done():
	}
	p.End(context.WithoutCancel(ctx))
	<-read
	if ctx.Err() != nil {
		return -1, context.Cause(ctx)
	}
	_, code := p.Exit()
	return code, nil
}

// shellArgs makes the shell send both its outputs the same way.
func (a *app) shellArgs(command string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/d", "/s", "/c", command + " 2>&1"}
	}
	sh := a.env("SHELL")
	if sh == "" {
		sh = "/bin/sh"
	}
	// The outer shell only joins the outputs; the command is the inner one's.
	return []string{"/bin/sh", "-c", `exec "$1" -c "$2" 2>&1`, "conch", sh, command}
}

// pump hands output on as it comes, never with a character cut in two.
func pump(r io.Reader, out func(string)) {
	buf := make([]byte, 0, 8192)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		whole := len(buf) - cutOff(buf)
		if err != nil {
			whole = len(buf)
		}
		if whole > 0 {
			out(string(buf[:whole]))
			buf = append(buf[:0], buf[whole:]...)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				return // the pipe was closed under it: the command was ended
			}
			return
		}
	}
}

// cutOff is the number of bytes at the end that begin a character and do not
// finish it.
func cutOff(b []byte) int {
	for i := 1; i <= min(len(b), utf8.UTFMax-1); i++ {
		c := b[len(b)-i]
		if utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return i
			}
			return 0
		}
	}
	return 0
}
