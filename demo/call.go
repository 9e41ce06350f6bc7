package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// call is one step: a tool call and how far it is.
type call struct {
	turn  *turn
	id    string
	title string
	kind  string
	path  string // absolute, "" for none
	input any
	body  []any // its content now
}

// start announces a step.
func (t *turn) start(kind, title, path string, input any, content ...any) *call {
	t.endMessage()
	t.calls++
	c := &call{turn: t, id: fmt.Sprintf("%s-%d", t.name("call"), t.calls), title: title, kind: kind, path: path, input: input, body: content}
	u := c.whole()
	u["sessionUpdate"] = "tool_call"
	t.update(u)
	return c
}

// whole is the call with everything known of it.
func (c *call) whole() update {
	u := update{"toolCallId": c.id, "title": c.title, "kind": c.kind, "status": "pending"}
	if c.path != "" {
		u["locations"] = []any{map[string]any{"path": c.path}}
	}
	if c.input != nil {
		u["rawInput"] = c.input
	}
	if c.body != nil {
		u["content"] = c.body
	}
	return u
}

// to reports a status, and the content when it changed.
func (c *call) to(status string, content ...any) {
	u := update{"sessionUpdate": "tool_call_update", "toolCallId": c.id, "status": status}
	if content != nil {
		c.body = content
		u["content"] = content
	}
	c.turn.update(u)
	if status == "completed" || status == "failed" {
		kept := c.whole()
		kept["sessionUpdate"], kept["status"] = "tool_call", status
		c.turn.keep(kept)
	}
}

// refuse closes a step that the person did not allow.
func (c *call) refuse() { c.to("failed", wordsContent("The person said no; nothing was done.")) }

// read is a Read step that really reads.
func (t *turn) read(name string) (string, error) {
	s, err := t.folder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.dir, name)
	c := t.start("read", "Read "+name, path, map[string]any{"path": path})
	if err := t.pause(250 * time.Millisecond); err != nil {
		c.to("failed", wordsContent("stopped"))
		return "", err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		c.to("failed", wordsContent("the file cannot be read"))
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	c.to("completed", wordsContent(string(raw)))
	return string(raw), nil
}

// edit is an Edit step: it asks, then really writes. done is false when the
// person said no.
func (t *turn) edit(name, content string) (done bool, err error) {
	s, err := t.folder()
	if err != nil {
		return false, err
	}
	path := filepath.Join(s.dir, name)
	var old *string
	if raw, err := os.ReadFile(path); err == nil {
		words := string(raw)
		old = &words
	}
	verb := "Edit "
	if old == nil {
		verb = "Write "
	}
	diff := diffContent(path, old, content)
	c := t.start("edit", verb+name, path, map[string]any{"path": path}, diff)
	allowed, err := t.permit(c, usual("edits in this chat"))
	if err != nil || !allowed {
		c.refuse()
		return false, err
	}
	c.to("in_progress")
	if err := t.pause(150 * time.Millisecond); err != nil {
		c.to("failed", wordsContent("stopped"))
		return false, err
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		c.to("failed", wordsContent("the file cannot be written"))
		return false, fmt.Errorf("write %s: %w", name, err)
	}
	c.to("completed", diff)
	return true, nil
}

// bash is a Bash step that really runs a command of the scratch folder; its
// output grows while it runs. ok is false for a bad exit or a no.
func (t *turn) bash(ask bool, args ...string) (ok bool, err error) {
	s, err := t.folder()
	if err != nil {
		return false, err
	}
	line := strings.Join(args, " ")
	c := t.start("execute", line, "", map[string]any{"command": line})
	if ask {
		allowed, err := t.permit(c, usual("commands in this chat"))
		if err != nil || !allowed {
			c.refuse()
			return false, err
		}
	}
	c.to("in_progress")
	out, err := t.runCommand(s, c, args)
	switch {
	case t.ctx.Err() != nil:
		c.to("failed", wordsContent(out+"stopped"))
		return false, t.ctx.Err()
	case err != nil:
		c.to("failed", wordsContent(out+"\n"+exitWords(err)))
		return false, nil
	}
	c.to("completed", wordsContent(out))
	return true, nil
}

// runCommand runs to the end and reports the output so far ten times a second.
func (t *turn) runCommand(s *scratch, c *call, args []string) (string, error) {
	cmd := exec.CommandContext(t.ctx, args[0], args[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append(slices.Clone(t.agent.host.Environ), "DEMO_PAUSE=0.2")
	switch {
	case t.agent.fast:
		cmd.Env = append(cmd.Env, "DEMO_PAUSE=0")
	case t.slowly:
		cmd.Env = append(cmd.Env, "DEMO_PAUSE=0.6")
	}
	cmd.WaitDelay = 500 * time.Millisecond
	var out growing
	cmd.Stdout, cmd.Stderr = &out, &out
	ended := make(chan error, 1)
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start %s: %w", args[0], err)
	}
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	shown := ""
	for {
		select {
		case err := <-ended:
			return out.words(), err
		case <-tick.C:
			if now := out.words(); now != shown {
				shown = now
				c.to("in_progress", wordsContent(now))
			}
		}
	}
}

func exitWords(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Sprintf("exit status %d", exit.ExitCode())
	}
	if errors.Is(err, context.Canceled) {
		return "stopped"
	}
	return "the command could not be run"
}

// growing is an output that is read while it is written; it keeps 64 KiB.
type growing struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (g *growing) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.b.Write(p)
	if over := g.b.Len() - 64<<10; over > 0 {
		g.b.Next(over)
	}
	return len(p), nil
}

func (g *growing) words() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.b.String()
}
