package composer

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"conch/engine"
	"conch/plain"
	"conch/tui/edit"
)

// A paste of more lines or characters becomes a chip.
const (
	foldLines = 8
	foldChars = 1000
)

// folded marks the chips that can be opened.
type folded struct{}

// Pasted says what a paste may be besides text.
type Pasted struct {
	// Pictures are the image files that the paste names when it is nothing else.
	// The text is in the prompt already; once the screen has read a file, and
	// the agent takes pictures, Replace puts a chip in its place.
	Pictures []Picture
}

// Picture is a path in the prompt that names an image.
type Picture struct {
	Text string // as it stands in the prompt
	Path string // without quotes and backslashes; may begin with ~/
}

// Paste takes a bracketed paste of any size. It never sends and is never a
// command. Line ends become LF; a long one becomes a chip.
func (c *Composer) Paste(s string) Pasted {
	if c.search != nil {
		c.search.query.Insert(plain.Line(s, 200), edit.Pasted)
		c.findHistory()
		return Pasted{}
	}
	if c.burst.held {
		c.heldIsLineEnd()
	}
	c.insert(s)
	c.closeCompletion()
	return Pasted{Pictures: pictures(s)}
}

// insert puts text at the cursor, folded when it is long.
func (c *Composer) insert(s string) {
	if n := countLines(s); n > foldLines || utf8.RuneCountInString(s) > foldChars {
		c.buf.InsertAtom(foldedAtom(s, n))
		return
	}
	c.buf.Insert(s, edit.Pasted)
}

func foldedAtom(s string, lines int) edit.Atom {
	label := "[pasted " + grouped(lines) + " lines]"
	if lines == 1 {
		label = "[pasted " + grouped(utf8.RuneCountInString(s)) + " characters]"
	}
	return edit.Atom{Label: label, Text: s, Value: folded{}}
}

// countLines counts CRLF, LF and CR as one line end each; a last one ends a line
// and begins none.
func countLines(s string) int {
	n := strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n")
	if s != "" && !strings.HasSuffix(s, "\n") && !strings.HasSuffix(s, "\r") {
		n++
	}
	return n
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Expand opens the paste at the cursor, or the last one that is folded, into the
// text. It reports whether there was one.
func (c *Composer) Expand() bool {
	return c.buf.OpenAtom(func(a edit.Atom) bool { _, ok := a.Value.(folded); return ok })
}

// hasFolded reports that a paste is folded in the draft.
func (c *Composer) hasFolded() bool {
	for _, a := range c.buf.Atoms() {
		if _, ok := a.Value.(folded); ok {
			return true
		}
	}
	return false
}

// Attach puts a chip for a picture or a file at the cursor.
func (c *Composer) Attach(a engine.Attachment) {
	c.buf.InsertAtom(attachmentAtom(a))
	c.closeCompletion()
}

// AttachPicture puts a chip for a picture from the clipboard at the cursor, and
// a history search that is open away. Its number is the prompt's own, so that no
// two are called the same.
func (c *Composer) AttachPicture(mime string, data []byte) {
	c.search = nil
	c.pictures++
	c.Attach(engine.Attachment{Name: "picture " + strconv.Itoa(c.pictures), MIME: mime, Data: data})
}

// Replace puts an attachment's chip where text stands, the last one of them. It
// reports false, and does nothing, when the text is gone.
func (c *Composer) Replace(text string, a engine.Attachment) bool {
	at := strings.LastIndex(c.buf.Kept(), text)
	if at < 0 || text == "" {
		return false
	}
	c.buf.ReplaceWithAtom(at, at+len(text), attachmentAtom(a))
	return true
}

// attachmentAtom is the chip of an attachment. Its name stands in the message,
// so that the words around it make sense.
func attachmentAtom(a engine.Attachment) edit.Atom {
	name := plain.Line(a.Name, 60)
	if name == "" {
		name = "picture"
	}
	label := "[" + name
	if n := len(a.Data); n > 0 {
		label += ", " + size(n)
	}
	return edit.Atom{Label: label + "]", Text: "[" + name + "]", Value: a}
}

func size(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n) + " B"
	case n < 1_000_000:
		return strconv.Itoa((n+500)/1000) + " KB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}

// maxPaths bounds what is looked at as a list of paths.
const maxPaths = 8192

// pictures reads a paste that is nothing but paths of image files, as terminals
// write them when files are dropped on them: quoted, with backslashes before
// blanks, as file:// addresses, with blanks or line ends between.
func pictures(s string) []Picture {
	if len(s) > maxPaths {
		return nil
	}
	var found []Picture
	for rest := strings.TrimSpace(s); rest != ""; rest = strings.TrimLeft(rest, " \r\n\t") {
		path, n := readPath(rest)
		if n == 0 || !isImage(path) {
			return nil
		}
		found = append(found, Picture{Text: rest[:n], Path: path})
		rest = rest[n:]
	}
	return found
}

func readPath(s string) (path string, n int) {
	var out strings.Builder
	quote := byte(0)
	windows := len(s) > 2 && s[1] == ':' && s[2] == '\\'
	for n < len(s) {
		switch ch := s[n]; {
		case quote != 0 && ch == quote:
			quote = 0
		case quote == 0 && (ch == '\'' || ch == '"'):
			quote = ch
			windows = windows || len(s) > n+3 && s[n+2] == ':' && s[n+3] == '\\'
		case ch == '\\' && !windows && quote != '\'' && n+1 < len(s):
			n++
			out.WriteByte(s[n])
		case quote == 0 && (ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t'):
			return finishPath(out.String()), n
		default:
			out.WriteByte(ch)
		}
		n++
	}
	return finishPath(out.String()), n
}

func finishPath(p string) string {
	if rest, ok := strings.CutPrefix(p, "file://"); ok {
		if u, err := url.PathUnescape(rest); err == nil {
			p = strings.TrimPrefix(u, "localhost")
		}
	}
	return p
}

// isImage reports an absolute path with the ending of an image.
func isImage(p string) bool {
	absolute := strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~/") || len(p) > 2 && p[1] == ':'
	switch strings.ToLower(filepath.Ext(p)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp":
		return absolute
	}
	return false
}
