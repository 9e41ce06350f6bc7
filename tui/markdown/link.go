package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"

	"conch/plain"
)

// link adds a link's text. The address is behind the text where the terminal
// takes links, and after it where not, and also where the text looks like
// another address than the one it leads to.
func (r *renderer) link(f *flow, n ast.Node, destination string, l look) {
	from := len(f.text)
	address, safe := cleanAddress(unescape(destination))
	if safe {
		r.inline(f, n, l|linked, f.link(address))
	} else {
		r.inline(f, n, l, 0)
	}
	shown := string(f.text[from:])
	switch {
	case address == "" || shown == address || "mailto:"+shown == address:
	case strings.TrimSpace(shown) == "":
		f.add(address, l, 0)
	case !safe || !r.th.Links || looksLikeAddress(shown):
		f.add(" ("+address+")", l|muted, 0)
	}
}

func (r *renderer) autoLink(f *flow, n *ast.AutoLink, l look) {
	label := plain.Text(string(n.Label(r.src)))
	destination := label
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(label), "mailto:") {
		destination = "mailto:" + label
	}
	if address, safe := cleanAddress(destination); safe {
		f.add(label, l|linked, f.link(address))
		return
	}
	f.add(label, l, 0)
}

// maxAddress bounds what is written into a link sequence; terminals drop longer
// ones.
const maxAddress = 2000

// cleanAddress makes an address harmless: one line, no control characters.
// safe says that it may be written as a link: only kinds that a person expects
// to open.
func cleanAddress(s string) (address string, safe bool) {
	address = plain.Line(s, 0)
	if len(address) > maxAddress {
		return plain.Line(address, 200), false
	}
	scheme, rest, ok := strings.Cut(address, ":")
	if !ok || rest == "" {
		return address, false
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto", "file":
	default:
		return address, false
	}
	var b strings.Builder
	for i := 0; i < len(address); i++ { // OSC 8 takes printable ASCII alone
		if c := address[i]; c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			const hex = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String(), true
}

func looksLikeAddress(s string) bool {
	s = strings.TrimSpace(s)
	return strings.Contains(s, "://") || strings.HasPrefix(s, "www.") ||
		(!strings.ContainsAny(s, " \n") && strings.Contains(s, ".") && strings.Contains(s, "/"))
}

// bareLinks makes addresses that stand in the text links. Code stays code.
func (r *renderer) bareLinks(f *flow) {
	if !r.th.Links || !bytes.Contains(f.text, []byte("://")) {
		return
	}
	s := string(f.text)
	var found []run // one for each address: where it ends, its link
	var starts []int
	for at := 0; ; {
		i := strings.Index(s[at:], "://")
		if i < 0 {
			break
		}
		colon := at + i
		at = colon + len("://")
		start := colon
		switch {
		case strings.HasSuffix(s[:colon], "https"):
			start -= len("https")
		case strings.HasSuffix(s[:colon], "http"):
			start -= len("http")
		default:
			continue
		}
		if start > 0 && isWordByte(s[start-1]) {
			continue
		}
		end := addressEnd(s, at)
		if end == at {
			continue
		}
		if address, safe := cleanAddress(s[start:end]); safe {
			found = append(found, run{end: end, link: f.link(address)})
			starts = append(starts, start)
		}
		at = end
	}
	f.relink(starts, found)
}

// addressEnd is where an address in running text ends: at a blank or a quote,
// without the punctuation of the sentence around it.
func addressEnd(s string, from int) int {
	end := from
	for end < len(s) && s[end] > ' ' && s[end] < 0x7f && !strings.ContainsRune("<>\"`|", rune(s[end])) {
		end++
	}
	for end > from {
		c := s[end-1]
		if c == ')' && strings.Count(s[from:end], "(") >= strings.Count(s[from:end], ")") {
			break
		}
		if !strings.ContainsRune(".,;:!?')]}*_", rune(c)) {
			break
		}
		end--
	}
	return end
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// relink makes stretches of a flow links, but for what is code or a link already.
func (f *flow) relink(starts []int, found []run) {
	if len(found) == 0 {
		return
	}
	runs := make([]run, 0, len(f.runs)+2*len(found))
	from, k := 0, 0
	for _, r := range f.runs {
		for from < r.end {
			for k < len(found) && found[k].end <= from {
				k++
			}
			part := r
			switch {
			case k == len(found) || r.link > 0 || r.look&code != 0:
			case starts[k] > from:
				part.end = min(r.end, starts[k])
			default:
				part.end = min(r.end, found[k].end)
				part.look, part.link = r.look|linked, found[k].link
			}
			runs = append(runs, part)
			from = part.end
		}
	}
	f.runs = runs
}
