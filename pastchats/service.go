package pastchats

import (
	"context"
	"time"
)

// Options are what a Service works with.
type Options struct {
	Home  *Home
	Store *Store
	Now   func() time.Time

	// Own gives the sessions behind Conch's own chats: for each app's id the ids
	// in the app's own form. They are left out. nil: none.
	Own func() (map[string][]string, error)

	// Index is told when the list was written. nil: nobody.
	Index Index

	// Consent is what the person said before. nil: nothing, and nothing is kept.
	Consent Consent

	// Log gets what is for the program's own log: no words, no keys. nil: nowhere.
	Log func(code, line string)
}

// Index hears that past chats came, changed or went.
type Index interface{ Changed() }

// Consent keeps what the person answered.
type Consent interface {
	Answer() (Answer, error)
	SetAnswer(Answer) error
}

// Answer is what the person said about other apps' chats.
type Answer struct {
	NotNow bool     // the offer was put off
	Apps   []string // apps that chats were brought from: new ones come by themselves
}

// Service looks, brings in, keeps up and takes out. Its methods may be called
// from several goroutines.
type Service struct{}

// New makes a Service. It owns no goroutine until KeepUp.
func New(o Options) *Service { return &Service{} }

// Store is where the chats are.
func (s *Service) Store() *Store { return nil }

// Project is a folder's name and how many chats are about it.
type Project struct {
	Name  string
	Count int
}

// Source is one app in a look.
type Source struct {
	ID       string
	Label    string
	Found    int       // chats, without those known to be empty
	Fresh    int       // of them new or changed
	Projects []Project // at most 12, the busiest first
	From, To time.Time // of the oldest and the newest chat; zero when unknown
}

// Status is what a look gives.
type Status struct {
	Sources []Source  // only apps with something found, in the order of the table
	Brought int       // chats in the store
	Running *Progress // a run of this or another conch
	Last    *Result   // the last run
	Answer  Answer
	Left    int      // links that were not followed
	Notes   []string // sentences a person should read: a database too large to copy whole
}

// Found is the sum over the sources, Fresh too.
func (s Status) Found() int { return 0 }
func (s Status) Fresh() int { return 0 }

// Progress is how far a run is.
type Progress struct {
	Done, Total int    // chats
	Bytes, Of   int64  // of their files
	App         string // the label of the app that is read
	Since       time.Time
	Counts      map[string]int // chats done, by app id
}

// Result is what a run did; the numbers are exact.
type Result struct {
	At                time.Time
	Added, Updated    int // chats
	Skipped           int // chats that could not be read
	Redacted          int // keys taken out, of the chats read this time
	Read              int // chats read this time
	Chats             int // in the store
	Messages          int // in the store
	UserMessages      int // in the store
	AssistantMessages int // in the store
	Stopped           bool
	Took              time.Duration
	Problems          []string // sentences, at most 20
}

// Look says what is there. It is kept for 60 seconds; two askers share one look.
func (s *Service) Look(ctx context.Context) (Status, error) { return Status{}, nil }

// LookAgain looks whatever was kept.
func (s *Service) LookAgain(ctx context.Context) (Status, error) { return Status{}, nil }

// BringIn reads what is new or changed of the named apps (none: all that were
// found), two chats at a time, the largest first. Asking again while it runs
// joins the same run. progress is called at most ten times a second from one
// goroutine; nil is allowed. Cancelling ctx stops the run: what came in stays and
// Result.Stopped is set. ErrRunning when another conch brings chats in.
func (s *Service) BringIn(ctx context.Context, apps []string, progress func(Progress)) (Result, error) {
	return Result{}, nil
}

// NotNow remembers that the offer was put off.
func (s *Service) NotNow() error { return nil }

// KeepUp brings in new chats of the apps that chats were brought from, two
// minutes after it begins and then every six hours, until ctx ends. tick makes
// the clock's channel; nil is time.After. Nothing is announced.
func (s *Service) KeepUp(ctx context.Context, tick func(time.Duration) <-chan time.Time) {}

// Remove takes all past chats out of Conch and of the index, and forgets which
// apps they were brought from. ErrRunning while a run is going.
func (s *Service) Remove(ctx context.Context) (chats int, err error) { return 0, nil }

// Labels are the names of all apps by id, Order their ids as they are shown.
func Labels() map[string]string { return nil }
func Order() []string           { return nil }

// Check is what doctor wants to know: whether the list reads, and what waits.
type Check struct {
	Problem string // "" when all is well
	Next    string
	Brought int
	Waiting map[string]int // fresh chats by label; nil before a first yes
}

// Check looks; it changes nothing.
func (s *Service) Check(ctx context.Context) Check { return Check{} }

// Repair mends the list from the logs and brings in what waits of the apps that
// chats were brought from.
func (s *Service) Repair(ctx context.Context) (Result, error) { return Result{}, nil }
