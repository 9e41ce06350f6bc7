package pastchats

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

const killChats = 40

// killApp has the same chats in every process.
func killApp() *fakeApp {
	a := &fakeApp{id: "codex", label: "Codex"}
	for i := range killChats {
		a.say(fmt.Sprint("k", i), fmt.Sprint("question ", i), fmt.Sprint("answer ", i))
	}
	return a
}

// runUntilKilled is another conch that brings chats in. At the nth chat it is
// killed, without a chance to put anything in order; "wait" means that it stays
// there until it is killed from outside.
func runUntilKilled(home, at string) {
	store, err := OpenStore(home, nil, nil)
	if err != nil {
		panic(err)
	}
	a := killApp()
	kill, _ := strconv.Atoi(at)
	var mu sync.Mutex
	n := 0
	for _, c := range a.chats {
		c.do = func(context.Context, *talk) error {
			mu.Lock()
			defer mu.Unlock()
			if at == "wait" {
				fmt.Println("reading")
				time.Sleep(time.Minute)
			}
			if n++; n == kill {
				// What was read before is in the store by now, or will never be.
				time.Sleep(20 * time.Millisecond)
				self, _ := os.FindProcess(os.Getpid())
				_ = self.Kill()
				time.Sleep(time.Minute)
			}
			return nil
		}
	}
	s := New(Options{Home: NewHome("", home, nil, ""), Store: store, apps: []app{{a.id, a.label, func(*Home) finder { return a }}}})
	_, err = s.BringIn(context.Background(), nil, nil)
	fmt.Println("done", err)
}

func other(t *testing.T, home, kill string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "PASTCHATS_TEST_RUN="+home, "PASTCHATS_TEST_KILL="+kill)
	return c
}

func TestAKilledRunIsCompletedByTheNextWithoutDoubles(t *testing.T) {
	for _, at := range []string{"1", "24", "25", "26", "40"} {
		t.Run(at, func(t *testing.T) {
			w := newWorld(t)
			w.apps = []*fakeApp{killApp()}
			w.Service = w.again()
			if out, err := other(t, w.home, at).CombinedOutput(); err == nil {
				t.Fatalf("it was not killed: %s", out)
			}
			before := w.list() // also between: reading must do no harm
			r := w.bringIn()
			list := w.list()
			if len(list) != killChats || r.Chats != killChats || r.Messages != 2*killChats {
				t.Fatalf("after the next run there are %d chats (%+v), want %d", len(list), r, killChats)
			}
			if len(before)+r.Added != killChats {
				t.Errorf("%d chats were there and %d were added, want %d together", len(before), r.Added, killChats)
			}
			if r.Updated != 0 {
				t.Errorf("%d chats count as updated; none changed", r.Updated)
			}
			for i := range killChats {
				id := pastID("codex", fmt.Sprint("k", i))
				if got, want := w.said(id), fmt.Sprintf("user: question %d\nassistant: answer %d\n", i, i); got != want {
					t.Errorf("%s says %q, want %q", id, got, want)
				}
			}
			if r := w.bringIn(); r.Added+r.Updated+r.Read != 0 {
				t.Errorf("a further run did something: %+v", r)
			}
			files, err := os.ReadDir(w.dir())
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range files {
				names = append(names, f.Name())
			}
			if len(files) != killChats+2 || slices.ContainsFunc(names, isLeftover) {
				t.Errorf("the folder has %d files, want the chats, the list and the lock: %v", len(files), names)
			}
		})
	}
}

func TestOneOfTwoProcessesBringsIn(t *testing.T) {
	w := newWorld(t)
	w.apps = []*fakeApp{killApp()}
	w.Service = w.again()
	w.yes.answer.Apps = []string{"codex"}
	c := other(t, w.home, "wait")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill() //nolint:errcheck // ended already, unless the test failed
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("the other conch reads nothing")
	}
	if _, err := w.BringIn(context.Background(), nil, nil); !errors.Is(err, ErrRunning) {
		t.Errorf("while the other runs: %v, want ErrRunning", err)
	}
	if _, err := w.keepUp(context.Background()); !errors.Is(err, ErrRunning) {
		t.Errorf("keep up while the other runs: %v, want ErrRunning", err)
	}
	if _, err := w.Remove(context.Background()); !errors.Is(err, ErrRunning) {
		t.Errorf("remove while the other runs: %v, want ErrRunning", err)
	}
	if st := w.look(); st.Running == nil {
		t.Error("the status does not say that the other runs")
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("the other ended by itself")
	}
	if st := w.look(); st.Running != nil {
		t.Error("the dead conch counts as running")
	}
	if r := w.bringIn(); r.Added != killChats {
		t.Errorf("after its death %d chats came, want %d", r.Added, killChats)
	}
}

// A lock's file that names a process id which lives again as another program's
// is nobody's: what holds is the system's lock.
func TestALockOfADeadOwnerIsTakenOverThoughItsIDLivesAgain(t *testing.T) {
	w := newWorld(t)
	w.apps = []*fakeApp{killApp()}
	w.Service = w.again()
	if err := os.MkdirAll(w.dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{os.Getpid(), os.Getppid(), 1, 1 << 30} {
		text := fmt.Sprintf(`{"pid":%d,"started":%d,"doing":"run"}`, pid, time.Now().UnixMilli())
		if err := os.WriteFile(w.dir()+"/lock", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := w.BringIn(context.Background(), nil, nil); err != nil || r.Chats != killChats {
			t.Errorf("owner %d: %v, %d chats", pid, err, r.Chats)
		}
	}
}
