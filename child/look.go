package child

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Look finds a program: a path as it is, a name on the PATH of env. ok is false
// when it is not there or cannot be run. Relative folders on the PATH don't
// count: what is run must not depend on the folder one happens to be in.
func Look(name string, env []string) (path string, ok bool) {
	if name == "" || strings.IndexByte(name, 0) >= 0 {
		return "", false
	}
	endings := endings(name, env)
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		abs, err := filepath.Abs(name)
		if err != nil {
			return "", false
		}
		return firstRunnable(abs, endings)
	}
	for _, dir := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, ok := firstRunnable(filepath.Join(dir, name), endings); ok {
			return path, true
		}
	}
	return "", false
}

// endings are what is tried after the name: on Windows those of PATHEXT, unless
// the name has one of them already.
func endings(name string, env []string) []string {
	if runtime.GOOS != "windows" {
		return []string{""}
	}
	exts := lookup(env, "PATHEXT")
	if exts == "" {
		exts = ".COM;.EXE;.BAT;.CMD"
	}
	var list []string
	for _, ext := range strings.Split(exts, ";") {
		if ext == "" {
			continue
		}
		if strings.EqualFold(filepath.Ext(name), ext) {
			return []string{""}
		}
		list = append(list, ext)
	}
	return list
}

func firstRunnable(path string, endings []string) (string, bool) {
	for _, ending := range endings {
		info, err := os.Stat(path + ending)
		if err != nil || info.IsDir() {
			continue
		}
		if runtime.GOOS == "windows" || info.Mode()&0o111 != 0 {
			return path + ending, true
		}
	}
	return "", false
}

// maxRun is how much of a short command's stdout is kept.
const maxRun = 1 << 20

// Run runs a short command to its end (a version question), with a bound on
// time and on output (1 MiB; what comes after it is read and dropped). Its input
// is empty. An exit that is not 0 is an error with the last line of stderr in
// it, raw; the output until then is returned all the same.
func Run(ctx context.Context, spec Spec, limit time.Duration) (stdout string, err error) {
	name := "program"
	if len(spec.Args) > 0 {
		name = filepath.Base(spec.Args[0])
	}
	p, err := Start(ctx, spec)
	if err != nil {
		return "", err
	}
	p.Stdin.Close()
	var out strings.Builder
	read := make(chan struct{})
	go func() {
		defer close(read)
		io.CopyN(&out, p.Stdout, maxRun) //nolint:errcheck // the end of a pipe
		io.Copy(io.Discard, p.Stdout)    //nolint:errcheck // the same
	}()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case <-p.Done():
		<-read // it ends a moment after the program
	case <-ctx.Done():
		err = fmt.Errorf("run %s: %w", name, ctx.Err())
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("run %s: no end after %s: %w", name, limit, context.DeadlineExceeded)
		}
	}
	at, done := context.WithCancel(context.Background())
	done() // its time is over: nothing to be waited for
	p.End(at)
	<-read
	if err != nil {
		return out.String(), err
	}
	if words, code := p.Exit(); code != 0 {
		if tail := lastLine(p.Stderr()); tail != "" {
			words += ": " + tail
		}
		return out.String(), fmt.Errorf("run %s: %s", name, words)
	}
	return out.String(), nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	if len(s) > 200 {
		s = s[:200]
	}
	return strings.ToValidUTF8(s, "")
}
