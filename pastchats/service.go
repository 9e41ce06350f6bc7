package pastchats

import (
	"sync"
	"time"

	"conch/redact"
)

// Options are what a Service works with.
type Options struct {
	Home  *Home // its folder for private copies is the store's when it has none
	Store *Store
	Now   func() time.Time

	// Own gives the sessions behind Conch's own chats: for each app's id the ids
	// in the app's own form. They are left out. nil: none.
	Own func() (map[string][]string, error)

	// Keys are those that Conch itself was given: they are taken out of what comes
	// in, whatever they look like. nil: none.
	Keys *redact.Redactor

	// Index is told when the list was written. nil: nobody.
	Index Index

	// Consent is what the person said before. nil: nothing, and nothing is kept.
	Consent Consent

	// Log gets what is for the program's own log: no words, no keys. nil: nowhere.
	Log func(code, line string)

	apps []app // instead of the table, in tests
}

// Index hears that past chats came, changed or went.
type Index interface{ Changed() }

// Consent keeps what the person answered.
type Consent interface {
	Answer() (Answer, error)
	// Change lets change have its way with the answer and keeps it. Nobody else's
	// change comes between.
	Change(change func(*Answer)) error
}

// Answer is what the person said about other apps' chats.
type Answer struct {
	NotNow bool     // the offer was put off
	Apps   []string // apps that chats were brought from: new ones come by themselves
}

// Service looks, brings in, keeps up and takes out. Its methods may be called
// from several goroutines.
type Service struct {
	o     Options
	home  *Home
	store *Store
	apps  []app

	mu      sync.Mutex
	kept    *sight    // the newest look
	looking *looking  // one that is going on
	running *bringing // that is going on
}

// New makes a Service. It owns no goroutine until KeepUp.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = func(string, string) {}
	}
	if o.Index == nil {
		o.Index = nobody{}
	}
	if o.Consent == nil {
		o.Consent = nobody{}
	}
	if o.apps == nil {
		o.apps = apps()
	}
	if o.Home.temp == "" {
		o.Home.temp = o.Store.copies()
	}
	return &Service{o: o, home: o.Home, store: o.Store, apps: o.apps}
}

// nobody hears nothing and says nothing.
type nobody struct{}

func (nobody) Changed()                   {}
func (nobody) Answer() (Answer, error)    { return Answer{}, nil }
func (nobody) Change(func(*Answer)) error { return nil }

// Store is where the chats are.
func (s *Service) Store() *Store { return s.store }

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
	Last    *Result   // the last run that changed something
	Answer  Answer
	Left    int      // links that were not followed
	Notes   []string // sentences a person should read: a database too large to copy whole
}

// Found is how many chats there are in all the apps.
func (s Status) Found() (n int) {
	for _, source := range s.Sources {
		n += source.Found
	}
	return n
}

// Fresh is how many of them are new or changed.
func (s Status) Fresh() (n int) {
	for _, source := range s.Sources {
		n += source.Fresh
	}
	return n
}

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
	Wordless          int // chats read this time in which nothing was said
	Redacted          int // keys taken out, of the chats read this time
	Read              int // chats read this time, those skipped apart
	Chats             int // in the store
	Messages          int // in the store
	UserMessages      int // in the store
	AssistantMessages int // in the store
	Stopped           bool
	Took              time.Duration
	Problems          []string       // sentences, at most 20
	Came              map[string]int // of Added and Updated, by app id
}

// Labels are the names of all apps by id.
func Labels() map[string]string {
	labels := map[string]string{}
	for _, a := range apps() {
		labels[a.id] = a.label
	}
	return labels
}

// Order is the ids of all apps as they are shown.
func Order() []string {
	var ids []string
	for _, a := range apps() {
		ids = append(ids, a.id)
	}
	return ids
}
