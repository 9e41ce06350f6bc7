package acp

import (
	"bytes"
	"encoding/json"
	"strings"
)

// object is a JSON object read field by field. A field that is absent, null or
// of another type reads as its zero value, and one bad item of a list does not
// spoil the list: so the protocol asks of a client, and so newer programs go on
// working.
type object map[string]json.RawMessage

// parse reads an object; anything else is nil.
func parse(raw json.RawMessage) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// has reports a field that is there and not null.
func (o object) has(key string) bool {
	raw, ok := o[key]
	return ok && !isNull(raw)
}

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null"
}

func (o object) text(key string) string {
	s, _ := o.optText(key)
	return s
}

func (o object) optText(key string) (string, bool) {
	raw, ok := o[key]
	if !ok || isNull(raw) {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// firstText is the first of the fields that is a text with something in it.
func (o object) firstText(keys ...string) string {
	for _, key := range keys {
		if s := o.text(key); strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

func (o object) object(key string) object { return parse(o[key]) }

// items is a list's items; ok is false when there is no list.
func (o object) items(key string) (items []json.RawMessage, ok bool) {
	raw, there := o[key]
	if !there || isNull(raw) {
		return nil, false
	}
	if json.Unmarshal(raw, &items) != nil {
		return nil, false
	}
	return items, true
}

// objects is a list's items that are objects.
func (o object) objects(key string) (list []object, ok bool) {
	items, ok := o.items(key)
	for _, item := range items {
		if each := parse(item); each != nil {
			list = append(list, each)
		}
	}
	return list, ok
}

func (o object) number(key string) (int64, bool) {
	f, ok := o.float(key)
	if !ok || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

func (o object) float(key string) (float64, bool) {
	raw, ok := o[key]
	if !ok || isNull(raw) {
		return 0, false
	}
	var f float64
	if json.Unmarshal(raw, &f) != nil {
		return 0, false
	}
	return f, true
}

func (o object) flag(key string) bool {
	var b bool
	return json.Unmarshal(o[key], &b) == nil && b
}

// count is a number of things: nothing negative and nothing absurd.
func (o object) count(key string) *int64 {
	n, ok := o.number(key)
	if !ok || n < 0 {
		return nil
	}
	return &n
}
