package tui

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"conch/engine"
	"conch/plain"
)

// plainScreen is the screen as lines, for screen readers: no borders, no
// spinner, nothing that is drawn again. What happens is written once, in order;
// what the person types is read by the line. It is the same model; only what it
// would draw is said instead.
type plainScreen struct {
	d    Deps
	crew *crew
	m    *model
	msgs chan tea.Msg
	over chan struct{} // closed at the end: what is sent after it is dropped

	said plainSaid
	form *form
	more string // lines of a message that ended in a backslash
	quit bool
}

// plainSaid is what was written already.
type plainSaid struct {
	room    *room
	note    int
	card    string
	running bool
	ends    int
	picker  *picker
	ask     *asking
	sheet   bool
	fresh   bool // something was written since the prompt
}

// plainTail is how many lines of a chat that is carried on are read out.
const plainTail = 40

func runPlain(ctx context.Context, d Deps) (exit Exit, err error) {
	d.Drawn()
	d.Editor = nil // it would want the terminal for itself
	d.Options.Motion, d.Options.NoColor, d.Options.ASCII = false, true, true
	p := &plainScreen{d: d, crew: newCrew(ctx), msgs: make(chan tea.Msg), over: make(chan struct{})}
	p.m = newModel(d, p.crew)
	p.m.w, p.m.h, p.m.sized = p.width(), 24, true
	p.crew.begin(p.send, func() { p.send(tea.QuitMsg{}) })

	reader, err := cancelreader.NewReader(d.Input)
	if err != nil {
		p.crew.close()
		p.crew.wait()
		return Exit{}, fmt.Errorf("read the input: %w", err)
	}
	lines, read := make(chan string), make(chan struct{})
	go func() {
		defer close(read)
		defer p.crew.guard("input")
		readLines(p.crew.ctx, reader, lines)
	}()

	p.loop(ctx, lines)

	close(p.over)
	p.crew.cancel()
	if reader.Cancel() { // a terminal; what can't be canceled ends with its input
		<-read
	}
	s := &screen{d: d, crew: p.crew, model: p.m}
	exit = s.exit()
	if p.crew.crashed() == nil && exit.Chat != "" {
		p.write(d.carryOn(exit.Chat))
	}
	p.crew.close()
	p.crew.wait()
	_ = reader.Close() // it was only read
	if crash := p.crew.crashed(); crash != nil {
		crash.Chat = exit.Chat
		s.broke(*crash)
		exit.Code = 2
	}
	return exit, nil
}

func (p *plainScreen) width() int {
	if f, ok := p.d.Output.(term.File); ok {
		if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
			return w
		}
	}
	return 80
}

// readLines hands lines on until the input ends; then it closes the channel.
func readLines(ctx context.Context, from io.Reader, lines chan<- string) {
	defer close(lines)
	in := bufio.NewReader(from)
	for {
		text, err := in.ReadString('\n')
		if text != "" {
			select {
			case lines <- strings.TrimRight(text, "\r\n"):
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *plainScreen) send(msg tea.Msg) {
	select {
	case p.msgs <- msg:
	case <-p.over:
	}
}

// loop handles one thing after the other until the person leaves.
func (p *plainScreen) loop(ctx context.Context, lines <-chan string) {
	defer func() {
		if r := recover(); r != nil {
			p.crew.caught("plain", r, debug.Stack())
		}
	}()
	p.write("Conch " + p.d.Version + ". A chat in " + short(p.d.Folder, p.d.Home) + ". Type a message and press enter; /help lists what else there is.")
	p.handle(loadMsg{})
	for !p.quit {
		select {
		case <-ctx.Done():
			return
		case msg := <-p.msgs:
			p.handle(msg)
		case text, ok := <-lines:
			if !ok {
				return
			}
			p.m.at = p.d.Now()
			p.said.fresh = !p.line(text)
			p.settle()
		}
	}
}

func (p *plainScreen) handle(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.QuitMsg:
		p.quit = true
		return
	case tea.BatchMsg:
		for _, cmd := range msg {
			p.start(cmd)
		}
		return
	case tea.RawMsg:
		fmt.Fprint(p.d.Output, msg.Msg)
		return
	case nil:
		return
	}
	p.m.at = p.d.Now()
	p.m.update(msg)
	p.settle()
}

// settle starts what the handled message gave rise to and says what is new.
func (p *plainScreen) settle() {
	cmds := p.m.cmds
	p.m.cmds = nil
	for _, cmd := range cmds {
		p.start(cmd)
	}
	p.tell()
	if p.said.fresh && !p.m.room.busy() {
		p.said.fresh = false
		fmt.Fprint(p.d.Output, "> ")
	}
}

func (p *plainScreen) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	p.crew.run("command", func(context.Context) {
		if msg := cmd(); msg != nil {
			p.send(msg)
		}
	})
}

// write writes one line, without any look.
func (p *plainScreen) write(s string) {
	fmt.Fprintln(p.d.Output, strings.TrimRight(ansi.Strip(s), " "))
	p.said.fresh = true
}

// tell says what became known since the last time, once.
func (p *plainScreen) tell() {
	m, r := p.m, p.m.room
	first := p.said.room != r
	if first {
		p.said.room, p.said.card, p.said.running, p.said.ends = r, "", false, r.ends
	}
	r.items.SetSize(m.w, m.h)
	lines := r.items.Flush()
	if len(lines) > plainTail && !r.heard {
		p.write("(earlier words are left out: conch show reads the whole chat)")
		lines = lines[len(lines)-plainTail:]
	}
	for _, line := range lines {
		p.write(line)
	}
	p.tellTurn(r)
	r.heard = r.heard || r.opened
	p.tellCard(r)
	if m.note.serial != p.said.note && m.note.words != "" {
		p.said.note = m.note.serial
		p.write(m.note.words)
	}
	switch {
	case m.ask != nil && m.ask != p.said.ask:
		p.write(m.ask.words + " y or n:")
	case m.picker != nil && m.picker != p.said.picker:
		p.tellPicker()
	case m.sheeted && !p.said.sheet && m.rows != nil && !m.sheet.Pending():
		p.tellSheet()
	}
	p.said.ask, p.said.picker = m.ask, m.picker
	p.said.sheet = m.sheeted && m.rows != nil && (p.said.sheet || !m.sheet.Pending())
	p.tellReader()
	if m.pager != nil {
		p.write(m.pager.title)
		for _, line := range m.pager.make(m.th, m.w) {
			p.write(line)
		}
		m.pager = nil
	}
}

// tellTurn says that a turn began or is over: a word that changes only when the
// state does.
func (p *plainScreen) tellTurn(r *room) {
	// Of another end the chat itself tells.
	if end := r.status.LastEnd; r.ends != p.said.ends && r.heard && (end == nil || end.Outcome == string(engine.Success)) {
		p.write(plain.Line(orNobody(r.ended), 60) + " is done.")
	}
	p.said.ends = r.ends
	if r.status.Running && !p.said.running {
		p.write(plain.Line(orNobody(r.answering()), 60) + " is working.")
	}
	p.said.running = r.status.Running
}

func (p *plainScreen) tellPicker() {
	m := p.m
	p.write(m.picker.title)
	for i, row := range m.picker.matches() {
		words := make([]string, 0, len(row.cells))
		for _, c := range row.cells {
			if c.words != "" {
				words = append(words, c.words)
			}
		}
		mark := ""
		if row.on {
			mark = " (now)"
		}
		p.write(fmt.Sprintf("%d  %s%s", i+1, strings.Join(words, ", "), mark))
	}
	p.write("Type a number or a part of a name; an empty line goes back.")
}

// plainRows is how many chats are read out.
const plainRows = 20

func (p *plainScreen) tellSheet() {
	rows := p.m.sheet.Listed()
	for i, row := range rows {
		if i == plainRows {
			p.write(fmt.Sprintf("and %d more; /search with words finds them", len(rows)-i))
			break
		}
		p.write(fmt.Sprintf("%d  %s, %s, %s, %s", i+1, firstOf(plain.Line(row.Title, 80), "no title"), plain.Line(row.Project, 40), plain.Line(row.Provider, 40), row.Updated.In(p.m.zone).Format("2 Jan 2006 15:04")))
		if row.Snippet != "" {
			p.write("   " + row.Snippet)
		}
	}
	if words := plain.Line(p.m.sheet.Closest(), 200); words != "" && len(rows) > 0 {
		p.write("Nothing has it as typed; close to it: " + words)
	}
	if len(rows) == 0 {
		p.write("No chat is like that.")
	}
	p.write("Type a number to open one; an empty line goes back.")
}

// tellReader reads a past chat out, once it is there.
func (p *plainScreen) tellReader() {
	m, r := p.m, p.m.reader
	switch {
	case r == nil:
		return
	case r.failed != "":
		p.write(r.failed)
	case r.items == nil:
		return // it comes
	default:
		e := r.entry
		p.write(plain.Line(firstOf(e.Title, "no title"), 200) + ", from " + plain.Line(e.From(), 100) + ", read-only:")
		r.items.SetSize(m.w, m.h)
		for _, line := range r.items.Flush() {
			p.write(line)
		}
		p.write("/carry carries it on here.")
	}
	m.reader = nil
}
