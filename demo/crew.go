package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// What stands around words that are not the person's, or not a task's own, in a run of
// several agents.
const (
	fromConch = "</from-conch>"
	fromOther = "</from-participant>"
	taskBegin = "<from-conch>\nTask "
)

// crew picks what the demo agent plays in a run of several agents; nil for none. It is
// known by the tools that it was given, and by a prompt that is a task.
func (t *turn) crew() func(*turn) error {
	switch {
	case t.door.has("delegate"):
		return playCoordinator
	case !t.task:
		return nil
	case t.door.has("propose_change"):
		return playWorker
	}
	return playReviewer
}

// player is one of those who work for the coordinator.
type player struct{ id, role string }

// players reads from the rules of the session who there is. Without rules, as in a
// session that was opened again, there is at least one.
func (t *turn) players() (all []player) {
	for line := range strings.Lines(t.rules) {
		id, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "- "), ": ")
		if !ok || !strings.HasPrefix(id, "worker-") {
			continue
		}
		role := "worker"
		if strings.HasSuffix(rest, "a reviewer") {
			role = "reviewer"
		}
		all = append(all, player{id, role})
	}
	if len(all) == 0 {
		all = []player{{"worker-1", "worker"}}
	}
	return all
}

// playCoordinator gives out one task to each of the others, waits for what comes of
// them, and puts it together.
func playCoordinator(t *turn) error {
	steps := []planEntry{{Content: "give out the work", Status: "in_progress", Priority: "medium"}, {Content: "collect what comes back", Status: "pending", Priority: "medium"}, {Content: "put it together", Status: "pending", Priority: "medium"}}
	at := func(n int) {
		for i := range steps {
			steps[i].Status = "pending"
			if i < n {
				steps[i].Status = "completed"
			} else if i == n {
				steps[i].Status = "in_progress"
			}
		}
		t.plan(steps...)
	}
	if err := t.muse("Others can look at this side by side; I give each a task that stands on its own.", "Then I weigh what they say."); err != nil {
		return err
	}
	at(0)
	t.mu.Lock()
	n := len(t.rec.Prompts)
	t.mu.Unlock()
	var tasks []string
	for i, p := range t.players() {
		task, brief := fmt.Sprintf("note-%d-%d", n, i+1), "Write down what the person asked for in conch-demo.md, and propose that as a change. Look first whether there is such a file."
		if p.role == "reviewer" {
			task, brief = fmt.Sprintf("review-%d-%d", n, i+1), "A note of what the person asked for is to be added as conch-demo.md. Say whether that can do harm in this project."
		}
		args := map[string]any{"to": p.id, "task": task, "brief": brief, "evidence": []any{map[string]any{"label": "what the person asked for", "text": clip(t.text, 2000)}}}
		if _, err := t.door.call(t.ctx, "delegate", args); err != nil {
			if t.ctx.Err() != nil {
				return t.ctx.Err()
			}
			if err := t.say(fmt.Sprintf("I could not give %s a task: %s\n\n", p.id, err)); err != nil {
				return err
			}
			continue
		}
		tasks = append(tasks, task)
		if err := t.pause(300 * time.Millisecond); err != nil {
			return err
		}
	}
	if len(tasks) == 0 {
		return t.say("Nobody took a task, so there is nothing to put together.")
	}
	at(1)
	results, err := t.door.call(t.ctx, "collect", map[string]any{"tasks": tasks, "wait": 60})
	if err != nil {
		if t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		return t.say("I could not collect the results: " + err.Error())
	}
	at(2)
	words := fmt.Sprintf("I gave out %s and looked at what came back.\n\n", strings.Join(tasks, " and "))
	if strings.Contains(results, "proposal") {
		words += "- The **worker** proposes a change. It waits for you: look at it, and approve or decline it. Nothing is written before that.\n"
	}
	if strings.Contains(results, "review of the demo") {
		words += "- The **reviewer** sees no harm in it.\n"
	}
	if strings.Contains(results, "failed") || strings.Contains(results, "open, for") {
		words += "- Not all of it came to an end: the timeline says what.\n"
	}
	err = t.say(words + "\nI am a demo, so that is all that I make of it.")
	at(3)
	return err
}

// noteName is the file that the worker proposes.
const noteName = "conch-demo.md"

// playWorker reads the note, if there is one, and proposes it with a line more.
func playWorker(t *turn) error {
	path := filepath.Join(t.cwd(), noteName)
	c := t.start("read", "Read "+noteName, path, map[string]any{"path": path})
	if err := t.pause(250 * time.Millisecond); err != nil {
		c.to("failed", wordsContent("stopped"))
		return err
	}
	now, err := os.ReadFile(path)
	if err != nil {
		c.to("failed", wordsContent("there is no such file"))
		now = []byte("# Notes of the demo agent\n\n")
	} else {
		c.to("completed", wordsContent(clip(string(now), 2000)))
	}
	t.mu.Lock()
	n := len(t.rec.Prompts)
	t.mu.Unlock()
	asked := "what the person asked for"
	if _, rest, ok := strings.Cut(t.handed, "what the person asked for\n\n"); ok {
		asked = clip(firstLine(strings.TrimSpace(rest)), 200)
	}
	text := string(now)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	text += fmt.Sprintf("%d. %s\n", n, asked)
	said, err := t.door.call(t.ctx, "propose_change", map[string]any{
		"summary": "Keeps what was asked for in a note. It is a demo: the file can be deleted.",
		"files":   []any{map[string]any{"path": noteName, "content": text}},
	})
	switch {
	case t.ctx.Err() != nil:
		return t.ctx.Err()
	case err != nil:
		return t.say("My proposal was not taken: " + err.Error())
	}
	return t.say("I made a proposal: one line more in `" + noteName + "`. " + firstLine(said))
}

// playReviewer answers with a short judgement.
func playReviewer(t *turn) error {
	if err := t.muse("One new file of text, in the project's folder."); err != nil {
		return err
	}
	entries, err := os.ReadDir(t.cwd())
	if err != nil {
		return t.say("The review of the demo: the folder can't be read, so I can't say.")
	}
	taken := "no file of that name is there"
	for _, e := range entries {
		if e.Name() == noteName {
			taken = "a file of that name is there, so what it holds should be kept"
		}
	}
	return t.say(fmt.Sprintf("The review of the demo: I looked at the folder (%d entries); %s. A note changes nothing that is built or run.", len(entries), taken))
}

func (t *turn) cwd() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rec.Cwd
}
