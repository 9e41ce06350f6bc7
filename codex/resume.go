package codex

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"conch/engine"
)

// A resume id is "<thread>.<16 hex>": the thread, and the digest of the tools that
// it was started with, which it keeps.

// validThread reports that an id has the form of a thread's, a UUID in lower case.
// Nothing else becomes a file's name.
func validThread(id string) bool {
	parts := strings.Split(id, "-")
	if len(parts) != 5 {
		return false
	}
	for i, n := range []int{8, 4, 4, 4, 12} {
		if !isHex(parts[i], n) {
			return false
		}
	}
	return true
}

// isHex reports n hexadecimal digits in lower case.
func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

func resumeID(thread, digest string) string { return thread + "." + digest }

// parseResume takes a resume id apart. One of another form is none.
func parseResume(id string) (thread, digest string, ok bool) {
	thread, digest, _ = strings.Cut(id, ".")
	if !validThread(thread) || !isHex(digest, 16) {
		return "", "", false
	}
	return thread, digest, true
}

// toolsDigest is of the way a thread is set up, and of the names and schemas of its
// tools, in whatever order they and the parts of a schema come. What a tool says of
// itself is no part of it: a thread works on with older words.
func toolsDigest(variant string, tools []engine.Tool) string {
	type tool struct {
		Name   string `json:"name"`
		Schema any    `json:"schema"`
	}
	all := make([]tool, 0, len(tools))
	for _, t := range tools {
		all = append(all, tool{t.Name(), canonical(t.Schema())})
	}
	slices.SortStableFunc(all, func(a, b tool) int { return strings.Compare(a.Name, b.Name) })
	data, err := json.Marshal(map[string]any{"variant": variant, "tools": all})
	if err != nil {
		return digestOf(variant) // no value that was read from JSON fails
	}
	return digestOf(string(data))
}

// canonical is a schema whose parts have one order when it is written: that of a
// map's keys. One that is no JSON stands as its text.
func canonical(schema json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.Decode(new(any)) != io.EOF {
		return string(schema)
	}
	return v
}

// digestOf is the short form of a text, to see that it has changed.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
