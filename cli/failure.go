package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"conch/chats"
	"conch/config"
	"conch/plain"
	"conch/redact"
)

// failure is an end that a person reads: what happened, then one next step.
type failure struct {
	say    string
	next   string // "" when there is nothing to do
	status int
	err    error // for the log
}

func (f *failure) Error() string { return f.say }
func (f *failure) Unwrap() error { return f.err }

// wrong is a wrong use of the command line.
func wrong(next, format string, args ...any) *failure {
	return &failure{say: fmt.Sprintf(format, args...), next: next, status: statusWrong}
}

// broke says that Conch itself failed.
func broke(report string) *failure {
	f := &failure{say: "Conch broke, and that is Conch's fault. Your chats are kept", status: statusWrong}
	if report != "" {
		f.next = "the report is " + report
	}
	return f
}

// asFailure gives any error the form that a person reads.
func asFailure(err error) *failure {
	var f *failure
	var c *config.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &c):
		return &failure{say: c.Error(), next: c.Next, status: statusWrong, err: err}
	case errors.Is(err, context.Canceled):
		return &failure{say: "stopped", status: statusInterrupted, err: err}
	case errors.Is(err, syscall.EPIPE):
		return &failure{status: statusFailed, err: err} // "| head" has what it wanted: nothing to say
	case errors.Is(err, chats.ErrNotFound):
		return &failure{say: err.Error(), next: "conch chats lists them", status: statusFailed, err: err}
	case errors.Is(err, chats.ErrFull):
		return &failure{say: err.Error(), next: "free some space, then try again", status: statusFailed, err: err}
	case errors.Is(err, chats.ErrUnwritable):
		return &failure{say: err.Error(), next: "conch doctor says who may write there", status: statusFailed, err: err}
	case isUsage(err):
		return &failure{say: err.Error(), next: "conch --help lists commands and flags", status: statusWrong, err: err}
	}
	return &failure{say: err.Error(), status: statusFailed, err: err}
}

// isUsage knows the command line's own errors, which have no type.
func isUsage(err error) bool {
	for _, start := range []string{
		"unknown flag", "unknown shorthand", "unknown command", "flag needs", "invalid argument",
		"accepts ", "requires ", "bad flag syntax", "if any flags in the group", "no such flag",
	} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}

// tell prints a failure: a sentence, then the arrow.
func (a *app) tell(f *failure) {
	if f.say == "" {
		return
	}
	say, _ := redact.Redact(f.say)
	fmt.Fprintf(a.host.Stderr, "conch: %s\n", plain.Line(say, 500))
	if f.next != "" {
		next, _ := redact.Redact(f.next)
		fmt.Fprintf(a.host.Stderr, "→ %s\n", plain.Line(next, 500))
	}
}

// note prints a line for the person beside the output.
func (a *app) note(format string, args ...any) {
	fmt.Fprintf(a.host.Stderr, "conch: %s\n", plain.Line(fmt.Sprintf(format, args...), 500))
}
