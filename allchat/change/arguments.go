package change

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"conch/plain"
	"conch/redact"
)

// Bounds of the arguments.
const (
	MaxArguments = 32 << 20 // bytes
	MaxEdits     = 200      // of one file
)

// The most that is said of wrong arguments.
const (
	maxProblems = 8
	maxCame     = 60 // characters of a value that came
)

// Name is the tool's name.
const Name = "propose_change"

// Description is what a model is told of the tool.
const Description = `Propose a change of the project's files to the person: nothing is written until they have seen and approved exactly this. It is the only way to change files here. ` +
	`Put all files that belong together into one proposal: it is applied whole or not at all. Each file has a path relative to the project and one of: ` +
	`edits (parts of a file that is there: old is replaced by new, in order, and old has to be in the file exactly once), ` +
	`content (the whole text, of a new file or in place of what is there), remove. Prefer edits: they are shorter and safer. Read the files before. ` +
	`The answer says that the proposal waits, not that it is applied; what the person decided comes with a later message.`

// Schema is the JSON Schema of the arguments.
func Schema() json.RawMessage { return json.RawMessage(schema) }

const schema = `{
"type":"object","additionalProperties":false,"required":["summary","files"],"properties":{
"summary":{"type":"string","minLength":1,"maxLength":2000,"description":"What the change does and why, in a few sentences for the person."},
"files":{"type":"array","minItems":1,"maxItems":50,"description":"Every file that changes, each once.","items":{
"type":"object","additionalProperties":false,"required":["path"],"properties":{
"path":{"type":"string","minLength":1,"maxLength":1024,"description":"The file, relative to the project, parted by /: src/cart.go"},
"edits":{"type":"array","minItems":1,"maxItems":200,"description":"Changes of parts of a file that is there, made one after the other.","items":{
"type":"object","additionalProperties":false,"required":["old","new"],"properties":{
"old":{"type":"string","minLength":1,"description":"The exact text that is there, white space too, without line numbers, and only once in the file: give enough lines around it."},
"new":{"type":"string","description":"What takes its place. Empty to take it out."},
"all":{"type":"boolean","description":"Replace each place where old stands."}}}},
"content":{"type":"string","description":"All that the file is to hold, at most 1 MiB. Folders on the way are made."},
"remove":{"type":"boolean","description":"true: the file goes."}}}}}}`

// BadArguments says what is wrong with the arguments of a call, each field by its
// name, with what was wanted and what came.
type BadArguments struct{ Problems []string }

func (e *BadArguments) Error() string {
	said, more := e.Problems, ""
	if len(said) > maxProblems {
		more = fmt.Sprintf("; and %d more", len(said)-maxProblems)
		said = said[:maxProblems]
	}
	return "the arguments of " + Name + " don't fit: " + strings.Join(said, "; ") + more
}

func (e *BadArguments) add(field, problem string) {
	e.Problems = append(e.Problems, field+": "+problem)
}

// request is what a call asks for.
type request struct {
	summary string
	files   []wish
}

// wish is one file of it: one of edits, content and remove.
type wish struct {
	path    string // checked
	edits   []edit
	content *string
	remove  bool
}

type edit struct {
	old, new string
	all      bool
}

// parse reads the arguments of a call. Fields that came as null are as if they had not;
// others than those of the schema are refused. The error is a *BadArguments.
func parse(raw json.RawMessage) (request, error) {
	bad := &BadArguments{}
	if len(raw) > MaxArguments {
		return request{}, &BadArguments{[]string{fmt.Sprintf("wanted at most %d bytes, got %d", MaxArguments, len(raw))}}
	}
	came, err := strictly(raw)
	if err != nil {
		return request{}, &BadArguments{[]string{err.Error()}}
	}
	top, ok := came.(map[string]any)
	if !ok {
		return request{}, &BadArguments{[]string{"wanted a JSON object, got " + described(came)}}
	}
	bad.only(top, "", "summary", "files")
	r := request{summary: bad.text(top, "", "summary", MaxSummary, true)}
	for i, item := range bad.list(top, "", "files", MaxFiles, true) {
		r.files = append(r.files, bad.wish(item, "files["+strconv.Itoa(i)+"]"))
	}
	if len(bad.Problems) > 0 {
		return request{}, bad
	}
	paths := make([]string, len(r.files))
	for i, w := range r.files {
		paths[i] = w.path
	}
	if a, b := twice(paths); a != "" {
		bad.add("files", sameFile(a, b))
		return request{}, bad
	}
	return r, nil
}

func sameFile(a, b string) string {
	switch {
	case a == b:
		return a + " is there twice; give each file once, with all its edits"
	case folded(a) == folded(b):
		return a + " and " + b + " are one file where letter case does not count"
	}
	return a + " would be a file and a folder"
}

func (e *BadArguments) wish(item any, field string) wish {
	m, ok := item.(map[string]any)
	if !ok {
		e.add(field, "wanted an object with path and one of edits, content, remove, got "+described(item))
		return wish{}
	}
	e.only(m, field, "path", "edits", "content", "remove")
	var w wish
	if named := e.text(m, field, "path", maxPath, true); named != "" {
		clean, err := CheckPath(named)
		if err != nil {
			e.add(field+".path", err.Error()+" ("+strconv.Quote(shown(named))+")")
		}
		w.path = clean
	}
	ways := 0
	if m["edits"] != nil {
		ways++
		for i, item := range e.list(m, field, "edits", MaxEdits, true) {
			at := field + ".edits[" + strconv.Itoa(i) + "]"
			each, ok := item.(map[string]any)
			if !ok {
				e.add(at, "wanted an object with old and new, got "+described(item))
				continue
			}
			e.only(each, at, "old", "new", "all")
			w.edits = append(w.edits, edit{
				old: e.text(each, at, "old", MaxFile, true),
				new: e.text(each, at, "new", MaxFile, false),
				all: e.truth(each, at, "all"),
			})
		}
	}
	if m["content"] != nil {
		ways++
		text := e.text(m, field, "content", MaxFile, false)
		w.content = &text
	}
	if w.remove = e.truth(m, field, "remove"); w.remove {
		ways++
	}
	if ways != 1 {
		e.add(field, fmt.Sprintf("wanted one of edits, content and remove, got %d of them", ways))
	}
	return w
}

// only notes keys that are not taken.
func (e *BadArguments) only(m map[string]any, field string, taken ...string) {
	var unknown []string
	for key := range m {
		if !slices.Contains(taken, key) {
			unknown = append(unknown, key)
		}
	}
	slices.Sort(unknown)
	for _, key := range unknown {
		e.add(join(field, shown(key)), "not taken; what is taken: "+strings.Join(taken, ", "))
	}
}

// text is the text of a field, of at most most bytes.
func (e *BadArguments) text(m map[string]any, field, name string, most int, filled bool) string {
	s, ok := m[name].(string)
	switch {
	case !ok && m[name] == nil:
		e.add(join(field, name), "wanted text, got nothing")
	case !ok:
		e.add(join(field, name), "wanted text, got "+described(m[name]))
	case len(s) > most:
		e.add(join(field, name), fmt.Sprintf("wanted at most %d bytes of text, got %d", most, len(s)))
	case filled && s == "":
		e.add(join(field, name), "wanted text, got empty text")
	case name == "summary" && strings.TrimSpace(plain.Text(s)) == "":
		e.add(name, "wanted text, got blank text")
	case strings.ContainsRune(s, 0):
		e.add(join(field, name), "wanted text, got some with a zero byte in it")
	default:
		return s
	}
	return ""
}

func (e *BadArguments) list(m map[string]any, field, name string, most int, filled bool) []any {
	list, ok := m[name].([]any)
	switch {
	case !ok:
		e.add(join(field, name), "wanted a list, got "+described(m[name]))
	case len(list) > most, filled && len(list) == 0:
		e.add(join(field, name), fmt.Sprintf("wanted a list of 1 to %d items, got %d", most, len(list)))
	default:
		return list
	}
	return nil
}

func (e *BadArguments) truth(m map[string]any, field, name string) bool {
	b, ok := m[name].(bool)
	if !ok && m[name] != nil {
		e.add(join(field, name), "wanted true or false, got "+described(m[name]))
	}
	return b
}

func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

// described says what came.
func described(came any) string {
	switch v := came.(type) {
	case nil:
		return "nothing"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return shown(v.String())
	case string:
		return "text"
	case []any:
		return "a list"
	}
	return "an object"
}

// shown is a piece of what came, fit to be said.
func shown(s string) string {
	s, _ = redact.Redact(plain.Line(s, 4*maxCame))
	return plain.Line(s, maxCame)
}

// hidden refuses a text that would put the sign for a hidden secret into a file that
// does not hold it.
func hidden(was, text string) error {
	if strings.Contains(text, redact.Marker) && !strings.Contains(was, redact.Marker) {
		return errors.New(redact.Marker + " stands for a secret that you are not shown: it would be written in its place. Change a piece without it")
	}
	return nil
}

// isText tells whether edits can be made in a file.
func isText(data []byte) bool {
	return utf8.Valid(data) && !slices.Contains(data, 0)
}
