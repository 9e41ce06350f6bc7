// Package readable makes the text of a web page: what a person would read of it, as
// light Markdown, with headings, lists, tables and the addresses of links.
//
// It is pure, and holds to its bound whatever a page is made of. It runs no script
// and knows no style sheet: what is hidden by an attribute or a style of its own is
// left out, what only a style sheet hides is not.
package readable

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits.
const (
	maxNested = 400     // elements in one another
	maxOut    = 1 << 20 // bytes of text
	maxLink   = 2000    // bytes of an address
	enough    = 400     // bytes that a page's main part has to hold to stand for it
)

// Text is the title and the text of a page. base is the page's own address, for links
// that are relative; nil leaves those out.
func Text(page string, base *url.URL) (title, text string) {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", bare(page)
	}
	title = titleOf(root)
	if main := find(root, 0, func(n *html.Node) bool { return n.DataAtom == atom.Main || attr(n, "role") == "main" }); main != nil {
		if text := written(main, base); len(text) >= enough {
			return title, text
		}
	}
	return title, written(root, base)
}

func written(n *html.Node, base *url.URL) string {
	w := &writer{base: base}
	w.node(n, 0)
	return strings.TrimRight(w.b.String(), " \n")
}

// bare is the text of what can't be parsed.
func bare(page string) string {
	var b strings.Builder
	in := html.NewTokenizer(strings.NewReader(page))
	skip := 0
	for {
		switch in.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.StartTagToken:
			if name, _ := in.TagName(); string(name) == "script" || string(name) == "style" {
				skip++
			}
		case html.EndTagToken:
			if name, _ := in.TagName(); skip > 0 && (string(name) == "script" || string(name) == "style") {
				skip--
			}
		case html.TextToken:
			if words := strings.Fields(html.UnescapeString(string(in.Raw()))); skip == 0 && len(words) > 0 && b.Len() < maxOut {
				b.WriteString(strings.Join(words, " ") + "\n")
			}
		}
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

func find(n *html.Node, depth int, is func(*html.Node) bool) *html.Node {
	if n.Type == html.ElementNode && is(n) {
		return n
	}
	for c := n.FirstChild; c != nil && depth < maxNested; c = c.NextSibling {
		if f := find(c, depth+1, is); f != nil {
			return f
		}
	}
	return nil
}

func titleOf(root *html.Node) string {
	t := find(root, 0, func(n *html.Node) bool {
		return n.DataAtom == atom.Title && (n.Parent == nil || n.Parent.DataAtom != atom.Svg)
	})
	if t == nil || t.FirstChild == nil {
		return ""
	}
	return strings.Join(strings.Fields(t.FirstChild.Data), " ")
}

// writer puts text together. Line breaks and blanks are only wanted until a word
// comes: none stand at the beginning or in a row.
type writer struct {
	b      strings.Builder
	base   *url.URL
	gap    int  // line breaks before the next word
	blank  bool // a blank before it
	bullet string
	lead   []string // what begins each line
	lists  []int    // numbers of the lists around, -1 for one without
	pre    bool
	cell   bool // a cell of this row stands already
	within bool // it is the text of one link or one piece of code
}

// put writes words that have no white space at their ends.
func (w *writer) put(s string) {
	if s == "" || w.b.Len() > maxOut {
		return
	}
	switch {
	case w.b.Len() == 0:
		w.begin()
	case w.gap > 0:
		w.b.WriteString("\n")
		if w.gap > 1 {
			w.b.WriteString(strings.TrimRight(strings.Join(w.lead, ""), " ") + "\n")
		}
		w.begin()
	case w.blank:
		w.b.WriteString(" ")
	}
	w.gap, w.blank = 0, false
	w.b.WriteString(s)
}

func (w *writer) begin() {
	lead := strings.Join(w.lead, "")
	if w.bullet != "" {
		lead = strings.TrimSuffix(lead, strings.Repeat(" ", len(w.bullet))) + w.bullet
		w.bullet = ""
	}
	w.b.WriteString(lead)
}

func (w *writer) want(gap int) {
	if w.bullet != "" {
		gap = min(gap, 1)
	}
	w.gap, w.blank = max(w.gap, gap), false
}

func (w *writer) text(s string) {
	if w.pre {
		lines := strings.Split(strings.ReplaceAll(s, "\r", ""), "\n")
		for i, line := range lines {
			if i > 0 {
				w.b.WriteString("\n" + strings.Join(w.lead, ""))
			}
			if w.b.Len() < maxOut {
				w.b.WriteString(line)
			}
		}
		return
	}
	if s == "" {
		return
	}
	if isBlank(s[0]) {
		w.blank = w.gap == 0
	}
	for i, word := range strings.Fields(s) {
		if i > 0 {
			w.blank = true
		}
		w.put(word)
	}
	if isBlank(s[len(s)-1]) {
		w.blank = w.gap == 0
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

func (w *writer) children(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c, depth+1)
	}
}

func (w *writer) node(n *html.Node, depth int) {
	if depth > maxNested || w.b.Len() > maxOut {
		return
	}
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
		return
	case html.ElementNode:
	case html.DocumentNode:
		w.children(n, depth)
		return
	default:
		return
	}
	if hidden(n) {
		return
	}
	switch n.DataAtom {
	case atom.Br:
		w.want(1)
	case atom.Hr:
		w.want(2)
		w.put("---")
		w.want(2)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.want(2)
		w.put(strings.Repeat("#", int(n.Data[1]-'0')))
		w.blank = true
		w.children(n, depth)
		w.want(2)
	case atom.P, atom.Figure, atom.Dl, atom.Fieldset:
		w.block(n, depth, 2)
	case atom.Ul, atom.Ol:
		w.list(n, depth)
	case atom.Li:
		w.item(n, depth)
	case atom.Blockquote:
		w.want(2)
		w.lead = append(w.lead, "> ")
		w.children(n, depth)
		w.lead = w.lead[:len(w.lead)-1]
		w.want(2)
	case atom.Pre:
		w.want(2)
		w.put("```\n" + strings.Join(w.lead, ""))
		was := w.pre
		w.pre = true
		w.children(n, depth)
		w.pre = was
		if !strings.HasSuffix(w.b.String(), "\n") {
			w.b.WriteString("\n")
		}
		w.b.WriteString(strings.Join(w.lead, "") + "```")
		w.want(2)
	case atom.Table:
		w.block(n, depth, 2)
	case atom.Tr:
		w.want(1)
		w.cell = false
		w.children(n, depth)
		w.want(1)
	case atom.Td, atom.Th:
		if w.cell {
			w.blank = true
			w.put("|")
			w.blank = true
		}
		gap := w.gap
		w.children(n, depth)
		w.cell = true
		if gap == 0 || w.gap > 0 {
			w.gap = 0
		}
	case atom.A:
		w.link(n, depth)
	case atom.Img:
		if alt := strings.Join(strings.Fields(attr(n, "alt")), " "); alt != "" {
			w.put("[picture: " + alt + "]")
		}
	case atom.Code, atom.Kbd, atom.Samp:
		w.code(n, depth)
	default:
		if blocks[n.DataAtom] {
			w.block(n, depth, 1)
			return
		}
		w.children(n, depth)
	}
}

// blocks begin on a line of their own.
var blocks = map[atom.Atom]bool{
	atom.Div: true, atom.Section: true, atom.Article: true, atom.Header: true, atom.Footer: true, atom.Nav: true, atom.Aside: true, atom.Main: true,
	atom.Address: true, atom.Figcaption: true, atom.Dt: true, atom.Dd: true, atom.Form: true, atom.Details: true, atom.Summary: true, atom.Caption: true,
	atom.Thead: true, atom.Tbody: true, atom.Tfoot: true, atom.Option: true, atom.Legend: true, atom.Center: true, atom.Body: true,
}

func (w *writer) block(n *html.Node, depth, gap int) {
	w.want(gap)
	w.children(n, depth)
	w.want(gap)
}

// hidden reports what nobody is shown.
func hidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Head, atom.Iframe, atom.Object, atom.Embed, atom.Canvas, atom.Audio, atom.Video, atom.Map, atom.Math, atom.Dialog:
		return !(n.DataAtom == atom.Dialog && has(n, "open"))
	}
	if has(n, "hidden") || attr(n, "aria-hidden") == "true" {
		return true
	}
	style := strings.ToLower(strings.ReplaceAll(attr(n, "style"), " ", ""))
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

func (w *writer) list(n *html.Node, depth int) {
	number := -1
	if n.DataAtom == atom.Ol {
		number = 1
		if start, err := strconv.Atoi(attr(n, "start")); err == nil && start >= 0 && start < 1_000_000 {
			number = start
		}
	}
	gap := 2
	if len(w.lists) > 0 {
		gap = 1
	}
	w.want(gap)
	w.lists = append(w.lists, number)
	w.children(n, depth)
	w.lists = w.lists[:len(w.lists)-1]
	w.want(gap)
}

func (w *writer) item(n *html.Node, depth int) {
	bullet := "- "
	if k := len(w.lists) - 1; k >= 0 && w.lists[k] >= 0 {
		bullet = strconv.Itoa(w.lists[k]) + ". "
		w.lists[k]++
	}
	w.want(1)
	w.bullet = bullet
	w.lead = append(w.lead, strings.Repeat(" ", len(bullet)))
	w.children(n, depth)
	w.lead = w.lead[:len(w.lead)-1]
	w.bullet = ""
	if w.b.Len() > 0 {
		w.gap, w.blank = 1, false // paragraphs in it don't hold the next one off
	}
}

// inline is the text of an element on one line.
func (w *writer) inline(n *html.Node, depth int) string {
	in := &writer{base: w.base, within: true}
	in.children(n, depth)
	return strings.Join(strings.Fields(in.b.String()), " ")
}

func (w *writer) code(n *html.Node, depth int) {
	if w.pre || w.within {
		w.children(n, depth)
		return
	}
	if text := w.inline(n, depth); text != "" {
		w.put("`" + text + "`")
	}
}

// link is a link with where it leads. One that leads within the page, or nowhere that
// can be read, is its words.
func (w *writer) link(n *html.Node, depth int) {
	to := w.address(attr(n, "href"))
	if w.pre || w.within || to == "" || find(n, 0, func(c *html.Node) bool {
		return c != n && (blocks[c.DataAtom] || c.DataAtom == atom.P || c.DataAtom == atom.A)
	}) != nil {
		w.children(n, depth)
		return
	}
	if text := w.inline(n, depth); text != "" {
		w.put("[" + text + "](" + to + ")")
	}
}

func (w *writer) address(href string) string {
	href = strings.TrimSpace(href)
	if href == "" || strings.HasPrefix(href, "#") || len(href) > maxLink {
		return ""
	}
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	if w.base != nil {
		u = w.base.ResolveReference(u)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}
