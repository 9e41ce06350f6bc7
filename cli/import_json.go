package cli

import (
	"time"

	"conch/pastchats"
	"conch/plain"
)

type jsonImport struct {
	Sources []jsonSource `json:"sources"`
	Brought int          `json:"brought"` // chats that are here
	*jsonRun
}

type jsonSource struct {
	ID       string        `json:"id"`
	Label    string        `json:"label"`
	Found    int           `json:"found"`
	Fresh    int           `json:"fresh"`
	Projects []jsonProject `json:"projects"`
	From     string        `json:"from"`
	To       string        `json:"to"`
}

type jsonProject struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

type jsonRun struct {
	Added             int      `json:"added"`
	Updated           int      `json:"updated"`
	Skipped           int      `json:"skipped"`
	Redacted          int      `json:"redacted"`
	Read              int      `json:"read"` // chats read this time
	Chats             int      `json:"chats"`
	Messages          int      `json:"messages"`
	UserMessages      int      `json:"user_messages"`
	AssistantMessages int      `json:"assistant_messages"`
	ElapsedMs         int64    `json:"elapsed_ms"` // until the words were on the disk
	IndexMs           int64    `json:"index_ms"`   // and then until all could be searched
	Stopped           bool     `json:"stopped"`
	Problems          []string `json:"problems"`
}

type jsonPast struct {
	Chats []jsonPastChat `json:"chats"`
}

type jsonPastChat struct {
	ID       string `json:"id"`
	Source   string `json:"source"`
	SourceID string `json:"source_id"`
	Title    string `json:"title"`
	Project  string `json:"project"`
	Model    string `json:"model"`
	Started  string `json:"started"`
	Updated  string `json:"updated"`
	Messages int    `json:"messages"`
}

func importJSON(s pastchats.Status, run *jsonRun) jsonImport {
	out := jsonImport{Sources: []jsonSource{}, Brought: s.Brought, jsonRun: run}
	for _, src := range s.Sources {
		j := jsonSource{ID: src.ID, Label: src.Label, Found: src.Found, Fresh: src.Fresh, Projects: []jsonProject{}, From: stamp(src.From), To: stamp(src.To)}
		for _, p := range src.Projects {
			j.Projects = append(j.Projects, jsonProject{plain.Line(p.Name, 120), p.Count})
		}
		out.Sources = append(out.Sources, j)
	}
	return out
}

func runJSON(r pastchats.Result, took time.Duration) *jsonRun {
	j := &jsonRun{
		Added: r.Added, Updated: r.Updated, Skipped: r.Skipped, Redacted: r.Redacted, Read: r.Read, Chats: r.Chats, Messages: r.Messages,
		UserMessages: r.UserMessages, AssistantMessages: r.AssistantMessages, ElapsedMs: took.Milliseconds(), Stopped: r.Stopped, Problems: []string{},
	}
	for _, p := range r.Problems {
		j.Problems = append(j.Problems, plain.Line(p, 300))
	}
	return j
}
