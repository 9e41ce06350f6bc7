package allchat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"conch/plain"
)

// badArguments says to a model what is wrong with a call: each field by its name, with
// what was wanted and what came.
type badArguments struct {
	tool     string
	problems []string
}

func (b *badArguments) Error() string {
	return "the arguments of " + b.tool + " don't fit: " + strings.Join(b.problems, "; ")
}

func (b *badArguments) add(field, wanted, came string) {
	b.problems = append(b.problems, fmt.Sprintf("%s: wanted %s, got %s", field, wanted, came))
}

func (b *badArguments) orNil() error {
	if len(b.problems) == 0 {
		return nil
	}
	return b
}

// maxArguments bounds the arguments of a call, in bytes.
const maxArguments = 1 << 20

// readArguments reads a call's arguments into a struct. Fields that it does not have
// are refused.
func readArguments(tool string, raw json.RawMessage, into any) error {
	bad := &badArguments{tool: tool}
	if len(raw) > maxArguments {
		bad.add("arguments", fmt.Sprintf("at most %d bytes", maxArguments), fmt.Sprint(len(raw)))
		return bad
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, after := d.Token(); !errors.Is(after, io.EOF) {
			err = errors.New("something behind the object")
		}
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		bad.add(wrong.Field, "another type", "a "+wrong.Value)
	default:
		bad.add("arguments", "a JSON object of the fields of the schema", plain.Line(strings.TrimPrefix(err.Error(), "json: "), 200))
	}
	return bad
}
