package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"conch/plain"
	"conch/search"
)

type jsonSearch struct {
	ElapsedMs int64     `json:"elapsed_ms"`
	Total     int       `json:"total"`
	More      bool      `json:"more"`  // total is at least that many
	Chats     int       `json:"chats"` // that the messages are in
	Hits      []jsonHit `json:"hits"`
	Close     []string  `json:"close"`   // spellings that were tried: nothing matched exactly
	Hint      string    `json:"hint"`    // why it could not be searched as typed
	Waiting   int       `json:"waiting"` // chats that the index has not yet
}

type jsonHit struct {
	Chat      string `json:"chat"`
	Message   string `json:"message"`
	Title     string `json:"title"`
	App       string `json:"app"`
	Project   string `json:"project"`
	From      string `json:"from"`
	Untrusted bool   `json:"untrusted"`
	At        string `json:"at"`
	Role      string `json:"role"`
	Snippet   string `json:"snippet"`
}

const searchLong = `Find words in every chat: Conch's own and those brought in from other apps.

  conch search cart total             both words, or words that begin so
  conch search '"cart total"'         in this order
  conch search cart app:codex         also project:shop  since:2026-09  until:3d  from:me

A part of a word is found too, from three letters on. Where nothing matches, close
spellings are tried and said.`

func (a *app) searchCommand() *cobra.Command {
	var asJSON, newest bool
	var app, project, since string
	var limit int
	cmd := &cobra.Command{
		Use:   "search <words>",
		Short: "Find words in every chat, brought-in ones too",
		Long:  searchLong,
		RunE: func(cmd *cobra.Command, words []string) error {
			// Before the words: a quote that is open in them would take a filter in.
			typed := filterWord("app", app) + filterWord("project", project) + filterWord("since", since) + strings.Join(words, " ")
			if limit < 1 || limit > 1000 {
				return wrong("conch search --limit 20 …", "--limit takes a number from 1 to 1,000")
			}
			return a.searchChats(cmd.Context(), typed, search.Options{Limit: limit, Newest: newest}, asJSON)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, noFiles
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&app, "app", "", "only chats of this `app` or provider")
	fl.StringVar(&project, "project", "", "only chats about this `folder`")
	fl.StringVar(&since, "since", "", "only messages since this `time`: 2026-09, 2026-09-14, yesterday, 3d, 2w")
	fl.IntVar(&limit, "limit", 20, "at most `N` messages")
	fl.BoolVar(&newest, "newest", false, "the newest first, not the best match")
	fl.BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// filterWord writes a flag as it is typed, in quotes where it has blanks; "" for
// none.
func filterWord(name, v string) string {
	switch {
	case v == "":
		return ""
	case strings.ContainsAny(v, " \t"):
		v = `"` + strings.ReplaceAll(v, `"`, " ") + `"`
	}
	return name + ":" + v + " "
}

func (a *app) searchChats(ctx context.Context, typed string, o search.Options, asJSON bool) error {
	q := search.Parse(typed, a.host.Now())
	if q.Empty() && strings.TrimSpace(typed) == "" {
		return wrong("conch search <words>", "there is nothing to search for")
	}
	if err := a.openPast(); err != nil {
		return err
	}
	began := time.Now()
	a.catchUp(ctx, a.past.index)
	r, err := a.past.index.Search(ctx, q, o)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	out := &printer{w: a.host.Stdout}
	if asJSON {
		out.printf("%s\n", jsonLine(searchJSON(r, time.Since(began))))
		return out.err
	}
	a.printSearch(out, r)
	return out.err
}

func searchJSON(r search.Results, took time.Duration) jsonSearch {
	j := jsonSearch{ElapsedMs: took.Milliseconds(), Total: r.Total, More: r.More, Chats: r.Chats, Hits: []jsonHit{}, Close: []string{}, Hint: r.Hint, Waiting: r.Wait}
	j.Close = append(j.Close, r.Close...)
	for _, h := range r.Hits {
		j.Hits = append(j.Hits, jsonHit{
			Chat: h.Chat.ID, Message: plain.Line(h.Message, 0), Title: plain.Line(h.Chat.Title, 0), App: h.Chat.App, Project: plain.Line(h.Chat.Project, 0),
			From: plain.Line(h.Chat.From, 0), Untrusted: h.Chat.Untrusted, At: stamp(h.At), Role: h.Role, Snippet: plain.Line(h.Snippet, 0),
		})
	}
	return j
}

// printSearch prints a chat's heading once and its hits below it.
func (a *app) printSearch(out *printer, r search.Results) {
	if len(r.Close) > 0 && len(r.Hits) > 0 {
		out.printf("Nothing has exactly that; close to it: %s\n\n", plain.Line(strings.Join(r.Close, ", "), 200))
	}
	width := a.width()
	fit := func(line string) string {
		if width > 0 {
			return ansi.Truncate(line, width, "…")
		}
		return line
	}
	before := ""
	for _, h := range r.Hits {
		if h.Chat.ID != before {
			if before != "" {
				out.printf("\n")
			}
			before = h.Chat.ID
			head := compact(plain.Line(h.Chat.App, 20), plain.Line(h.Chat.Project, 30), plain.Line(h.Chat.Title, 80), when(h.Chat.Updated, a.host.Now()), h.Chat.ID)
			out.printf("%s\n", fit(strings.Join(head, " · ")))
		}
		who := "you"
		if h.Role == "assistant" {
			who = "it"
		}
		out.printf("%s\n", fit("  "+who+": "+a.marked(h)))
	}
	if r.Hint != "" {
		a.note("%s", r.Hint)
	}
	switch {
	case len(r.Hits) == 0:
		a.note("nothing was found")
	case r.Total > len(r.Hits) || r.More:
		more := ""
		if r.More {
			more = "at least "
		}
		a.note("%s of %s%s shown; --limit shows more", grouped(len(r.Hits)), more, grouped(r.Total))
	}
	if r.Wait > 0 {
		a.note("%s not in the index yet", counted(r.Wait, "chat"))
	}
}

// marked is a hit's line with the matches in bold, where the terminal has it.
func (a *app) marked(h search.Hit) string {
	line := plain.Line(h.Snippet, 0)
	if line != h.Snippet || !isTerminal(a.host.Stdout) || a.env("NO_COLOR") != "" || a.env("TERM") == "dumb" {
		return line
	}
	var b strings.Builder
	at := 0
	for _, m := range h.Marks {
		if m[0] < at || m[1] > len(line) || m[0] >= m[1] {
			continue
		}
		b.WriteString(line[at:m[0]] + "\x1b[1m" + line[m[0]:m[1]] + "\x1b[22m")
		at = m[1]
	}
	return b.String() + line[at:]
}
