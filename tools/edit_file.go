package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"conch/engine"
	"conch/tools/replace"
)

// maxContent is how many characters a call may write.
const maxContent = 1_000_000

const editFileWhat = `Change a file: old is replaced by new. old must be in the file exactly as it stands there, white space too, without the line numbers of read_file, and only once; ` +
	`give enough lines around it, or set all to replace each. To take something out, give an empty new. Read the file before. ` +
	`Line ends and the file's mode stay as they are. For a new file, or to write one whole, use write_file.`

var editFileTakes = []argument{
	{name: "path", what: "The file.", kind: "string", min: 1, max: maxPath, required: true},
	{name: "old", what: "The exact text that is there.", kind: "string", min: 1, max: maxContent, required: true},
	{name: "new", what: "What takes its place.", kind: "string", min: 0, max: maxContent, required: true},
	{name: "all", what: "Replace each place where old stands.", kind: "boolean"},
}

type editFileArgs struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
	All  bool   `json:"all"`
}

func (b *bound) editFile() *tool {
	t := bind("edit_file", editFileWhat, editFileTakes, func(ctx context.Context, args editFileArgs) (engine.ToolResult, error) {
		p, err := b.target("edit_file", "path", args.Path)
		if err != nil {
			return engine.ToolResult{}, err
		}
		if err := b.missing("edit_file", p); err != nil {
			return engine.ToolResult{}, err
		}
		c, n, err := b.edited(p, args)
		if err != nil {
			// What is wrong tells of what the file holds: that is reading it.
			if no := b.may(ctx, engine.Permission{Tool: "Edit", Kind: engine.KindRead, Subject: p.shown, Paths: p.paths()}); no != nil {
				return engine.ToolResult{}, no
			}
			return engine.ToolResult{}, errors.New(b.clean.text(fmt.Sprintf("%s was not changed: %s", p.shown, err)))
		}
		view, err := b.do(ctx, c, "Edit")
		if err != nil {
			return engine.ToolResult{}, err
		}
		text := p.shown + " is changed."
		if n > 1 {
			text = fmt.Sprintf("%s is changed in %d places.", p.shown, n)
		}
		return engine.ToolResult{Text: text, View: view}, nil
	})
	return rowed(t, func(args editFileArgs) engine.ToolStart {
		return engine.ToolStart{Name: "Edit", Kind: engine.KindEdit, Subject: b.asShown(args.Path)}
	})
}

// edited is the file with the change in it.
func (b *bound) edited(p target, args editFileArgs) (change, int, error) {
	c, err := b.present(p)
	if err != nil {
		return c, 0, err
	}
	if c.old == nil {
		return c, 0, errors.New("there is no such file; write_file makes one")
	}
	if isUTF16(c.old) || isBinary(c.old[:min(len(c.old), sniffed)]) {
		return c, 0, errors.New("it is no UTF-8 text")
	}
	if err := c.hidden("new", args.New); err != nil {
		return c, 0, err
	}
	mark, text := cutMark(c.old)
	now, n, err := replace.In(text, args.Old, args.New, args.All, maxEdited)
	if err != nil {
		return c, 0, err
	}
	c.now = append(mark, now...)
	return c, n, nil
}

// cutMark takes the byte order mark off a text.
func cutMark(raw []byte) (mark []byte, text string) {
	if rest, ok := bytes.CutPrefix(raw, []byte("\xef\xbb\xbf")); ok {
		return []byte("\xef\xbb\xbf"), string(rest)
	}
	return nil, string(raw)
}

const writeFileWhat = `Write a file whole: a new one, or in the place of what a file holds. Folders on the way are made. For a change of part of a file use edit_file: it is shorter and safer. ` +
	`Read a file before you write over it. A file that had Windows line ends keeps them.`

var writeFileTakes = []argument{
	{name: "path", what: "The file.", kind: "string", min: 1, max: maxPath, required: true},
	{name: "content", what: "All that it is to hold.", kind: "string", min: 0, max: maxContent, required: true},
}

type writeFileArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (b *bound) writeFile() *tool {
	t := bind("write_file", writeFileWhat, writeFileTakes, func(ctx context.Context, args writeFileArgs) (engine.ToolResult, error) {
		p, err := b.target("write_file", "path", args.Path)
		if err != nil {
			return engine.ToolResult{}, err
		}
		c, err := b.present(p)
		if err != nil {
			return engine.ToolResult{}, err
		}
		if err := c.hidden("content", args.Content); err != nil {
			return engine.ToolResult{}, err
		}
		c.now = []byte(args.Content)
		if c.old != nil {
			c.now = asBefore(c.old, args.Content)
			if bytes.Equal(c.now, c.old) {
				if err := b.may(ctx, engine.Permission{Tool: "Edit", Kind: engine.KindRead, Subject: p.shown, Paths: p.paths()}); err != nil {
					return engine.ToolResult{}, err
				}
				return engine.ToolResult{Text: p.shown + " holds this already.", View: engine.View{Result: "no change"}}, nil
			}
		}
		view, err := b.do(ctx, c, "Edit")
		if err != nil {
			return engine.ToolResult{}, err
		}
		what := " is written ("
		if c.old == nil {
			what = " is made ("
		}
		return engine.ToolResult{Text: p.shown + what + count(linesOf(args.Content), "line") + ").", View: view}, nil
	})
	return rowed(t, func(args writeFileArgs) engine.ToolStart {
		return engine.ToolStart{Name: "Edit", Kind: engine.KindEdit, Subject: b.asShown(args.Path)}
	})
}

// asBefore gives a text the mark and the line ends of the one it takes the place of.
func asBefore(old []byte, text string) []byte {
	mark, was := cutMark(old)
	if n := strings.Count(was, "\n"); n > 0 && n == strings.Count(was, "\r\n") && !strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return append(mark, strings.TrimPrefix(text, "\ufeff")...)
}

func linesOf(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
