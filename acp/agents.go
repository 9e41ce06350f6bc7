package acp

import (
	"slices"
	"strings"
	"time"
)

// Instructions says where Conch's own words go in a program.
type Instructions string

// The places where a program takes instructions.
const (
	WithMessage  Instructions = "message"       // a text block of their own before the message
	SystemAppend Instructions = "system-append" // _meta.systemPrompt.append of session/new
	Rules        Instructions = "rules"         // _meta.rules of session/new
	FromDoor     Instructions = "door"          // the instructions of Conch's own MCP server
)

// Agent is one row of the table of programs: how it is found, started and
// driven. A program of the person's own (config.toml, [[agent]]) is a row too.
type Agent struct {
	ID      string // what a person types
	Name    string // what a person reads
	Command string // a path, or a name that is looked up on the PATH
	Args    []string
	Env     []string // KEY=value that Conch sets
	PassEnv []string // names passed on from Conch's own; one * stands for any run of characters
	DropEnv []string // names never passed on

	Oldest      string   // oldest version that works; "" when none is known
	VersionArgs []string // Command with these prints its version; nil: not asked
	Install     string   // the one command that installs it; "" when there is none
	SignIn      string   // what to do when it is not signed in, as a command
	SignInArgs  []string // the sign-in's arguments to Command, when the program offers none on the wire

	AskMode  string // id of the mode in which it asks; "" when it has none
	PlanMode string // id of its own plan mode; "" when it has none
	// OpenModes are ids of modes that run tools without asking.
	OpenModes []string
	ModelEnv  string // variable that picks the model at start, when no session option does

	Model        string // the model of config.toml, when the chat chose none
	StartTimeout time.Duration
	Instructions Instructions
	ReadsNotes   bool   // it tells its model of the folder's AGENTS.md by itself
	DoorHint     string // why it may not use Conch's own tools, and what to do

	Quirks Quirks
}

// Quirks are the ways in which a program differs from the protocol's text, each
// measured on the version named in the table.
type Quirks struct {
	// ReplaysFirst: the whole replay comes before the answer to session/load.
	// Without it the first prompt waits until the replay has gone quiet.
	ReplaysFirst bool
	// LoadsOnce: a session that is loaded a second time in the program's life
	// is lost, so a process loads at most once.
	LoadsOnce bool
	// SignInAtPrompt: a session opens without a sign-in, and the prompt fails.
	SignInAtPrompt bool
	// DeclineEnds: a declined call ends the turn without another word.
	DeclineEnds bool
	// DropsImageBesideLink: an image is dropped when the prompt also holds a
	// resource link or an embedded resource.
	DropsImageBesideLink bool
	// NoImages: it has no image input, whatever it says.
	NoImages bool
	// TitleNamesTool: the title of a call's first notice is the tool's name.
	TitleNamesTool bool
	// IDNamesTool: a call's id is "<tool>__<rest>".
	IDNamesTool bool
	// AnnouncesRetry: a dropped stream is announced before its text comes again.
	AnnouncesRetry bool
	// NoticeLines: chunks that begin with "Info: " or "Error: " are the
	// program's own words, and a reply of nothing else is a failure.
	NoticeLines bool
	// WritesMode: it writes a change of its mode into the answer, as
	// "[MODE_UPDATE] <mode>".
	WritesMode bool
	// KindsByName: it takes a call's kind from the name of the tool, also for tools of
	// servers.
	KindsByName bool
	// SingleLines: it drops tools whose names have "__" in them.
	SingleLines bool
	// OnlyTools: of Conch's own tools it can use these alone; without them it is offered
	// none. nil: all.
	OnlyTools []string
	// RereadsDoor: it reads the door's instructions when a session is opened, also
	// one that is carried on, and takes changed ones in no other way as well.
	RereadsDoor bool
	// ReadsDoorAtOpening: a session that is carried on in a new process has the
	// door's instructions of now.
	ReadsDoorAtOpening bool
	// KeepsServers: a session that is opened again in the same process keeps the
	// servers of its first opening.
	KeepsServers bool
	// KeyMethods maps a variable to the sign-in method that reads it: with the
	// variable set, that method needs no person.
	KeyMethods map[string]string
}

// expand turns patterns of names into the names that environ has.
func expand(patterns, environ []string) []string {
	var names []string
	for _, entry := range environ {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || name == "" {
			continue
		}
		if slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) }) {
			names = append(names, name)
		}
	}
	return names
}

func matches(pattern, name string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	return len(name) >= len(before)+len(after) &&
		strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}
