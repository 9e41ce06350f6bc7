package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"conch/engine"
)

// Limits of search_files.
const (
	maxHits       = 200
	defaultHits   = 100
	maxAround     = 10
	maxHitLine    = 300      // characters
	maxFileSearch = 10 << 20 // bytes of a file that is looked into
	maxFoundText  = 60 << 10 // bytes of the answer
	maxPatternLen = 1000
)

const searchFilesWhat = `Search the files of a folder. With pattern: lines that fit a regular expression (RE2: no lookaround, no backreferences), or with plain those that hold exactly these words. ` +
	`Without pattern: the files whose path fits glob. Answers are path:line:text, context lines path-line-text. files_only gives each file once with its number of lines. ` +
	`What .gitignore leaves out, binary files and git's own are skipped; all looks into ignored ones too. At most 100 lines unless limit says more (up to 200). ` +
	`A glob such as *.go fits in any folder, src/**/*.ts from the searched folder.`

var searchFilesTakes = []argument{
	{name: "pattern", what: "What to look for in the files.", kind: "string", min: 1, max: maxPatternLen},
	{name: "path", what: "The folder or file. Without it: the working folder.", kind: "string", min: 1, max: maxPath},
	{name: "glob", what: "Only files whose path fits.", kind: "string", min: 1, max: 300},
	{name: "plain", what: "Take pattern as words, not as a regular expression.", kind: "boolean"},
	{name: "ignore_case", kind: "boolean"},
	{name: "context", what: "Lines to show around each. Without it: 0.", kind: "integer", min: 0, max: maxAround},
	{name: "files_only", what: "Only which files.", kind: "boolean"},
	{name: "all", what: "Also what .gitignore leaves out.", kind: "boolean"},
	{name: "limit", what: "How many at most.", kind: "integer", min: 1, max: maxHits},
}

type searchFilesArgs struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	Plain      bool   `json:"plain"`
	IgnoreCase bool   `json:"ignore_case"`
	Context    int    `json:"context"`
	FilesOnly  bool   `json:"files_only"`
	All        bool   `json:"all"`
	Limit      int    `json:"limit"`
}

func (b *bound) searchFiles() *tool {
	t := bind("search_files", searchFilesWhat, searchFilesTakes, func(ctx context.Context, args searchFilesArgs) (engine.ToolResult, error) {
		s, err := args.search()
		if err != nil {
			return engine.ToolResult{}, err
		}
		p, err := b.target("search_files", "path", args.Path)
		if err != nil {
			return engine.ToolResult{}, err
		}
		if err := b.missing("search_files", p); err != nil {
			return engine.ToolResult{}, err
		}
		if err := b.may(ctx, engine.Permission{Tool: "Grep", Kind: engine.KindSearch, Subject: args.subject(b), Paths: p.paths()}); err != nil {
			return engine.ToolResult{}, err
		}
		if err := p.still(); err != nil {
			return engine.ToolResult{}, err
		}
		s.b, s.args = b, args
		if err := s.run(ctx, p); err != nil {
			return engine.ToolResult{}, p.trouble("search", err)
		}
		return s.result(), nil
	})
	return rowed(t, func(args searchFilesArgs) engine.ToolStart {
		return engine.ToolStart{Name: "Grep", Kind: engine.KindSearch, Subject: args.subject(b)}
	})
}

// subject is what a row says of a search.
func (a searchFilesArgs) subject(b *bound) string {
	var parts []string
	if a.Pattern != "" {
		parts = append(parts, strconv.Quote(a.Pattern))
	}
	if a.Glob != "" {
		parts = append(parts, a.Glob)
	}
	if a.Path != "" {
		parts = append(parts, "in "+b.asShown(a.Path))
	}
	return strings.Join(parts, " ")
}

// fileSearch is a search that runs.
type fileSearch struct {
	b    *bound
	args searchFilesArgs

	line *regexp.Regexp // nil: only paths are looked at
	glob *regexp.Regexp
	name bool // glob is of the last name alone

	out   strings.Builder
	hits  int
	files int
	over  bool // there is more
	large int  // files that are too large to look into
	walk  *walker
}

// search checks what can be wrong with the words of a search.
func (a searchFilesArgs) search() (*fileSearch, error) {
	bad := &BadArguments{Tool: "search_files"}
	s := &fileSearch{}
	if a.Pattern == "" && a.Glob == "" {
		bad.add("pattern", "wanted a pattern, a glob or both, got neither")
	}
	if a.Pattern != "" {
		text := a.Pattern
		if a.Plain {
			text = regexp.QuoteMeta(text)
		}
		if a.IgnoreCase {
			text = "(?i)" + text
		}
		var err error
		if s.line, err = regexp.Compile(text); err != nil {
			why := err.Error()
			var says *syntax.Error
			if errors.As(err, &says) {
				why = says.Code.String() + ": " + says.Expr
			}
			bad.add("pattern", "wanted a regular expression (RE2), got one with "+shown(why)+"; plain: true takes it as words")
		}
	}
	if a.Glob != "" {
		glob, err := globOf(a.Glob)
		if err != nil {
			bad.add("glob", "wanted a glob such as *.go or src/**/*.ts, got "+strconv.Quote(shown(a.Glob)))
		}
		s.glob, s.name = glob, !strings.Contains(a.Glob, "/")
	}
	if len(bad.Problems) > 0 {
		return nil, bad
	}
	return s, nil
}

// globOf compiles a glob, with {a,b} as people write it.
func globOf(glob string) (*regexp.Regexp, error) {
	var all []string
	for _, each := range alternatives(strings.TrimPrefix(glob, "./"), 0) {
		all = append(all, expression(each))
	}
	return regexp.Compile(strings.Join(all, "|"))
}

// alternatives writes the braces of a glob out; beyond 64 they stay as they are.
func alternatives(glob string, depth int) []string {
	open := strings.IndexByte(glob, '{')
	if open < 0 || depth > 3 {
		return []string{glob}
	}
	end := strings.IndexByte(glob[open:], '}')
	if end < 0 {
		return []string{glob}
	}
	end += open
	var all []string
	for _, each := range strings.Split(glob[open+1:end], ",") {
		all = append(all, alternatives(glob[:open]+each+glob[end+1:], depth+1)...)
		if len(all) > 64 {
			return []string{glob}
		}
	}
	return all
}

func (s *fileSearch) run(ctx context.Context, p target) error {
	info, err := os.Stat(p.real)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		if err := p.ordinary(info); err != nil {
			return err
		}
		if s.walk = (&walker{visited: 1}); !s.fits(filepath.Base(p.real)) {
			return nil
		}
		_, err := s.file(ctx, p.real, p.shown)
		return err
	}
	s.walk = s.b.walker(p.real, s.args.All)
	return s.walk.each(ctx, func(f found) error {
		if f.left && !s.args.All || !f.entry.Type().IsRegular() || !s.fits(f.rel) {
			return nil
		}
		shown := path.Join(p.shown, f.rel)
		if filepath.IsAbs(p.shown) {
			shown = filepath.Join(p.shown, filepath.FromSlash(f.rel))
		}
		enough, err := s.file(ctx, filepath.Join(p.real, filepath.FromSlash(f.rel)), shown)
		if err != nil {
			return err
		}
		if enough {
			return errEnough
		}
		return nil
	})
}

func (s *fileSearch) fits(rel string) bool {
	if s.glob == nil {
		return true
	}
	if s.name {
		rel = path.Base(rel)
	}
	return s.glob.MatchString(rel)
}

// file looks into one file. What can't be read is passed over.
func (s *fileSearch) file(ctx context.Context, at, shown string) (enough bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	shown = s.b.clean.line(shown, 500)
	if s.line == nil {
		return s.say(shown), nil
	}
	f, err := os.OpenFile(at, os.O_RDONLY|openNow|openNoLink, 0)
	if err != nil {
		return false, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	if info.Size() > maxFileSearch {
		s.large++
		return false, nil
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFileSearch))
	if err != nil {
		return false, nil
	}
	if isUTF16(text) {
		text = []byte(fromUTF16(text))
	}
	if isBinary(text[:min(len(text), sniffed)]) || !s.line.Match(text) && !strings.ContainsAny(s.line.String(), `^$\`) {
		return false, nil
	}
	return s.lines(shown, text), nil
}

// lines looks at each line of a file.
func (s *fileSearch) lines(shown string, text []byte) (enough bool) {
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	fitting := 0
	first := true
	through := -1 // the last line that is shown
	for i, line := range lines {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if !s.line.Match(line) {
			continue
		}
		if fitting++; s.args.FilesOnly {
			continue
		}
		if s.hits >= orElse(s.args.Limit, defaultHits) || s.out.Len() > maxFoundText {
			s.over = true
			return true
		}
		if first {
			s.files++
			first = false
		}
		s.hits++
		from := max(i-s.args.Context, through+1)
		if s.args.Context > 0 && s.out.Len() > 0 && (through < 0 || from > through+1) {
			s.out.WriteString("--\n")
		}
		for n := from; n <= min(i+s.args.Context, len(lines)-1); n++ {
			sign := "-"
			if s.line.Match(bytes.TrimSuffix(lines[n], []byte("\r"))) {
				sign = ":"
			}
			if n > i && sign == ":" {
				break // it comes by itself, and counts
			}
			s.out.WriteString(shown + sign + strconv.Itoa(n+1) + sign + s.piece(lines[n]) + "\n")
			through = n
		}
	}
	if s.args.FilesOnly && fitting > 0 {
		return s.say(fmt.Sprintf("%s: %s", shown, count(fitting, "line")))
	}
	return false
}

// piece is a line, around where it fits when it is long.
func (s *fileSearch) piece(line []byte) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) <= maxHitLine {
		return string(line)
	}
	from := 0
	if at := s.line.FindIndex(line); at != nil {
		from = max(0, at[0]-maxHitLine/3)
	}
	piece := strings.ToValidUTF8(string(line[from:min(len(line), from+maxHitLine)]), "")
	if from > 0 {
		piece = "…" + piece
	}
	return piece + "…"
}

// say adds a file to the answer.
func (s *fileSearch) say(line string) (enough bool) {
	if s.files >= orElse(s.args.Limit, defaultHits) || s.out.Len() > maxFoundText {
		s.over = true
		return true
	}
	s.files++
	s.out.WriteString(line + "\n")
	return false
}

func (s *fileSearch) result() engine.ToolResult {
	var notes []string
	result := count(s.hits, "match") + " in " + count(s.files, "file")
	if s.line == nil || s.args.FilesOnly {
		result = count(s.files, "file")
	}
	text := s.b.clean.text(s.out.String())
	switch {
	case s.files == 0:
		text, result = "Nothing fits.", "nothing"
		notes = append(notes, count(s.walk.visited, "file")+" and folders were looked at.")
	case s.over:
		notes = append(notes, "There is more: narrow it by path or glob, or raise limit.")
		result += ", and more"
	}
	if s.large > 0 {
		notes = append(notes, count(s.large, "file")+" over 10 MB were not looked into.")
	}
	return engine.ToolResult{Text: withNotes(text, append(notes, s.walk.says()...)), View: engine.View{Result: result}}
}
