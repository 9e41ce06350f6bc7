package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"conch/plain"
	"conch/redact"
)

// maxArguments is how many bytes of arguments are looked at, beside long texts.
const maxArguments = 64 << 10

// room is how many bytes the arguments of a tool may have: a file's text needs more,
// and each of its characters may be written in six bytes.
func room(fields []argument) int {
	n := maxArguments
	for _, f := range fields {
		if f.kind == "string" && f.max > 10_000 {
			n += 6 * f.max
		}
	}
	return n
}

// argument is one thing that a tool takes. The schema that a provider is told and
// the check of what it sends are made from the same value.
type argument struct {
	name     string
	what     string // description
	kind     string // string, integer, boolean, array or object
	min, max int    // characters of a string, value of an integer, items of an array
	among    []string
	required bool
	item     *argument  // of an array
	fields   []argument // of an object, in order
}

// schema is the argument's JSON Schema. Unknown fields are refused in it.
func (a argument) schema() map[string]any {
	s := map[string]any{"type": a.kind}
	if a.what != "" {
		s["description"] = a.what
	}
	switch a.kind {
	case "string":
		if len(a.among) > 0 {
			s["enum"] = a.among
		} else {
			s["minLength"], s["maxLength"] = a.min, a.max
		}
	case "integer":
		s["minimum"], s["maximum"] = a.min, a.max
	case "array":
		s["minItems"], s["maxItems"] = a.min, a.max
		s["items"] = a.item.schema()
	case "object":
		properties := map[string]any{}
		required := []string{}
		for _, f := range a.fields {
			properties[f.name] = f.schema()
			if f.required {
				required = append(required, f.name)
			}
		}
		s["properties"], s["required"], s["additionalProperties"] = properties, required, false
	}
	return s
}

// schemaOf writes the schema of a tool that takes the fields.
func schemaOf(fields []argument) json.RawMessage {
	raw, err := json.Marshal(argument{kind: "object", fields: fields}.schema())
	if err != nil {
		return nil // words and numbers always marshal
	}
	return raw
}

// BadArguments says what is wrong with the arguments of a call, each field by its
// name, with what was wanted and what came.
type BadArguments struct {
	Tool     string
	Problems []string
}

// The most that is said of wrong arguments.
const (
	maxProblems = 8
	maxCame     = 60 // characters of a value that came
)

func (e *BadArguments) Error() string {
	said := e.Problems
	more := ""
	if len(said) > maxProblems {
		more = fmt.Sprintf("; and %d more", len(said)-maxProblems)
		said = said[:maxProblems]
	}
	return "the arguments of " + e.Tool + " don't fit: " + strings.Join(said, "; ") + more
}

// read checks arguments against the fields and puts them into to, a pointer to a
// struct with the fields' names. Fields that came as null are as if they had not.
func read(tool string, fields []argument, raw json.RawMessage, to any) error {
	bad := &BadArguments{Tool: tool}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if most := room(fields); len(raw) > most {
		bad.add("", fmt.Sprintf("wanted at most %d bytes, got %d", most, len(raw)))
		return bad
	}
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	var came any
	if err := in.Decode(&came); err != nil {
		bad.add("", "wanted a JSON object, got what is no JSON")
		return bad
	}
	if _, err := in.Token(); err != io.EOF {
		bad.add("", "wanted one JSON object, got more behind it")
		return bad
	}
	checked := bad.check("", argument{kind: "object", fields: fields}, came)
	if len(bad.Problems) > 0 {
		return bad
	}
	clean, err := json.Marshal(checked)
	if err != nil {
		return fmt.Errorf("read the arguments of %s: %w", tool, err)
	}
	if err := json.Unmarshal(clean, to); err != nil {
		return fmt.Errorf("read the arguments of %s: %w", tool, err)
	}
	return nil
}

func (e *BadArguments) add(path, problem string) {
	if path != "" {
		problem = path + ": " + problem
	}
	e.Problems = append(e.Problems, problem)
}

// check gives the value as it was wanted, and notes what does not fit.
func (e *BadArguments) check(path string, want argument, came any) any {
	switch want.kind {
	case "object":
		if m, ok := came.(map[string]any); ok {
			return e.checkObject(path, want, m)
		}
	case "array":
		if list, ok := came.([]any); ok {
			if len(list) < want.min || len(list) > want.max {
				e.add(path, "wanted "+wanted(want)+", got "+count(len(list), "item"))
				return nil
			}
			out := make([]any, len(list))
			for i, each := range list {
				out[i] = e.check(path+"["+strconv.Itoa(i)+"]", *want.item, each)
			}
			return out
		}
	case "string":
		if s, ok := came.(string); ok && fitsText(want, s) {
			return s
		}
	case "boolean":
		if b, ok := came.(bool); ok {
			return b
		}
	case "integer":
		if n, ok := came.(json.Number); ok {
			if f, err := n.Float64(); err == nil && f == math.Trunc(f) && f >= float64(want.min) && f <= float64(want.max) {
				return int(f)
			}
		}
	}
	e.add(path, "wanted "+wanted(want)+", got "+described(want, came))
	return nil
}

func fitsText(want argument, s string) bool {
	if len(want.among) > 0 {
		return slices.Contains(want.among, s)
	}
	n := utf8.RuneCountInString(s)
	return n >= want.min && n <= want.max && (want.min == 0 || strings.TrimSpace(s) != "")
}

func (e *BadArguments) checkObject(path string, want argument, came map[string]any) any {
	out := map[string]any{}
	for _, f := range want.fields {
		v, there := came[f.name]
		switch {
		case there && v != nil:
			out[f.name] = e.check(join(path, f.name), f, v)
		case f.required:
			e.add(join(path, f.name), "wanted "+wanted(f)+", got nothing")
		}
	}
	var unknown []string
	for name := range came {
		if !slices.ContainsFunc(want.fields, func(f argument) bool { return f.name == name }) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		e.add(join(path, shown(name)), "not taken; what is taken: "+names(want.fields))
	}
	return out
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func names(fields []argument) string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.name
	}
	return strings.Join(list, ", ")
}

// wanted says in words what fits.
func wanted(a argument) string {
	switch {
	case len(a.among) > 0:
		return "one of " + strings.Join(a.among, ", ")
	case a.kind == "string":
		return fmt.Sprintf("text of %d to %d characters", a.min, a.max)
	case a.kind == "integer":
		return fmt.Sprintf("a whole number from %d to %d", a.min, a.max)
	case a.kind == "array":
		return fmt.Sprintf("a list of %d to %d items", a.min, a.max)
	case a.kind == "boolean":
		return "true or false"
	}
	return "an object with " + names(a.fields)
}

// described says what came.
func described(want argument, came any) string {
	switch v := came.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return shown(v.String())
	case string:
		n := utf8.RuneCountInString(v)
		switch {
		case want.kind != "string":
			return "the text " + strconv.Quote(shown(v))
		case len(want.among) > 0:
			return strconv.Quote(shown(v))
		case strings.TrimSpace(v) == "":
			return "empty text"
		}
		return count(n, "character")
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

// count writes "1 item", "3 items".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if rest, ok := strings.CutSuffix(what, "ry"); ok {
		what = rest + "rie"
	} else if strings.HasSuffix(what, "ch") {
		what += "e"
	}
	return strconv.Itoa(n) + " " + what + "s"
}
