package tui

import (
	"reflect"
	"time"

	"charm.land/bubbletea/v2"
)

// Bubble Tea writes the screen on a ticker that never stops: 60 frames a second
// take 0.7 % of a core while nothing happens. With fewer of them the first screen
// and every key come later. So frames rest while no message comes.
//
// Bubble Tea has no option for that, and its ticker is no part of what it
// promises: it is looked for by name. Where there is none, fewer frames are drawn
// all the time.
//
// What changes by itself changes at most 30 times a second: a chat's news are
// gathered for the time of a frame (see worker), and only the answer to a key may
// take one of the frames between.
const (
	framesPerSecond = 60
	fewerFrames     = 32 // at most 0.5 % of a core, and the first screen is still soon

	restAfter = 500 * time.Millisecond // without a message; what it changed is written long before
	restFrame = time.Second
)

// pace is how often the screen is written. Its zero value changes nothing.
type pace struct {
	prog    *tea.Program
	ticker  interface{ Reset(time.Duration) }
	last    time.Time // the newest message
	asked   bool      // a restMsg is on its way
	resting bool
}

// restMsg: some time has passed, it may have been quiet.
type restMsg struct{}

// keepPace is called with every message, on the goroutine that runs the program.
func (m *model) keepPace(msg tea.Msg) {
	p := &m.pace
	if p.ticker == nil && p.prog != nil {
		if t := tickerOf(p.prog); t != nil {
			p.ticker = t
		}
		p.prog = nil
	}
	if p.ticker == nil {
		return
	}
	wait := restAfter
	if _, ok := msg.(restMsg); ok {
		p.asked = false
		if wait -= m.at.Sub(p.last); wait <= 0 {
			p.resting = true
			p.ticker.Reset(restFrame)
			return
		}
	} else {
		p.last = m.at
		if p.resting {
			p.resting = false
			p.ticker.Reset(time.Second / framesPerSecond)
		}
	}
	if !p.asked {
		p.asked = true
		m.later(m.crew.after(wait, restMsg{}))
	}
}

// frames is the number of frames a second that a program is made with.
func frames() int {
	if field, ok := reflect.TypeFor[tea.Program]().FieldByName("ticker"); ok && field.Type == reflect.TypeFor[*time.Ticker]() {
		return framesPerSecond
	}
	return fewerFrames
}

// tickerOf is the ticker of a program that runs, nil when it can't be found.
func tickerOf(prog *tea.Program) *time.Ticker {
	field := reflect.ValueOf(prog).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	ticker, _ := reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem().Interface().(*time.Ticker)
	return ticker
}
