package codex

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// The names of Conch's permissions in a run home's config: for a turn that may write
// in its folder, and for one that may only read.
const (
	profile        = "conch"
	readingProfile = "conch-reading"
)

// configText is the config of a run home: Conch's permissions, and of the person's
// own config the choice of a model and of who serves it.
func configText(cfg homeConfig) ([]byte, error) {
	files := map[string]any{}
	for _, p := range cfg.Protected {
		if key := sealed(p); key != "" {
			files[key] = "none"
		}
	}
	permissions := func(extends, description string) map[string]any {
		p := map[string]any{"description": description, "extends": extends, "network": map[string]any{"enabled": false}}
		if len(files) > 0 {
			p["filesystem"] = files
		}
		return p
	}
	out := map[string]any{}
	for key, value := range cfg.Person.chosen {
		out[key] = value
	}
	out["default_permissions"] = profile
	out["permissions"] = map[string]any{
		profile:        permissions(":workspace", "What Conch allows"),
		readingProfile: permissions(":read-only", "What Conch allows where nothing is to be written"),
	}
	out["tools"] = map[string]any{"update_plan": map[string]any{"enabled": true}}
	return toml.Marshal(out)
}

// sealed is a place as Codex's permissions name it, "" for none. Codex 0.171: with a
// link in it no command starts at all, one that is not absolute makes the config
// invalid, and one with a sign of a pattern protects nothing unless it is written as
// a pattern. What isn't there yet may be named.
func sealed(place string) string {
	if !filepath.IsAbs(place) {
		return ""
	}
	place = resolved(filepath.Clean(place))
	if runtime.GOOS == "windows" || !strings.ContainsAny(place, "*?[") {
		return place
	}
	return patternSigns.Replace(place) + "/**"
}

var patternSigns = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")

// resolved is a path without links, as far as it is there.
func resolved(path string) string {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if filepath.Dir(at) == at {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
