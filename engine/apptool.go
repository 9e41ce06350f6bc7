package engine

import "strings"

// AppTool parts the name that the tool of an MCP app has, mcp__<app>__<tool>, as
// Conch and most programs write it. ok is false for any other name.
func AppTool(name string) (app, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	app, tool, ok = strings.Cut(rest, "__")
	return app, tool, ok && app != "" && tool != ""
}
