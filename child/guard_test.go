//go:build unix

package child

import (
	"context"
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

// parent starts a helper that is to its children what Conch is, and meets them.
func parent(t *testing.T, args []string, names ...string) (*exec.Cmd, io.Closer, map[string]ident) {
	t.Helper()
	argv := helperArgs(append([]string{"parent"}, args...)...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = Environ(os.Environ(), []string{"GORACE"}, nil, nil)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { r.Close() })
	who := meet(t, r, names...)
	return cmd, in, who
}

// childrenOf are the living processes whose parent is pid.
func childrenOf(pid int) map[string]ident {
	table, _ := processes()
	found := map[string]ident{}
	for _, e := range table {
		if e.parent == pid && !e.dead {
			found["child "+string(rune('a'+len(found)))] = e.ident
		}
	}
	return found
}

func TestAfterKillOfConchTheGuardEndsAll(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		who  []string
	}{
		{"a launcher, its agent and a deaf helper", []string{"launcher"}, []string{"launcher", "agent", "deaf"}},
		{"a helper left behind by an agent that ends with its input", []string{"leaver"}, []string{"leaver", "deaf"}},
		{"a helper whose parent was gone before", []string{"orphaner"}, []string{"orphaner", "deaf"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cmd, in, who := parent(t, test.args, test.who...)
			defer in.Close()
			for name, id := range childrenOf(cmd.Process.Pid) {
				who[name] = id // the guard is among them
			}
			cmd.Process.Signal(syscall.SIGKILL)
			began := time.Now()
			cmd.Wait()
			gone(t, limit, who)
			t.Logf("gone after %s", time.Since(began).Round(10*time.Millisecond))
		})
	}
}

func TestAfterAKillAChildHasTimeToSaveItsWork(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "session")
	cmd, in, who := parent(t, []string{"saver", file}, "saver")
	defer in.Close()
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	gone(t, limit, who)
	if got, err := os.ReadFile(file); string(got) != "saved" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTheGuardLeavesWithConch(t *testing.T) {
	t.Parallel()
	cmd, in, who := parent(t, []string{"leaver"}, "leaver", "deaf")
	for name, id := range childrenOf(cmd.Process.Pid) {
		who[name] = id
	}
	if len(who) < 3 {
		t.Fatalf("no guard among %v", who)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	gone(t, 0, who)
}

func TestAHundredEndsOfConchLeaveNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 400 processes")
	}
	t.Parallel()
	const rounds, atOnce = 10, 10
	for range rounds {
		all := map[string]ident{}
		var mu sync.Mutex
		var round sync.WaitGroup
		for i := range atOnce {
			cmd, in, who := parent(t, []string{"leaver"}, "leaver", "deaf")
			round.Go(func() {
				defer in.Close()
				switch i % 3 {
				case 0:
					cmd.Process.Signal(syscall.SIGKILL)
				case 1:
					in.Close()
				case 2:
					cmd.Process.Signal(syscall.SIGTERM)
				}
				cmd.Wait()
				mu.Lock()
				defer mu.Unlock()
				for name, id := range who {
					all[fmt.Sprintf("%s of %d", name, i)] = id
				}
			})
		}
		round.Wait()
		gone(t, limit, all)
	}
}

func TestAGuardThatWasKilledIsStartedAgain(t *testing.T) {
	guard := NewGuard(helperArgs("guard"), os.Environ())
	defer guard.Close()
	spec := helperSpec("echo")
	spec.Guard = guard
	p, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer p.End(context.Background())
	first := guard.over
	for _, id := range childrenOf(os.Getpid()) {
		if id.pid != p.Pid() {
			signalKill(id)
		}
	}
	<-first
	other, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer other.End(context.Background())
	if err := guard.Problem(); err != nil {
		t.Error(err)
	}
	if n := len(childrenOf(os.Getpid())); n != 3 {
		t.Errorf("%d children; two programs and the new guard were expected", n)
	}
}

func TestAChildStartsThoughTheGuardCannot(t *testing.T) {
	guard := NewGuard([]string{filepath.Join(t.TempDir(), "missing")}, os.Environ())
	defer guard.Close()
	spec := helperSpec("echo")
	spec.Guard = guard
	p, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	p.End(context.Background())
	if guard.Problem() == nil {
		t.Error("nobody is told that there is no guard")
	}
}

func TestTheGuardSkipsWhatItDoesNotUnderstand(t *testing.T) {
	own := "1 1\n" // the first process is never touched
	in := strings.NewReader("watch a\nadd a " + own + "\nadd\n\nnote a -4 3\nnote a x y\nadd b 77 1\nnote a 99999999 18446744073709551616\nfuture a 1 2\ngone\n")
	began := time.Now()
	if code := runGuard(context.Background(), in, defaultWaits); code != 0 {
		t.Errorf("exit %d", code)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("waited %s for nothing", took)
	}
}
