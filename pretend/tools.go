package pretend

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// tool is an offered tool, in one form for all dialects.
type tool struct {
	name      string
	namespace string         // Responses only
	custom    bool           // Responses only: takes free text in place of JSON
	schema    map[string]any // of its arguments
}

// call is a tool call as it is sent.
type call struct {
	tool
	id   string
	args string // JSON; of a custom tool: text
}

// names are the tools that do one thing, as the programs call them (Claude Code,
// Gemini CLI, Qwen Code, Grok, OpenCode, Copilot, Codex), without case, "_" and
// "-". The first that is offered is taken.
var names = map[string][]string{
	"read":  {"read", "readfile", "view"},
	"edit":  {"edit", "editfile", "replace", "searchreplace", "strreplace", "applypatch"},
	"write": {"write", "writefile", "create", "applypatch"},
	"bash":  {"bash", "runshellcommand", "runterminalcommand", "execcommand", "shellcommand", "shell", "runcommand"},
	"grep":  {"grep", "grepsearch", "searchfilecontent", "rg", "searchfiles"},
	"fetch": {"webfetch", "fetch", "webread"},
	"page":  {"webread"},
	"plan":  {"todowrite", "updateplan", "updatetodo", "writetodos"},
}

// fields are the names of arguments, by what they hold.
var fields = map[string]string{
	"filepath": "path", "path": "path", "targetfile": "path", "absolutepath": "path", "paths": "path", "dirpath": "path",
	"oldstring": "old", "oldstr": "old", "old": "old", "new": "new", "newstring": "new", "newstr": "new",
	"content": "content", "contents": "content", "filetext": "content",
	"command": "command", "cmd": "command", "pattern": "pattern", "query": "pattern", "url": "url",
}

func bare(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// resolve turns the calls of a step into calls of the tools that are offered. What
// is not offered is called all the same: the program will say so.
func resolve(calls []Call, offered []tool, serial int) []call {
	out := make([]call, 0, len(calls))
	for i, c := range calls {
		made := resolveOne(c, offered)
		made.id = fmt.Sprintf("call_pretend_%d_%d", serial, i)
		out = append(out, made)
	}
	return out
}

func resolveOne(c Call, offered []tool) call {
	if c.Do == "" {
		t := tool{name: c.Name}
		app, ofApp := strings.CutPrefix(c.Name, "mcp__") // which Codex keeps for itself: there it is "app__"
		for _, o := range offered {
			if o.name == c.Name || ofApp && o.name == "app__"+app || strings.HasSuffix(o.name, "_"+c.Name) || strings.HasSuffix(o.name, "-"+c.Name) {
				return call{tool: o, args: encode(c.Args)}
			}
		}
		// Some keep the tools of servers behind a tool of their own: Grok behind one
		// that calls them, Qwen behind one that finds them first.
		for _, o := range offered {
			switch {
			case o.name == "use_tool":
				// Names with "__" in them it does not take: Conch offers them with "_".
				name := "conch__" + strings.ReplaceAll(c.Name, "__", "_")
				return call{tool: o, args: encode(map[string]any{"tool_name": name, "tool_input": c.Args})}
			case bare(o.name) == "toolsearch":
				return call{tool: tool{name: "mcp__conch__" + c.Name}, args: encode(c.Args)}
			}
		}
		return call{tool: t, args: encode(c.Args)}
	}
	for _, name := range names[c.Do] {
		for _, o := range offered {
			if bare(o.name) != name {
				continue
			}
			if name == "applypatch" {
				return patch(c, o)
			}
			return call{tool: o, args: encode(arguments(c, o.schema))}
		}
	}
	// Codex has a shell for what the others have tools for.
	switch c.Do {
	case "read":
		return resolveOne(Call{Do: "bash", Command: "cat " + quoted(c.Path)}, offered)
	case "page":
		return resolveOne(Call{Do: "bash", Command: "curl -sS " + quoted(c.URL)}, offered)
	case "grep":
		return resolveOne(Call{Do: "bash", Command: "rg " + quoted(c.Pattern) + " " + quoted(c.Path)}, offered)
	}
	return call{tool: tool{name: c.Do}, args: "{}"}
}

// quoted is a word of a shell's command.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n'\"\\$`;&|<>()*?[]{}~#!") {
		return "'" + strings.ReplaceAll(s, "'", `'\\''`) + "'"
	}
	return s
}

// patch is an edit or a new file in Codex's patch format.
func patch(c Call, o tool) call {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	if c.Do == "write" {
		b.WriteString("*** Add File: " + c.Path + "\n" + prefixed("+", c.Content))
	} else {
		b.WriteString("*** Update File: " + c.Path + "\n@@\n" + prefixed("-", c.Old) + prefixed("+", c.New))
	}
	b.WriteString("*** End Patch")
	if o.custom {
		return call{tool: o, args: b.String()}
	}
	return call{tool: o, args: encode(map[string]any{"input": b.String()})}
}

func prefixed(sign, text string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(sign + line + "\n")
	}
	return b.String()
}

// arguments fills a tool's schema: what the call says where a field's name tells
// that it belongs there, something of the right type where a field is required.
func arguments(c Call, schema map[string]any) map[string]any {
	said := map[string]string{
		"path": c.Path, "old": c.Old, "new": c.New, "content": c.Content,
		"command": c.Command, "pattern": c.Pattern, "url": c.URL,
	}
	belongs := map[string]string{
		"read": "path", "edit": "path old new", "write": "path content", "bash": "command",
		"grep": "pattern path", "fetch": "url",
	}[c.Do]
	required := map[string]bool{}
	for _, name := range list(schema["required"]) {
		required[fmt.Sprint(name)] = true
	}
	properties, _ := schema["properties"].(map[string]any)
	args := map[string]any{}
	for name, prop := range properties {
		field := fields[bare(name)]
		p, _ := prop.(map[string]any)
		switch {
		case c.Do == "plan" && kind(p) == "array":
			args[name] = plan(c.Steps, p)
		case c.Do == "plan" && name == "todos":
			args[name] = checklist(c.Steps)
		case field != "" && contains(strings.Fields(belongs), field) && (said[field] != "" || required[name]):
			args[name] = shaped(said[field], p)
		case c.Do == "fetch" && name == "prompt":
			args[name] = strings.TrimSpace("Say what is on " + c.URL)
		case required[name]:
			args[name] = fill(p)
		}
	}
	return args
}

// shaped puts a string where a list of strings is wanted.
func shaped(s string, prop map[string]any) any {
	if kind(prop) == "array" {
		if bare(s) != "" && strings.Contains(s, " ") {
			return []any{"bash", "-lc", s}
		}
		return []any{s}
	}
	return s
}

func plan(steps []PlanStep, prop map[string]any) []any {
	items, _ := prop["items"].(map[string]any)
	properties, _ := items["properties"].(map[string]any)
	out := make([]any, 0, len(steps))
	for i, s := range steps {
		item := map[string]any{}
		for name, prop := range properties {
			switch bare(name) {
			case "content", "step", "title", "description", "activeform":
				item[name] = s.Title
			case "status":
				item[name] = s.Status
			case "id":
				item[name] = fmt.Sprint(i + 1)
			default:
				p, _ := prop.(map[string]any)
				item[name] = fill(p)
			}
		}
		out = append(out, item)
	}
	return out
}

func checklist(steps []PlanStep) string {
	var b strings.Builder
	for _, s := range steps {
		mark := " "
		if s.Status == "completed" {
			mark = "x"
		}
		b.WriteString("- [" + mark + "] " + s.Title + "\n")
	}
	return b.String()
}

// fill makes a value that meets a JSON schema, as far as programs ask for.
func fill(schema map[string]any) any {
	if schema == nil {
		return nil
	}
	if v, there := schema["const"]; there {
		return v
	}
	if v := list(schema["enum"]); len(v) > 0 {
		return v[0]
	}
	for _, of := range []string{"anyOf", "oneOf", "allOf"} {
		if v := list(schema[of]); len(v) > 0 {
			first, _ := v[0].(map[string]any)
			return fill(first)
		}
	}
	switch kind(schema) {
	case "object":
		out := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			prop, _ := p.(map[string]any)
			out[name] = fill(prop)
		}
		return out
	case "array":
		return []any{}
	case "integer", "number":
		return 1
	case "boolean":
		return false
	case "null":
		return nil
	}
	return "pretend"
}

// kind is the type of a schema. Gemini writes types in capitals.
func kind(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return strings.ToLower(t)
	case []any:
		if len(t) > 0 {
			return strings.ToLower(fmt.Sprint(t[0]))
		}
	}
	if schema["properties"] != nil {
		return "object"
	}
	return "string"
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func encode(v any) string {
	if m, ok := v.(map[string]any); ok && m == nil {
		return "{}"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return string(b)
}

func toolNames(tools []tool) []string {
	out := make([]string, 0, len(tools))
	for _, t := range tools {
		out = append(out, t.name)
	}
	sort.Strings(out)
	return out
}
