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
)

// now says how things stand at the end of the chat: the plan, as long as steps
// remain, and what the person was asked and has not answered. Each kind that is
// there keeps a line, clipped to what is left.
func (g *gathered) now(l Limits) string {
	kinds := [][]string{g.planLines(), g.questionLines()}
	waiting := 0
	for _, lines := range kinds {
		if len(lines) > 0 {
			waiting++
		}
	}
	if waiting == 0 {
		return ""
	}
	const shortest = 40 // of a clipped line that still says something
	var b strings.Builder
	b.WriteString("Now:\n")
	free := l.Now - len("Now:\n")
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

func (g *gathered) planLines() []string {
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
			words = append(words, mark+line(s.Title, maxPlanStep))
		}
	}
	if more := len(g.plan) - maxPlanSteps; more > 0 {
		words = append(words, counted(more, "more step"))
	}
	if !remain {
		return nil
	}
	return []string{defuse("- Plan: " + strings.Join(words, "; "))}
}

func (g *gathered) questionLines() []string {
	var lines []string
	for _, q := range g.open[:min(len(g.open), maxQuestions)] {
		lines = append(lines, defuse("- Waiting for the person: "+line(title(q), maxQuestion)))
	}
	return lines
}

func title(q chats.Question) string {
	if strings.TrimSpace(q.Title) == "" {
		return "(a question without words)"
	}
	return q.Title
}
