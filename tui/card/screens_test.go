package card

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"conch/conversation"
	"conch/engine"
	"conch/tui/theme"
)

var update = flag.Bool("update", false, "write the golden screens")

func editCard() conversation.Card {
	before := "func (c *Cart) Total() (Money, error) {\n\tfirst := c.Items[0]\n\treturn first.Price, nil\n}\n"
	after := "func (c *Cart) Total() (Money, error) {\n\tif len(c.Items) == 0 {\n\t\treturn Zero, nil\n\t}\n\tfirst := c.Items[0]\n\treturn first.Price, nil\n}\n"
	return conversation.Card{ID: "edit", AskedBy: "claude-code", Why: "claude-code wants to change a file", Permission: &engine.Permission{
		Tool: "Edit", Kind: engine.KindEdit, Subject: "cart/service.go", Paths: []string{"cart/service.go"}, Diffs: []engine.Diff{{Path: "cart/service.go", Old: &before, New: &after, Line: 41}},
		Options: []engine.PermissionOption{{ID: "a", Name: "Yes", Kind: engine.AllowOnce}, {ID: "b", Name: "Yes, allow all edits during this session", Kind: engine.AllowAlways}, {ID: "c", Name: "No, and tell Claude what to do differently", Kind: engine.RejectOnce}},
		Input:   json.RawMessage(`{"file_path":"cart/service.go"}`),
	}}
}

func TestScreens(t *testing.T) {
	form := ask(
		engine.Field{Name: "title", Label: "Title of the pull request", Kind: "text", Required: true, Default: "Guard the empty cart"},
		engine.Field{Name: "base", Label: "Base", Description: "what it is merged into", Kind: "choice", Required: true, Default: "main", Options: []engine.Choice{{ID: "main", Name: "main"}, {ID: "develop", Name: "develop", Description: "12 commits ahead"}}},
		engine.Field{Name: "draft", Label: "As a draft?", Kind: "boolean"},
	)
	long := push()
	long.Permission.Subject = "for f in cart/*.go; do\n  gofmt -l \"$f\"\ndone\n" + strings.Repeat("echo a step of a long script\n", 9) + "git push --force"
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}} {
		var out strings.Builder
		show := func(title string, focus bool, keys []string, cards ...conversation.Card) {
			d := newDesk(t, cards...)
			if focus {
				d = focused(t, cards...)
			}
			d.press(keys...)
			lines := d.Lines(size.width, size.height/2)
			x, y, ok := d.Cursor()
			out.WriteString("== " + title + "\n")
			for i, l := range lines {
				l = ansi.Strip(l)
				if ok && i == y {
					l = ansi.Cut(l, 0, x) + "█" + ansi.Cut(l, x+1, size.width)
				}
				out.WriteString(strings.TrimRight(l, " ") + "\n")
			}
		}
		show("a command, the composer has the focus", false, nil, push())
		show("focused, one of three", true, nil, push(), editCard(), ask())
		show("an edit", true, nil, editCard())
		show("an edit, details", true, []string{"d"}, editCard())
		show("a long command", true, nil, long)
		show("a long command, allowed before it was seen", true, []string{"y"}, long)
		show("a question in words", true, []string{"m", "a", "i"}, ask())
		show("a form", true, []string{"enter", "down"}, form)
		show("a form, skipping", true, []string{"enter", "1", "enter", "y", "down"}, form)
		show("a question, the composer has the focus", false, nil, ask())
		show("an address", true, nil, conversation.Card{ID: "url", AskedBy: "qwen", Question: &engine.Question{Title: "Sign in to the issue tracker", URL: "https://tracker.example.com/oauth/authorize?client_id=conch&scope=read+write&state=" + strings.Repeat("0123456789abcdef", 5)}})
		golden(t, size.name+".txt", out.String())
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make it with go test -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (- golden, + now):\n%s", path, diff)
	}
}

func TestColoursAreMeaningsAndNoneIsNeeded(t *testing.T) {
	for _, colours := range []bool{true, false} {
		s := New(theme.New(false, colours, theme.Unicode()))
		s.Set([]conversation.Card{push()})
		s.Focus(start)
		screen := strings.Join(s.Lines(80, 12), "\n")
		if has := strings.Contains(screen, "\x1b[33m"); has != colours {
			t.Errorf("colours %v: what waits is yellow: %v", colours, has)
		}
		if !strings.Contains(ansi.Strip(screen), "▌ ○ Bash") {
			t.Errorf("the signs are missing:\n%s", ansi.Strip(screen))
		}
	}
}
