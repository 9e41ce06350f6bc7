package allchat

import (
	"time"

	"conch/allchat/record"
	"conch/engine"
)

// Snapshot is a run as it is at one moment. It shares nothing that changes with the
// run: State and all else is to be read only.
type Snapshot struct {
	Run          string
	State        *record.State // what is committed
	Participants []Participant // in the order of State.Participants
	Cards        []Card        // permissions that wait, in the order in which they came
	Questions    []Question    // of the coordinator's ask that wait
	Notices      []Notice      // the newest last
	// Problem says why nothing can be done in this run any more, "" while it can: the
	// record can't be written, or the run has ended.
	Problem, Next string
}

// Waiting tells that the person has something to answer: a card, a question or a
// proposal.
func (s Snapshot) Waiting() bool {
	if len(s.Cards)+len(s.Questions) > 0 {
		return true
	}
	if s.State == nil || s.State.End != "" {
		return false
	}
	for _, p := range s.State.Proposals {
		if p.Status == record.ProposalWaits {
			return true
		}
	}
	return false
}

// Participant is one who takes part, as it is now.
type Participant struct {
	ID     record.Who
	Role   record.Role
	Engine string // the provider's id
	Name   string // as a person reads it
	Model  string // as far as it is known

	Working bool
	Task    string    // what it works on; "" for the coordinator
	Since   time.Time // the beginning of its turn
	Queued  int       // further tasks that it has before it

	// What it says and does in the turn that runs. It is not committed, and gone when
	// the turn is cancelled or fails.
	Partial string
	Step    string // what it does now, or waits for
	Plan    []engine.PlanStep
	Steps   int // calls that it made in this turn
	Usage   engine.Usage

	Can     []string // what it said that it can, in its own words
	Carried Carried

	// Out says why it takes no further turn until the run is renewed, "" while it does.
	Out string
	// Problem is how its last turn failed, with one next step; "" when it did not.
	Problem, Next string
	SignIn        bool // a sign-in in the terminal is what helps
}

// Carried is what became of the session that a participant had before.
type Carried string

// The ways.
const (
	CarriedNot    Carried = ""         // there was none
	CarriedLoaded Carried = "loaded"   // it goes on in it
	CarriedTold   Carried = "told"     // a new one, which is told what was said, bounded
	CarriedNew    Carried = "told-new" // as told, because the old one was gone in the middle of the run
)

// Card is a permission that waits for the person.
type Card struct {
	record.Card        // Bond is what an answer names
	Name        string // of the participant's provider
	Role        record.Role
	Task        string            // that it works on
	Permission  engine.Permission // the call whole, with its diffs, for the preview
	Why         string            // why the person is asked
	At, Until   time.Time         // it expires then
}

// Question is something that the coordinator asks the person.
type Question struct {
	engine.Question // its ID is what an answer names
	Name            string
	At              time.Time
}

// Notice is a quiet line: something about the run that the person is to know.
type Notice struct {
	At   time.Time
	By   record.Who // whom it is about; record.Conch for the run itself
	Code string
	Text string
}
