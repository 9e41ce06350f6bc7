package apps

import (
	"context"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/engine"
	"conch/plain"
)

// The most that an app may ask in one question.
const (
	maxAsked  = 8
	maxChoice = 12
	maxWords  = 300 // characters of its question
)

// yesNo is the field of a question that has none of its own. No app can name a field
// so.
const yesNo = "yes or no"

// elicited puts an app's question to the person. One that is not simple is declined:
// the app then goes on without, as its call says.
func elicited(a App, w wishes) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		q, ok := question(a, r.Params)
		if !ok {
			return &mcp.ElicitResult{Action: "decline"}, nil
		}
		answer := w.ask(ctx, q)
		switch {
		case answer.Cancelled:
			return &mcp.ElicitResult{Action: "cancel"}, nil
		case answer.Skipped:
			return &mcp.ElicitResult{Action: "decline"}, nil
		}
		out := &mcp.ElicitResult{Action: "accept"}
		if len(q.Fields) == 1 && q.Fields[0].Name == yesNo {
			if answer.Values[yesNo] != "yes" {
				out.Action = "decline"
			}
			return out, nil
		}
		if len(q.Fields) > 0 {
			out.Content = map[string]any{}
			for _, f := range q.Fields {
				if v, there := answer.Values[f.Name]; there && v != nil {
					out.Content[f.Name] = v
				}
			}
		}
		return out, nil
	}
}

// question makes a card of what an app asks; ok is false for what is not simple.
func question(a App, p *mcp.ElicitParams) (q engine.Question, ok bool) {
	if p == nil {
		return q, false
	}
	q.Title = "The app " + a.ID + " asks: " + line(p.Message, maxWords)
	if p.URL != "" {
		u, err := url.Parse(p.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || plain.Line(p.URL, 0) != p.URL {
			return q, false
		}
		q.URL = p.URL
		return q, true
	}
	schema, _ := p.RequestedSchema.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	if len(properties) > maxAsked {
		return q, false
	}
	needed := texts(schema["required"])
	for name, each := range properties {
		s, _ := each.(map[string]any)
		f, fine := field(name, s)
		if !fine {
			return q, false
		}
		f.Required = slices.Contains(needed, name)
		q.Fields = append(q.Fields, f)
	}
	slices.SortFunc(q.Fields, func(x, y engine.Field) int {
		if x.Required != y.Required {
			if x.Required {
				return -1
			}
			return 1
		}
		return strings.Compare(x.Name, y.Name)
	})
	if len(q.Fields) == 0 {
		q.Fields = []engine.Field{{Name: yesNo, Label: "Yes or no", Kind: "choice", Required: true, Options: []engine.Choice{{ID: "yes", Name: "Yes"}, {ID: "no", Name: "No"}}}}
	}
	return q, true
}

func field(name string, s map[string]any) (f engine.Field, ok bool) {
	if !fits(name) || s == nil {
		return f, false
	}
	word := func(key string) string { v, _ := s[key].(string); return v }
	f = engine.Field{Name: name, Label: line(word("title"), 60), Description: line(word("description"), 200), Default: s["default"]}
	if f.Label == "" {
		f.Label = name
	}
	if list := choices(s); list != nil {
		f.Kind, f.Options = "choice", list
		return f, len(list) <= maxChoice
	}
	switch word("type") {
	case "string":
		f.Kind = "text"
	case "number", "integer", "boolean":
		f.Kind = word("type")
	case "array":
		items, _ := s["items"].(map[string]any)
		list := choices(items)
		f.Kind, f.Options = "choices", list
		return f, len(list) > 0 && len(list) <= maxChoice
	default:
		return f, false
	}
	return f, true
}

// choices are what a schema lets one pick; nil when it names none.
func choices(s map[string]any) []engine.Choice {
	var list []engine.Choice
	names := s["enumNames"]
	for i, v := range texts(s["enum"]) {
		c := engine.Choice{ID: v, Name: line(v, 60)}
		if said := texts(names); i < len(said) {
			c.Name = line(said[i], 60)
		}
		list = append(list, c)
	}
	for _, word := range []string{"oneOf", "anyOf"} {
		for _, each := range schemas(s[word]) {
			id, ok := each["const"].(string)
			if !ok {
				continue
			}
			c := engine.Choice{ID: id, Name: line(id, 60)}
			if title, ok := each["title"].(string); ok {
				c.Name = line(title, 60)
			}
			list = append(list, c)
		}
	}
	return list
}

// fileURI is a folder as an app is told of it.
func fileURI(folder string) string {
	path := filepath.ToSlash(folder)
	if runtime.GOOS == "windows" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
