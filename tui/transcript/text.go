package transcript

import (
	"strings"

	"conch/chats"
	"conch/plain"
	"conch/tui/markdown"
)

// text is what the assistant says or thinks. While it streams it has a buffer
// and, once drawn, a stream; then only its source.
type text struct {
	message string // its id
	thought bool
	over    bool
	said    string   // whole, unless growing
	growing *growing // nil: the log brought it in one piece, or it is over
}

// growing is a text that is being said: what the log has of it, then what came
// live.
type growing struct {
	buf    []byte
	logged int // length of what the log has
	stream *markdown.Stream
	fed    int // how much of buf the stream has
}

// write adds a piece. The log's pieces bring again what came live; they count
// where the two differ. It reports whether the text changed.
func (x *text) write(piece string, logged bool) bool {
	if x.growing == nil {
		if logged && x.said == "" {
			x.said = piece // most texts of a log are one piece: it is not copied
			return piece != ""
		}
		x.growing = &growing{buf: []byte(x.said), logged: len(x.said)}
		x.said = ""
	}
	g := x.growing
	if !logged {
		g.buf = append(g.buf, piece...)
		return piece != ""
	}
	live := string(g.buf[g.logged:])
	switch {
	case strings.HasPrefix(live, piece):
		g.logged += len(piece)
		return false
	case strings.HasPrefix(piece, live):
		g.buf = append(g.buf, piece[len(live):]...)
	default:
		g.buf = append(g.buf[:g.logged], piece...)
		g.stream = nil
	}
	g.logged = len(g.buf)
	return true
}

func (x *text) finish() {
	x.over = true
	if x.growing != nil {
		x.said = string(x.growing.buf)
		x.growing = nil
	}
}

func (x *text) source() string {
	if x.growing != nil {
		return string(x.growing.buf)
	}
	return x.said
}

func (x *text) kind() Kind {
	if x.thought {
		return KindThought
	}
	return KindText
}

func (x *text) folds() bool { return x.thought }

func (x *text) draw(c *canvas) ([]string, int) {
	if x.thought {
		return x.drawThought(c)
	}
	g := x.growing
	if g == nil {
		return markdown.Render(x.said, c.width, c.th), -1
	}
	if g.stream == nil {
		g.stream = markdown.NewStream(c.width, c.th)
		g.fed = 0
	}
	g.stream.SetWidth(c.width)
	g.stream.SetTheme(c.th)
	g.stream.Write(string(g.buf[g.fed:]))
	g.fed = len(g.buf)
	return g.stream.Lines(), -1
}

const (
	thoughtTail  = 4    // lines of a thought that show while it comes
	thoughtBytes = 4000 // and at most so much of it
)

// drawThought shows the newest lines of a thought that comes, and one line of
// one that is over, until it is opened.
func (x *text) drawThought(c *canvas) ([]string, int) {
	src := x.source()
	coming := !x.over
	if coming && !c.open && len(src) > thoughtBytes {
		src = strings.ToValidUTF8(src[len(src)-thoughtBytes:], "")
	}
	src = strings.TrimSpace(strings.ReplaceAll(plain.Text(src), "**", ""))
	if src == "" {
		return nil, -1
	}
	if !coming && !c.open {
		first, _, _ := strings.Cut(src, "\n")
		if c.plain {
			return c.wrap("thought: "+plain.Line(first, 200), c.width), 0
		}
		return []string{c.muted(c.cut(c.folder("thought "+c.th.Signs.Dot+" "+plain.Line(first, 200)), c.width))}, 0
	}
	sign := c.th.Signs.Open
	if coming {
		sign = c.th.Signs.Running
	}
	lines := []string{c.muted(c.cut(sign+" thought", c.width))}
	rows := c.wrap(strings.ReplaceAll(src, "\t", "    "), max(c.width-2, 1))
	if coming && !c.open && len(rows) > thoughtTail {
		rows = rows[len(rows)-thoughtTail:]
	}
	for _, row := range rows {
		lines = append(lines, c.indented(c.muted(row), 2))
	}
	return lines, 0
}

// person is what the person sent.
type person struct {
	message     string // its id
	text        string
	attachments []chats.Attachment
}

const (
	personShown = 24 // a longer message is folded
	personHead  = 8  // to so many lines
)

func (p *person) kind() Kind     { return KindPerson }
func (p *person) source() string { return p.text }
func (p *person) folds() bool {
	return strings.Count(p.text, "\n") >= personShown || len(p.text) > 4000
}

func (p *person) draw(c *canvas) ([]string, int) {
	src := strings.ReplaceAll(strings.TrimRight(plain.Text(p.text), "\n"), "\t", "    ")
	if c.plain {
		src = "you: " + src
	}
	fold := -1
	var lines []string
	if src != "" {
		shown, hidden := src, 0
		if p.folds() && !c.open {
			shown, hidden = head(src, personHead, 2000)
		}
		lines = c.wrap(shown, c.width)
		if p.folds() {
			fold = len(lines)
			words := "all of it"
			if !c.open {
				words = count(hidden, "more line")
			}
			lines = append(lines, c.muted(c.cut(c.folder(words), c.width)))
		}
	}
	for _, a := range p.attachments {
		s := plain.Line(a.Name, 120)
		if a.Bytes > 0 {
			s += " " + c.th.Signs.Dot + " " + size(a.Bytes)
		}
		lines = append(lines, c.muted(c.cut("["+s+"]", c.width)))
	}
	return lines, fold
}

// head gives the first lines of a text, at most so many bytes, and the number of
// lines that it left out.
func head(s string, lines, bytes int) (shown string, hidden int) {
	at := 0
	for range lines {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			at = len(s)
			break
		}
		at += i + 1
	}
	if at > bytes {
		at = bytes
		for at > 0 && s[at]&0xc0 == 0x80 {
			at--
		}
	}
	return strings.TrimRight(s[:at], "\n"), strings.Count(s[at:], "\n") + 1
}
