package handoff

import (
	"strings"

	"conch/chats"
	"conch/plain"
)

const (
	maxPlanStep  = 100 // characters of a plan's step
	maxPlanSteps = 50
	maxQuestions = 20
	maxTasks     = 20
)

// now says how things stand at the end of the chat: the plan, as long as steps
// remain, what the person was asked and has not answered, what still runs, and the
// working folder when it is another than before. Each kind that is there keeps a
// line, clipped to what is left.
func (g *gathered) now(l Limits) string {
	kinds := [][]string{g.planLines(l), g.questionLines(l), g.taskLines(l), g.folderLines(l)}
	waiting := 0
	for _, lines := range kinds {
		if len(lines) > 0 {
			waiting++
		}
	}
	if waiting == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Now:\n")
	free := l.Now - len("Now:\n")
	shortest := min(40, free/waiting-1) // of a clipped line that still says something
	for _, lines := range kinds {
		if len(lines) == 0 {
			continue
		}
		waiting--
		for i, text := range lines {
			room := free - waiting*(shortest+1) - 1
			if room < shortest && (i > 0 || length(text) > room) {
				if i > 0 {
					continue // it doesn't fit; one after it may
				}
				room = min(shortest, free-1)
			}
			text = plain.Line(text, max(room, 1))
			b.WriteString(text + "\n")
			free -= length(text) + 1
		}
	}
	return b.String()
}

func (g *gathered) planLines(l Limits) []string {
	remain := false
	var words []string
	for i, s := range g.plan {
		mark := "○ "
		switch s.Status {
		case "done":
			mark = "✓ "
		case "active":
			mark = "→ "
		}
		remain = remain || s.Status != "done"
		if i < maxPlanSteps {
			words = append(words, mark+l.line(s.Title, maxPlanStep))
		}
	}
	if more := len(g.plan) - maxPlanSteps; more > 0 {
		words = append(words, counted(more, "more step"))
	}
	if !remain {
		return nil
	}
	return []string{Defuse("- Plan: " + strings.Join(words, "; "))}
}

func (g *gathered) questionLines(l Limits) []string {
	var lines []string
	for _, q := range g.open[:min(len(g.open), maxQuestions)] {
		lines = append(lines, Defuse("- Waiting for the person: "+l.line(title(q), maxQuestion)))
	}
	return lines
}

func (g *gathered) taskLines(l Limits) []string {
	var lines []string
	for _, t := range g.tasks[:min(len(g.tasks), maxTasks)] {
		state := "Still running: "
		switch t.State {
		case chats.TaskQueued:
			state = "Still waiting to run: "
		case chats.TaskNeedsPerson:
			state = "Waiting for the person in: "
		}
		lines = append(lines, Defuse("- "+state+l.task(t)))
	}
	return lines
}

func (g *gathered) folderLines(l Limits) []string {
	if folder := l.line(g.folder, 200); g.moved && folder != "" {
		return []string{Defuse("- The working folder is now " + folder)}
	}
	return nil
}

func title(q chats.Question) string {
	if strings.TrimSpace(q.Title) == "" {
		return "(a question without words)"
	}
	return q.Title
}
