package tools

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const killedWriter = "TOOLS_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(killedWriter); path != "" {
		writeUntilKilled(path)
	}
	os.Exit(m.Run())
}

// writeUntilKilled is another conch that changes the memory until it is killed.
func writeUntilKilled(path string) {
	m := OpenMemory(path)
	fmt.Println("ready")
	for i := 0; ; i++ {
		words := fmt.Sprintf("other says %d %s", i, strings.Repeat("x", 300))
		if _, err := m.Add(words, "", noon); err != nil {
			panic(err)
		}
		if _, err := m.Forget(words); err != nil {
			panic(err)
		}
	}
}

func TestAWriterThatIsKilledLeavesAWholeFileAndNoLock(t *testing.T) {
	m := aMemory(t, "# Mine\n\n- a\n- b\n")
	for range 5 {
		other := exec.Command(os.Args[0])
		other.Env = append(os.Environ(), killedWriter+"="+m.Path())
		out, err := other.StdoutPipe()
		must(t, err)
		must(t, other.Start())
		if lines := bufio.NewScanner(out); !lines.Scan() {
			t.Error("the other did not begin")
		}
		// It is at work when the file has been seen to change.
		before := stampOf(t, m.Path())
		for until := time.Now().Add(10 * time.Second); stampOf(t, m.Path()) == before; time.Sleep(time.Millisecond) {
			if time.Now().After(until) {
				t.Fatal("the other writes nothing")
			}
		}
		must(t, other.Process.Kill())
		_ = other.Wait() // it was killed

		text, err := m.Read()
		must(t, err)
		if !strings.HasPrefix(text, "# Mine\n\n- a\n- b\n") {
			t.Errorf("the file is %q", text)
		}
		for _, w := range m.words(t) {
			if w != "a" && w != "b" && (!strings.HasPrefix(w, "other says ") || !strings.HasSuffix(w, strings.Repeat("x", 300))) {
				t.Errorf("half a memory: %q", w)
			}
		}
		began := time.Now()
		r, err := m.Add("after the kill", "", noon)
		must(t, err)
		if _, err = m.Forget(r.ID); err != nil || time.Since(began) > memoryWait {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		left, err := filepath.Glob(filepath.Join(filepath.Dir(m.Path()), ".memory.md-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left over: %q (%v)", left, err)
		}
		for _, w := range m.words(t) {
			if strings.HasPrefix(w, "other") {
				_, err := m.Forget(w)
				must(t, err)
			}
		}
	}
}

func stampOf(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}
