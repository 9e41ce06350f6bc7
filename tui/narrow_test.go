package tui

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
	"conch/tui/sheet"
)

// wide is text whose width is easily measured wrong.
const wide = "日本語のファイル名.txt สวัสดี 👨\u200d👩\u200d👧\u200d👦 family 👩🏽\u200d🚀 🏳️\u200d🌈 🇩🇪🇯🇵 ☁️ é ä 한글 中文 ①②③ הטקסט הזה 界界界界界界界界 \u200bzero\u200bwidth 𓀀 🀄 "

// TestEveryLineFitsANarrowWindow draws each screen at every width up to 80, with text that is
// hard to measure in every place where words come from outside, as both kinds of
// terminal count.
func TestEveryLineFitsANarrowWindow(t *testing.T) {
	p := newPlace(t)
	folder := filepath.Join(filepath.Dir(p.folder), "店"+wide[:9])
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	odd := &scripted{id: "界界-code", health: engine.Health{State: engine.NotFound, Next: "npm i -g " + wide}}
	d := p.deps(t, ready("codex"), odd).filled()
	d.Folder = folder
	d.New = func(string) (*conversation.Manager, error) { return nil, context.Canceled }
	c := newCrew(context.Background())
	defer func() { c.close(); c.wait() }()
	m := newModel(d, c)
	r := m.room
	m.Update(healthMsg{"codex", engine.Health{State: engine.Ready, Version: wide}})
	m.Update(healthMsg{odd.id, odd.health})
	st := conversation.Status{
		Chat: "x", Title: wide, Folder: folder, Provider: odd.id, Model: wide, Mode: engine.ModeAutoRead, Running: true, Turn: "t", Since: p.now(), LastSeq: 9,
		Waiting: wide, Pending: wide, Queue: []conversation.Message{{Text: wide}},
		Offers: engine.Offers{Models: []engine.Choice{{ID: wide, Name: wide, Description: wide}}},
	}
	old, changed := wide+"\n", wide+wide+"\n"
	said := []chats.Event{
		{Seq: 1, Turn: "t", Body: chats.UserMessage{MessageID: "u", Text: wide + wide}},
		{Seq: 2, Turn: "t", Body: chats.AssistantDelta{MessageID: "a", Channel: chats.ChannelText, Delta: "# " + wide + "\n\n| a | b |\n|---|---|\n| " + wide + " | x |\n\n```go\n" + wide + "\n```\n" + wide}},
		{Seq: 3, Turn: "t", Body: chats.ToolStarted{ToolUseID: "t1", Name: wide, Subject: wide}},
		{Seq: 4, Turn: "t", Body: chats.Plan{Steps: []chats.PlanStep{{Title: wide, Status: "active"}}}},
	}
	card := conversation.Card{ID: "c", AskedBy: wide, Why: wide, Permission: &engine.Permission{ToolUseID: "t1", Tool: "Edit", Subject: wide,
		Diffs:   []engine.Diff{{Path: wide, Old: &old, New: &changed}},
		Options: []engine.PermissionOption{{ID: "1", Name: wide, Kind: engine.AllowOnce}, {ID: "2", Name: wide, Kind: engine.AllowAlways}}}}

	fits := func(what string) {
		t.Helper()
		for _, method := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
			m.retheme(method)
			for w := minWidth; w <= 80; w++ {
				for _, h := range []int{6, 24} {
					m.Update(tea.WindowSizeMsg{Width: w, Height: h})
					lines, x, y := m.compose()
					if len(lines) != h {
						t.Fatalf("%s at %dx%d has %d lines", what, w, h, len(lines))
					}
					if x >= w || y >= h {
						t.Fatalf("%s at %dx%d has its cursor at %d,%d", what, w, h, x, y)
					}
					for i, line := range lines {
						if n := method.StringWidth(line); n > w {
							t.Fatalf("%s at %dx%d, method %d: line %d has %d cells: %q", what, w, h, method, i, n, line)
						}
					}
				}
			}
		}
	}
	fits("the first start")
	m.Update(newsMsg{room: r, events: said, status: st})
	r.prompt.SetText(wide + "\n" + wide)
	fits("a chat")
	st.Cards = []conversation.Card{card}
	m.Update(newsMsg{room: r, status: st})
	fits("a permission")
	m.focusOn(r, onCard)
	fits("a focused permission")
	m.focusOn(r, onChat)
	fits("the chat's items")
	m.say(wide, true)
	fits("a note")
	m.openSwitcher()
	fits("the switcher")
	m.openModels()
	m.picker.filter("日")
	fits("the models")
	m.picker = nil
	m.asks(wide, wide, func() {})
	fits("a question")
	m.ask = nil
	m.openSheet("")
	m.Update(rowsMsg{rows: []sheet.Row{{ID: "x", Provider: odd.id, Folder: folder, Title: wide, LastWords: wide, Updated: p.now(), Messages: 4}}})
	fits("the sheet")
	m.closeSheet()
	m.openHelp()
	fits("the help")
	m.pager = textPage(wide, wide+wide)
	fits("a page")
}
