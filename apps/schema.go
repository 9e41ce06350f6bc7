package apps

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The most that a model is told of what a tool takes.
const (
	maxSchema     = 32 << 10 // bytes
	maxDepth      = 16
	maxProperties = 200
	maxProperty   = 64 // characters of a name
)

var errNoObject = errors.New("it is no object")

// tidy gives an app's schema as model APIs take it: an object with named
// properties, without references to elsewhere, of bounded size. What is only untidy
// is mended; what can't be is an error that says why.
func tidy(raw any) (json.RawMessage, error) {
	if raw == nil {
		raw = map[string]any{} // it takes nothing
	}
	// A copy of our own, and one form for whatever the SDK gives.
	in, err := json.Marshal(raw)
	if err != nil {
		return nil, errors.New("it is no JSON")
	}
	if len(in) > maxSchema {
		return nil, fmt.Errorf("it has more than %d KiB", maxSchema>>10)
	}
	var came any
	if err := json.Unmarshal(in, &came); err != nil {
		return nil, errors.New("it is no JSON")
	}
	if came == nil {
		came = map[string]any{}
	}
	schema, ok := came.(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	if err := top(schema); err != nil {
		return nil, err
	}
	n := 0
	if err := walk(schema, 0, &n); err != nil {
		return nil, err
	}
	out, err := json.Marshal(schema)
	if err != nil {
		return nil, errors.New("it is no JSON")
	}
	return out, nil
}

// top mends what model APIs refuse at the top: another type than object, several of
// them, alternatives, names that no API takes, needed fields that are not there.
func top(s map[string]any) error {
	switch t := s["type"].(type) {
	case nil:
	case string:
		if t != "object" {
			return errNoObject
		}
	case []any:
		if !slices.Contains(t, any("object")) {
			return errNoObject
		}
	default:
		return errNoObject
	}
	s["type"] = "object"
	for _, word := range []string{"anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const", "$schema", "$id", "dependentRequired", "dependentSchemas"} {
		delete(s, word)
	}
	properties, ok := s["properties"].(map[string]any)
	if s["properties"] != nil && !ok {
		return errors.New("its properties are no object")
	}
	if properties == nil {
		properties = map[string]any{}
	}
	needed := texts(s["required"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if fits(name) {
			continue
		}
		if slices.Contains(needed, name) {
			return fmt.Errorf("models can't name its field %q", line(name, 40))
		}
		delete(properties, name)
	}
	s["properties"] = properties
	delete(s, "required")
	needed = slices.DeleteFunc(needed, func(name string) bool { _, there := properties[name]; return !there })
	if len(needed) > 0 {
		slices.Sort(needed)
		s["required"] = slices.Compact(needed)
	}
	return nil
}

// walk checks what lies deeper, and mends words that are not what they must be.
func walk(s map[string]any, depth int, n *int) error {
	if depth > maxDepth {
		return fmt.Errorf("it is more than %d levels deep", maxDepth)
	}
	if ref, there := s["$ref"]; there {
		if at, ok := ref.(string); !ok || !strings.HasPrefix(at, "#") {
			return errors.New("it refers to a place elsewhere")
		}
	}
	if _, ok := s["required"].([]any); depth > 0 && s["required"] != nil && !ok {
		delete(s, "required") // as drafts of long ago have it, at the field itself
	}
	for _, word := range []string{"properties", "$defs", "definitions", "patternProperties"} {
		table, ok := s[word].(map[string]any)
		if !ok {
			delete(s, word)
			continue
		}
		if *n += len(table); *n > maxProperties {
			return fmt.Errorf("it has more than %d fields", maxProperties)
		}
		for name, each := range table {
			deeper, ok := each.(map[string]any)
			if !ok {
				table[name] = map[string]any{} // true, or what is no schema: anything goes
				continue
			}
			if err := walk(deeper, depth+1, n); err != nil {
				return err
			}
		}
	}
	for _, word := range []string{"items", "additionalProperties", "not", "contains", "anyOf", "oneOf", "allOf", "prefixItems"} {
		for _, each := range schemas(s[word]) {
			if err := walk(each, depth+1, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// schemas are the schemas in a word's value, one or a list of them.
func schemas(v any) []map[string]any {
	switch v := v.(type) {
	case map[string]any:
		return []map[string]any{v}
	case []any:
		var list []map[string]any
		for _, each := range v {
			if m, ok := each.(map[string]any); ok {
				list = append(list, m)
			}
		}
		return list
	}
	return nil
}

// texts are the texts in a list, in its own order.
func texts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, each := range list {
		if s, ok := each.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// fits reports a field's name that every model API takes.
func fits(name string) bool {
	return name != "" && len(name) <= maxProperty && !strings.ContainsFunc(name, odd)
}
