package keys

import (
	"slices"
	"strings"
)

// Action is something that a person can do. Its name is the one in config.toml.
type Action string

// Place is where a key is pressed: exactly one at a time. A row of the table
// holds all those in which it works.
type Place uint32

// The places.
const (
	Empty    Place = 1 << iota // the prompt with nothing in it
	Draft                      // the prompt with words
	List                       // the prompt with a list or the history search open
	Chat                       // an item of the chat is selected
	Side                       // the side pane
	Card                       // the focused card, where no text is typed
	Field                      // a text field of the focused card
	Sheet                      // the sheet of chats
	Picker                     // a list to pick from
	Pager                      // the help, and other text to read
	Asking                     // a yes or no of Conch's own
	Reader                     // a past chat that is read
	Moment                     // the prompt with nothing in it, below the offer of other apps' chats
	RunEmpty                   // the prompt of a run with nothing in it
	RunDraft                   // the prompt of a run with words
	Players                    // the participants of a run
	Timeline                   // the timeline of a run

	Prompt     = Empty | Draft | List | Moment
	InRun      = RunEmpty | RunDraft | Players | Timeline
	Typing     = Prompt | RunEmpty | RunDraft | Field | Sheet | Picker
	Everywhere = Prompt | InRun | Chat | Side | Card | Field | Sheet | Picker | Pager | Asking | Reader
)

var placeWords = []string{"the empty prompt", "the prompt", "a list", "the chat", "the side pane", "a card", "a card's field", "the sheet", "a picker", "a page", "a yes or no", "the reader", "the offer", "a run's empty prompt", "a run's prompt", "a run's participants", "a run's timeline"}

func (p Place) String() string {
	var words []string
	for i, w := range placeWords {
		if p&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}

// Need is what must be there for an action to do something.
type Need uint16

// The needs.
const (
	Turn    Need = 1 << iota // a turn or a command runs
	Queue                    // a message waits
	Waiting                  // a card waits
	Answer                   // something was answered
	Editor                   // an editor is set
	Write                    // the chat can be written to
	Pause                    // the last turn paused
	Said                     // something was said in the chat
	Trouble                  // the last turn failed and left words
	Gone                     // something was deleted that can be brought back
)

var because = []struct {
	need Need
	why  string
}{
	{Turn, "nothing is running"},
	{Queue, "no message waits"},
	{Waiting, "nothing waits for you"},
	{Answer, "there is no answer yet"},
	{Editor, "no editor is set: set VISUAL or EDITOR"},
	{Write, "this chat is open in another conch, so it is read-only here"},
	{Pause, "no turn has paused"},
	{Said, "nothing was said in this chat yet"},
	{Trouble, "the last turn left no details"},
	{Gone, "nothing was deleted, forgotten or cleared"},
}

// Entry is one row of the table.
type Entry struct {
	Action  Action
	Keys    []string
	Ordered bool             // the n-th key picks the n-th of something
	Only    map[string]Place // keys that work in some of the places alone
	Also    string           // what else does it and is no key: `\` and enter
	Command string           // "/provider [id]"; "" for what only a key can mean
	Aliases []string         // other names of the command
	Place   Place
	Need    Need
	Words   string // what it does, for the help
	Typed   string // what the command does, where that is less than the key; "" is Words
	Hint    string // for the footer, one or two words
	Group   Group

	own bool
}

// Group is a heading of the help.
type Group string

// The groups.
const (
	Writing   Group = "Writing"
	Answering Group = "Who answers, and how"
	Moving    Group = "Looking around"
	Leaving   Group = "Stopping and leaving"
	OnCard    Group = "On a focused card"
	OnItem    Group = "On a selected item of the chat"
	InARun    Group = "In a run"
	InSheet   Group = "In the sheet of chats"
	InMemory  Group = "In the list of what is remembered"
	OnMoment  Group = "Where other apps' chats are offered"
	ThisChat  Group = "This chat"
)

func (e Entry) has(k string) bool { return slices.Contains(e.Keys, k) }

// at is where a key of the entry works.
func (e Entry) at(k string) Place {
	if only, ok := e.Only[k]; ok {
		return only
	}
	return e.Place
}

// bindable reports that keys can be given to it.
func (e Entry) bindable() bool { return e.Place != 0 }

// Name is the command's word with its slash, "" when there is none.
func (e Entry) Name() string {
	name, _, _ := strings.Cut(e.Command, " ")
	return name
}

// Says is what the command does.
func (e Entry) Says() string {
	if e.Typed != "" {
		return e.Typed
	}
	return e.Words
}

// Takes is what may follow the command.
func (e Entry) Takes() string {
	_, takes, _ := strings.Cut(e.Command, " ")
	return takes
}

// Why says why the action does nothing now; "" when it does. has is what is
// there.
func (e Entry) Why(has Need) string {
	for _, b := range because {
		if e.Need&b.need != 0 && has&b.need == 0 {
			return b.why
		}
	}
	return ""
}

// Command finds the action of a command's word, with its slash.
func (t *Table) Command(word string) (Entry, bool) {
	for _, e := range t.entries {
		if e.Command != "" && (e.Name() == word || slices.Contains(e.Aliases, word)) {
			return e, true
		}
	}
	return Entry{}, false
}
