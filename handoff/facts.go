package handoff

import (
	"strings"

	"conch/chats"
	"conch/plain"
)

// fact takes in what an event says was done. When a call of Conch's own tool that
// does this runs, it is that call's line, else one of its own.
func (g *gathered) fact(body chats.Body, tools ...string) {
	const near = 64 // steps back
	left := near
	for i := len(g.parts) - 1; i >= 0 && left > 0 && g.parts[i].label != "User"; i-- {
		steps := g.parts[i].steps
		for j := len(steps) - 1; j >= 0 && left > 0; j-- {
			left--
			s := &steps[j]
			if s.question != nil || s.end != nil || s.fact != nil {
				continue
			}
			for _, tool := range tools {
				if Name(s.call.Name) == tool {
					s.fact = body
					return
				}
			}
		}
	}
	g.addStep(step{fact: body})
}

// factLine says it in a line.
func factLine(l Limits, body chats.Body) string {
	switch b := body.(type) {
	case chats.MemorySaved:
		return "Remembered: " + l.line(b.Text, maxMemory)
	case chats.MemoryForgotten:
		return "Forgot: " + l.line(b.Text, maxMemory)
	case chats.ChatsLooked:
		return l.looked(b)
	case chats.Task:
		return l.task(b) + " → " + taskEnd(b.State)
	}
	return ""
}

// looked says which other chats the assistant searched or read.
func (l Limits) looked(b chats.ChatsLooked) string {
	const most = 5 // of them
	var names []string
	for _, c := range b.Chats[:min(len(b.Chats), most)] {
		name := l.quoted(c.Title, maxTitle)
		if from := l.line(c.From, 60); from != "" {
			name += " (" + from + ")"
		}
		names = append(names, name)
	}
	if more := len(b.Chats) - len(names); more > 0 {
		names = append(names, counted(more, "more chat"))
	}
	found := plain.Line(strings.Join(names, ", "), l.Result)
	if query := l.line(b.Query, l.Arguments); query != "" {
		if found == "" {
			found = "nothing found"
		}
		return "Searched other chats for " + `"` + query + `" → ` + found
	}
	if found == "" {
		found = "nothing"
	}
	return "Read in other chats → " + found
}

// task names a piece of work and who does it.
func (l Limits) task(b chats.Task) string {
	says := l.quoted(b.Title, maxTitle)
	if by := l.line(b.By, 60); by != "" {
		says += " (" + by + ")"
	}
	return "Task " + says
}

// taskOver reports that a piece of work is over.
func taskOver(state string) bool {
	switch state {
	case chats.TaskQueued, chats.TaskRunning, chats.TaskNeedsPerson:
		return false
	}
	return true
}

func taskEnd(state string) string {
	switch state {
	case chats.TaskDone:
		return "done"
	case chats.TaskFailed:
		return "failed"
	case chats.TaskStopped:
		return "stopped"
	}
	return "over"
}
