package allchat

import (
	"time"

	"conch/allchat/record"
	"conch/engine"
)

// Plan is what a run is to be.
type Plan struct {
	Folder      string // of the project, absolute
	Coordinator Pick
	Others      []Pick        // at most two; a Role of "" is a worker
	Mode        engine.Mode   // what may be read without asking; "" is engine.DefaultMode
	TurnWithin  time.Duration // of a participant's turn, at most a day; 0 is half an hour
	Revision    string        // of the project, as its version control names it; "" for none
}

// Pick is a provider that takes part.
type Pick struct {
	Provider string
	Role     record.Role // of one of the others
	Model    string      // "" is the provider's default
}

// Again is what a run is carried on with. The record knows neither a folder nor a
// model.
type Again struct {
	Folder string                // the same as ever
	Models map[record.Who]string // of those who are to have another model than the default
	Mode   engine.Mode           // "" is engine.DefaultMode
}

// NotReady says that a provider can't take part now: the run did not start.
type NotReady struct {
	Provider string
	Name     string // as a person reads it
	State    engine.State
	Problem  string // one sentence
	Next     string // one step, "" for none
	SignIn   bool   // an engine.SignIner offers its sign-in in the terminal
}

func (n *NotReady) Error() string { return n.Problem }
