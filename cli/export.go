package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"conch/chats"
	"conch/plain"
)

func (a *app) exportCommand() *cobra.Command {
	var to string
	var last int
	cmd := &cobra.Command{
		Use:   "export <chat>",
		Short: "Write a chat as Markdown",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, words []string) error {
			if cmd.Flags().Changed("last") && last < 1 {
				return wrong("conch export <chat> --last 3", "--last takes a number from 1 on")
			}
			named := strings.Join(words, " ")
			s, events, err := chats.Summary{}, []chats.Event(nil), error(nil)
			if isPast(named) {
				_, s, events, err = a.readPast(named)
			} else {
				s, events, err = a.readChat(named)
			}
			if err != nil {
				return err
			}
			text := chatMarkdown(s, events, last)
			if to == "" || to == "-" {
				out := &printer{w: a.host.Stdout}
				out.printf("%s", text)
				return out.err
			}
			path := absolute(a.host.Dir, to)
			if err := writeNew(path, text); err != nil {
				if errors.Is(err, os.ErrExist) {
					return &failure{say: a.shortPath(path) + " is there already", next: "give another name after -o", status: statusFailed, err: err}
				}
				return &failure{say: "the file cannot be written: " + err.Error(), next: "give another place after -o", status: statusFailed, err: err}
			}
			a.note("written to %s", a.shortPath(path))
			return nil
		},
		ValidArgsFunction: a.completeChats,
	}
	cmd.Flags().StringVarP(&to, "out", "o", "", "write to this `file` (never over one that is there); else to stdout")
	cmd.Flags().IntVar(&last, "last", 0, "only the last `N` messages of yours and what came of them")
	return cmd
}

// exportFile writes a chat as Markdown into a folder, under a name of its own,
// and gives the path.
func (a *app) exportFile(id, folder string) (string, error) {
	s, events, err := a.chatOf(id)
	if err != nil {
		return "", err
	}
	text := chatMarkdown(s, events, 0)
	for n := 1; n <= 100; n++ {
		path := filepath.Join(folder, exportName(s, n))
		err := writeNew(path, text)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("write %s: %w", path, err)
		}
	}
	return "", fmt.Errorf("write %s: there are a hundred of it", exportName(s, 1))
}

// chatOf reads a chat whole, a past one too.
func (a *app) chatOf(id string) (chats.Summary, []chats.Event, error) {
	if isPast(id) {
		_, s, events, err := a.readPast(id)
		return s, events, err
	}
	s, err := a.summary(id)
	if err != nil {
		return s, nil, err
	}
	events, err := a.readAll(id)
	return s, events, err
}

func (a *app) summary(id string) (chats.Summary, error) {
	log, err := a.store.OpenReader(id)
	if err != nil {
		return chats.Summary{}, fmt.Errorf("open chat: %w", err)
	}
	defer log.Close()
	s, err := log.Summary()
	if err != nil {
		return s, fmt.Errorf("read chat: %w", err)
	}
	return s, nil
}

// exportName is chat-why-checkout-fails.md, the n-th of that name.
func exportName(s chats.Summary, n int) string {
	var b strings.Builder
	for _, r := range strings.ToLower(titleOf(s)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 60 {
			break
		}
	}
	name := "chat-" + strings.Trim(b.String(), "-")
	if n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	return name + ".md"
}

// writeNew writes a file that is not there yet, whole or not at all. Only the
// person may read it.
func writeNew(path, text string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".conch-export-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.WriteString(text)
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	// A link fails where a rename would replace what is there.
	if err := os.Link(tmp.Name(), path); err == nil || errors.Is(err, os.ErrExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// chatMarkdown is a chat as Markdown: the whole of it, or the last n messages of
// the person and what came of them.
func chatMarkdown(s chats.Summary, events []chats.Event, last int) string {
	parts := partsOf(events)
	if last > 0 {
		parts = lastTurns(parts, last)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", escapeLine(titleOf(s)))
	fmt.Fprintf(&b, "%s\n", strings.Join(compact("Conch chat `"+s.ID+"`", escapeLine(plain.Line(s.Provider, 0)), escapeLine(modelOf(s)), s.Started.UTC().Format("2 January 2006 15:04 UTC")), " · "))
	for _, p := range parts {
		switch {
		case p.role == "user":
			fmt.Fprintf(&b, "\n## You\n\n%s\n", balanced(plain.Text(p.text)))
		case p.role == "assistant":
			fmt.Fprintf(&b, "\n%s\n", balanced(plain.Text(strings.Trim(p.text, "\n"))))
		case p.step != nil:
			b.WriteString(stepMarkdown(p.step))
		default:
			fmt.Fprintf(&b, "\n*%s*\n", escapeLine(plain.Line(p.notice, 300)))
		}
	}
	return b.String()
}

func lastTurns(parts []part, n int) []part {
	if len(parts) == 0 {
		return nil
	}
	first := parts[len(parts)-1].turn - n
	for i, p := range parts {
		if p.turn > first {
			return parts[i:]
		}
	}
	return nil
}

var statusWords = map[string]string{"success": "done", "error": "failed", "not-run": "not run", "unknown": "unknown"}

// stepMarkdown is a step: one line, then its changes, else its output.
func stepMarkdown(s *stepPart) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n- **%s** %s — %s\n", escapeLine(plain.Line(s.name, 60)), codeSpan(plain.Line(s.subject, 300)), statusWords[s.status])
	for _, d := range s.diffs {
		b.WriteString(fenced(diffText(d), "diff"))
	}
	if len(s.diffs) == 0 && strings.TrimSpace(s.output) != "" {
		b.WriteString(fenced(strings.TrimRight(plain.Text(s.output), "\n"), ""))
	}
	return b.String()
}

// fenced puts text into a fence that is longer than any in it.
func fenced(text, language string) string {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return "\n" + fence + language + "\n" + text + "\n" + fence + "\n"
}

func longestRun(text string, of rune) int {
	most, run := 0, 0
	for _, r := range text {
		if r != of {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	return most
}

func codeSpan(s string) string {
	if s == "" {
		return ""
	}
	tick := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return tick + s + tick
}

// balanced closes a fence that a message left open, so that what follows is not
// swallowed by it.
func balanced(text string) string {
	open := ""
	for _, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		if len(line)-len(trimmed) > 3 {
			continue
		}
		run := fenceOf(trimmed)
		switch {
		case open == "" && run != "":
			open = run
		case open != "" && strings.HasPrefix(run, open) && strings.TrimSpace(trimmed[len(run):]) == "":
			open = ""
		}
	}
	if open != "" {
		text += "\n" + open
	}
	return text
}

// fenceOf is the fence that a line begins with, "" for none.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, c))
		if n >= 3 && (c == "~" || !strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}

// escapeLine keeps a line from being read as Markdown.
func escapeLine(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, "#", `\#`).Replace(s)
}
