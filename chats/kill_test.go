package chats

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// writeUntilKilled is another conch: it writes a turn without an end, says the
// chat's id, and waits to be killed.
func writeUntilKilled(home string) {
	s, err := Open(home, nil)
	if err != nil {
		panic(err)
	}
	l := s.Create("/w", "")
	for _, b := range []Body{UserMessage{Text: "go"}, Session{Engine: "codex", ResumeID: "r"}, ToolStarted{ToolUseID: "1", Name: "Bash"}, answer("m", "half an ans")} {
		if _, err := l.Append("t", b); err != nil {
			panic(err)
		}
	}
	fmt.Println(l.ID())
	time.Sleep(time.Minute)
}

func TestAKilledProcessLosesNothingAndHoldsNothing(t *testing.T) {
	home := t.TempDir()
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "CHATS_TEST_WRITER="+home)
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer other.Process.Kill() //nolint:errcheck // ended already, unless the test failed
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("no chat was written")
	}
	id := lines.Text()

	s := openStore(t, home)
	held, err := s.OpenLog(id)
	if err != nil || !held.ReadOnly() {
		t.Fatalf("while the other runs: %v, read only %v", err, held.ReadOnly())
	}
	if got := kinds(all(t, held)); got != "start user.message session tool.started assistant.delta" {
		t.Errorf("while the other runs: %s", got)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err == nil {
		t.Error("the other ended by itself")
	}
	l := openLog(t, s, id)
	if l.ReadOnly() {
		t.Error("still held")
	}
	if got := kinds(all(t, l)); got != "start user.message session tool.started assistant.delta tool.finished turn.completed" {
		t.Errorf("after the kill: %s", got)
	}
	if sum, err := l.Summary(); err != nil || sum.Sessions["codex"] != (SessionRecord{ResumeID: "r", Seq: 6}) {
		t.Errorf("%+v %v", sum, err)
	}
}
