package apps

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// The most that is looked at of one call.
const (
	maxPlaces     = 50
	maxPlace      = 4096 // bytes
	maxPlaceDepth = 8
)

// places are the paths on this machine that a call of an app on this machine names:
// what lies outside the chat's folder is asked for, and Conch's own files are out of
// reach for an app too. A word that only looks like a path ("/v1/users") is none:
// neither it nor what it would lie in is there.
func (t *tool) places(args json.RawMessage) []string {
	if t.app.URL != "" && !loopback(hostOf(t.app.URL)) {
		return nil
	}
	var v any
	if json.Unmarshal(args, &v) != nil {
		return nil
	}
	var list []string
	eachText(v, 0, func(s string) bool {
		if path := place(s, t.turn.Folder()); path != "" {
			list = append(list, path)
		}
		return len(list) < maxPlaces
	})
	return list
}

// eachText gives each text in a value to each, until that has enough.
func eachText(v any, depth int, each func(string) bool) bool {
	switch v := v.(type) {
	case string:
		return each(v)
	case []any:
		for _, one := range v {
			if depth < maxPlaceDepth && !eachText(one, depth+1, each) {
				return false
			}
		}
	case map[string]any:
		for _, one := range v {
			if depth < maxPlaceDepth && !eachText(one, depth+1, each) {
				return false
			}
		}
	}
	return true
}

// place is the path that a text names, "" when it names none. A relative one begins
// in the chat's folder, as the program does, and counts when it is there.
func place(s, folder string) string {
	if s == "" || len(s) > maxPlace || strings.ContainsAny(s, "\x00\n\r") {
		return ""
	}
	if u, err := url.Parse(s); err == nil && u.Scheme == "file" {
		s = filepath.FromSlash(u.Path)
	}
	switch {
	case s == "~" || strings.HasPrefix(s, "~/"):
		return s
	case filepath.IsAbs(s):
	default:
		up := upwards(s)
		if s = filepath.Join(folder, s); !up && !there(s) {
			return ""
		}
	}
	if there(s) || there(filepath.Dir(s)) && filepath.Dir(s) != filepath.VolumeName(s)+string(filepath.Separator) {
		return s
	}
	return ""
}

// upwards reports a path with ".." in it.
func upwards(path string) bool {
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == filepath.Separator }) {
		if part == ".." {
			return true
		}
	}
	return false
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
