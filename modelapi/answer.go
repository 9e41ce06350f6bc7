package modelapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Bounds of one answer.
const (
	maxWords = 4 << 20 // bytes of text, and of thinking
	maxCalls = 128
	maxArgs  = 4 << 20 // bytes of the arguments of one call
	maxBack  = 4 << 20 // bytes of what goes back as it came
	maxName  = 200
)

var errTooMuch = errors.New("its answer was too large to take in")

// Why an answer ended.
const (
	stopLength  = "length"  // it reached the longest that it may be
	stopRefused = "refused" // the API kept it back
)

// answer is what a model has said so far.
type answer struct {
	text    strings.Builder
	thought strings.Builder
	calls   []*heard
	back    []json.RawMessage
	backed  int // bytes of back
	usage   usage
	stop    string // "" is a usual end
	ended   bool   // the API said why it ended
	over    bool   // nothing of use comes any more
	model   string
	unheard func(kind string) // is told of events that are ignored; nil: nobody is

	tags  tags
	shown sayer
}

// heard is a call as it comes in pieces.
type heard struct {
	call
	key string // by which its pieces are told apart
}

// sayer is told the words as they come.
type sayer interface {
	say(delta string)
	think(delta string)
}

// usage is what the API counted; -1 is not said.
type usage struct {
	in, out, cached int64 // in has the cached ones too
	cost            float64
	costed          bool
	said            bool
}

func (a *answer) words(delta string) error {
	if delta == "" {
		return nil
	}
	said, thought := a.tags.take(delta)
	return a.both(said, thought)
}

func (a *answer) both(said, thought string) error {
	if err := a.think(thought); err != nil || said == "" {
		return err
	}
	if a.text.Len()+len(said) > maxWords {
		return errTooMuch
	}
	a.text.WriteString(said)
	a.shown.say(said)
	return nil
}

func (a *answer) think(delta string) error {
	if delta == "" {
		return nil
	}
	if a.thought.Len()+len(delta) > maxWords {
		return errTooMuch
	}
	a.thought.WriteString(delta)
	a.shown.think(delta)
	return nil
}

// close takes what was held back in case it were a tag.
func (a *answer) close() error { return a.both(a.tags.rest()) }

// piece adds to the call of a key. A call without an id gets one.
func (a *answer) piece(key, id, name, args string) error {
	c := a.callOf(key)
	if c == nil {
		if len(a.calls) >= maxCalls {
			return errTooMuch
		}
		c = &heard{key: key}
		a.calls = append(a.calls, c)
	}
	if c.ID == "" {
		c.ID = id
	}
	if len(c.Name)+len(name) <= maxName && c.Name != name {
		c.Name += name // some servers say it again with every piece
	}
	if len(c.Args)+len(args) > maxArgs {
		return errTooMuch
	}
	c.Args += args
	return nil
}

func (a *answer) callOf(key string) *heard {
	for _, c := range a.calls {
		if c.key == key {
			return c
		}
	}
	return nil
}

func (a *answer) keep(raw json.RawMessage) {
	if a.backed += len(raw); a.backed <= maxBack {
		a.back = append(a.back, append(json.RawMessage(nil), raw...))
	}
}

// ignored counts an event that says nothing to Conch.
func (a *answer) ignored(kind string) {
	if a.unheard != nil {
		a.unheard(kind)
	}
}

// empty reports that nothing of it has come.
func (a *answer) empty() bool {
	return a.text.Len() == 0 && a.thought.Len() == 0 && len(a.calls) == 0
}

// message is the answer as the history has it. Calls without an id, or with that of
// another, get one of their own: serial tells answers of a session apart.
func (a *answer) message(serial int) message {
	m := message{Role: ofModel, Text: a.text.String(), back: a.back}
	ids := map[string]bool{}
	for i, c := range a.calls {
		one := c.call
		if one.ID = idOnly(one.ID); one.ID == "" || ids[one.ID] {
			one.ID = fmt.Sprintf("call_%d_%d", serial, i+1)
		}
		ids[one.ID] = true
		if strings.TrimSpace(one.Args) == "" {
			one.Args = "{}" // a call without arguments
		}
		m.Calls = append(m.Calls, one)
	}
	return m
}

// idOnly leaves of an id what every API takes.
func idOnly(id string) string {
	id = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
	return id[:min(len(id), 64)]
}
