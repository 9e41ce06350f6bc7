package record

import (
	"errors"
	"strings"
)

// Code says why something was refused or failed, in a word that is the same in the
// log, in the JSON output and between packages. What a person reads is made from
// it elsewhere.
type Code string

// Every code there is.
const (
	StateInvalid       Code = "state-invalid"       // the run or its writer can't do this now
	EventInvalid       Code = "event-invalid"       // a field of the event
	GenerationStale    Code = "generation-stale"    // the record moved on since it was looked at
	SequenceUnexpected Code = "sequence-unexpected" // not the next event
	TransitionInvalid  Code = "transition-invalid"  // a move that isn't allowed
	TaskUnassigned     Code = "task-unassigned"     // not an open task of whom it comes from
	Limit              Code = "limit"               // a bound is reached
	Conflict           Code = "conflict"            // another event has its place
	Damaged            Code = "damaged"             // the log isn't as it was written
	FutureVersion      Code = "future-version"      // the log is of a newer Conch
	LeaseHeld          Code = "lease-held"          // another conch writes runs of this project
	Storage            Code = "storage"             // the disk
	SignedOut          Code = "signed-out"
	Unsupported        Code = "unsupported"
	ResponseInvalid    Code = "response-invalid"
	Unavailable        Code = "unavailable"
	Cancelled          Code = "cancelled"
	Timeout            Code = "timeout"
	Unapproved         Code = "unapproved" // a change that the person did not approve
	Stale              Code = "stale"      // a file is not as it was read
	Outside            Code = "outside"    // a path leaves the project
)

var codes = []string{
	string(StateInvalid), string(EventInvalid), string(GenerationStale), string(SequenceUnexpected),
	string(TransitionInvalid), string(TaskUnassigned), string(Limit), string(Conflict), string(Damaged),
	string(FutureVersion), string(LeaseHeld), string(Storage), string(SignedOut), string(Unsupported),
	string(ResponseInvalid), string(Unavailable), string(Cancelled), string(Timeout), string(Unapproved),
	string(Stale), string(Outside),
}

// Error is a refusal or a failure with its code. What says what was wrong, in
// words for a log and never with text of an agent's; Field is the field that was
// not valid.
type Error struct {
	Code  Code
	Field string
	What  string
	Err   error
}

func (e *Error) Error() string {
	parts := []string{string(e.Code)}
	if e.Field != "" {
		parts = append(parts, e.Field)
	}
	if e.What != "" {
		parts = append(parts, e.What)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

func (e *Error) Unwrap() error { return e.Err }

// CodeOf is the code of an error, "" for none or for one that has no code.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func refuse(code Code, what string) error { return &Error{Code: code, What: what} }
