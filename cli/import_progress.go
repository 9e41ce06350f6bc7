package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"conch/pastchats"
	"conch/plain"
)

// progressLine is one line on a terminal that is written over; in a pipe it is
// nothing.
type progressLine struct {
	w     io.Writer // nil: nothing
	width func() int
	now   func() time.Time
}

func (a *app) progressLine() *progressLine {
	p := &progressLine{width: a.width, now: a.host.Now}
	if isTerminal(a.host.Stderr) && a.env("TERM") != "dumb" {
		p.w = a.host.Stderr
	}
	return p
}

func (p *progressLine) say(words string) {
	if p.w == nil {
		return
	}
	if width := p.width(); width > 0 {
		words = ansi.Truncate(words, width-1, "…")
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", words)
}

func (p *progressLine) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func (p *progressLine) progress(at pastchats.Progress) {
	words := []string{fmt.Sprintf("%s of %s", grouped(at.Done), grouped(at.Total))}
	if at.App != "" {
		words = append(words, plain.Line(at.App, 40))
	}
	if left := timeLeft(at, p.now()); left != "" {
		words = append(words, left)
	}
	words = append(words, "ctrl+c stops, what is in stays")
	p.say(strings.Join(words, " · "))
}

// timeLeft is how long the rest takes at the rate so far; "" while nothing can
// be said.
func timeLeft(at pastchats.Progress, now time.Time) string {
	took := now.Sub(at.Since)
	if at.Bytes <= 0 || at.Of <= at.Bytes || took < time.Second {
		return ""
	}
	left := time.Duration(float64(took) * float64(at.Of-at.Bytes) / float64(at.Bytes)).Round(time.Second)
	return fmt.Sprintf("%s left", max(left, time.Second))
}
