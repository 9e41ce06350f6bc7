package tools

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"conch/search"
)

// page is a stretch of a chat.
type page struct {
	words          []search.Word
	asked          int // the one that was asked for, -1 for none
	near           int // the one that the others are near to
	earlier, later bool
}

// page reads a stretch of the chat. No more of it is held at a time than two
// stretches.
func (c *opened) page(ctx context.Context, message, direction string) (page, error) {
	var tries []func(int) bool // places to look at, the cheap ones first
	switch guess := c.guess(message); {
	case message != "" && guess >= 0:
		tries = append(tries, between(guess-maxMessages-1, guess+maxMessages+1))
	case message == "" && direction == after:
		tries = append(tries, between(0, maxMessages))
	case message == "" && c.count > 0:
		tries = append(tries, between(c.count-maxMessages-1, math.MaxInt))
	}
	tries = append(tries, func(int) bool { return true })
	for _, want := range tries {
		g := gathering{message: message, direction: direction}
		err := c.read(want, func(n int, w search.Word) bool { return ctx.Err() == nil && g.add(n, w) })
		if err = errors.Join(ctx.Err(), err); err != nil {
			return page{}, fmt.Errorf("read the chat: %w", err)
		}
		if p, ok := g.page(); ok {
			return p, nil
		}
	}
	if message != "" {
		return page{}, &BadArguments{Tool: "read_chat", Problems: []string{"message: wanted the id of a message in that chat, got " + strconv.Quote(shown(message)) + ", which is in none of its messages"}}
	}
	return page{asked: -1}, nil
}

func between(from, to int) func(int) bool {
	return func(n int) bool { return n >= from && n <= to }
}

// gathering collects a stretch while a chat goes by.
type gathering struct {
	message, direction string

	head  []search.Word // what came last before the message, or last of all
	first int           // the place of head's first
	asked *search.Word
	tail  []search.Word // what came behind it
	over  bool          // and there is more
}

// add takes the next message; false: there is enough.
func (g *gathering) add(n int, w search.Word) bool {
	switch {
	case g.asked != nil:
		if g.direction == before {
			g.over = true // it is enough to know
			return false
		}
		return g.behind(w)
	case g.message == "" && g.direction == after:
		return g.behind(w)
	case g.message != "" && w.ID == g.message:
		g.asked = &w
		if len(g.head) == 0 {
			g.first = n
		}
		return true
	}
	if len(g.head) == 0 {
		g.first = n
	}
	if g.head = append(g.head, w); len(g.head) > maxMessages {
		copy(g.head, g.head[1:])
		g.head = g.head[:maxMessages]
		g.first++
	}
	return true
}

func (g *gathering) behind(w search.Word) bool {
	if len(g.tail) == maxMessages {
		g.over = true
		return false
	}
	g.tail = append(g.tail, w)
	return true
}

// page is what was asked for; ok is false when it was not there.
func (g *gathering) page() (p page, ok bool) {
	switch {
	case g.message == "":
		p = page{words: g.head, asked: -1, near: len(g.head) - 1, earlier: g.first > 0}
		if g.direction == after {
			p = page{words: g.tail, asked: -1, later: g.over}
		}
		return p, len(p.words) > 0
	case g.asked == nil:
		return p, false
	case g.direction == before:
		return page{words: g.head, asked: -1, near: len(g.head) - 1, earlier: g.first > 0, later: true}, true
	case g.direction == after:
		return page{words: g.tail, asked: -1, earlier: true, later: g.over}, true
	}
	// As many on both sides as there are, and more on one where the other has less.
	ahead := min(len(g.head), max(maxMessages/2, maxMessages-1-len(g.tail)))
	behind := min(len(g.tail), maxMessages-1-ahead)
	p = page{asked: ahead, near: ahead, earlier: g.first > 0 || ahead < len(g.head), later: g.over || behind < len(g.tail)}
	p.words = append(p.words, g.head[len(g.head)-ahead:]...)
	p.words = append(append(p.words, *g.asked), g.tail[:behind]...)
	return p, true
}
