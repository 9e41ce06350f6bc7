package conversation

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"conch/engine"
	"conch/plain"
)

// maxRefused bounds how many of the person's noes a chat remembers, the newest.
const maxRefused = 50

// effect is what a call would do to the world, as far as it can be told apart from
// another spelling of the same.
type effect struct {
	tool    string // of an app, or of a server's
	changes []string
	runs    []string // the words of a command that say what it does
	fetches string
	says    string // for the person
}

// effectOf reads a request. Paths are as they are named, below the folder.
func effectOf(cwd string, p engine.Permission) effect {
	e := effect{says: plain.Line(p.Subject, 60)}
	if e.says == "" {
		e.says = plain.Line(p.Tool, 60)
	}
	switch p.Kind {
	case engine.KindEdit, engine.KindDelete, engine.KindMove:
		for _, path := range named(p) {
			e.changes = append(e.changes, below(cwd, path))
		}
	case engine.KindExecute:
		e.runs = commandWords(cwd, p.Subject)
	case engine.KindFetch:
		if u, err := url.Parse(strings.TrimSpace(p.Subject)); err == nil {
			e.fetches = strings.ToLower(u.Host) + strings.TrimSuffix(u.Path, "/")
		}
	case engine.KindRead, engine.KindSearch:
		if p.App != "" {
			e.tool = p.Tool
		}
	default:
		e.tool = p.Tool
	}
	return e
}

// below is a path from the folder, without what only spells it otherwise.
func below(cwd, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	if rel, err := filepath.Rel(cwd, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(filepath.Clean(path))
}

// wrappers only run another command.
var wrappers = []string{"sudo", "env", "bash", "sh", "zsh", "command", "exec", "nohup", "time", "xargs", "cd"}

// commandWords are the words of a command without flags, quotes, what only wraps
// another command, and the spelling of paths.
func commandWords(cwd, command string) []string {
	split := func(r rune) bool { return strings.ContainsRune(" \t\r\n;&|()<>`\"'{}", r) }
	var words []string
	for _, word := range strings.FieldsFunc(command, split) {
		word = strings.ReplaceAll(word, `\`, "")
		if strings.HasPrefix(word, "-") || slices.Contains(wrappers, filepath.Base(word)) {
			continue
		}
		if strings.ContainsAny(word, "/.") && !strings.Contains(word, "://") {
			word = below(cwd, word)
		}
		if word != "" && word != "." && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// same reports that two calls would do the same, in whatever spelling.
func (e effect) same(o effect) bool {
	switch {
	case e.tool != "" || o.tool != "":
		return e.tool == o.tool
	case len(e.changes) > 0 && len(o.changes) > 0:
		return overlap(e.changes, o.changes)
	case len(e.runs) > 0 && len(o.runs) > 0:
		few, many := e.runs, o.runs
		if len(few) > len(many) {
			few, many = many, few
		}
		return !slices.ContainsFunc(few, func(w string) bool { return !slices.Contains(many, w) })
	case len(e.changes) > 0 && len(o.runs) > 0:
		return overlap(e.changes, o.runs)
	case len(e.runs) > 0 && len(o.changes) > 0:
		return overlap(e.runs, o.changes)
	}
	return e.fetches != "" && e.fetches == o.fetches
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// refusedBefore says in words that the person said no to a call of the same effect
// before, "" when they did not.
func (m *Manager) refusedBefore(p engine.Permission) string {
	now := effectOf(m.folder, p)
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range slices.Backward(m.refused) {
		if now.same(e) {
			return "you said no to " + e.says + " before"
		}
	}
	return ""
}

// remembersAnswer keeps a no of the person's, or lets one go that they took back by
// allowing the same.
func (m *Manager) remembersAnswer(p engine.Permission, out reply) {
	if out.by != byPerson {
		return
	}
	now := effectOf(m.folder, p)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused = slices.DeleteFunc(m.refused, now.same)
	if out.resolved == "deny" {
		m.refused = append(m.refused, now)
		m.refused = m.refused[max(0, len(m.refused)-maxRefused):]
	}
}
