package change

import (
	"context"
	"errors"
	"strings"
)

// Code says why nothing was changed, in the words that the record of a run has.
type Code string

// The codes. Each of them means that the project is as it was.
const (
	Unapproved Code = "unapproved" // no approval, or one for something else
	Stale      Code = "stale"      // the run or a file is no longer what it was
	Outside    Code = "outside"    // a path leads out of the project, or to what nobody may change
	Limit      Code = "limit"      // too many files, or too large
	Invalid    Code = "event-invalid"
	Storage    Code = "storage"   // the system would not do it
	Cancelled  Code = "cancelled" // it was called off before the first file was changed
)

// Refusal is why a change was not made. Paths are relative to the project.
type Refusal struct {
	Code  Code
	Paths []string
	Why   string // a sentence for a person, without a full stop
	// Half is set when the project could not be put back as it was: Recover tries
	// again. Paths are then the files that are not as they were.
	Half bool

	err error
}

func (e *Refusal) Error() string {
	said := string(e.Code) + ": " + e.Why
	if len(e.Paths) > 0 {
		more := ""
		named := e.Paths
		if len(named) > maxNamed {
			named, more = named[:maxNamed], " and more"
		}
		said += " (" + strings.Join(named, ", ") + more + ")"
	}
	return said
}

func (e *Refusal) Unwrap() error { return e.err }

// maxNamed is how many files an error names.
const maxNamed = 8

// CodeOf is the code of an error of this package, "" for nil. What has none is Storage.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var no *Refusal
	if errors.As(err, &no) {
		return no.Code
	}
	return Storage
}

// refusal makes one of any error: what has no code of its own is the system's.
func refusal(err error) *Refusal {
	var no *Refusal
	if errors.As(err, &no) {
		again := *no
		again.err = err
		return &again
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &Refusal{Code: Cancelled, Why: "it was cancelled", err: err}
	}
	return &Refusal{Code: Storage, Why: "the system would not do it: " + bare(err).Error(), err: err}
}

func refuse(code Code, why string, paths ...string) *Refusal {
	return &Refusal{Code: code, Why: why, Paths: paths}
}
