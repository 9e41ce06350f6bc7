package record

import (
	neturl "net/url"
	"path"
	"strings"
	"unicode/utf8"

	"conch/plain"
	"conch/redact"
)

// Cleaner makes words fit for the record: no escape sequences or control
// characters, no secrets, no absolute paths. It may be used by several goroutines.
// The zero Cleaner knows nothing of the machine.
type Cleaner struct {
	secrets redact.Redactor
	paths   paths
}

// Places is what a Cleaner knows of the machine.
type Places struct {
	Folder  string           // of the project; paths in it become relative
	Also    []string         // other spellings of Folder, as with links resolved
	Home    string           // the person's
	Secrets *redact.Redactor // knows secrets by heart, too; nil: those by their form alone
}

// NewCleaner makes one. It looks once at what the machine has at its root, to tell
// a path from an address of a web server's.
func NewCleaner(p Places) *Cleaner {
	c := &Cleaner{paths: newPaths(p)}
	if p.Secrets != nil {
		c.secrets = *p.Secrets
	}
	return c
}

// Text cleans text of several lines. It may become longer or shorter, also none.
func (c *Cleaner) Text(s string) Text { return Text{c.clean(s)} }

// clean takes secrets out before paths, so that a path that is cut leaves no piece
// of one, and after escape sequences, which could part them.
func (c *Cleaner) clean(s string) string {
	s, _ = c.secrets.Redact(plain.Text(s))
	return c.paths.shorten(s)
}

// Bounded is Text of at most max bytes, and how many bytes were left out behind
// it, which is to be said wherever the text is shown or sent.
func (c *Cleaner) Bounded(s string, max int) (Text, int) {
	s = c.clean(s)
	cut := within(s, max)
	return Text{cut}, len(s) - len(cut)
}

// within is the beginning of s that has at most max bytes.
func within(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// Line cleans text for one line of at most max characters; what is cut shows as
// "…". max 0 is no limit.
func (c *Cleaner) Line(s string, max int) Text { return Text{plain.Line(c.clean(s), max)} }

// Subject is what a tool is used on, from a path or a command: a path in the
// project relative to it, another one by its last part, a command by the name of
// its program, an address by its host. What has spaces is taken for a command.
func (c *Cleaner) Subject(s string) Text {
	s = plain.Line(s, 0)
	if strings.ContainsAny(s, " ;|&<>()$`\"'") {
		return c.subject(program(s))
	}
	if u, err := neturl.Parse(s); err == nil && u.Scheme != "" && u.Host != "" {
		return c.subject(u.Hostname())
	}
	return c.Path(s)
}

// Path is Subject for what is known to be a path, which may have spaces.
func (c *Cleaner) Path(s string) Text {
	return c.subject(c.paths.relative(plain.Line(s, 0)))
}

// subject gives what may stand as a subject, or nothing.
func (c *Cleaner) subject(s string) Text {
	s, _ = c.secrets.Redact(s)
	if len(s) > MaxPath {
		s = path.Base(s)
	}
	if subjectForm(s) != "" {
		return Text{}
	}
	return Text{s}
}

// program is the name of the program that a command begins with.
func program(command string) string {
	for {
		command = strings.TrimLeft(command, " ({;&|!")
		if !assigns(command) {
			break
		}
		_, command = word(command)
	}
	first, _ := word(command)
	name := first[strings.LastIndexAny(first, `/\`)+1:]
	end := strings.IndexFunc(name, func(r rune) bool { return !inName(r) && r != '.' && r != '+' })
	if end >= 0 {
		name = name[:end]
	}
	return name
}

// assigns tells that a command sets a variable before it begins.
func assigns(command string) bool {
	i := strings.IndexFunc(command, func(r rune) bool { return !inName(r) || r == '-' })
	return i > 0 && command[i] == '='
}

// word cuts the first word off a command, with its quotes gone.
func word(command string) (first, rest string) {
	var quote rune
	var b strings.Builder
	for i, r := range command {
		switch {
		case quote == 0 && r == ' ':
			return b.String(), command[i:]
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case r == quote:
			quote = 0
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), ""
}
