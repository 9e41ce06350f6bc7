package demo

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func testOrphan(t *turn, _ testArgs) (string, error) {
	t.endMessage()
	id := t.name("orphan")
	t.update(update{
		"sessionUpdate": "tool_call_update", "toolCallId": id, "title": "Read orphan.txt", "kind": "read", "status": "in_progress",
		"locations": []any{map[string]any{"path": "/orphan.txt"}},
	})
	t.update(update{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed", "content": []any{wordsContent("a line\n")}})
	t.update(update{"sessionUpdate": "tool_call_update", "toolCallId": id + "-bare", "status": "completed"})
	return "end_turn", t.say("A step that nobody announced.")
}

func testOpen(t *turn, _ testArgs) (string, error) {
	c := t.start("execute", "sleep 1000", "", map[string]any{"command": "sleep 1000"})
	c.to("in_progress", wordsContent("started\n"))
	t.start("read", "Read never.txt", "/never.txt", map[string]any{"path": "/never.txt"})
	return "end_turn", t.say("The steps above are still open.")
}

// testBash shows a command that runs long. It starts nothing: only the row lives.
func testBash(t *turn, a testArgs) (string, error) {
	seconds := a.number(0, 30, 600)
	line := fmt.Sprintf("make -j2 everything # %d s", seconds)
	c := t.start("execute", line, "", map[string]any{"command": line})
	if a.word(1, "") == "ask" {
		allowed, err := t.permit(c, usual("this command"))
		if err != nil || !allowed {
			c.refuse()
			return "end_turn", err
		}
	}
	var out strings.Builder
	c.to("in_progress")
	for i := 1; i <= seconds*5; i++ {
		if err := wait(t.ctx, 200*time.Millisecond); err != nil {
			c.to("failed", wordsContent(out.String()+"stopped\n"))
			return "", err
		}
		fmt.Fprintf(&out, "[%3d/%d] building part %d\n", i, seconds*5, i)
		c.to("in_progress", wordsContent(out.String()))
	}
	c.to("completed", wordsContent(out.String()+"done\n"))
	return "end_turn", t.say("Built.")
}

func testRows(t *turn, a testArgs) (string, error) {
	for i := 1; i <= a.number(0, 20, 100_000); i++ {
		if err := t.ctx.Err(); err != nil {
			return "", err
		}
		path := fmt.Sprintf("/code/src/part/%03d/file.go", i)
		c := t.start("read", "Read "+filepath.Base(path), path, map[string]any{"path": path})
		c.to("completed", wordsContent(strings.Repeat("a line\n", i%40+1)))
	}
	return "end_turn", t.say("That was a lot of reading.")
}

func testDiff(t *turn, a testArgs) (string, error) {
	var before, after strings.Builder
	for i := 1; i <= a.number(0, 100, 1_000_000); i++ {
		fmt.Fprintf(&before, "line %d of the file\n", i)
		if i%10 == 0 {
			fmt.Fprintf(&after, "line %d of the file, changed\n", i)
			continue
		}
		fmt.Fprintf(&after, "line %d of the file\n", i)
	}
	old := before.String()
	c := t.start("edit", "Edit long.txt", "/code/long.txt", map[string]any{"path": "/code/long.txt"}, diffContent("/code/long.txt", &old, after.String()))
	c.to("completed")
	return "end_turn", t.say("Changed.")
}

// testGrandchild starts a process that hears neither the end of its input nor
// SIGTERM, and lives for ten minutes at most. With "group" it has a process group
// of its own, as the commands of several real agents. With SECONDS the turn goes
// on so long and hears no cancel.
func testGrandchild(t *turn, a testArgs) (string, error) {
	self := t.agent.host.Self
	if len(self) == 0 {
		return "", &wireError{Code: codeInternal, Message: "the demo agent does not know its own command"}
	}
	cmd := exec.Command(self[0], append(append([]string{}, self[1:]...), "--grandchild")...)
	cmd.Env = t.agent.host.Environ
	if a.word(0, "") == "group" {
		ownGroup(cmd)
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start a grandchild: %w", err)
	}
	go func() { _ = cmd.Wait() }() // nobody asks how it ended
	if err := t.say(fmt.Sprintf("The grandchild's pid is %d. ", cmd.Process.Pid)); err != nil {
		return "", err
	}
	if last := a.word(len(a.words)-1, ""); last != "" && last != "group" {
		return testIgnoreCancel(t, testArgs{words: []string{last}})
	}
	return "end_turn", nil
}
