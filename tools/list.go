package tools

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"conch/engine"
)

// Limits of list.
const (
	maxListed    = 1000
	maxLevels    = 8
	maxLeftNames = 12 // of what is left out that are named
)

const listWhat = `List a folder: one path a line, folders with a / at the end. What .gitignore leaves out is not listed but named at the end; all lists it too. ` +
	`At most 1,000 entries. depth goes into folders below. To find a file by its name use search_files with a glob and no pattern; to look into files, search_files or read_file.`

var listTakes = []argument{
	{name: "path", what: "The folder. Without it: the working folder.", kind: "string", min: 1, max: maxPath},
	{name: "depth", what: "How many levels. Without it: 1.", kind: "integer", min: 1, max: maxLevels},
	{name: "all", what: "Also what .gitignore leaves out.", kind: "boolean"},
}

type listArgs struct {
	Path  string `json:"path"`
	Depth int    `json:"depth"`
	All   bool   `json:"all"`
}

func (b *bound) list() *tool {
	t := bind("list", listWhat, listTakes, func(ctx context.Context, args listArgs) (engine.ToolResult, error) {
		p, err := b.target("list", "path", args.Path)
		if err != nil {
			return engine.ToolResult{}, err
		}
		if err := b.missing("list", p); err != nil {
			return engine.ToolResult{}, err
		}
		if err := b.may(ctx, engine.Permission{Tool: "List", Kind: engine.KindRead, Subject: p.shown, Paths: p.paths()}); err != nil {
			return engine.ToolResult{}, err
		}
		if err := p.folder(); err != nil {
			return engine.ToolResult{}, err
		}
		return b.listing(ctx, p, orElse(args.Depth, 1), args.All)
	})
	return rowed(t, func(args listArgs) engine.ToolStart {
		if args.Path == "" {
			args.Path = "."
		}
		return engine.ToolStart{Name: "List", Kind: engine.KindRead, Subject: b.asShown(args.Path)}
	})
}

// folder checks that the place is a folder still.
func (p target) folder() error {
	if err := p.still(); err != nil {
		return err
	}
	info, err := os.Stat(p.real)
	if err != nil {
		return p.trouble("list", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is a file, not a folder: read_file reads it", p.shown)
	}
	return nil
}

func (b *bound) listing(ctx context.Context, p target, depth int, all bool) (engine.ToolResult, error) {
	w := b.walker(p.real, all)
	var out strings.Builder
	listed, more := 0, 0
	var left []string
	err := w.each(ctx, func(f found) error {
		name := b.clean.line(f.rel, 500)
		if f.entry.IsDir() {
			name += "/"
		}
		if f.left && !all {
			left = append(left, name)
			return nil
		}
		if listed == maxListed {
			more++
			return skipIf(f.entry.IsDir())
		}
		if f.entry.Type()&fs.ModeSymlink != 0 {
			if to, err := os.Readlink(filepath.Join(p.real, filepath.FromSlash(f.rel))); err == nil {
				name += " -> " + b.clean.line(to, 200)
			}
		}
		listed++
		out.WriteString(name + "\n")
		return skipIf(f.entry.IsDir() && strings.Count(f.rel, "/")+1 >= depth)
	})
	if err != nil {
		return engine.ToolResult{}, p.trouble("list", err)
	}
	text := out.String()
	if listed == 0 {
		text = "Nothing is in it.\n"
	}
	var notes []string
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%d more are not listed: list a folder below.", more))
	}
	if len(left) > 0 {
		named := strings.Join(left[:min(len(left), maxLeftNames)], ", ")
		if n := len(left) - maxLeftNames; n > 0 {
			named += fmt.Sprintf(" and %d more", n)
		}
		notes = append(notes, "Left out by .gitignore: "+named+".")
	}
	notes = append(notes, w.says()...)
	return engine.ToolResult{Text: withNotes(text, notes), View: engine.View{Result: count(listed, "entry"), Locations: []string{p.path}}}, nil
}

func skipIf(skip bool) error {
	if skip {
		return fs.SkipDir
	}
	return nil
}

// says tells what a walk did not see.
func (w *walker) says() (notes []string) {
	if w.full {
		notes = append(notes, "There is more than was looked at: name a folder below.")
	}
	if w.blind > 0 {
		notes = append(notes, count(w.blind, "folder")+" can't be read.")
	}
	return notes
}

// withNotes puts words of the tool's own behind what it found.
func withNotes(text string, notes []string) string {
	text = strings.TrimSuffix(text, "\n")
	if len(notes) > 0 {
		text += "\n\n[" + strings.Join(notes, " ") + "]"
	}
	return text
}
