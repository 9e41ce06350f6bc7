//go:build !windows

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// measureSource runs a program and tells on its fourth stream what it used. A
// program of its own, because a child's peak memory begins with that of the
// process that started it.
const measureSource = `package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	at := time.Now()
	err := cmd.Run()
	took := time.Since(at)
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
	use := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	fmt.Fprintln(os.NewFile(3, "used"), took.Nanoseconds(), (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Nanoseconds(), use.Maxrss, cmd.ProcessState.ExitCode())
}
`

var measurer = sync.OnceValues(func() (string, error) {
	source := filepath.Join(built, "measure.go")
	if err := os.WriteFile(source, []byte(measureSource), 0o600); err != nil {
		return "", err
	}
	return benchBuilt("measure", source)
})

// longest is how long a program may run before it counts as hanging.
const longest = 2 * time.Minute

// used is what a finished program took.
type used struct {
	wall, cpu time.Duration
	peak      float64 // MiB
	status    int
	out, err  []byte
}

// measured runs a program to its end, however it ends.
func measured(t testing.TB, dir string, environ []string, args ...string) used {
	t.Helper()
	return measuredAs(t, nil, dir, environ, args...)
}

func measuredAs(t testing.TB, user *syscall.Credential, dir string, environ []string, args ...string) used {
	t.Helper()
	path, err := measurer()
	if err != nil {
		t.Fatal(err)
	}
	told, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = told.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = dir, environ, []*os.File{tell}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: user}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if filepath.Base(args[0]) == "cat" {
		cmd.Stdout = nil
	}
	err = cmd.Run()
	_ = tell.Close()
	var wall, cpu, peak int64
	u := used{out: out.Bytes(), err: errs.Bytes()}
	if n, scanErr := fmt.Fscan(told, &wall, &cpu, &peak, &u.status); n != 4 {
		t.Fatalf("run %v: %v, %v\n%s", args[0], err, scanErr, u.err)
	}
	u.wall, u.cpu = time.Duration(wall), time.Duration(cpu)
	if runtime.GOOS == "darwin" {
		peak /= 1024
	}
	u.peak = float64(peak) / 1024
	return u
}

// importing is a Conch with a home of its own and a pretend home of other apps'
// chats.
type importing struct {
	t       testing.TB
	place   place
	conch   string // the program
	from    string // the pretend home
	environ []string
	user    *syscall.Credential // nil: whoever runs the tests
}

func newImporting(t testing.TB, program, from string) *importing {
	t.Helper()
	p := newPlace(t)
	return &importing{t: t, place: p, conch: program, from: from, environ: p.environ("CONCH_IMPORT_HOME="+from, "NO_COLOR=1")}
}

// home is Conch's own folder.
func (im *importing) home() string { return filepath.Join(im.place.home, ".conch") }

// fresh is the same without anything that was brought in.
func (im *importing) fresh() *importing {
	im.t.Helper()
	if err := os.RemoveAll(im.home()); err != nil {
		im.t.Fatal(err)
	}
	return im
}

func (im *importing) run(args ...string) used {
	im.t.Helper()
	return measuredAs(im.t, im.user, im.place.project, im.environ, append([]string{im.conch}, args...)...)
}

// result is what conch import --all --json prints.
type result struct {
	Added             int     `json:"added"`
	Updated           int     `json:"updated"`
	Skipped           int     `json:"skipped"`
	Redacted          int     `json:"redacted"`
	Read              int     `json:"read"`
	Chats             int     `json:"chats"`
	Messages          int     `json:"messages"`
	UserMessages      int     `json:"user_messages"`
	AssistantMessages int     `json:"assistant_messages"`
	ElapsedMs         float64 `json:"elapsed_ms"`
	Brought           int     `json:"brought"`
	Sources           []struct {
		ID    string `json:"id"`
		Found int    `json:"found"`
		Fresh int    `json:"fresh"`
	} `json:"sources"`
}

// all brings everything in, which must succeed.
func (im *importing) all() (result, used) {
	im.t.Helper()
	return im.json("import", "--all", "--json")
}

// look says what there is.
func (im *importing) look() (result, used) {
	im.t.Helper()
	return im.json("import", "--json")
}

func (im *importing) json(args ...string) (result, used) {
	im.t.Helper()
	u := im.run(args...)
	var r result
	if err := json.Unmarshal(u.out, &r); err != nil || u.status != 0 {
		im.t.Fatalf("conch %v ended with %d: %v\n%s%s", args, u.status, err, u.out, u.err)
	}
	return r, u
}

// found is what conch search --json prints.
type found struct {
	ElapsedMs float64  `json:"elapsed_ms"`
	Total     int      `json:"total"`
	More      bool     `json:"more"`
	Close     []string `json:"close"`
	Hits      []struct {
		Chat    string `json:"chat"`
		Snippet string `json:"snippet"`
	} `json:"hits"`
}

func (im *importing) search(words string) (found, used) {
	im.t.Helper()
	u := im.run("search", "--json", words)
	var f found
	if err := json.Unmarshal(u.out, &f); err != nil || u.status != 0 {
		im.t.Fatalf("conch search %q ended with %d: %v\n%s%s", words, u.status, err, u.out, u.err)
	}
	return f, u
}

// past is where Conch keeps the chats that were brought in.
func (im *importing) past() string { return filepath.Join(im.home(), "past-chats") }

// logs are the chats that were brought in, as files.
func (im *importing) logs() []string {
	paths, _ := filepath.Glob(filepath.Join(im.past(), "pc_*.jsonl"))
	return paths
}

// eachFile calls each with every file below a folder.
func eachFile(t testing.TB, dir string, each func(path string, info fs.FileInfo)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			each(path, info)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// snapshot is what would change if a folder were written to.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	eachFile(t, dir, func(path string, info fs.FileInfo) {
		seen[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano(), info.Mode())
	})
	return seen
}

// piece is the least of a secret that must not stay.
const piece = 10

// secretsLeft are the files below dir that hold a piece of a secret.
func secretsLeft(t testing.TB, dir string, secrets []string) (left []string) {
	t.Helper()
	pieces := map[string]bool{}
	var begins [1 << 16]bool
	for _, s := range secrets {
		for i := 0; i+piece <= len(s); i++ {
			pieces[s[i:i+piece]] = true
			begins[int(s[i])<<8|int(s[i+1])] = true
		}
	}
	eachFile(t, dir, func(path string, _ fs.FileInfo) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+piece <= len(raw); i++ {
			if begins[int(raw[i])<<8|int(raw[i+1])] && pieces[string(raw[i:i+piece])] {
				left = append(left, fmt.Sprintf("%s: %s", path, raw[i:i+piece]))
				return
			}
		}
	})
	return left
}

// othersMayRead are the files and folders below dir that are not the person's alone.
func othersMayRead(t testing.TB, dir string) (open []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			open = append(open, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return open
}
