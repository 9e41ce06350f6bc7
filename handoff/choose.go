package handoff

import (
	"fmt"
	"strings"

	"conch/chats"
	"conch/plain"
)

// choice is the parts that go into a block, rendered, oldest first.
type choice struct {
	g     *gathered
	from  int // the first part that is kept
	texts []string
	steps int // lines of steps
}

// choose keeps the newest parts that fit into free characters. The newest
// message is always kept, clipped to what is free; what was done since then gets
// the room that it leaves.
func (g *gathered) choose(l Limits, free int) choice {
	c := choice{g: g, from: len(g.parts)}
	newest := len(g.parts) - 1
	for newest >= 0 && g.parts[newest].label == "" {
		newest--
	}
	if newest >= 0 {
		text := g.parts[newest].fit(l, free)
		free -= length(text)
		if newest < len(g.parts)-1 {
			if done, n := g.parts[newest+1].stretch(l, free); n > 0 {
				c.texts, c.steps = []string{done}, n
				free -= length(done)
			}
		}
		c.texts, c.from = append(c.texts, text), newest
	} else if done, n := g.parts[0].stretch(l, free); n > 0 {
		c.texts, c.steps, c.from = []string{done}, n, 0
	}
	for i := c.from - 1; i >= 0 && free > 0; i-- {
		var text string
		n := 0
		if p := &g.parts[i]; p.label != "" {
			text = p.render(l, l.Message)
		} else {
			text, n = p.lines(l, l.Steps)
		}
		if free -= length(text); free < 0 {
			break
		}
		c.texts, c.from, c.steps = append(c.texts, text), i, c.steps+n
	}
	for i, j := 0, len(c.texts)-1; i < j; i, j = i+1, j-1 {
		c.texts[i], c.texts[j] = c.texts[j], c.texts[i]
	}
	return c
}

func (c choice) leftOut() int {
	n := 0
	for i := range c.g.parts[:c.from] {
		if c.g.parts[i].begins {
			n++
		}
	}
	for i := c.from; i < len(c.g.parts); i++ {
		if p := &c.g.parts[i]; p.label != "" {
			if !p.begins { // its first words were left out, its last ones are here
				n--
			}
			break
		}
	}
	return n
}

func (c choice) count() Count {
	n := Count{Steps: c.steps, LeftOut: c.leftOut()}
	for i := range c.g.parts {
		if c.g.parts[i].begins {
			n.Messages++
		}
	}
	n.Messages -= n.LeftOut
	return n
}

func leftOutLine(n int) string {
	switch n {
	case 0:
		return "[earlier steps left out]\n"
	case 1:
		return "[1 earlier message left out]\n"
	}
	return fmt.Sprintf("[%d earlier messages left out]\n", n)
}

// summaryLine is what is known of the parts that were left out, in at most room
// characters.
func (g *gathered) summaryLine(l Limits, room int) string {
	if g.summary == "" {
		return ""
	}
	text := strings.Trim(l.clean(head(g.summary, whole)), "\n\t ")
	for most := min(l.Summary-len(gap(0))-8, room); most >= 40; {
		shown := Defuse("Summary: "+indent(clip(text, most))) + "\n"
		over := length(shown) - room
		if over <= 0 {
			return shown
		}
		most -= over
	}
	return ""
}

// render gives a message with its label, of at most max characters of words.
func (p *part) render(l Limits, max int) string {
	var b strings.Builder
	for _, piece := range p.pieces {
		b.WriteString(piece)
	}
	text := l.words(b.String(), max)
	if len(p.notes) > 0 {
		text = strings.TrimLeft(text+"\n"+notes(l, p.notes), "\n")
	}
	return Defuse(p.label+": "+indent(text)) + "\n"
}

// notes names attachments, never what is in them.
func notes(l Limits, names []string) string {
	const most = 20
	var list []string
	for _, name := range names[:min(len(names), most)] {
		list = append(list, l.line(name, 100))
	}
	if more := len(names) - most; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return "[attached: " + strings.Join(list, ", ") + "]"
}

// fit renders a message into free characters, whatever it says.
func (p *part) fit(l Limits, free int) string {
	text := p.render(l, l.Message)
	if length(text) <= free {
		return text
	}
	for most := min(l.Message, free); most >= 40; {
		shorter := p.render(l, most)
		over := length(shorter) - free
		if over <= 0 {
			return shorter
		}
		most -= over
	}
	// Too tight for both ends: as much of the beginning as there is room for.
	said := strings.TrimPrefix(text, p.label+": ")
	return p.label + ": " + plain.Line(said, max(1, free-len(p.label)-len(": \n"))) + "\n"
}

// shellWords is what the person's own command says to a provider.
func shellWords(b chats.Shell) string {
	words := "I ran a command: " + b.Command
	if b.ExitCode != 0 {
		words += fmt.Sprintf("\n(exit status %d)", b.ExitCode)
	}
	if out := strings.Trim(b.Output, "\n"); out != "" {
		words += "\n" + out
	}
	return words
}
