package redact

import (
	"encoding/json"
	neturl "net/url"
	"slices"
	"strings"
)

// shortestKnown is the least length of a key that a Redactor looks for, in bytes:
// a shorter one would take words out.
const shortestKnown = 6

// Redactor also takes out keys that it was given, whatever they look like and
// whatever stands around them. It is safe for use by several goroutines. The
// zero value knows none.
type Redactor struct{ known []string }

// New makes a Redactor that knows the keys as they are and as JSON and addresses
// spell them. Keys under six bytes, blank ones and parts of Marker are left out.
func New(known ...string) *Redactor {
	r := &Redactor{}
	for _, key := range known {
		key = strings.TrimSpace(key)
		if len(key) < shortestKnown || strings.Contains(Marker, key) || strings.Contains(key, Marker) {
			continue
		}
		r.known = append(r.known, key, neturl.QueryEscape(key), neturl.PathEscape(key))
		r.known = append(r.known, inJSON(key, true), inJSON(key, false))
	}
	slices.SortFunc(r.known, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	r.known = slices.Compact(r.known)
	return r
}

// inJSON spells a key as JSON does, with and without the escapes that make it safe
// in HTML.
func inJSON(key string, html bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(key); err != nil {
		return key
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(b.String(), "\n"), `"`), `"`)
}

// Redact is like the function of that name, and takes the known keys out too.
func (r *Redactor) Redact(text string) (clean string, n int) {
	return replace(text, r.known)
}

// occurrences gives where known keys stand, in order and without overlap.
func occurrences(text string, known []string) []span {
	var spans []span
	for _, key := range known {
		for at := 0; ; {
			i := strings.Index(text[at:], key)
			if i < 0 {
				break
			}
			spans = append(spans, span{at + i, at + i + len(key)})
			at += i + len(key)
		}
	}
	return merge(spans)
}

// merge sorts spans and joins those that overlap.
func merge(spans []span) []span {
	if len(spans) < 2 {
		return spans
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	merged := spans[:1]
	for _, sp := range spans[1:] {
		if last := &merged[len(merged)-1]; sp.from < last.to {
			last.to = max(last.to, sp.to)
		} else {
			merged = append(merged, sp)
		}
	}
	return merged
}
