package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// FileName is the file's name in the folder of Conch's home.
const FileName = "config.toml"

// maxFile bounds the file, in bytes: nobody writes a longer one by hand.
const maxFile = 256 << 10

// Error is a file that cannot be read as TOML at all.
type Error struct {
	Path         string
	Line, Column int // from 1; 0 when the trouble has no place
	Reason       string
	Next         string // the one next step
	Err          error
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s cannot be read: line %d, column %d: %s", FileName, e.Line, e.Column, e.Reason)
	}
	return fmt.Sprintf("%s cannot be read: %s", FileName, e.Reason)
}

func (e *Error) Unwrap() error { return e.Err }

// Load reads home/config.toml. A missing file is the default configuration.
// Warnings name unknown keys and odd values, each with its line; the error is an
// *Error, and the configuration then the default one.
func Load(home string) (c Config, warnings []string, err error) {
	path := filepath.Join(home, FileName)
	raw, err := readBounded(path)
	if errors.Is(err, os.ErrNotExist) {
		return Default(), nil, nil
	}
	if err != nil {
		next := "check that the file " + path + " may be read"
		if info, e := os.Stat(home); e == nil && !info.IsDir() {
			err, next = fmt.Errorf("%s is a file, and Conch keeps a folder there", home), "move it away, or set CONCH_HOME to another folder"
		}
		return Default(), nil, &Error{Path: path, Reason: reason(err), Next: next, Err: err}
	}
	c, warnings, err = Parse(raw)
	var e *Error
	if errors.As(err, &e) {
		e.Path = path
		e.Next = "mend that line, or move the file away: " + path
	}
	return c, warnings, err
}

func readBounded(path string) ([]byte, error) {
	// A pipe in its place would be waited for.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		return nil, errors.New("it is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(raw) > maxFile {
		err = fmt.Errorf("it is larger than %d KiB", maxFile>>10)
	}
	return raw, err
}

// reason is an error's last part, without the path that it repeats.
func reason(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// Parse reads the text of a config.toml.
func Parse(raw []byte) (Config, []string, error) {
	c := Default()
	if len(raw) > maxFile {
		return c, nil, &Error{Reason: fmt.Sprintf("it is larger than %d KiB", maxFile>>10)}
	}
	if line, deep := tooDeep(raw); deep {
		return c, nil, &Error{Line: line, Column: 1, Reason: "brackets are nested too deep"}
	}
	var doc map[string]any
	if err := toml.Unmarshal(raw, &doc); err != nil {
		e := &Error{Reason: strings.TrimPrefix(err.Error(), "toml: "), Err: err}
		var at *toml.DecodeError
		if errors.As(err, &at) {
			e.Line, e.Column = at.Position()
		}
		return c, nil, e
	}
	r := &reader{lines: lineIndex(raw)}
	readTable(r, "", doc, &c, topKeys)
	r.sections(doc, &c)
	r.check(&c)
	sort.SliceStable(r.found, func(i, j int) bool { return r.found[i].line < r.found[j].line })
	var warnings []string
	for _, f := range r.found {
		warnings = append(warnings, f.String())
	}
	return c, warnings, nil
}

// maxWarnings bounds what is said about one file.
const maxWarnings = 50

type reader struct {
	lines map[string]int // of each key, by its path
	found []warning
}

type warning struct {
	line int
	text string
}

func (w warning) String() string {
	if w.line > 0 {
		return fmt.Sprintf("%s line %d: %s", FileName, w.line, w.text)
	}
	return fmt.Sprintf("%s: %s", FileName, w.text)
}

// warn notes something about a key. path is as in lineIndex; a path without a
// line of its own has that of what holds it.
func (r *reader) warn(path, format string, args ...any) {
	if len(r.found) >= maxWarnings {
		return
	}
	line := 0
	for p := path; ; {
		if n, ok := r.lines[p]; ok {
			line = n
			break
		}
		i := strings.LastIndexByte(p, sep)
		if i < 0 {
			break
		}
		p = p[:i]
	}
	r.found = append(r.found, warning{line, fmt.Sprintf(format, args...)})
}

// readTable sets the fields of v from a table by its keys, and warns about the
// rest of the table.
func readTable[T any](r *reader, path string, table map[string]any, v *T, keys []key[T]) {
	known := map[string]bool{}
	for _, k := range keys {
		known[k.name] = true
		value, ok := table[k.name]
		if !ok {
			continue
		}
		if err := k.set(v, value); err != nil {
			r.warn(join(path, k.name), "%s: %s", k.name, err)
		}
	}
	if path == "" { // the sections have readers of their own
		for _, s := range sectionNames {
			known[s] = true
		}
	}
	for name := range table {
		if !known[name] {
			r.warn(join(path, name), "%q is not a key that this Conch knows%s", clip(name), nearest(name, known))
		}
	}
}

// nearest names the known key that was probably meant.
func nearest(name string, known map[string]bool) string {
	best, at := "", 3
	for k := range known {
		if d := distance(strings.ToLower(name), k); d < at || d == at && best != "" && k < best {
			best, at = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is how many letters two short words are apart.
func distance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return 40
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := before
			if a[i-1] != b[j-1] {
				cost++
			}
			before = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

// bare gives a name as it may be printed: odd ones in quotes.
func bare(name string) string {
	if isEnvName(strings.ReplaceAll(name, "-", "_")) && len(name) <= 40 {
		return name
	}
	return strconv.Quote(clip(name))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return s
}
