package acp

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"

	"conch/engine"
	"conch/plain"
	"conch/program"
)

// toolName is the program's own name of a call's tool, where it gives one:
// _meta.claudeCode.toolName (Claude), _meta.toolName (Qwen),
// _meta["x.ai/tool"].name (Grok), the id's beginning (Gemini), the title of the
// first notice (OpenCode), or the draft field name.
func toolName(agent Agent, c *call, u, meta object) string {
	if name := meta.object("claudeCode").text("toolName"); name != "" {
		return name
	}
	if name := meta.text("toolName"); name != "" {
		return name
	}
	if name := meta.object("x.ai/tool").text("name"); name != "" {
		return name
	}
	if agent.Quirks.IDNamesTool {
		if name, _, ok := strings.Cut(c.id, "__"); ok {
			return name
		}
	}
	if agent.Quirks.TitleNamesTool && c.tool == "" {
		return c.first
	}
	return u.text("name")
}

// rowWords are the words of rows by the names that programs give their tools.
var rowWords = map[string]string{
	"read": "Read", "read_file": "Read", "readfile": "Read", "view": "Read", "read_many_files": "Read", "notebookread": "Read",
	"edit": "Edit", "multiedit": "Edit", "write": "Edit", "write_file": "Edit", "writefile": "Edit", "replace": "Edit",
	"search_replace": "Edit", "str_replace": "Edit", "notebookedit": "Edit", "create": "Edit", "apply_patch": "Edit", "patch": "Edit",
	"bash": "Bash", "shell": "Bash", "run_shell_command": "Bash", "run_terminal_command": "Bash", "powershell": "Bash",
	"grep": "Grep", "grep_search": "Grep", "search_file_content": "Grep", "glob": "Grep", "ripgrep": "Grep",
	"webfetch": "WebFetch", "web_fetch": "WebFetch",
	"websearch": "WebSearch", "web_search": "WebSearch", "google_web_search": "WebSearch",
}

var wordKinds = map[string]engine.ToolKind{
	"Read": engine.KindRead, "Edit": engine.KindEdit, "Bash": engine.KindExecute, "Grep": engine.KindSearch,
	"WebFetch": engine.KindFetch, "WebSearch": engine.KindFetch,
}

var wireKinds = map[string]engine.ToolKind{
	"read": engine.KindRead, "search": engine.KindSearch, "edit": engine.KindEdit, "delete": engine.KindDelete,
	"move": engine.KindMove, "execute": engine.KindExecute, "fetch": engine.KindFetch, "think": engine.KindThink,
	"other": engine.KindOther,
}

// kindOf is what the call does to the world. Where the tool's name and the kind
// on the wire differ, a name that changes or runs something counts: permissions
// are decided by it.
func (c *call) kindOf() engine.ToolKind {
	named := wordKinds[rowWords[strings.ToLower(c.tool)]]
	wire := wireKinds[c.kind]
	switch {
	case wire == engine.KindRead && c.searches():
		return engine.KindSearch // Copilot's searches
	case wire == "" && named == "":
		return engine.KindOther
	case wire == "":
		return named
	case (wire == engine.KindRead || wire == engine.KindSearch || wire == engine.KindThink || wire == engine.KindOther) &&
		(named == engine.KindEdit || named == engine.KindExecute || named == engine.KindFetch):
		return named
	case wire == engine.KindEdit && (named == engine.KindExecute || named == engine.KindFetch):
		return named
	}
	return wire
}

// askedKind is kindOf for a permission: what names a command runs it, whatever
// kind the program says.
func (c *call) askedKind() engine.ToolKind {
	switch kind := c.kindOf(); kind {
	case engine.KindRead, engine.KindSearch, engine.KindEdit:
		if c.command() != "" {
			return engine.KindExecute
		}
		return kind
	default:
		return kind
	}
}

// searches reports a pattern to look for.
func (c *call) searches() bool { return parse(c.input).text("pattern") != "" }

// name is the row's word: by the tool's name, else by the kind, else the
// program's own title. Never by a title alone.
func (c *call) name() string {
	if c.door != "" {
		return c.door
	}
	if c.invalid() {
		return program.OneLine(cmp.Or(parse(c.input).text("tool"), cmp.Or(c.title, "Tool")), maxName)
	}
	if word := rowWords[strings.ToLower(c.tool)]; word != "" {
		return word
	}
	in := parse(c.input)
	switch c.kindOf() {
	case engine.KindRead:
		if c.path() != "" {
			return "Read"
		}
	case engine.KindEdit, engine.KindDelete, engine.KindMove:
		if c.path() != "" {
			return "Edit"
		}
	case engine.KindExecute:
		return "Bash"
	case engine.KindFetch:
		switch {
		case in.text("url") != "":
			return "WebFetch"
		case in.text("query") != "":
			return "WebSearch"
		}
	case engine.KindSearch:
		if c.searches() {
			return "Grep"
		}
	}
	title := program.OneLine(c.title, maxName)
	if tool := program.OneLine(c.tool, maxName); strings.HasPrefix(tool, "mcp_") && !c.titleSaysTool() {
		return tool // Gemini titles a server's tool by its command alone
	}
	return cmp.Or(title, "Tool")
}

// titleSaysTool reports that the title begins with the tool of a server.
func (c *call) titleSaysTool() bool {
	first, _, _ := strings.Cut(c.title, " ")
	first = strings.TrimRight(first, ":")
	return first != "" && strings.HasSuffix(c.tool, first)
}

// pathKeys are the fields in which programs name the file of a call.
var pathKeys = []string{
	"path", "file_path", "filePath", "target_file", "filepath", "fileName", "file_name", "absolute_path", "notebook_path", "file",
}

// path is the file of the call: its first location, else its input's, else that
// of its diff.
func (c *call) path() string {
	if len(c.paths) > 0 {
		return placeOnly(c.paths[0])
	}
	if path := parse(c.input).firstText(pathKeys...); path != "" {
		return path
	}
	if len(c.diffs) > 0 {
		return c.diffs[0].Path
	}
	return ""
}

// placeOnly takes the line off a place.
func placeOnly(place string) string {
	if i := strings.LastIndexByte(place, ':'); i > 0 && i < len(place)-1 && strings.Trim(place[i+1:], "0123456789") == "" {
		return place[:i]
	}
	return place
}

// allPaths is every path that the call names, as it names them.
func (c *call) allPaths() []string {
	var list []string
	seen := map[string]bool{"": true}
	add := func(path string) {
		if !seen[path] {
			seen[path] = true
			list = append(list, path)
		}
	}
	for _, place := range c.paths {
		add(placeOnly(place))
	}
	in := parse(c.input)
	for _, key := range append(pathKeys, "source", "destination", "from", "to", "old_path", "new_path", "cwd", "directory") {
		add(in.text(key))
	}
	for _, key := range []string{"paths", "files", "directories"} {
		for _, path := range texts(in, key) {
			add(path)
		}
	}
	for _, d := range c.diffs {
		add(d.Path)
	}
	for _, path := range c.also {
		add(path)
	}
	return list
}

// command is the exact command of the call; "" when it has none.
func (c *call) command() string {
	in := parse(c.input)
	if command := in.firstText("command", "cmd", "script"); command != "" {
		return command
	}
	for _, key := range []string{"command", "cmd", "argv", "args"} {
		if list := texts(in, key); len(list) > 0 {
			return strings.Join(list, " ")
		}
	}
	return ""
}

var addressInText = program.Pattern(`https?://[^\s"'<>)\]]+`)

// subject is what the row is about.
func (c *call) subject(cwd string) string {
	in := parse(c.input)
	switch name := c.name(); {
	case c.kindOf() == engine.KindExecute:
		return cmp.Or(c.command(), c.titleUnlessTool())
	case name == "Read", name == "Edit":
		return cmp.Or(inside(cwd, c.path()), c.titleUnlessTool())
	case name == "Grep":
		pattern := in.firstText("pattern", "query", "regex", "glob")
		if pattern == "" {
			return c.titleUnlessTool()
		}
		subject := `"` + pattern + `"`
		if where := in.text("path"); where != "" {
			subject += " in " + inside(cwd, where)
		}
		return subject
	case name == "WebFetch":
		if url := in.text("url"); url != "" {
			return url
		}
		return cmp.Or(addressInText().FindString(c.title), c.titleUnlessTool())
	case name == "WebSearch":
		return cmp.Or(in.firstText("query", "q", "search"), c.titleUnlessTool())
	case c.invalid():
		return ""
	case name == c.tool && name != c.title:
		return cmp.Or(inside(cwd, c.path()), c.title)
	}
	return inside(cwd, c.path())
}

// titleUnlessTool is the title, if it says more than which tool it is.
func (c *call) titleUnlessTool() string {
	title := c.title
	if title == c.tool || rowWords[strings.ToLower(title)] != "" || title == c.first && c.inputLess() && c.status == "pending" && !c.asked {
		return ""
	}
	return title
}

// inside is a path as seen from the working folder.
func inside(cwd, path string) string {
	if cwd == "" || !filepath.IsAbs(path) {
		return path
	}
	rel, err := filepath.Rel(cwd, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	if rel == "." {
		return "./"
	}
	return rel
}

// invalid reports a call that the program replaced by its complaint: the model
// named no tool of it, or gave arguments that cannot be read (OpenCode).
func (c *call) invalid() bool {
	return (strings.EqualFold(c.title, "invalid") || strings.EqualFold(c.title, "invalid tool")) && parse(c.input).has("error")
}

// ready reports that it is known what the call does, or that it runs, asks or
// has ended. Only a pending notice without input is held back.
func (c *call) ready() bool {
	if c.asked || c.over() || c.status == "in_progress" || len(c.diffs) > 0 {
		return true
	}
	if c.kindOf() == engine.KindExecute {
		return c.command() != ""
	}
	return !c.inputLess() || len(c.paths) > 0
}

// row is the call as it is to be shown.
func (c *call) row(agent Agent, cwd string) row {
	return row{
		name:    c.name(),
		kind:    c.kindOf(),
		subject: shownSubject(c.subject(cwd)),
		output:  c.shownOutput(),
		input:   bounded(c.input),
		view:    c.view(),
	}
}

// What of a subject a row keeps, in bytes. A permission has it whole.
const maxSubject = 8000

func shownSubject(s string) string {
	if len(s) > maxSubject {
		s = strings.ToValidUTF8(s[:maxSubject], "") + "…"
	}
	return plain.Text(s)
}

// What of an input is handed on; a larger one is left out, for it would be no
// JSON any more when cut.
const maxInput = 256 << 10

func bounded(raw json.RawMessage) string {
	if len(raw) > maxInput || len(parse(raw)) == 0 {
		return ""
	}
	return string(raw)
}
