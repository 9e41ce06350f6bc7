package change

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"
)

// deepest is how many objects and lists may lie in each other.
const deepest = 8

// strictly reads one JSON value: objects as map[string]any, lists as []any. A key that
// comes twice, a half of a character and what stands behind the value are errors.
func strictly(raw []byte) (any, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("wanted a JSON object, got text that is not UTF-8")
	}
	if halfRune(raw) {
		return nil, errors.New(`wanted a JSON object, got one with half of a character (\ud800 to \udfff alone)`)
	}
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	v, err := value(in, 0)
	var double doubleKey
	switch {
	case errors.As(err, &double):
		return nil, errors.New("the key " + strconv.Quote(shown(string(double))) + " is there twice")
	case errors.Is(err, errTooDeep):
		return nil, errors.New("wanted a JSON object, got one that is nested too deep")
	case err != nil:
		return nil, errors.New("wanted a JSON object, got what is no JSON")
	}
	if _, err := in.Token(); err != io.EOF {
		return nil, errors.New("wanted one JSON object, got more behind it")
	}
	return v, nil
}

type doubleKey string

func (k doubleKey) Error() string { return "double key " + string(k) }

var errTooDeep = errors.New("too deep")

func value(in *json.Decoder, depth int) (any, error) {
	if depth > deepest {
		return nil, errTooDeep
	}
	t, err := in.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		m := map[string]any{}
		for in.More() {
			k, err := in.Token()
			if err != nil {
				return nil, err
			}
			key, ok := k.(string)
			if !ok {
				return nil, errors.New("a key is no text")
			}
			if _, ok := m[key]; ok {
				return nil, doubleKey(key)
			}
			if m[key], err = value(in, depth+1); err != nil {
				return nil, err
			}
		}
		_, err := in.Token()
		return m, err
	case json.Delim('['):
		list := []any{}
		for in.More() {
			v, err := value(in, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := in.Token()
		return list, err
	}
	return t, nil
}

// halfRune tells whether there is an escape of one half of a character without the
// other. A decoder would put another character in its place and say nothing.
func halfRune(raw []byte) bool {
	unit := func(at int) (rune, bool) {
		if at+6 > len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(string(raw[at+2:at+6]), 16, 32)
		return rune(n), err == nil
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		r, ok := unit(i)
		if !ok {
			i++ // the character behind a backslash is its own
			continue
		}
		i += 5
		switch {
		case r >= 0xd800 && r < 0xdc00:
			low, ok := unit(i + 1)
			if !ok || low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 6
		case r >= 0xdc00 && r <= 0xdfff:
			return true
		}
	}
	return false
}
