package acp

import (
	"slices"
	"strings"

	"conch/engine"
)

// Whose call is it? A program's notice of a call to one of Conch's own tools names
// it in one of the forms below. The same rules decide that the call is not drawn
// twice and that it is allowed without asking, so they err on the program's side:
// what is not understood whole is the program's own.

// doorForms are how programs join the server's name and a tool's.
var doorForms = []string{"mcp__conch__", "mcp_conch_", "conch__", "conch/", "conch-", "conch_", "conch.", "conch: "}

// doorTool is the tool of the door that a name means; "" when it means none.
func doorTool(name string, tools map[string]bool) string {
	for _, form := range doorForms {
		if tool, ok := strings.CutPrefix(name, form); ok && tools[tool] {
			return tool
		}
	}
	for _, form := range []string{" (conch MCP Server)", " (conch)"} {
		if tool, ok := strings.CutSuffix(name, form); ok && tools[tool] {
			return tool
		}
	}
	return ""
}

// bareCall is the tool of a title of the form "tool(args…)", whole: what stands
// behind the closing bracket of the first one makes it something else.
func bareCall(title string, tools map[string]bool) string {
	tool, rest, ok := strings.Cut(title, "(")
	if !ok || !tools[tool] || !strings.HasSuffix(rest, ")") || strings.ContainsAny(title, "\n\r") {
		return ""
	}
	depth := 1
	for i, r := range rest {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i != len(rest)-1 {
			return ""
		}
	}
	if depth != 0 {
		return ""
	}
	return tool
}

// ofDoor is the tool of the door that the call is to; "" when it is the program's
// own. What names the call is, in this order: its id (Gemini), the program's own
// word for the tool, the input of a tool that calls others (Grok), and the title
// under which it was announced. The first that is there decides. A title that
// comes only with a request for permission names nothing.
func (c *call) ofDoor(agent Agent, tools map[string]bool) string {
	if len(tools) == 0 || c.foreign && !c.kindByName(agent, tools) {
		return ""
	}
	if agent.Quirks.IDNamesTool && strings.Contains(c.id, "__") {
		for tool := range tools {
			if strings.HasPrefix(c.id, "mcp_conch_"+tool+"__") {
				return tool
			}
		}
		return ""
	}
	if c.tool != "" && c.tool != callsOthers {
		return doorTool(c.tool, tools)
	}
	if name := parse(c.input).text("tool_name"); name != "" && (c.tool == callsOthers || c.announced == callsOthers || c.announced == name) {
		return doorTool(name, tools)
	}
	if c.echoes {
		return "" // a file, what is looked for or a description may be called like a tool
	}
	if tool := doorTool(c.announced, tools); tool != "" {
		return tool
	}
	if c.kind == "" || c.kind == "other" {
		return bareCall(c.announced, tools)
	}
	return ""
}

// holds reports that the arguments, the places or the changes of a call hold a word:
// a title of that word may be taken from them.
func (c *call) holds(word string) bool {
	if strings.Contains(string(c.input), word) || strings.Contains(c.path(), word) {
		return true
	}
	return slices.ContainsFunc(c.paths, func(path string) bool { return strings.Contains(path, word) }) ||
		slices.ContainsFunc(c.diffs, func(d engine.Diff) bool { return strings.Contains(d.Path, word) })
}

// callsOthers is Grok's tool that calls the tools of servers.
const callsOthers = "use_tool"

// kindByName reports a call to the door whose kind says nothing: the program (Copilot)
// takes it from the tool's name, and an app's write_file edits. Its title must be the
// door's tool, and must not come from the call's own arguments, which have to be there
// and to hold no command.
func (c *call) kindByName(agent Agent, tools map[string]bool) bool {
	return agent.Quirks.KindsByName && len(c.input) > 0 && c.command() == "" && doorTool(c.announced, tools) != "" && !c.echoes
}

// mayBeDoors reports that it is not known yet which tool a call is to.
func (c *call) mayBeDoors(tools map[string]bool) bool {
	return len(tools) > 0 && !c.foreign && (c.tool == callsOthers || c.announced == callsOthers) &&
		parse(c.input).text("tool_name") == "" && !c.asked && !c.over()
}

// notice keeps what kind a call is said to be. One that was ever said to change or
// run something is not the door's, whatever is said later (but see kindByName).
func (c *call) notice(kind string) {
	switch kind {
	case "", "other", "read", "search", "think": // Copilot takes the kind from the tool's name: search_chats searches
	default:
		c.foreign = true
	}
}

// came counts a call that came through the door: the program's notice of it, which
// may be there already or come later, draws nothing.
func (r *rows) came(tool string) {
	r.through++
	r.inside++
	for _, c := range r.list {
		if c.door == tool && !c.claimed && !c.drawn && !c.ended {
			c.claimed = true
			return
		}
	}
	if r.early == nil {
		r.early = map[string]int{}
	}
	r.early[tool]++
}

// whose finds out whether a call is the door's.
func (r *rows) whose(c *call) {
	if c.drawn {
		return
	}
	was := c.door
	c.door = c.ofDoor(r.turn.e.agent, r.tools)
	if c.door != "" && c.door != was && !c.claimed && r.early[c.door] > 0 {
		r.early[c.door]--
		c.claimed = true
	}
}

// hidden reports that the door draws the call. One that ended and never came to the
// door is drawn after all: the program refused it, or the person did.
func (c *call) hidden() bool { return c.door != "" && (c.claimed || !c.over()) }
