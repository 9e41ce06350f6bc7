package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"conch/chats"
	"conch/plain"
)

type jsonChats struct {
	Chats []jsonChat `json:"chats"`
}

type jsonChat struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Folder   string `json:"folder"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Mode     string `json:"mode"`
	Started  string `json:"started"`
	Updated  string `json:"updated"`
	Messages int    `json:"messages"`
}

func (a *app) chatsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "chats",
		Short: "List the chats, newest first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := a.open(); err != nil {
				return err
			}
			list, err := a.store.List()
			if err != nil {
				return fmt.Errorf("list the chats: %w", err)
			}
			out := &printer{w: a.host.Stdout}
			if asJSON {
				out.printf("%s\n", jsonLine(chatsJSON(list)))
			} else {
				a.printChats(out, list)
			}
			return out.err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func chatsJSON(list []chats.Summary) jsonChats {
	out := jsonChats{Chats: []jsonChat{}}
	for _, s := range list {
		out.Chats = append(out.Chats, jsonChat{
			ID: s.ID, Title: plain.Line(s.Title, 0), Folder: plain.Line(s.Folder, 0), Provider: plain.Line(s.Provider, 0),
			Model: modelOf(s), Mode: plain.Line(s.Mode, 0), Started: stamp(s.Started), Updated: stamp(s.Updated), Messages: s.Messages,
		})
	}
	return out
}

// stamp is a time as JSON output has it; "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// printChats prints a line a chat: id, when, provider, folder, title. On a
// terminal a line is never wider than it.
func (a *app) printChats(out *printer, list []chats.Summary) {
	if len(list) == 0 {
		out.printf("No chats yet.\n→ conch starts one\n")
		return
	}
	rows := make([][]string, 0, len(list))
	for _, s := range list {
		rows = append(rows, []string{s.ID, when(s.Updated, a.host.Now()), plain.Line(s.Provider, 16), shortFolder(a.shortPath(s.Folder)), titleOf(s)})
	}
	width := a.width()
	for _, line := range columns(rows) {
		if width > 0 {
			line = ansi.Truncate(line, width, "…")
		}
		out.printf("%s\n", line)
	}
}

// width is the terminal's, 0 when stdout is none.
func (a *app) width() int {
	f, ok := a.host.Stdout.(interface{ Fd() uintptr })
	if !ok || !isTerminal(a.host.Stdout) {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// columns sets rows in columns, the last as it is.
func columns(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2))
			}
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// shortFolder keeps the end of a long path: it says more.
func shortFolder(path string) string {
	const most = 30
	r := []rune(path)
	if len(r) <= most {
		return path
	}
	return "…" + string(r[len(r)-most+1:])
}

// when is a time as a person reads it: "09:41" today, "Tue 09:41" this week, "3
// Oct" this year, "Oct 2025" before. A time that lies ahead, after a clock went
// back, is written whole.
func when(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(now.Location())
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch {
	case !t.Before(midnight.AddDate(0, 0, 1)):
		return t.Format("2 Jan 2006")
	case !t.Before(midnight):
		return t.Format("15:04")
	case !t.Before(midnight.AddDate(0, 0, -6)):
		return t.Format("Mon 15:04")
	case t.Year() == now.Year():
		return t.Format("2 Jan")
	}
	return t.Format("Jan 2006")
}
