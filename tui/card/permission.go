package card

import (
	"fmt"
	"strings"
	"unicode"

	"charm.land/bubbletea/v2"

	"conch/conversation"
	"conch/engine"
	"conch/plain"
	"conch/tui/markdown"
)

// permission is a call that wants to be allowed.
type permission struct {
	card    conversation.Card
	p       *engine.Permission
	options []option // in the order shown
	subject string   // harmless, of several lines
	changed bool     // the subject held what cannot be shown
	whole   bool     // the changes are to be seen whole too

	details bool
	top     int // first row of the body, in details
	bodyLen int // rows of the body at the last draw
	shown   int // of which so many were shown
	seen    bool
	note    string
}

// option is an answer with the keys that give it.
type option struct {
	engine.PermissionOption
	key    string // y, n, Y, N or ""
	number int
}

// The most of a hostile request that is looked at.
const (
	maxOptions = 20
	maxSubject = 64 << 10
	maxPaths   = 20
)

func newPermission(c conversation.Card) *permission {
	p := &permission{card: c, p: c.Permission}
	subject := c.Permission.Subject
	cut := len(subject) > maxSubject
	if cut {
		subject = strings.ToValidUTF8(subject[:maxSubject], "")
	}
	p.subject = strings.Trim(plain.Text(subject), "\n")
	p.changed = cut || strings.ContainsFunc(subject, unseen)
	p.options = order(c.Permission.Options)
	return p
}

// unseen reports a character that is not drawn as itself. A joiner belongs to
// emoji.
func unseen(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' || unicode.Is(unicode.Cf, r) && r != '\u200d'
}

// order puts the once-options first, then those that are remembered, then what
// Conch doesn't know. Number 1 is a once-option or nobody's: an answer that
// reaches further is never the first one.
func order(offered []engine.PermissionOption) []option {
	keys := map[engine.OptionKind]string{engine.AllowOnce: "y", engine.RejectOnce: "n", engine.AllowAlways: "Y", engine.RejectAlways: "N"}
	var once, remembered, unknown []option
	for _, o := range offered[:min(len(offered), maxOptions)] {
		opt := option{PermissionOption: o, key: keys[o.Kind]}
		keys[o.Kind] = "" // a second one of a kind has its number only
		switch o.Kind {
		case engine.AllowOnce, engine.RejectOnce:
			once = append(once, opt)
		case engine.AllowAlways, engine.RejectAlways:
			remembered = append(remembered, opt)
		default:
			unknown = append(unknown, opt)
		}
	}
	first := 1
	if len(once) == 0 {
		first = 2
	}
	all := append(append(once, remembered...), unknown...)
	for i := range all {
		all[i].number = first + i
	}
	return all
}

func (o option) rejects() bool {
	return o.Kind == engine.RejectOnce || o.Kind == engine.RejectAlways
}

func (p *permission) key(k tea.KeyPressMsg) (Outcome, bool) {
	p.note = ""
	name := k.String()
	switch name {
	case "d":
		p.details = !p.details
		p.top = 0
		return Outcome{}, true
	case "up", "k":
		p.scroll(-1)
		return Outcome{}, true
	case "down", "j":
		p.scroll(1)
		return Outcome{}, true
	case "pgup":
		p.scroll(-max(p.shown-1, 1))
		return Outcome{}, true
	case "pgdown", "space", " ":
		p.scroll(max(p.shown-1, 1))
		return Outcome{}, true
	case "enter":
		p.note = "enter is no answer: press one of the keys"
		return Outcome{}, true
	case "shift+y":
		name = "Y"
	case "shift+n":
		name = "N"
	}
	for _, o := range p.options {
		if name == o.key || len(name) == 1 && o.number <= 9 && name == fmt.Sprint(o.number) {
			return p.choose(o), true
		}
	}
	switch name {
	case "n":
		return Outcome{Kind: Answer}, true // declined, though no option says so
	case "y", "Y", "N":
		p.note = who(p.card) + " doesn't offer that"
	}
	return Outcome{}, false
}

// choose answers, unless the call to be allowed was not seen whole yet.
func (p *permission) choose(o option) Outcome {
	if !o.rejects() && !p.seen {
		if p.details {
			p.scroll(max(p.shown-1, 1))
		}
		p.details = true
		p.note = "there is more of it: look at the end, then answer"
		return Outcome{}
	}
	return Outcome{Kind: Answer, Option: o.ID}
}

func (p *permission) scroll(n int) {
	p.top = max(min(p.top+n, p.bodyLen-p.shown), 0)
}

func (p *permission) paste(string) {}

func (p *permission) caret() (x, y int, ok bool) { return 0, 0, false }

// collapsed is how many rows of the subject and of a diff are shown before
// details are asked for.
const (
	collapsedSubject = 6
	collapsedDiff    = 10
)

func (p *permission) draw(d drawing) []string {
	inline := p.subject
	if strings.Contains(inline, "\n") {
		inline = ""
	}
	head, whole := d.header(name(p.p.Tool), strings.ReplaceAll(inline, "\t", "    "))
	// A row that is not drawn was not seen.
	whole = p.subject == "" || whole && inline != "" && d.rows > 1
	foot := p.answers(d)
	if most := max(d.rows/2, 1); len(foot) > most {
		foot = append(foot[:most-1:most-1], "  "+d.muted(d.th.Signs.Ellipsis+" more answers · d details"))
	}
	if p.note != "" {
		foot = append([]string{"  " + d.th.Attention.Render(p.note)}, foot...)
	}
	room := max(d.rows-1-len(foot), 0)
	if room == 0 && d.rows > 1 && !whole {
		room = 1
	}
	body := p.window(d, p.body(d, whole), room)
	lines := append([]string{head}, body...)
	lines = append(lines, foot...)
	if over := len(lines) - d.rows; over > 0 {
		// Of the answers the first rows stay; of a single row, what to press.
		if d.rows == 1 && d.focused {
			return foot[len(foot)-1:]
		}
		lines = lines[:d.rows]
	}
	return lines
}

// window cuts the body to the rows there are, and notes once the whole subject
// has been on the screen: in details one row after the other is.
func (p *permission) window(d drawing, b body, room int) []string {
	rows := b.rows
	p.bodyLen, p.shown = len(rows), min(len(rows), room)
	if !p.details {
		p.top = 0
	}
	p.top = max(min(p.top, len(rows)-p.shown), 0)
	out := append([]string(nil), rows[p.top:p.top+p.shown]...)
	last := p.top + p.shown
	if hidden := len(rows) - last; hidden > 0 && p.shown > 0 {
		last--
		words := fmt.Sprintf("%s %d more rows", d.th.Signs.Ellipsis, hidden+1)
		if p.details {
			words += " · down"
		} else {
			words += " · d details"
		}
		out[p.shown-1] = "  " + d.muted(words)
	}
	p.seen = p.seen || !b.cut && last >= b.subject
	return out
}

// body is what stands between the first row and the answers.
type body struct {
	rows    []string
	subject int  // so many of the first rows are the subject
	cut     bool // and not all of it
}

func (p *permission) body(d drawing, whole bool) body {
	var b body
	if !whole {
		limit := collapsedSubject
		if p.details {
			limit = 0
		}
		all := d.indented(p.subject, 0)
		b.rows = d.indented(p.subject, limit)
		b.subject, b.cut = len(b.rows), len(all) > len(b.rows)
	}
	add := func(rows ...string) { b.rows = append(b.rows, rows...) }
	if p.changed {
		add("  " + d.th.Attention.Render("it holds characters that are not seen as they are"))
	}
	for _, path := range p.otherPaths() {
		add(d.indented("touches "+path, 2)...)
	}
	if why := line(p.card.Why, 400); why != "" {
		add(d.indented(why, 2)...)
	}
	if reason := line(p.p.Reason, 400); reason != "" {
		add(d.indented(who(p.card)+` says: "`+reason+`"`, 3)...)
	}
	add(p.diffs(d)...)
	if p.whole {
		b.subject, b.cut = len(b.rows), !p.details
		return b
	}
	if p.details {
		add(p.everything(d)...)
	}
	return b
}

// otherPaths are those that the subject does not name.
func (p *permission) otherPaths() []string {
	var paths []string
	for _, path := range p.p.Paths {
		if path = line(path, 0); path == "" || strings.Contains(p.subject, path) {
			continue
		}
		if len(paths) == maxPaths {
			return append(paths, fmt.Sprintf("%d more", len(p.p.Paths)-maxPaths))
		}
		paths = append(paths, path)
	}
	return paths
}

func (p *permission) diffs(d drawing) []string {
	var rows []string
	limit := collapsedDiff
	if p.details {
		limit = 0
	}
	for _, diff := range p.p.Diffs {
		if path := line(diff.Path, 0); len(p.p.Diffs) > 1 || path != p.subject {
			rows = append(rows, d.indented(path, 0)...)
		}
		o := markdown.DiffOptions{Width: max(d.width-2, 1), Split: d.width >= 120, Limit: limit, Line: diff.Line}
		for _, row := range markdown.Diff(diff.Old, diff.New, d.th, o) {
			rows = append(rows, "  "+row)
		}
	}
	return rows
}

// maxInput bounds what is shown of a call's arguments.
const maxInput = 20_000

// everything is what details add: each option in words, and the arguments as the
// program gave them.
func (p *permission) everything(d drawing) []string {
	var rows []string
	for _, o := range p.options {
		words := numberOf(o) + "  " + p.words(o)
		if o.Kind == engine.AllowAlways || o.Kind == engine.RejectAlways {
			words += ": it is for later calls too, as far as " + who(p.card) + " takes it"
		}
		rows = append(rows, d.indented(words, 0)...)
	}
	if len(p.p.Input) > 0 {
		input := string(p.p.Input)
		if len(input) > maxInput {
			input = strings.ToValidUTF8(input[:maxInput], "") + d.th.Signs.Ellipsis
		}
		for _, row := range d.indented("as asked: "+plain.Text(input), 0) {
			rows = append(rows, d.muted(row))
		}
	}
	return rows
}

func numberOf(o option) string {
	n := " "
	if o.number <= 9 {
		n = fmt.Sprint(o.number)
	}
	if o.key == "" {
		return n
	}
	return n + " " + o.key
}

// answers are the last rows: what can be pressed.
func (p *permission) answers(d drawing) []string {
	var pieces []piece
	if !d.focused {
		pieces = append(pieces, d.toAnswer())
	}
	declines := false
	var later []piece
	for _, o := range p.options {
		declines = declines || o.key == "n"
		key := o.key
		if key == "" && o.number <= 9 {
			key = fmt.Sprint(o.number)
		}
		if key == "" {
			continue
		}
		each := piece{key, p.words(o)}
		if o.Kind == engine.AllowOnce || o.Kind == engine.RejectOnce {
			pieces = append(pieces, each)
		} else {
			later = append(later, each)
		}
	}
	if !declines {
		pieces = append(pieces, piece{"n", "no"})
	}
	pieces = append(pieces, piece{"d", "details"})
	return d.items(append(pieces, later...))
}

// words says what an option does. What the program remembers is said to reach
// further, with the program's own label for how far.
func (p *permission) words(o option) string {
	label := line(o.Name, 120)
	if p.whole {
		return label
	}
	switch o.Kind {
	case engine.AllowOnce:
		return labelled("once", label)
	case engine.RejectOnce:
		return labelled("no", label)
	case engine.AllowAlways, engine.RejectAlways:
		if label == "" {
			label = "always"
			if o.Kind == engine.RejectAlways {
				label = "never"
			}
		}
		if o.Own {
			return label
		}
		return label + " (" + who(p.card) + " remembers)"
	}
	if label == "" {
		label = "an option without a name"
	}
	return label + " (what it covers is not known)"
}

// said are labels that say no more than Conch's own word.
var said = map[string]bool{
	"": true, "allow": true, "allow once": true, "yes": true, "approve": true, "approve once": true, "accept": true, "once": true, "proceed": true, "proceed once": true, "yes, allow once": true, "yes, this once": true, "yes, proceed": true,
	"reject": true, "reject once": true, "deny": true, "deny once": true, "no": true, "decline": true, "cancel": true, "don't allow": true, "disallow": true,
}

func labelled(word, label string) string {
	if said[strings.ToLower(label)] {
		return word
	}
	return word + ` "` + label + `"`
}

func name(tool string) string {
	if app, bare, ok := engine.AppTool(tool); ok {
		tool = app + " " + bare
	}
	if t := line(tool, 60); t != "" {
		return t
	}
	return "a tool"
}

func who(c conversation.Card) string {
	if w := line(c.AskedBy, 40); w != "" {
		return w
	}
	return "the agent"
}
