package transcript

import (
	"testing"
	"time"

	"conch/chats"
	"conch/engine"
)

// tape turns bytes into choices.
type tape struct{ data []byte }

func (p *tape) next(n int) int {
	if len(p.data) == 0 {
		return 0
	}
	v := int(p.data[0]) % n
	p.data = p.data[1:]
	return v
}

func (p *tape) text() string {
	pieces := []string{"", "word", "a\nb", "界界", "\x1b[2J", "👩‍👩‍👧‍👦", "- item\n\n", "```go\nx\n", "long long long long words ", "\n\n# head\n", "cart/a/b/c/service.go", "| a |\n|---|\n| b |\n", "[x]: http://y\n\n[x]"}
	return pieces[p.next(len(pieces))] + pieces[p.next(len(pieces))]
}

func (p *tape) event(seq *int64) chats.Event {
	id := string(rune('a' + p.next(4)))
	channel := []string{chats.ChannelText, chats.ChannelThought}[p.next(2)]
	status := []string{"success", "error", "not-run", "unknown"}[p.next(4)]
	words := p.text()
	e := chats.Event{Seq: -1, Turn: string(rune('A' + p.next(3))), At: int64(p.next(200)) * 100}
	switch p.next(20) {
	case 0, 1, 2, 3:
		e.Body = chats.AssistantDelta{MessageID: id, Channel: channel, Delta: words}
		if p.next(2) == 0 {
			return e
		}
	case 4:
		e.Body = chats.ToolProgress{ToolUseID: id, Output: words}
		return e
	case 5:
		e.Body = chats.UserMessage{MessageID: id, Text: words}
	case 6:
		e.Body = chats.AssistantDone{MessageID: id, Retracted: p.next(3) == 0}
	case 7, 8:
		e.Body = chats.ToolStarted{ToolUseID: id, Name: "Bash", Subject: words}
	case 9, 10:
		e.Body = chats.ToolFinished{ToolUseID: id, Status: status, Output: words, DurationMs: int64(p.next(100)) * 100,
			View: view(engine.View{Result: words, Diffs: []engine.Diff{{Path: words, Old: &words}}[:p.next(2)]})}
	case 11:
		e.Body = chats.PermissionRequested{PermissionID: id, ToolUseID: id, ToolName: "Edit", Summary: words}
	case 12:
		e.Body = chats.PermissionResolved{PermissionID: id, Decision: []string{"allow", "deny", "expired"}[p.next(3)], By: "person"}
	case 13:
		e.Body = chats.Plan{Steps: []chats.PlanStep{{Title: words, Status: "active"}, {Title: "b", Status: "done"}}[:p.next(3)]}
	case 14:
		e.Body = chats.Question{QuestionID: id, Title: words}
	case 15:
		e.Body = chats.QuestionAnswered{QuestionID: id}
	case 16:
		e.Body = chats.Notice{Message: words}
	case 17:
		e.Body = chats.TurnCompleted{Outcome: []string{"success", "interrupted", "error"}[p.next(3)], Error: words, Detail: words}
	case 18:
		e.Body = chats.Handoff{Engine: id, Messages: 1}
	default:
		e.Body = chats.Shell{Command: words, Output: words}
	}
	e.Seq = *seq
	*seq++
	return e
}

func FuzzWhatIsShownIsAWindowOfEverything(f *testing.F) {
	f.Add([]byte("the quick brown fox jumps over the lazy dog 0123456789"))
	f.Add([]byte{0, 0, 0, 1, 2, 3, 9, 9, 9, 1, 1, 1, 7, 7, 7, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2000 {
			t.Skip()
		}
		play(t, &tape{data})
	})
}

// play does what the tape says and checks the list after each step.
func play(t *testing.T, p *tape) {

	tr := New(dark(), Options{Plain: p.next(8) == 0})
	tr.SetSize(1+p.next(90), 1+p.next(30))
	seq := int64(1000)
	old := int64(1000)
	for len(p.data) > 0 {
		switch p.next(24) {
		case 0:
			tr.Scroll(p.next(20) - 10)
		case 1:
			tr.Page(p.next(3) - 1)
		case 2:
			tr.SetSize(p.next(120), p.next(30))
		case 3:
			tr.Focus(p.next(3) > 0)
		case 4:
			tr.Move(p.next(2)*2 - 1)
		case 5:
			tr.Toggle()
		case 6:
			tr.Click(p.next(30))
		case 7:
			tr.Find(p.text())
		case 8:
			tr.NextMatch()
			tr.PrevMatch()
		case 9:
			tr.ToEnd()
		case 10:
			tr.ToStart()
		case 11:
			tr.Tick(time.UnixMilli(int64(p.next(100)) * 1000))
		case 12:
			if before, ok := tr.NeedsOlder(); ok && before > old-50 {
				from := old - int64(p.next(6)) - 1
				var older []chats.Event
				for s := from; s < old; {
					if e := p.event(&s); e.Seq >= 0 {
						older = append(older, e)
					}
					if len(p.data) == 0 {
						s++
					}
				}
				tr.Prepend(older, true)
				old = from
			}
		case 13:
			tr.SetMore(p.next(2) == 0)
		case 14:
			tr.Flush()
		default:
			tr.Apply([]chats.Event{p.event(&seq)})
		}
		tr.Steps()
		tr.Selected()
		tr.Unseen()
		lines := tr.Lines()
		if len(lines) != tr.h {
			t.Fatalf("%d lines in a pane of %d", len(lines), tr.h)
		}
		for _, line := range lines {
			if w := tr.m.StringWidth(line); w > tr.w {
				t.Fatalf("%d cells in a pane of %d: %q", w, tr.w, line)
			}
		}
		if tr.w > 0 && tr.h > 0 && tr.query == "" {
			checkWindow(t, tr)
		}
	}
}
