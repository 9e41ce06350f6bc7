package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"conch/chats"
	"conch/pastchats"
	"conch/plain"
)

type jsonShow struct {
	ID       string        `json:"id"`
	Source   string        `json:"source"` // of a chat of Conch's own: conch
	SourceID string        `json:"source_id"`
	Title    string        `json:"title"`
	Project  string        `json:"project"`
	Started  string        `json:"started"`
	Updated  string        `json:"updated"`
	Model    string        `json:"model"`
	Messages []jsonMessage `json:"messages"`
}

type jsonMessage struct {
	Role string `json:"role"` // user or assistant
	Text string `json:"text"`
	At   string `json:"at"`
}

func (a *app) showCommand() *cobra.Command {
	var asJSON, asMarkdown bool
	cmd := &cobra.Command{
		Use:   "show <chat>",
		Short: "Print a chat: by its id, the id's beginning, or words of its title; or a past chat (pc_…)",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, words []string) error {
			if asJSON && asMarkdown {
				return wrong("give one of the two", "--json and --markdown don't go together")
			}
			named := strings.Join(words, " ")
			source, key := "conch", ""
			s, events, err := chats.Summary{}, []chats.Event(nil), error(nil)
			if isPast(named) {
				var e pastchats.Entry
				e, s, events, err = a.readPast(named)
				source, key = e.Source, e.Key
			} else {
				s, events, err = a.readChat(named)
				key = s.ID
			}
			if err != nil {
				return err
			}
			out := &printer{w: a.host.Stdout}
			switch {
			case asJSON:
				j := showJSON(s, events)
				j.Source, j.SourceID = source, plain.Line(key, 0)
				out.printf("%s\n", jsonLine(j))
			case asMarkdown:
				out.printf("%s", chatMarkdown(s, events, 0))
			default:
				a.printChat(out, s, events)
			}
			return out.err
		},
		ValidArgsFunction: a.completeChats,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "as Markdown")
	return cmd
}

// readChat reads a whole chat without writing to it.
func (a *app) readChat(words string) (chats.Summary, []chats.Event, error) {
	if err := a.open(); err != nil {
		return chats.Summary{}, nil, err
	}
	s, err := a.find(words)
	if err != nil {
		return s, nil, err
	}
	events, err := a.readAll(s.ID)
	return s, events, err
}

func (a *app) readAll(id string) ([]chats.Event, error) {
	log, err := a.store.OpenReader(id)
	if err != nil {
		return nil, fmt.Errorf("open chat %s: %w", id, err)
	}
	defer log.Close()
	events, err := log.Since(-1)
	if err != nil {
		return nil, fmt.Errorf("read chat %s: %w", id, err)
	}
	return events, nil
}

// readTail reads the end of a chat without writing to it.
func (a *app) readTail(id string, bytes int64) ([]chats.Event, error) {
	log, err := a.store.OpenReader(id)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	events, _, err := log.Tail(bytes)
	return events, err
}

func showJSON(s chats.Summary, events []chats.Event) jsonShow {
	out := jsonShow{
		ID: s.ID, Source: "conch", SourceID: s.ID, Title: plain.Line(s.Title, 0), Project: plain.Line(s.Folder, 0),
		Started: stamp(s.Started), Updated: stamp(s.Updated), Model: modelOf(s), Messages: []jsonMessage{},
	}
	for _, p := range partsOf(events) {
		if p.role != "" {
			out.Messages = append(out.Messages, jsonMessage{p.role, plain.Text(p.text), stamp(p.at)})
		}
	}
	return out
}

// part is a piece of a chat as it is read: a message, a step, or a line between.
type part struct {
	role   string // user or assistant; "" for the rest
	text   string
	at     time.Time
	step   *stepPart
	notice string
	turn   int // 1 for the first message and what came of it
}

// stepPart is a step in a printed chat.
type stepPart struct {
	name, subject, status, output, reason string
	diffs                                 []jsonDiff
}

// partsOf puts the events of a chat together: pieces of a message to one text,
// starts and ends of a step to one step. Thinking is left out.
func partsOf(events []chats.Event) []part {
	var parts []part
	open := map[string]int{}  // message id and channel -> part
	steps := map[string]int{} // step -> part
	turn := 0
	for _, e := range events {
		at := time.UnixMilli(e.At)
		switch b := e.Body.(type) {
		case chats.UserMessage:
			turn++
			if b.By != "" {
				continue // it is Conch's: nobody said it
			}
			parts = append(parts, part{role: "user", text: withAttachments(b), at: at, turn: turn})
		case chats.AssistantDelta:
			if b.Channel != chats.ChannelText {
				continue
			}
			i, ok := open[b.MessageID]
			if !ok {
				i = len(parts)
				open[b.MessageID] = i
				parts = append(parts, part{role: "assistant", at: at, turn: turn})
			}
			parts[i].text += b.Delta
		case chats.AssistantDone:
			if i, ok := open[b.MessageID]; ok && b.Retracted {
				parts[i].text = ""
			}
		case chats.ToolStarted:
			steps[b.ToolUseID] = len(parts)
			parts = append(parts, part{at: at, turn: turn, step: &stepPart{name: b.Name, subject: b.Subject, status: "unknown", diffs: diffsOf(b.View)}})
		case chats.ToolProgress:
			if i, ok := steps[b.ToolUseID]; ok {
				parts[i].step.fuller(b)
			}
		case chats.ToolFinished:
			if i, ok := steps[b.ToolUseID]; ok {
				parts[i].step.finish(b)
			}
		case chats.Shell:
			parts = append(parts, part{at: at, turn: turn, step: &stepPart{name: "!", subject: b.Command, status: shellStatus(b), output: b.Output}})
		case chats.Question:
			parts = append(parts, part{at: at, turn: turn, notice: "asked: " + b.Title})
		case chats.QuestionAnswered:
			parts = append(parts, part{at: at, turn: turn, notice: "answered: " + answerWords(b.Answer)})
		case chats.Handoff:
			parts = append(parts, part{at: at, turn: turn, notice: b.Engine + " answers from here; it was told " + handedWords(b)})
		case chats.Notice:
			parts = append(parts, part{at: at, turn: turn, notice: b.Message})
		case chats.TurnCompleted:
			if words := endWords(b); words != "" {
				parts = append(parts, part{at: at, turn: turn, notice: words})
			}
		}
	}
	kept := parts[:0]
	for _, p := range parts {
		if p.role == "" && p.step == nil && p.notice == "" || p.role == "assistant" && strings.TrimSpace(p.text) == "" {
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

func (s *stepPart) fuller(b chats.ToolProgress) {
	if b.Name != "" {
		s.name = b.Name
	}
	if b.Subject != "" {
		s.subject = b.Subject
	}
	if d := diffsOf(b.View); d != nil {
		s.diffs = d
	}
}

func (s *stepPart) finish(b chats.ToolFinished) {
	s.status, s.reason = b.Status, b.Reason
	if b.Output != "" {
		s.output = b.Output
	}
	if d := diffsOf(b.View); d != nil {
		s.diffs = d
	}
}

// handedWords counts what was handed over: "2 messages and 1 step".
func handedWords(b chats.Handoff) string {
	words := counted(b.Messages, "message")
	if b.Steps > 0 {
		words += " and " + counted(b.Steps, "step")
	}
	return words
}

func shellStatus(b chats.Shell) string {
	if b.ExitCode == 0 {
		return "success"
	}
	return "error"
}

func withAttachments(b chats.UserMessage) string {
	text := b.Text
	for _, at := range b.Attachments {
		text += "\n[" + plain.Line(at.Name, 80) + "]"
	}
	return strings.TrimLeft(text, "\n")
}

// answerWords is what the person said to a question.
func answerWords(a *chats.QuestionAnswer) string {
	if a == nil {
		return "nothing"
	}
	words := compact(a.Text)
	for _, name := range slices.Sorted(maps.Keys(a.Values)) {
		words = append(words, fmt.Sprintf("%s: %v", name, a.Values[name]))
	}
	return strings.Join(words, ", ")
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}

func endWords(b chats.TurnCompleted) string {
	switch b.Outcome {
	case "interrupted":
		return "stopped; what it had said stays"
	case "error":
		if b.Error == "" {
			return "the turn failed"
		}
		return "failed: " + b.Error
	}
	return ""
}

// printChat prints a chat for reading, with the signs of the screen.
func (a *app) printChat(out *printer, s chats.Summary, events []chats.Event) {
	out.printf("%s\n%s\n", titleOf(s), strings.Join(compact(s.ID, plain.Line(s.Provider, 0), modelOf(s), a.shortPath(s.Folder), when(s.Started, a.host.Now())), " · "))
	signs := signsFor(a.asciiOnly() || a.flags.plain)
	for _, p := range partsOf(events) {
		switch {
		case p.role == "user":
			out.printf("\n%s\n", indent(plain.Text(p.text), signs.bar+" "))
		case p.role == "assistant":
			out.printf("\n%s\n", indent(plain.Text(strings.Trim(p.text, "\n")), "  "))
		case p.step != nil:
			out.printf("  %s %s\n", signs.of(p.step.status), stepLine(p.step))
		default:
			out.printf("  · %s\n", plain.Line(p.notice, 200))
		}
	}
}

func stepLine(s *stepPart) string {
	line := plain.Line(s.name, 40) + "  " + plain.Line(s.subject, 120)
	if s.reason != "" {
		line += "  (" + plain.Line(s.reason, 80) + ")"
	}
	return strings.TrimRight(line, " ")
}

func compact(words ...string) []string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

func indent(text, by string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(by+line, " ")
	}
	return strings.Join(lines, "\n")
}

// signs are those of the screen.
type signs struct{ bar, done, failed, notRun, unknown string }

func signsFor(ascii bool) signs {
	if ascii {
		return signs{"|", "ok", "x", "-", "?"}
	}
	return signs{"▌", "✓", "✗", "⊘", "?"}
}

func (s signs) of(status string) string {
	switch status {
	case "success":
		return s.done
	case "error":
		return s.failed
	case "not-run":
		return s.notRun
	}
	return s.unknown
}
