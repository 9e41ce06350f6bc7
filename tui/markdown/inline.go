package markdown

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"conch/plain"
)

// inline adds the text of a node's children to a flow. A line break in the
// source is one on the screen too, as agents mean it in a chat.
func (r *renderer) inline(f *flow, parent ast.Node, l look, link int) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			v := string(n.Segment.Value(r.src))
			if !n.IsRaw() {
				v = unescape(v)
			}
			f.add(blanks(v), l, link)
			if n.SoftLineBreak() || n.HardLineBreak() {
				f.add("\n", 0, 0)
			}
		case *ast.String:
			f.add(blanks(plain.Text(string(n.Value))), l, link)
		case *ast.CodeSpan:
			s := r.codeSpan(n)
			if !r.th.Colours {
				s = "`" + s + "`" // without colour the marks tell it apart
			}
			f.add(s, l|code, link)
		case *ast.Emphasis:
			if n.Level >= 2 {
				r.inline(f, n, l|strong, link)
			} else {
				r.inline(f, n, l|emph, link)
			}
		case *east.Strikethrough:
			r.inline(f, n, l|strike, link)
		case *ast.Link:
			r.link(f, n, string(n.Destination), l)
		case *ast.Image:
			r.link(f, n, string(n.Destination), l)
		case *ast.AutoLink:
			r.autoLink(f, n, l)
		case *ast.RawHTML:
			r.rawHTML(f, n, l, link)
		case *east.TaskCheckBox:
			box := "[ ] "
			if n.IsChecked {
				box = "[x] "
			}
			f.add(box, l, 0)
		default:
			r.inline(f, n, l, link)
		}
	}
}

func (r *renderer) codeSpan(n *ast.CodeSpan) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch t := c.(type) {
		case *ast.Text:
			b.Write(t.Segment.Value(r.src))
		case *ast.String:
			b.Write(t.Value)
		}
	}
	s := blanks(strings.ReplaceAll(b.String(), "\n", " "))
	if r.inTable { // a bar in a table is escaped, in code too
		s = strings.ReplaceAll(s, `\|`, "|")
	}
	return s
}

// rawHTML is shown as it stands, but for a line break, which is meant as one.
func (r *renderer) rawHTML(f *flow, n *ast.RawHTML, l look, link int) {
	var b strings.Builder
	for i := range n.Segments.Len() {
		seg := n.Segments.At(i)
		b.Write(seg.Value(r.src))
	}
	tag := b.String()
	if isBreakTag(tag) {
		f.add("\n", 0, 0)
		return
	}
	f.add(blanks(tag), l, link)
}

func isBreakTag(tag string) bool {
	switch strings.ToLower(strings.ReplaceAll(tag, " ", "")) {
	case "<br>", "<br/>":
		return true
	}
	return false
}

// blanks makes tabs blanks: a terminal would jump.
func blanks(s string) string { return strings.ReplaceAll(s, "\t", " ") }

// unescape resolves backslash escapes and character references. A reference can
// name any character, so what it gives is cleaned again.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	dirty := false
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			b.WriteByte(s[i+1])
			i += 2
		case c == '&':
			n, v := reference(s[i:])
			b.WriteString(v)
			dirty = dirty || n > 1
			i += n
		default:
			b.WriteByte(c)
			i++
		}
	}
	if dirty {
		return strings.ReplaceAll(plain.Text(b.String()), "\n", " ")
	}
	return b.String()
}

// reference resolves the character reference at the start of s: how long it is
// and what it names. What is none gives the ampersand.
func reference(s string) (int, string) {
	semi := strings.IndexByte(s[:min(len(s), 40)], ';')
	if semi < 2 {
		return 1, "&"
	}
	word := s[1:semi]
	if word[0] != '#' {
		if e, ok := util.LookUpHTML5EntityByName(word); ok {
			return semi + 1, string(e.Characters)
		}
		return 1, "&"
	}
	digits, base := word[1:], rune(10)
	if digits != "" && (digits[0] == 'x' || digits[0] == 'X') {
		digits, base = digits[1:], 16
	}
	if digits == "" || len(digits) > 7 {
		return 1, "&"
	}
	var v rune
	for i := range len(digits) {
		d := hexValue(digits[i])
		if d >= base {
			return 1, "&"
		}
		v = v*base + d
	}
	if v == 0 || !utf8.ValidRune(v) {
		v = utf8.RuneError
	}
	return semi + 1, string(v)
}

func hexValue(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return 99
}
