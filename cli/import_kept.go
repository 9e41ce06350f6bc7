package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"conch/plain"
)

// listPast lists what was brought in.
func (a *app) listPast(asJSON bool) error {
	list, err := a.past.store.List()
	if err != nil {
		return fmt.Errorf("list the past chats: %w", err)
	}
	out := &printer{w: a.host.Stdout}
	if asJSON {
		j := jsonPast{Chats: []jsonPastChat{}}
		for _, e := range list {
			j.Chats = append(j.Chats, jsonPastChat{
				ID: e.ID, Source: e.Source, SourceID: plain.Line(e.Key, 0), Title: plain.Line(e.Title, 0), Project: plain.Line(e.Project, 0),
				Model: plain.Line(e.Model, 0), Started: stamp(e.Created), Updated: stamp(e.Updated), Messages: e.Messages,
			})
		}
		out.printf("%s\n", jsonLine(j))
		return out.err
	}
	if len(list) == 0 {
		out.printf("No past chats are here.\n→ conch import says what there is to bring in\n")
		return nil
	}
	var rows [][]string
	for _, e := range list {
		rows = append(rows, []string{e.ID, when(e.Updated, a.host.Now()), e.Source, plain.Line(e.Project, 20), titleOf(pastSummary(e))})
	}
	width := a.width()
	for _, line := range columns(rows) {
		if width > 0 {
			line = ansi.Truncate(line, width, "…")
		}
		out.printf("%s\n", line)
	}
	return out.err
}

// takeOutWords is what has to be typed before past chats are taken out.
const takeOutWords = "take out"

// removePast takes all past chats out of Conch, after the words were typed.
func (a *app) removePast(ctx context.Context, f importFlags) error {
	list, err := a.past.store.List()
	if err != nil {
		return fmt.Errorf("list the past chats: %w", err)
	}
	person := isTerminal(a.host.Stdin) || a.env("CONCH_ASSUME_YES") == "1"
	switch {
	case !person:
		return &failure{say: "taking past chats out needs a person: this is no terminal", next: "run it in a terminal, or set CONCH_ASSUME_YES=1 and add --yes", status: statusFailed}
	case !f.yes:
		fmt.Fprintf(a.host.Stderr, "This takes %s out of Conch and out of its search. The other apps' files stay, and so do\nchats that you carried on. Type %q to go on: ", counted(len(list), "past chat"), takeOutWords)
		typed, err := bufio.NewReader(io.LimitReader(a.host.Stdin, 1000)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the words: %w", err)
		}
		if strings.TrimSpace(typed) != takeOutWords {
			return &failure{say: "nothing was taken out", status: statusFailed}
		}
	}
	n, err := a.past.service.Remove(ctx)
	if err != nil {
		return asImportFailure(err)
	}
	if err := a.past.index.CatchUp(ctx); err != nil && ctx.Err() == nil {
		a.logger().Warn("take past chats out of the index", "error", err)
	}
	out := &printer{w: a.host.Stdout}
	if f.json {
		out.printf("%s\n", jsonLine(map[string]int{"removed": n}))
	} else {
		out.printf("%s taken out.\n", counted(n, "past chat"))
	}
	return out.err
}
