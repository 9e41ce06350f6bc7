package tui

import (
	"strconv"
	"strings"

	"conch/conversation"
	"conch/engine"
	"conch/plain"
	"conch/tui/complete"
	"conch/tui/composer"
)

// line does what a typed line means: an answer to what was asked last, a
// command, or a message. It reports a message: then the next prompt comes after
// the turn.
func (p *plainScreen) line(text string) (sent bool) {
	m, r := p.m, p.m.room
	switch {
	case m.ask != nil:
		p.yesNo(text)
		return false
	case p.form != nil && strings.TrimSpace(text) == "/skip":
		p.reply(r, p.form.card, engine.Answer{Skipped: true})
		return false
	case p.form != nil && strings.TrimSpace(text) == "/stop":
		p.form = nil
		m.command(r, "/stop")
		return false
	case p.form != nil:
		p.field(text)
		return false
	case m.picker != nil:
		p.pick(text)
		return false
	case m.sheeted:
		p.openRow(text)
		return false
	case strings.HasSuffix(text, `\`):
		p.more += strings.TrimSuffix(text, `\`) + "\n"
		return false
	}
	text, p.more = p.more+text, ""
	switch {
	case strings.TrimSpace(text) == "":
		p.nothing(r)
	case strings.HasPrefix(text, "!"):
		m.runShell(r, text[1:])
	case strings.HasPrefix(text, "/") && (p.cardCommand(r, text) || m.command(r, text)):
	case r.failed != nil:
		m.say(openFailed(r.failed), true)
	case r.status.ReadOnly: // the other conch may have left it since
		if before, ok := r.prompt.Take(); ok {
			text = before.Text + "\n" + text
		}
		r.prompt.Put(text, nil)
		m.reopen(r)
	default:
		m.send(r, conversation.Message{Text: text, Attachments: attachments(r.folderNow(), composer.Message{Files: complete.Mentions(text)})})
		return true
	}
	return false
}

// nothing is an empty line: what could not be sent goes, held messages go, the
// demo is taken where it is offered.
func (p *plainScreen) nothing(r *room) {
	m := p.m
	row, cut := m.cutOff(r)
	switch {
	case !r.prompt.Empty():
		m.submit(r)
	case cut:
		m.show(row.ID)
	case r.status.Held && !r.status.Running:
		m.do(r, "send it", func(t talk) error { return t.Release() })
	case m.offersDemo(r):
		m.chooseProvider(demoID)
		m.send(r, conversation.Message{Text: "show me what you can do"})
	}
}

func (p *plainScreen) yesNo(text string) {
	m := p.m
	if m.at.Sub(m.ask.since) < quiet {
		return // typed before it could be read
	}
	do := m.ask.do
	m.ask = nil
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes":
		do()
	default:
		p.write("No.")
	}
}

func (p *plainScreen) pick(text string) {
	m := p.m
	text = strings.TrimSpace(text)
	picker := m.picker
	if text == "" {
		m.picker = nil
		return
	}
	if n, err := strconv.Atoi(text); err == nil {
		rows := picker.matches()
		if n < 1 || n > len(rows) {
			p.write("There is no " + text + ".")
			return
		}
		m.picker = nil
		picker.take(rows[n-1])
		return
	}
	picker.words = newLine(m.th.Widths)
	picker.filter(text)
	switch rows := picker.matches(); {
	case len(rows) == 1:
		m.picker = nil
		picker.take(rows[0])
	case len(rows) == 0 && picker.typed != nil && picker.typed(text):
		m.picker = nil
	case len(rows) == 0:
		picker.words = newLine(m.th.Widths)
		p.write("Nothing is like that.")
	default:
		p.tellPicker()
	}
}

func (p *plainScreen) openRow(text string) {
	m := p.m
	text = strings.TrimSpace(text)
	if text == "" {
		m.closeSheet()
		return
	}
	rows := m.sheet.Listed()
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(rows) {
		p.write("Type one of the numbers; an empty line goes back.")
		return
	}
	row := rows[n-1]
	if row.Past {
		m.sheet.Choose(row.ID)
		m.openRow(row.Row)
		m.closeSheet()
		return
	}
	m.closeSheet()
	m.show(row.ID)
}

// tellCard says what waits, once. Only a line that begins with a slash answers
// it, so nothing that was being typed does.
func (p *plainScreen) tellCard(r *room) {
	if len(r.status.Cards) == 0 {
		p.said.card, p.form = "", nil
		return
	}
	c := r.status.Cards[0]
	if c.ID == p.said.card {
		return
	}
	p.said.card, p.form = c.ID, nil
	if c.Permission != nil {
		p.tellPermission(c, false)
		return
	}
	q := c.Question
	p.write(plain.Line(c.AskedBy, 60) + " asks: " + plain.Line(q.Title, 400))
	if q.URL != "" {
		p.write("It wants you to open: " + plain.Line(q.URL, 0))
	}
	p.write("/answer answers it, /skip does not.")
}

func (p *plainScreen) tellPermission(c conversation.Card, whole bool) {
	perm := c.Permission
	p.write(plain.Line(c.AskedBy, 60) + " asks to be allowed: " + plain.Line(perm.Tool, 60) + " " + plain.Line(perm.Subject, 0))
	if c.Why != "" {
		p.write("Why it is asked: " + plain.Line(c.Why, 400))
	}
	for _, d := range perm.Diffs {
		if whole {
			p.write(plain.Line(d.Path, 0))
			for _, line := range diffLines(d, p.m.th, p.m.w) {
				p.write(line)
			}
		}
	}
	var words []string
	for i, o := range perm.Options {
		words = append(words, "/"+strconv.Itoa(i+1)+" "+plain.Line(o.Name, 200))
	}
	p.write("Answer with /y once, /n no, /d details, or: " + strings.Join(words, ", "))
}

// cardCommand answers the card that waits.
func (p *plainScreen) cardCommand(r *room, text string) bool {
	if len(r.status.Cards) == 0 {
		return false
	}
	c := r.status.Cards[0]
	if p.said.card != c.ID {
		return false
	}
	word := strings.TrimSpace(text)
	if c.Question != nil {
		switch word {
		case "/answer":
			p.form = newForm(c)
			p.askField()
		case "/skip":
			p.reply(r, c.ID, engine.Answer{Skipped: true})
		default:
			return false
		}
		return true
	}
	option, ok := optionOf(c.Permission, word)
	switch {
	case word == "/d":
		p.tellPermission(c, true)
	case word == "/n":
		p.answer(r, c.ID, "")
	case ok:
		p.answer(r, c.ID, option)
	default:
		return false
	}
	return true
}

// optionOf is the option that a word names: /y the one for this call, /2 the
// second.
func optionOf(perm *engine.Permission, word string) (string, bool) {
	if word == "/y" {
		for _, o := range perm.Options {
			if o.Kind == engine.AllowOnce {
				return o.ID, true
			}
		}
		return "", false
	}
	n, err := strconv.Atoi(strings.TrimPrefix(word, "/"))
	if err != nil || n < 1 || n > len(perm.Options) {
		return "", false
	}
	return perm.Options[n-1].ID, true
}

func (p *plainScreen) answer(r *room, card, option string) {
	p.m.do(r, "answer it", func(t talk) error { return t.Answer(card, option) })
}

func (p *plainScreen) reply(r *room, card string, a engine.Answer) {
	p.form = nil
	p.m.do(r, "answer it", func(t talk) error { return t.AnswerQuestion(card, a) })
}
