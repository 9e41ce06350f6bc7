package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"conch/child"
	"conch/engine"
)

// Errors of a program, whatever it speaks.
var (
	// ErrGone is that the program has ended.
	ErrGone = errors.New("the program has ended")
	// ErrLetGo is that the engine or the chat was let go.
	ErrLetGo = errors.New("the provider was let go")
	// ErrDidNotStop is that a program did not end its turn after Stop.
	ErrDidNotStop = errors.New("the program did not stop")
)

// Late is an answer that did not come in time.
type Late struct {
	What  string // "it did not start", "it did not open a session"
	Limit time.Duration
}

func (l Late) Error() string { return fmt.Sprintf("%s within %s", l.What, span(l.Limit)) }

// TooBig is an answer that was over the limit.
type TooBig struct{ Size int64 } // in bytes

func (t TooBig) Error() string {
	return fmt.Sprintf("its answer was too large to take in (%d MB)", t.Size>>20)
}

// NoFolder is a working folder that is not there.
type NoFolder struct{ Path string }

func (n NoFolder) Error() string { return n.Path + " is no folder" }

// TooOld is a program that is older than what Conch speaks.
type TooOld struct{ Version string }

func (t TooOld) Error() string { return "version " + t.Version + " is too old" }

// Failure is an error with what the process showed when it happened.
type Failure struct {
	Err      error
	Starting bool   // it had not begun yet, see Process.Begun
	Opening  bool   // no session was open yet
	Ended    string // how the process ended; "" while it runs
	Said     string // the end of its stderr, cleaned and redacted
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// Unopened is the error of an engine's Open: the end that a turn would have had.
type Unopened struct{ Result engine.Result }

func (u *Unopened) Error() string { return cmp.Or(u.Result.Error, "stopped") }

// Next steps that several failures have.
const (
	again   = "send the message again"
	another = ", or carry on with another provider"
)

// Explain makes an error the end of a turn: what happened, in one sentence, and one
// next step. Errors of a protocol are their engine's to explain, before.
func (p *Program) Explain(err error) engine.Result {
	r := engine.Result{Outcome: engine.Failed, Problem: engine.Unavailable}
	f := new(Failure)
	errors.As(err, &f)
	r.Detail = f.Said
	var (
		slow   Late
		big    TooBig
		folder NoFolder
		old    TooOld
	)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrLetGo):
		return engine.Result{Outcome: engine.Interrupted, Detail: r.Detail}
	case errors.Is(err, child.ErrNotFound):
		r.Error = fmt.Sprintf("%s is not installed: %s was not found.", p.Name, OneLine(p.Command, maxWords))
		r.Next = p.install()
	case errors.As(err, &folder):
		r.Problem = engine.NoProblem
		r.Error = fmt.Sprintf("The folder of this chat is not there: %s.", OneLine(folder.Path, maxWords))
		r.Next = "make it again, or carry the chat on in another folder with -C"
	case errors.As(err, &old):
		r.Error, r.Next = p.tooOld(old.Version), p.update()
	case errors.As(err, &slow):
		r.Error = fmt.Sprintf("%s is taking too long: %s.", p.Name, slow.Error())
		r.Next = again + another
	case errors.As(err, &big):
		r.Problem = engine.NoProblem
		r.Error = fmt.Sprintf("%s could not be heard: %s.", p.Name, big.Error())
		r.Next = "ask for less at once and send the message again"
	case errors.Is(err, ErrGone):
		r.Error = p.Name + " stopped"
		if f.Ended != "" {
			r.Error += " (" + f.Ended + ")"
		}
		if last := lastLine(f.Said); last != "" {
			r.Error += ": " + last
		}
		r.Error = Sentence(r.Error)
		r.Next = again + ": it is started anew"
	default:
		r.Error = Sentence(fmt.Sprintf("%s could not be used: %s", p.Name, OneLine(err.Error(), maxWords)))
		r.Next = "conch doctor"
	}
	return r
}

func (p *Program) install() string { return cmp.Or(p.Install, "check its command in config.toml") }

func (p *Program) update() string { return cmp.Or(p.Install, "update it") }

func (p *Program) tooOld(version string) string {
	return fmt.Sprintf("%s %s is too old: Conch needs %s or newer.", p.Name, version, p.Oldest)
}

// Answered is the end of a turn in which a provider, or its model's server, answered
// with an error: name is the provider's, words are what it said, cleaned and at most a
// line long, or "". A sign-in has a next step of each provider's own, which is left
// open.
func Answered(name string, problem engine.Problem, words string) engine.Result {
	r := engine.Result{Outcome: engine.Failed, Problem: problem, Next: again + another}
	switch problem {
	case engine.SignedOut:
		r.Error, r.Next = name+" is not signed in", ""
	case engine.Limit:
		r.Error = name + " has reached a limit"
		r.Next = "wait a while" + another
	case engine.TooLong:
		r.Error = "The chat is too long for " + name
		r.Next = "start a new chat" + another
	case engine.Unavailable:
		r.Error = name + " cannot be reached"
	default:
		r.Error = name + " answered with an error"
		words = cmp.Or(words, "it did not say which")
	}
	if words != "" {
		r.Error += ": " + words
	}
	r.Error = Sentence(r.Error)
	return r
}

// Misunderstood is the end of a turn in which the program refused what every turn
// needs: the two do not fit together any more, or not yet.
func Misunderstood(name, words, next string) engine.Result {
	return engine.Result{
		Outcome: engine.Failed, Problem: engine.Unavailable,
		Error: Sentence(fmt.Sprintf("%s and Conch do not understand each other: %s", name, words)), Next: next,
	}
}

// DidNotStop is what is said of a program that was ended because of ErrDidNotStop.
func DidNotStop(name string) engine.Notice {
	return engine.Notice{Code: "did-not-stop", Message: name + " did not stop by itself, so it was ended. Your next message starts it again."}
}

// EndedItself is what is said of a turn that was broken off, and nobody stopped it.
func EndedItself(name string) engine.Notice {
	return engine.Notice{Code: "ended-itself", Message: name + " ended its turn by itself."}
}
