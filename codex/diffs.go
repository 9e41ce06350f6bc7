package codex

import (
	"strconv"
	"strings"

	"conch/engine"
)

// diffs reads a change's files. Of an update Codex gives hunks, of a new file its
// bare content.
func diffs(changes []change) []engine.Diff {
	var all []engine.Diff
	for _, c := range changes {
		text := c.Diff
		switch c.Kind.Type {
		case "add":
			all = append(all, engine.Diff{Path: c.Path, New: &text})
		case "delete":
			all = append(all, engine.Diff{Path: c.Path, Old: &text})
		default:
			path := c.Path
			if c.Kind.MoveTo != "" {
				path = c.Kind.MoveTo
			}
			all = append(all, hunks(path, text)...)
		}
	}
	return all
}

// hunks reads the hunks of a unified diff, each as a piece of the file before and
// after.
func hunks(path, text string) []engine.Diff {
	var all []engine.Diff
	var before, after strings.Builder
	line, in := 0, false
	flush := func() {
		if in {
			old, now := before.String(), after.String()
			all = append(all, engine.Diff{Path: path, Old: &old, New: &now, Line: line})
		}
		before.Reset()
		after.Reset()
	}
	for each := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(each, "@@"):
			flush()
			in, line = true, hunkLine(each)
		case !in:
		case strings.HasPrefix(each, "-"):
			before.WriteString(each[1:])
		case strings.HasPrefix(each, "+"):
			after.WriteString(each[1:])
		case strings.HasPrefix(each, `\`): // no newline at the end of the file
		default:
			each = strings.TrimPrefix(each, " ")
			before.WriteString(each)
			after.WriteString(each)
		}
	}
	flush()
	return all
}

// hunkLine is the first line of a hunk in the file before: "@@ -12,3 +12,4 @@".
func hunkLine(head string) int {
	_, rest, _ := strings.Cut(head, "-")
	digits := rest
	if i := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		digits = rest[:i]
	}
	n, _ := strconv.Atoi(digits)
	return n
}

// changed names the files of a change.
func changed(changes []change, cwd string) string {
	var paths []string
	for _, c := range changes {
		paths = append(paths, within(c.Path, cwd))
	}
	return strings.Join(paths, ", ")
}

// changeKind is what a change does to the world.
func changeKind(changes []change) engine.ToolKind {
	kind := engine.KindEdit
	for i, c := range changes {
		this := engine.KindEdit
		switch {
		case c.Kind.Type == "delete":
			this = engine.KindDelete
		case c.Kind.MoveTo != "":
			this = engine.KindMove
		}
		if i == 0 || this != engine.KindEdit {
			kind = this
		}
	}
	return kind
}
