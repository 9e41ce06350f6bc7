package record

import (
	"slices"
	"strconv"
	"sync"
)

// Cards are the permissions that wait for an answer: one of a participant at a
// time, in the order in which they came. They are never in the record, and gone
// with the process. A card goes when its decision is committed, or when the
// connection that asked is no longer the participant's.
type Cards struct {
	run   string
	state func() *State

	mu      sync.Mutex
	waiting []Card
	asked   map[int64]int // how many came in each turn
}

// Bond is what an answer to a card is bound to. One that differs in any of it is
// refused, and the card waits on.
type Bond struct {
	Run         string
	Participant Who
	Session     string
	Connection  string
	Turn        int64
	Request     string // once in a run
}

// Choice is an option of a permission as it was offered.
type Choice struct {
	ID         string
	Label      string
	Allow      bool // it lets the call go on
	Remembered bool // it would hold for later calls too: it can't be chosen in a run
}

// Card is one permission that waits.
type Card struct {
	Bond
	Tool    Text
	Choices []Choice
}

func newCards(run string, state func() *State) *Cards {
	return &Cards{run: run, state: state, asked: map[int64]int{}}
}

// Offer puts a card in line. It is refused with Limit when the participant has one
// waiting, the turn had MaxCards of them, or a part of it is too long.
func (c *Cards) Offer(card Card) error {
	if err := card.check(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.asks(card.Bond); err != nil {
		return err
	}
	for _, other := range c.waiting {
		switch {
		case other.Request == card.Request:
			return refuse(TransitionInvalid, "the request waits already")
		case other.Participant == card.Participant:
			return refuse(Limit, "a permission of this participant waits already")
		}
	}
	if c.asked[card.Turn] >= MaxCards {
		return refuse(Limit, "the turn has had all its permissions")
	}
	c.asked[card.Turn]++
	card.Choices = slices.Clone(card.Choices)
	c.waiting = append(c.waiting, card)
	return nil
}

// check looks at the parts of a card alone.
func (card Card) check() error {
	invalid := func(code Code, field, what string) error { return &Error{Code: code, Field: field, What: what} }
	switch {
	case len(card.Request) > MaxOptionID:
		return invalid(Limit, "request", "is over "+strconv.Itoa(MaxOptionID)+" bytes")
	case card.Tool.Len() > MaxLabel:
		return invalid(Limit, "tool", "is over "+strconv.Itoa(MaxLabel)+" bytes")
	case len(card.Choices) > MaxOptions:
		return invalid(Limit, "options", "are over "+strconv.Itoa(MaxOptions))
	}
	if what := line(1, MaxOptionID)(card.Request); what != "" {
		return invalid(EventInvalid, "request", what)
	}
	if what := line(1, MaxLabel)(card.Tool.s); what != "" {
		return invalid(EventInvalid, "tool", what)
	}
	for i, choice := range card.Choices {
		switch {
		case len(choice.ID) > MaxOptionID || len(choice.Label) > MaxOptionLabel:
			return invalid(Limit, "option", "is too long")
		case optionText(choice.ID).s == "":
			return invalid(EventInvalid, "option", "is empty")
		case slices.ContainsFunc(card.Choices[:i], func(o Choice) bool { return o.ID == choice.ID }):
			return invalid(EventInvalid, "option", "is there twice")
		}
	}
	return nil
}

// Waiting lists the cards in the order in which they came.
func (c *Cards) Waiting() []Card {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(c.waiting)
	for i := range all {
		all[i].Choices = slices.Clone(all[i].Choices)
	}
	return all
}

// Choose makes the event for an option that the person chose. The card waits on
// until that event is appended.
func (c *Cards) Choose(b Bond, option string) (PermissionDecided, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	card, err := c.find(b)
	if err != nil {
		return PermissionDecided{}, err
	}
	if err := c.asks(b); err != nil {
		return PermissionDecided{}, err
	}
	i := slices.IndexFunc(card.Choices, func(o Choice) bool { return o.ID == option })
	switch {
	case i < 0:
		return PermissionDecided{}, refuse(TransitionInvalid, "the option wasn't offered")
	case card.Choices[i].Remembered:
		return PermissionDecided{}, refuse(TransitionInvalid, "the option would hold for later calls too")
	}
	decision := Deny
	if card.Choices[i].Allow {
		decision = AllowOnce
	}
	return PermissionDecided{Request: b.Request, Tool: card.Tool, Decision: decision, Option: optionText(option)}, nil
}

// Drop makes the event for a card that Conch takes away: Deny, DecisionCancelled
// or DecisionExpired. The person may take one away too, with DecisionCancelled.
func (c *Cards) Drop(b Bond, d Decision) (PermissionDecided, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	card, err := c.find(b)
	if err != nil {
		return PermissionDecided{}, err
	}
	switch d {
	case Deny, DecisionCancelled, DecisionExpired:
		return PermissionDecided{Request: b.Request, Tool: card.Tool, Decision: d}, nil
	}
	return PermissionDecided{}, refuse(TransitionInvalid, "only the person allows")
}

// find gives the card that waits under a bond.
func (c *Cards) find(b Bond) (Card, error) {
	for _, card := range c.waiting {
		if card.Bond == b {
			return card, nil
		}
	}
	return Card{}, refuse(TransitionInvalid, "no such permission waits")
}

// asks checks that who asks may: it is its turn, on the connection that it has.
func (c *Cards) asks(b Bond) error {
	s := c.state()
	switch {
	case b.Run != c.run:
		return refuse(TransitionInvalid, "the permission is of another run")
	case !s.connected(b):
		return refuse(TransitionInvalid, "the participant isn't ready on this connection")
	case !s.turnOf(b.Participant, b.Turn):
		return refuse(TransitionInvalid, "it isn't this participant's turn")
	case s.decided[b.Request] != 0:
		return refuse(TransitionInvalid, "the permission was decided")
	}
	return nil
}

// connected tells that a participant is ready in this session on this connection.
func (s *State) connected(b Bond) bool {
	m := s.Member(b.Participant)
	return s.End == "" && m != nil && m.Ready && m.Session.Session == b.Session && m.Session.Connection == b.Connection
}

// answered checks that the decisions among some events are of cards that wait, and
// what these offered.
func (c *Cards) answered(events []Event) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		if b, ok := e.Body.(PermissionDecided); ok {
			if err := c.answers(b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Cards) answers(b PermissionDecided) error {
	i := slices.IndexFunc(c.waiting, func(card Card) bool { return card.Request == b.Request && card.Tool == b.Tool })
	if i < 0 {
		return refuse(TransitionInvalid, "no such permission waits")
	}
	if b.Option.s == "" {
		return nil
	}
	card := c.waiting[i]
	if err := c.asks(card.Bond); err != nil {
		return err
	}
	if !slices.ContainsFunc(card.Choices, func(o Choice) bool {
		return !o.Remembered && o.Allow == (b.Decision == AllowOnce) && optionText(o.ID) == b.Option
	}) {
		return refuse(TransitionInvalid, "the option wasn't offered")
	}
	return nil
}

// settle takes away the cards that the state has no room for any more.
func (c *Cards) settle() {
	s := c.state()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = slices.DeleteFunc(c.waiting, func(card Card) bool {
		return s.decided[card.Request] != 0 || !s.connected(card.Bond)
	})
}

// optionText is an option's id as it may be committed: agents make them, and one
// may be a secret.
func optionText(id string) Text {
	t, _ := new(Cleaner).Bounded(new(Cleaner).Line(id, 0).s, MaxOptionID)
	return t
}
