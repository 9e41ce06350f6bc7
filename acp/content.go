package acp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"conch/engine"
	"conch/plain"
)

// What a row keeps of an output: the last of it.
const maxOutput = 8000

// takeContent takes a call's content, whole. The text of a call that has not run
// describes it and is no output.
func (c *call) takeContent(content []object, asking bool) {
	var text []string
	var diffs []engine.Diff
	for _, item := range content {
		switch item.text("type") {
		case "content":
			block := item.object("content")
			switch block.text("type") {
			case "text":
				text = append(text, block.text("text"))
			case "image", "audio":
				text = append(text, "["+block.text("type")+"]")
			case "resource_link":
				text = append(text, block.text("uri"))
			case "resource":
				text = append(text, block.object("resource").firstText("text", "uri"))
			}
		case "diff":
			if d, ok := readDiff(item); ok {
				diffs = append(diffs, d)
			}
		}
	}
	if len(diffs) > 0 {
		c.diffs = widest(c.diffs, diffs)
	}
	if !asking {
		c.text = c.outputOf(strings.Join(text, "\n"))
	}
}

// outputOf is a content's text without what only describes the call: its
// description and its prompt (Claude, Grok), its folder (Gemini).
func (c *call) outputOf(text string) string {
	in := parse(c.input)
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return ""
	case trimmed == strings.TrimSpace(in.text("description")), trimmed == strings.TrimSpace(in.text("prompt")):
		return ""
	case strings.HasPrefix(text, "[current working directory ") && !c.over():
		return ""
	}
	return unfence(text)
}

// unfence takes the one fence off that a program puts around a whole output.
func unfence(text string) string {
	body, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	first, rest, ok := strings.Cut(body, "\n")
	if !ok || strings.ContainsAny(first, "` ") {
		return text
	}
	rest, ok = strings.CutSuffix(strings.TrimRight(rest, "\n"), "```")
	if !ok || strings.Contains(rest, "\n```") {
		return text
	}
	return rest
}

// readDiff reads one file's change. Programs write a new file as null (Claude)
// or as an empty old text (the others); Gemini says which it is.
func readDiff(item object) (engine.Diff, bool) {
	d := engine.Diff{Path: item.text("path")}
	if d.Path == "" {
		return d, false
	}
	if old, ok := item.optText("oldText"); ok && (old != "" || item.object("_meta").text("kind") == "modify") {
		d.Old = &old
	}
	if now, ok := item.optText("newText"); ok {
		d.New = &now
	}
	if d.Old == nil && d.New == nil {
		return d, false
	}
	meta := item.object("_meta")
	if n, ok := meta.number("old_line"); ok && n > 0 && d.Old != nil {
		d.Line = int(n)
	}
	if details, _ := meta.objects("details"); len(details) == 1 && d.Old != nil {
		if n, ok := details[0].number("old_line"); ok && n > 0 {
			d.Line = int(n)
		}
	}
	return d, true
}

// widest keeps the earlier diff of a file where the later is only a piece of it:
// OpenCode shows the whole file when it asks, and the changed words at the end.
func widest(before, after []engine.Diff) []engine.Diff {
	for i, d := range after {
		for _, earlier := range before {
			if earlier.Path == d.Path && within(d.Old, earlier.Old) && within(d.New, earlier.New) {
				if earlier.Line == 0 {
					earlier.Line = lineIn(earlier, d)
				}
				after[i] = earlier
			}
		}
	}
	return after
}

func within(piece, whole *string) bool {
	if piece == nil || whole == nil {
		return piece == nil && whole == nil
	}
	return len(*piece) <= len(*whole) && strings.Contains(*whole, *piece)
}

// lineIn takes over a line only when both are the same piece.
func lineIn(whole, piece engine.Diff) int {
	if whole.Old != nil && piece.Old != nil && *whole.Old == *piece.Old {
		return piece.Line
	}
	return 0
}

// locationsOf reads places as path or path:line. A permission's empty list takes
// nothing away.
func locationsOf(list []object, before []string, asking bool) []string {
	var paths []string
	for _, each := range list {
		path := each.text("path")
		if path == "" || len(paths) == maxChoices {
			continue
		}
		if line, ok := each.number("line"); ok && line > 0 {
			path = fmt.Sprintf("%s:%d", path, line)
		}
		paths = append(paths, path)
	}
	if len(paths) == 0 && asking {
		return before
	}
	return paths
}

// tail is the last of an output, harmless for a terminal.
func tail(text string) string {
	// What is cut off need not be cleaned; four bytes are the longest rune.
	if over := len(text) - 8*maxOutput; over > 0 {
		text = text[over:]
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	text = plain.Text(text)
	n := utf8.RuneCountInString(text)
	for n > maxOutput {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		n--
	}
	return text
}
