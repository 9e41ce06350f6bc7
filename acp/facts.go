package acp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"conch/engine"
	"conch/program"
)

// facts are what a program says of a call's outcome in its own fields.
type facts struct {
	exit    *int
	broken  bool // ended by a signal or a time-out
	lines   int  // lines of a file that was read
	matches int  // -1: not known
	counted bool
	changed int // first changed line of the file, from a unified diff
	claude  object
}

var (
	claudeExit  = program.Pattern(`^Exit code (\d+)`)
	copilotExit = program.Pattern(`\n?<shellId: \S+ completed with exit code -?\d+>\s*$`)
	foundCount  = program.Pattern(`(?i)found (\d+) (match|file)`)
	hunkHead    = program.Pattern(`(?m)^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@`)
)

func (f *facts) take(c *call, meta object) {
	if response := meta.object("claudeCode").object("toolResponse"); response != nil {
		f.claude = response
	}
	out := parse(c.output)
	f.readExit(c, out)
	f.readCounts(c, out)
	f.readChanged(c, out)
}

// readExit finds a command's exit status: exitCode (Qwen), exit_code (Grok, from
// the first update on, so only the last counts), metadata.exit (OpenCode),
// contents[].exitCode (Copilot), or the first line of a failure (Claude).
func (f *facts) readExit(c *call, out object) {
	if !c.over() || c.kindOf() != engine.KindExecute {
		return
	}
	set := func(o object, key string) {
		if n, ok := o.number(key); ok {
			code := int(n)
			f.exit = &code
		}
	}
	set(out, "exitCode")
	set(out, "exit_code")
	set(out.object("metadata"), "exit")
	contents, _ := out.objects("contents")
	for _, each := range contents {
		if each.text("type") == "shell_exit" {
			set(each, "exitCode")
		}
	}
	if c.status == "failed" {
		if words, ok := (object{"o": c.output}).optText("o"); ok {
			if m := claudeExit().FindStringSubmatch(words); m != nil {
				if code, err := strconv.Atoi(m[1]); err == nil {
					f.exit = &code
				}
			}
		}
	}
	f.broken = out.flag("timed_out") || out.has("signal")
}

// failed reports a command that went wrong by its own account.
func (f *facts) failed() bool { return f.exit != nil && *f.exit != 0 || f.broken }

// readCounts finds how much was read or found.
func (f *facts) readCounts(c *call, out object) {
	if !c.over() {
		return
	}
	if n := countLines(f.claude.object("file").text("content")); n > 0 {
		f.lines = n
	}
	if n, ok := out.object("metadata").object("display").number("totalLines"); ok && n > 0 {
		f.lines = int(n)
	}
	for _, each := range []struct {
		from object
		key  string
	}{
		{f.claude, "numMatches"}, {f.claude, "numFiles"},
		{out.object("metadata"), "matches"}, {out.object("metadata"), "count"},
	} {
		if n, ok := each.from.number(each.key); ok && n >= 0 {
			f.matches, f.counted = int(n), true
		}
	}
	if f.counted || c.kindOf() != engine.KindSearch {
		return
	}
	if m := foundCount().FindStringSubmatch(c.text); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			f.matches, f.counted = n, true
		}
	}
}

// readChanged finds the first changed line of the file in a unified diff.
func (f *facts) readChanged(c *call, out object) {
	in := parse(c.input)
	for _, unified := range []string{
		out.object("metadata").text("diff"), out.text("detailedContent"), out.text("fileDiff"), in.text("diff"),
	} {
		if line := firstChanged(unified); line > 0 {
			f.changed = line
			return
		}
	}
	patch, _ := f.claude.objects("structuredPatch")
	if len(patch) == 0 {
		return
	}
	start, _ := patch[0].number("oldStart")
	for i, line := range texts(patch[0], "lines") {
		if !strings.HasPrefix(line, " ") {
			f.changed = int(start) + i
			return
		}
	}
}

// firstChanged is the line of the old file where a unified diff's first change
// stands; 0 when it has none.
func firstChanged(unified string) int {
	m := hunkHead().FindStringSubmatchIndex(unified)
	if m == nil {
		return 0
	}
	start, err := strconv.Atoi(unified[m[2]:m[3]])
	if err != nil {
		return 0
	}
	_, body, _ := strings.Cut(unified[m[1]:], "\n")
	for i, line := range strings.Split(body, "\n") {
		if !strings.HasPrefix(line, " ") {
			return start + i
		}
	}
	return 0
}

// view is what the row can show besides its output.
func (c *call) view() engine.View {
	v := engine.View{ExitCode: c.facts.exit}
	if c.kindOf() != engine.KindExecute { // a command's place is its folder
		v.Locations = c.paths
	}
	for _, d := range c.diffs {
		if d.Line == 0 && len(c.diffs) == 1 {
			d.Line = c.facts.lineOf(d)
		}
		v.Diffs = append(v.Diffs, d)
	}
	v.Result = c.fact()
	return v
}

// lineOf is where a diff's old text begins in its file, when the line of the
// first change is known.
func (f *facts) lineOf(d engine.Diff) int {
	if f.changed == 0 || d.Old == nil || d.New == nil {
		return 0
	}
	same := 0
	before, after := strings.Split(*d.Old, "\n"), strings.Split(*d.New, "\n")
	for same < len(before) && same < len(after) && before[same] == after[same] {
		same++
	}
	return max(f.changed-same, 0)
}

// fact is the short word at the right of a row.
func (c *call) fact() string {
	if !c.over() || c.status == "failed" || c.refused != "" {
		return ""
	}
	switch c.name() {
	case "Read":
		lines := c.facts.lines
		if lines == 0 {
			lines = countLines(c.shownOutput())
		}
		return some(lines, "line", "lines")
	case "Grep":
		if c.facts.counted {
			if strings.EqualFold(c.tool, "glob") {
				return some(c.facts.matches, "file", "files")
			}
			return some(c.facts.matches, "match", "matches")
		}
	case "Bash":
		if c.facts.exit != nil && *c.facts.exit != 0 {
			return fmt.Sprintf("exit %d", *c.facts.exit)
		}
	}
	return ""
}

func some(n int, one, many string) string {
	switch {
	case n < 0, n == 0 && one == "line":
		return ""
	case n == 1:
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func countLines(s string) int {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return 0
	}
	return strings.Count(s, "\n") + 1
}

// shownOutput is the output so far: the content's text, or what the raw output
// says where that says it better.
func (c *call) shownOutput() string {
	out := parse(c.output)
	text := c.text
	switch {
	case out.text("type") == "shell_result": // Qwen: its text is a form around it
		text = out.text("output")
	case strings.TrimSpace(text) == "" && c.over():
		text = rawText(c.output, out)
	}
	if c.kindOf() == engine.KindExecute {
		text = copilotExit().ReplaceAllString(text, "")
	}
	return tail(text)
}

// rawText is the text of a raw output in the places where programs keep it.
func rawText(raw json.RawMessage, out object) string {
	if s, ok := (object{"o": raw}).optText("o"); ok {
		return s
	}
	return out.firstText("output", "content", "text", "message", "error", "stdout", "formatted_output")
}
