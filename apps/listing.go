package apps

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/plain"
	"conch/redact"
)

// The most that is read of an app's list, and kept of a tool.
const (
	maxPages       = 50
	maxTools       = 512
	maxNotes       = 100
	maxDescription = 1000 // characters
	maxTitle       = 80
)

// Listing is what an app offers.
type Listing struct {
	Name, Version string // as the app calls itself
	Tools         []Listed
	Notes         []string // what was left out, a sentence each
}

// Listed is one tool of an app.
type Listed struct {
	Name        string // as it is offered: mcp__<app>__<tool>
	Tool        string // as the app calls it
	Title       string
	Description string
	Schema      json.RawMessage
	ReadOnly    bool // the app says that it changes nothing
}

// find gives a tool by the app's own name.
func (l Listing) find(tool string) (Listed, bool) {
	i := slices.IndexFunc(l.Tools, func(t Listed) bool { return t.Tool == tool })
	if i < 0 {
		return Listed{}, false
	}
	return l.Tools[i], true
}

// list reads an app's whole list, within bounds.
func list(ctx context.Context, c conn, a App) (Listing, error) {
	var all []*mcp.Tool
	var notes []string
	seen := map[string]bool{}
	cursor := ""
	for page := 1; ; page++ {
		part, next, err := c.list(ctx, cursor)
		if err != nil {
			return Listing{}, err
		}
		all = append(all, part...)
		if next == "" {
			break
		}
		if len(all) > maxTools {
			break
		}
		if page == maxPages {
			notes = append(notes, fmt.Sprintf("its list has more than %d pages: the rest is left out", maxPages))
			break
		}
		if seen[next] {
			notes = append(notes, "its list of tools goes round in a circle: what came before is taken")
			break
		}
		seen[next], cursor = true, next
	}
	out := choose(a, all)
	out.Name, out.Version = c.server()
	out.Notes = append(notes, out.Notes...)
	if len(out.Notes) > maxNotes {
		out.Notes = append(out.Notes[:maxNotes], fmt.Sprintf("and %d more", len(out.Notes)-maxNotes))
	}
	return out, nil
}

// choose takes from a list what can be offered, by name, and notes what can't.
func choose(a App, all []*mcp.Tool) Listing {
	var out Listing
	note := func(tool, why string) {
		out.Notes = append(out.Notes, fmt.Sprintf("%s: %s", shown(tool), why))
	}
	if len(all) > maxTools {
		out.Notes = append(out.Notes, fmt.Sprintf("it has more than %d tools: the rest is left out", maxTools))
		all = all[:maxTools]
	}
	found := map[string]bool{}
	taken := map[string]bool{}
	for _, t := range all {
		if t == nil {
			continue
		}
		found[t.Name] = true
		name, why := offered(a.ID, t.Name)
		switch {
		case len(a.Tools) > 0 && !slices.Contains(a.Tools, t.Name):
			note(t.Name, "not among the tools that config.toml names")
			continue
		case why != "":
			note(t.Name, why)
			continue
		case taken[name]:
			note(t.Name, "there is another one of that name")
			continue
		}
		schema, err := tidy(t.InputSchema)
		if err != nil {
			note(t.Name, "what it takes can't be told to a model: "+err.Error())
			continue
		}
		taken[name] = true
		out.Tools = append(out.Tools, Listed{
			Name: name, Tool: t.Name, Title: line(t.Title, maxTitle), Description: described(t),
			Schema: schema, ReadOnly: t.Annotations != nil && t.Annotations.ReadOnlyHint,
		})
	}
	for _, want := range a.Tools {
		if !found[want] {
			note(want, "config.toml names it, and the app has no such tool")
		}
	}
	// By name, so that a list in another order is the same list: a provider would
	// open another session for one that changed.
	slices.SortFunc(out.Tools, func(x, y Listed) int { return strings.Compare(x.Name, y.Name) })
	return out
}

// described is what a model is told of a tool.
func described(t *mcp.Tool) string {
	text, _ := redact.Redact(plain.Text(bytesOf(t.Description, 8*maxDescription)))
	text = strings.TrimSpace(text)
	if text == "" {
		text = line(t.Title, maxTitle)
	}
	return cutTo(text, maxDescription)
}

// line is a short word of an app's, on one line.
func line(s string, max int) string {
	clean, _ := redact.Redact(plain.Line(s, 4*max))
	return plain.Line(clean, max)
}

// shown is a tool's name as it came, fit to be said.
func shown(name string) string {
	if name = line(name, 80); name == "" {
		return "a tool without a name"
	}
	return name
}

// cutTo cuts text to so many characters.
func cutTo(s string, max int) string {
	if r := []rune(s); len(r) > max {
		return strings.TrimSpace(string(r[:max-1])) + "…"
	}
	return s
}

// bytesOf bounds the work on a text before its characters are looked at.
func bytesOf(s string, max int) string {
	if len(s) > max {
		return strings.ToValidUTF8(s[:max], "")
	}
	return s
}
