package handoff

import (
	"slices"
	"strings"

	"conch/chats"
)

// part is a stretch of the block: one message's words, or steps in a row.
type part struct {
	label   string   // "User" or "Assistant"; "" for steps
	message string   // the id of an assistant's message
	pieces  []string // of its words, as they came
	notes   []string // names of attachments
	steps   []step
	begins  bool // it is the first part of its message
}

// step is something that was done, with its result when that came.
type step struct {
	call     chats.ToolStarted
	end      *chats.ToolFinished
	question *chats.Question
	answer   *chats.QuestionAnswered
	fact     chats.Body // what an event besides calls says was done; with call, when one of Conch's own tools did it
}

// gathered is what the events come to, before anything is cleaned or cut.
type gathered struct {
	parts   []part
	summary string // of what was compacted last
	plan    []chats.PlanStep
	open    []chats.Question // without an answer
	tasks   []chats.Task     // not over, as they stand
	folder  string
	moved   bool // the working folder is another than at the start

	calls     map[string]place // by tool use id
	questions map[string]place
	spoken    map[string][]int // the parts of each message since the person's last words
}

// place is where a step stands.
type place struct{ part, step int }

func (g *gathered) at(p place) *step { return &g.parts[p.part].steps[p.step] }

// gather goes over the events once.
func gather(events []chats.Event, o Options) *gathered {
	g := &gathered{calls: map[string]place{}, questions: map[string]place{}, spoken: map[string][]int{}}
	clear := cleared(events, o)
	since := max(o.Since, clear)
	if o.Case == Restart {
		since = clear
	}
	for i := range events {
		e := &events[i]
		if e.Seq < 0 || o.Until > 0 && e.Seq >= o.Until || e.Seq <= clear {
			continue
		}
		g.stands(e.Body)
		if e.Seq > since {
			g.add(e.Body)
		}
	}
	g.tidy()
	return g
}

// cleared is the seq of the last clear that was not taken back, or -1.
func cleared(events []chats.Event, o Options) int64 {
	var clears []int64
	for i := range events {
		if o.Until > 0 && events[i].Seq >= o.Until {
			continue
		}
		switch b := events[i].Body.(type) {
		case chats.ContextCleared:
			clears = append(clears, events[i].Seq)
		case chats.ContextRestored:
			for j, seq := range clears {
				if seq == b.ClearedSeq {
					clears = append(clears[:j], clears[j+1:]...)
					break
				}
			}
		}
	}
	if len(clears) == 0 {
		return -1
	}
	return clears[len(clears)-1]
}

// stands keeps up with how things stand, whatever the provider saw.
func (g *gathered) stands(body chats.Body) {
	switch b := body.(type) {
	case chats.Start:
		g.moved = g.folder != "" && b.Folder != g.folder
		g.folder = b.Folder
	case chats.UserMessage:
		if b.By == "" {
			g.plan, g.open = nil, nil
		}
	case chats.Task:
		g.stand(b)
	case chats.Plan:
		g.plan = b.Steps
	case chats.Question:
		g.open = append(g.open, b)
	case chats.QuestionAnswered:
		for i := range g.open {
			if g.open[i].QuestionID == b.QuestionID {
				g.open = append(g.open[:i:i], g.open[i+1:]...)
				break
			}
		}
	}
}

// stand keeps the tasks that are not over.
func (g *gathered) stand(b chats.Task) {
	for i := range g.tasks {
		if g.tasks[i].TaskID == b.TaskID {
			if taskOver(b.State) {
				g.tasks = append(g.tasks[:i:i], g.tasks[i+1:]...)
			} else {
				g.tasks[i] = b
			}
			return
		}
	}
	if !taskOver(b.State) {
		g.tasks = append(g.tasks, b)
	}
}

// add takes in what was said and done.
func (g *gathered) add(body chats.Body) {
	switch b := body.(type) {
	case chats.UserMessage:
		p := part{label: "User", pieces: []string{b.Words()}, begins: true}
		if b.By != "" {
			p.label = "Conch"
		}
		for _, a := range b.Attachments {
			p.notes = append(p.notes, a.Name)
		}
		g.addUser(p)
	case chats.Shell:
		if b.Offered {
			g.addUser(part{label: "User", pieces: []string{shellWords(b)}, begins: true})
		}
	case chats.AssistantDelta:
		if b.Channel != chats.ChannelThought {
			g.addWords(b)
		}
	case chats.AssistantDone:
		if b.Retracted {
			g.retract(b.MessageID)
		}
	case chats.ToolStarted:
		g.calls[b.ToolUseID] = g.addStep(step{call: b})
	case chats.ToolProgress:
		if at, ok := g.calls[b.ToolUseID]; ok {
			g.at(at).name(b)
		}
	case chats.ToolFinished:
		if at, ok := g.calls[b.ToolUseID]; ok {
			g.at(at).end = &b
		}
	case chats.Question:
		g.questions[b.QuestionID] = g.addStep(step{question: &b})
	case chats.QuestionAnswered:
		if at, ok := g.questions[b.QuestionID]; ok {
			g.at(at).answer = &b
		}
	case chats.MemorySaved:
		g.fact(b, "remember")
	case chats.MemoryForgotten:
		g.fact(b, "forget")
	case chats.ChatsLooked:
		g.fact(b, "search_chats", "read_chat")
	case chats.Task:
		if taskOver(b.State) {
			g.addStep(step{fact: b})
		}
	case chats.ContextCompacted:
		if strings.TrimSpace(b.Summary) != "" {
			g.summary = b.Summary
		}
	}
}

// name takes a fuller name or subject of a running step.
func (s *step) name(b chats.ToolProgress) {
	if b.Name != "" {
		s.call.Name = b.Name
	}
	if b.Subject != "" {
		s.call.Subject = b.Subject
	}
}

func (g *gathered) addWords(b chats.AssistantDelta) {
	if n := len(g.parts); n > 0 {
		if p := &g.parts[n-1]; p.label == "Assistant" && p.message == b.MessageID {
			p.pieces = append(p.pieces, b.Delta)
			return
		}
	}
	begins := !slices.ContainsFunc(g.spoken[b.MessageID], func(i int) bool { return !g.parts[i].blank() })
	g.spoken[b.MessageID] = append(g.spoken[b.MessageID], len(g.parts))
	g.parts = append(g.parts, part{label: "Assistant", message: b.MessageID, pieces: []string{b.Delta}, begins: begins})
}

// addUser adds what the person said. An assistant's message does not go on behind it.
func (g *gathered) addUser(p part) {
	clear(g.spoken)
	g.parts = append(g.parts, p)
}

// retract takes back the words of a message whose stream broke.
func (g *gathered) retract(message string) {
	for _, i := range g.spoken[message] {
		g.parts[i].pieces = nil
	}
}

func (g *gathered) addStep(s step) place {
	n := len(g.parts)
	if n == 0 || g.parts[n-1].label != "" {
		g.parts = append(g.parts, part{})
		n++
	}
	p := &g.parts[n-1]
	p.steps = append(p.steps, s)
	return place{n - 1, len(p.steps) - 1}
}

// blank reports that a part says nothing.
func (p *part) blank() bool {
	if len(p.steps) > 0 || len(p.notes) > 0 {
		return false
	}
	for _, piece := range p.pieces {
		if strings.TrimSpace(piece) != "" {
			return false
		}
	}
	return true
}

// tidy drops parts that say nothing and joins the steps between which they stood.
func (g *gathered) tidy() {
	parts := g.parts[:0]
	for _, p := range g.parts {
		if p.blank() {
			continue
		}
		if n := len(parts); n > 0 && p.label == "" && parts[n-1].label == "" {
			parts[n-1].steps = append(parts[n-1].steps, p.steps...)
			continue
		}
		parts = append(parts, p)
	}
	g.parts = parts
}
