package record

// Cards are the permissions that wait for an answer: one of a participant at a
// time, in the order in which they came. They are never in the record, and gone
// with the process.
type Cards struct{}

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

// Offer puts a card in line. It is refused with Limit when the participant has one
// waiting, the turn had MaxCards of them, or a part of it is too long.
func (c *Cards) Offer(card Card) error { panic("later") }

// Waiting lists the cards in the order in which they came.
func (c *Cards) Waiting() []Card { panic("later") }

// Choose makes the event for an option that the person chose. The card waits on
// until that event is appended.
func (c *Cards) Choose(b Bond, option string) (PermissionDecided, error) { panic("later") }

// Drop makes the event for a card that Conch takes away: Deny, DecisionCancelled
// or DecisionExpired.
func (c *Cards) Drop(b Bond, d Decision) (PermissionDecided, error) { panic("later") }
