package pastchats

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// copilotCLI reads Copilot CLI, as 0.0.4xx to 1.0.102 write it: a log of events,
// session-state/<session>/events.jsonl with workspace.yaml beside it; before 1.0.11
// session-state/<session>.jsonl alone.
type copilotCLI struct {
	h     *Home
	root  string // session-state
	marks *marks
}

// newCopilotCLI reads Copilot CLI.
func newCopilotCLI(h *Home) finder {
	return &copilotCLI{
		h:     h,
		root:  filepath.Join(cmp.Or(h.getenv("COPILOT_HOME"), filepath.Join(h.Dir, ".copilot")), "session-state"),
		marks: newMarks(commonMarks()...),
	}
}

func (c *copilotCLI) close() error { return nil }

const (
	cliEvents    = "events.jsonl"
	cliWorkspace = "workspace.yaml"
	maxCLIYAML   = 64 << 10 // bytes
)

func (c *copilotCLI) find(ctx context.Context) (found, error) {
	var all found
	at := map[string]int{} // of a session in all.files
	beside := map[string]entry{}
	left, err := c.h.walk(ctx, c.root, func(e entry) bool {
		session, name, deep := strings.Cut(e.rel, "/")
		switch {
		case e.dir:
			return !deep
		case deep && name == cliWorkspace:
			beside[session] = e
			return true
		case deep && name == cliEvents:
		case !deep && strings.HasSuffix(session, ".jsonl"):
			session = strings.TrimSuffix(session, ".jsonl")
		default:
			return false
		}
		if session == "" || !utf8.ValidString(session) {
			return false
		}
		f := chatFile{Source: "copilot-cli", Key: session, Path: e.path, Size: e.size, MTime: e.mtime}
		if i, twice := at[session]; twice {
			// The older file was carried on as the newer folder.
			if !deep {
				f.Path, all.files[i].Path = all.files[i].Path, f.Path
			}
			f.Also, f.Size, f.MTime = []string{all.files[i].Path}, f.Size+all.files[i].Size, max(f.MTime, all.files[i].MTime)
			all.files[i] = f
			return true
		}
		at[session] = len(all.files)
		all.files = append(all.files, f)
		return true
	})
	if err != nil {
		return found{}, err
	}
	all.left = left
	for i := range all.files {
		f := &all.files[i]
		if e, ok := beside[f.Key]; ok {
			// A new name of the chat changes only this one.
			f.Size, f.MTime = f.Size+e.size, max(f.MTime, e.mtime)
			_, cwd := c.workspace(e.path)
			f.Project = projectOf(cwd)
		}
	}
	return all, nil
}

// workspace gives the name and the folder that stand beside a log.
func (c *copilotCLI) workspace(path string) (name, cwd string) {
	b, err := c.h.whole(c.root, path, maxCLIYAML)
	if err != nil {
		return "", ""
	}
	return yamlText(string(b), "name"), yamlText(string(b), "cwd")
}

func (c *copilotCLI) read(ctx context.Context, f chatFile, chat *talk) error {
	var named string // the model that was chosen last
	long, err := c.h.lines(ctx, c.root, f.Path, maxLine, func(b []byte) error {
		var e cliEvent
		if !e.take(b) {
			chat.Damaged = chat.Damaged || !json.Valid(b)
			return nil
		}
		// What has no id and no time is no event: a tool's result with raw line ends
		// falls to pieces, and one of them can look like a message.
		if !e.id.isString() || !e.at.isString() {
			return nil
		}
		at := when(e.at)
		chat.Updated = max(chat.Updated, at)
		if isThere(e.agent) && !e.agent.is("") {
			return nil // a helper writes into the same log
		}
		switch {
		case e.kind.is("session.start"):
			chat.Started = cmp.Or(chat.Started, when(e.data.get("startTime")), at)
			chat.Cwd = cmp.Or(chat.Cwd, e.data.get("context", "cwd").text())
			named = cmp.Or(e.data.get("selectedModel").text(), named)
		case e.kind.is("session.model_change"):
			named = cmp.Or(e.data.get("newModel").text(), named)
		case e.kind.is("user.message"):
			if text := c.person(e.data); text != "" {
				chat.say(User, text, at)
			}
		case e.kind.is("assistant.message"):
			text := trim(e.data.get("content").text())
			if text == "" || isHelpers(e.data) {
				return nil
			}
			chat.say(Assistant, text, at)
			chat.Model = cmp.Or(e.data.get("model").text(), chat.Model)
		}
		return nil
	})
	chat.Damaged = chat.Damaged || long > 0
	chat.Model = cmp.Or(chat.Model, named)
	if filepath.Base(f.Path) == cliEvents {
		name, cwd := c.workspace(filepath.Join(filepath.Dir(f.Path), cliWorkspace))
		chat.Title = name
		chat.Cwd = cmp.Or(chat.Cwd, cwd)
	}
	return err
}

// cliEvent is one line of the log.
type cliEvent struct{ kind, data, id, at, agent value }

// take reports that the line is a whole object.
func (e *cliEvent) take(b []byte) bool {
	return parse(b).members(func(key []byte, val value) bool {
		switch string(key) {
		case "type":
			e.kind = val
		case "data":
			e.data = val
		case "id":
			e.id = val
		case "timestamp":
			e.at = val
		case "agentId":
			e.agent = val
		}
		return true
	})
}

// person gives what was typed, "" for what a skill, a helper or the program said.
func (c *copilotCLI) person(data value) string {
	if isHelpers(data) {
		return ""
	}
	source := data.get("source").text()
	for _, own := range []string{"skill-", "agent-", "system"} {
		if strings.HasPrefix(source, own) {
			return ""
		}
	}
	text := c.marks.strip(data.get("content").text())
	if strings.HasPrefix(text, "<skill-context") {
		return ""
	}
	return text
}

// isHelpers reports that a message is part of a helper's work: older versions
// mark it only here.
func isHelpers(data value) bool {
	call := data.get("parentToolCallId")
	return isThere(call) && !call.is("")
}

// yamlText is a text of a flat YAML file: plain, quoted, or folded over several
// lines that are set in. Nothing else of YAML is understood.
func yamlText(file, name string) string {
	var parts []string
	found := false
	for line := range strings.Lines(file) {
		line = strings.TrimRight(line, "\r\n")
		if found {
			if !strings.HasPrefix(line, " ") && line != "" {
				break
			}
			if part := strings.TrimSpace(line); part != "" {
				parts = append(parts, part)
			}
			continue
		}
		rest, ok := strings.CutPrefix(line, name+":")
		if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		found = true
		parts = append(parts, strings.TrimSpace(rest))
	}
	if len(parts) == 0 {
		return ""
	}
	if first := parts[0]; strings.HasPrefix(first, ">") || strings.HasPrefix(first, "|") {
		return valid(strings.Join(parts[1:], " "))
	}
	s := strings.Join(parts, " ")
	switch {
	case strings.HasPrefix(s, `"`):
		end, ok := skipString([]byte(s), 0)
		if !ok {
			return ""
		}
		return strings.TrimSpace(value(s[:end]).text())
	case strings.HasPrefix(s, "'"):
		// A quote in it is written twice.
		var out strings.Builder
		for s = s[1:]; ; s = s[1:] {
			part, rest, ok := strings.Cut(s, "'")
			if !ok {
				return ""
			}
			out.WriteString(part)
			if !strings.HasPrefix(rest, "'") {
				return strings.TrimSpace(valid(out.String()))
			}
			out.WriteByte('\'')
			s = rest
		}
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = s[:i]
	}
	if s = strings.TrimSpace(s); s == "~" || s == "null" || strings.HasPrefix(s, "#") {
		return ""
	}
	return valid(s)
}
