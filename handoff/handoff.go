// Package handoff builds the block that tells a provider what it missed:
// bounded, framed as data, and deterministic. Pure functions over events; no
// clock, no file.
package handoff

import "conch/chats"

// Case says why the block is given; each has an introduction of its own.
type Case int

const (
	Joined  Case = iota // the provider never took part
	WentOn              // the chat went on without it
	Restart             // its own session could not be continued: the whole conversation
)

// Options bounds and frames a block. Zero limits are the usual ones.
type Options struct {
	Case   Case
	Since  int64 // only events after this seq; -1 for all
	Until  int64 // only events before this seq: that of the new message
	Limits Limits
}

// Limits are in characters (runes), or in lines for Steps.
type Limits struct {
	Block, Message, Result, Call, Arguments, Steps, Now, Summary int
}

// Count is what a block holds and what it left out.
type Count struct {
	Messages, Steps, LeftOut int
}

// Build gives the block with its tags, or "" when there is nothing to hand over.
func Build(events []chats.Event, o Options) (string, Count) { panic("soon") }
