package card

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"charm.land/bubbletea/v2"

	"conch/conversation"
	"conch/engine"
	"conch/plain"
)

// question is something to be answered in words. The person moves through its
// stops: a field of text is one, and so is each option; the last one skips.
type question struct {
	card   conversation.Card
	q      *engine.Question
	fields []*field
	free   bool // one field that stands for Answer.Text

	at   int // the active field; len(fields) is "skip"
	note string

	x, y   int // the caret of the last draw
	typing bool
	top    int // first row of the body that is drawn
}

// The most of a hostile question that is looked at.
const (
	maxFields  = 50
	maxChoices = 200
)

func newQuestion(c conversation.Card) face {
	q := &question{card: c, q: c.Question}
	if q.q.URL != "" && len(q.q.Fields) == 0 {
		return &address{card: c, q: c.Question}
	}
	for _, f := range q.q.Fields[:min(len(q.q.Fields), maxFields)] {
		q.fields = append(q.fields, newField(f))
	}
	if len(q.fields) == 0 {
		q.free = true
		q.fields = []*field{newField(engine.Field{Kind: "text", Required: true})}
	}
	return q
}

func (q *question) key(k tea.KeyPressMsg) (Outcome, bool) {
	q.note = ""
	name := k.Keystroke()
	if q.at < len(q.fields) {
		f := q.fields[q.at]
		if name == "enter" && f.confirm() {
			return q.next(), true
		}
		if f.key(k) {
			return Outcome{}, true
		}
	}
	switch name {
	case "up":
		q.move(-1)
	case "down":
		q.move(1)
	case "enter":
		if q.at == len(q.fields) {
			return Outcome{Kind: Reply, Reply: engine.Answer{Skipped: true}}, true
		}
		q.note = "choose one first"
	default:
		return Outcome{}, false
	}
	return Outcome{}, true
}

// move goes to the next field, or to "skip" behind the last one.
func (q *question) move(n int) {
	q.at = max(min(q.at+n, len(q.fields)), 0)
	if q.at < len(q.fields) {
		q.fields[q.at].enterFrom(n)
	}
}

// next goes on behind a field that was confirmed, and answers behind the last.
func (q *question) next() Outcome {
	if q.at+1 < len(q.fields) {
		q.move(1)
		return Outcome{}
	}
	values := map[string]any{}
	for i, f := range q.fields {
		v, given, problem := f.value()
		if problem != "" {
			q.at, q.note = i, problem
			f.enterFrom(1)
			return Outcome{}
		}
		if given {
			values[f.Name] = v
		}
	}
	if len(values) == 0 {
		q.note = "nothing is filled in yet; down to skip"
		return Outcome{}
	}
	if q.free {
		text, _ := values[""].(string)
		return Outcome{Kind: Reply, Reply: engine.Answer{Text: text}}
	}
	return Outcome{Kind: Reply, Reply: engine.Answer{Values: values}}
}

func (q *question) paste(text string) {
	if q.at < len(q.fields) {
		q.fields[q.at].paste(text)
	}
}

func (q *question) caret() (x, y int, ok bool) { return q.x, q.y, q.typing }

func (q *question) draw(d drawing) []string {
	head, whole := d.header(who(q.card)+" asks", titleOf(q.q))
	q.typing = false
	foot := q.foot(d)
	var rows []string
	if !whole {
		rows = d.indented(plain.Text(q.q.Title), 12)
	}
	if q.q.URL != "" {
		rows = append(rows, d.indented(plain.Text(q.q.URL), 0)...)
	}
	active, end := 0, 1 // the rows that must be in sight
	for i, f := range q.fields {
		at := len(rows)
		fieldRows, focus := f.draw(d, d.focused && i == q.at)
		rows = append(rows, fieldRows...)
		if i == q.at {
			active, end = at, at+len(fieldRows) // a label alone says nothing
			if len(fieldRows) > d.rows-1-len(foot) {
				active, end = at+focus, at+focus+1
			}
			if x, y, ok := f.caret(d); ok {
				q.x, q.y, q.typing = x, at+y, true
				active, end = at+y, at+y+1
			}
		}
	}
	room := max(d.rows-1-len(foot), 0)
	if len(rows) <= room {
		q.top = 0
	} else {
		q.top = max(min(q.top, active, len(rows)-room), end-room, 0)
		rows = rows[q.top:min(q.top+room, len(rows))]
	}
	q.y += 1 - q.top
	return append(append([]string{head}, rows...), foot...)
}

// foot is the way to skip, and what enter does.
func (q *question) foot(d drawing) []string {
	var rows []string
	if q.note != "" {
		rows = append(rows, "  "+d.th.Attention.Render(q.note))
	}
	if !d.focused {
		return append(rows, d.items([]piece{{d.focusKey, "to answer: what you type then goes here"}})...)
	}
	skip := "skip this question"
	if q.at == len(q.fields) {
		return append(rows, d.items([]piece{{d.th.Signs.Next, skip}, {"enter", "skips"}, {"up", "back"}})...)
	}
	var keys []piece
	f := q.fields[q.at]
	if n := min(len(f.Options), 9); f.text == nil && n > 1 {
		keys = append(keys, piece{"1-" + strconv.Itoa(n), "choose"})
	}
	switch last := q.at == len(q.fields)-1; {
	case last && f.text != nil:
		keys = append(keys, piece{"enter", "answers"}, piece{"down", "to " + skip})
	case last:
		keys = append(keys, piece{"enter", "answers"}, piece{"down", "at the end skips"})
	default:
		keys = append(keys, piece{"enter", "next"}, piece{"down", "at the end skips"})
	}
	return append(rows, d.items(append(keys, piece{"tab", "back to your words"}))...)
}

func titleOf(q *engine.Question) string {
	t := plain.Text(q.Title)
	if strings.Contains(t, "\n") {
		return ""
	}
	return strings.ReplaceAll(t, "\t", " ")
}

// address is a question that asks to open an address. It is shown in full and
// never opened by itself.
type address struct {
	card conversation.Card
	q    *engine.Question
}

func (a *address) key(k tea.KeyPressMsg) (Outcome, bool) {
	switch k.String() {
	case "y":
		return Outcome{Kind: Reply}, true
	case "n":
		return Outcome{Kind: Reply, Reply: engine.Answer{Skipped: true}}, true
	case "o":
		if a.opens() {
			return Outcome{Kind: OpenURL, URL: a.q.URL}, true
		}
	}
	return Outcome{}, false
}

// opens reports an address of the web that holds nothing hidden.
func (a *address) opens() bool {
	u, err := url.Parse(a.q.URL)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && plain.Line(a.q.URL, 0) == a.q.URL
}

func (a *address) paste(string) {}

func (a *address) caret() (x, y int, ok bool) { return 0, 0, false }

func (a *address) draw(d drawing) []string {
	head, whole := d.header(who(a.card)+" asks you to open an address", "")
	rows := []string{head}
	if title := plain.Text(a.q.Title); title != "" && whole {
		rows = append(rows, d.indented(title, 6)...)
	}
	for _, row := range d.wrap(plain.Text(a.q.URL), d.width-2) {
		rows = append(rows, "  "+d.th.Accent.Render(row))
	}
	if host := foreignHost(a.q.URL); host != "" {
		for _, row := range d.indented("the name of the site has letters of another alphabet: "+host, 0) {
			rows = append(rows, d.th.Attention.Render(row))
		}
	}
	var pieces []piece
	if !d.focused {
		pieces = append(pieces, d.toAnswer())
	}
	if a.opens() {
		pieces = append(pieces, piece{"o", "open it"})
	}
	foot := d.items(append(pieces, piece{"y", "done"}, piece{"n", "no"}))
	if over := len(rows) + len(foot) - d.rows; over > 0 && len(rows) > over {
		hidden := over + 1
		rows = rows[:len(rows)-over]
		rows[len(rows)-1] = "  " + d.muted(fmt.Sprintf("%s %d more rows: make the window taller", d.th.Signs.Ellipsis, hidden))
	}
	return append(rows, foot...)
}

// foreignHost is a host's name as the network knows it when it is not all ASCII.
func foreignHost(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	for _, r := range u.Host {
		if r >= 0x80 {
			return plain.Line(fmt.Sprintf("%+q", u.Host), 200)
		}
	}
	return ""
}
