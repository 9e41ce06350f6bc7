package modelapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"conch/engine"
	"conch/program"
)

const another = ", or carry on with another provider"

// unusable is the end of a turn, or the health, of an API whose address can't be
// used.
func (e *Engine) unusable(err error) engine.Result {
	return engine.Result{
		Outcome: engine.Failed, Problem: engine.Unavailable,
		Error: program.Sentence(e.name + " can't be asked: " + words(err.Error())), Next: "mend its url in config.toml",
	}
}

// explain makes an error the end of a turn: what happened, in one sentence, and one
// next step.
func (e *Engine) explain(err error, model string) engine.Result {
	var (
		no   *refusal
		out  keyless
		none modelless
	)
	switch {
	case errors.As(err, &out):
		r := e.answered(engine.SignedOut, "")
		r.Error, r.Next = program.Sentence(e.name+" can't be asked: "+out.why), out.next
		return r
	case errors.As(err, &none):
		return engine.Result{Outcome: engine.Failed, Error: program.Sentence(e.name + ": " + words(none.Error())), Next: "choose one with /model, or set model in config.toml"}
	case errors.As(err, &no):
		return e.explainRefusal(no, model)
	case errors.Is(err, errTooMuch):
		return engine.Result{Outcome: engine.Failed, Error: program.Sentence(e.name + " could not be heard: " + errTooMuch.Error()), Next: "ask for less at once and send the message again"}
	}
	return e.explainNetwork(err)
}

func (e *Engine) answered(problem engine.Problem, said string) engine.Result {
	return program.Answered(e.name, problem, said)
}

func (e *Engine) explainRefusal(no *refusal, model string) engine.Result {
	said := no.Error()
	switch {
	case no.spent():
		r := e.answered(engine.Limit, said)
		r.Next = "add credit with " + e.at.host() + another
		return r
	case no.unsigned():
		r := e.answered(engine.SignedOut, said)
		place := e.api.keyPlace()
		if place == "" {
			r.Error = program.Sentence(fmt.Sprintf("%s wants a key, and none is set up: %s", e.name, said))
			r.Next = "name the variable that holds it with key_env in config.toml"
			return r
		}
		r.Error = program.Sentence(fmt.Sprintf("%s did not take %s: %s", e.name, place, said))
		r.Next = "put a valid one there, then start conch again"
		return r
	case no.tooLong():
		return e.answered(engine.TooLong, said)
	case no.busy():
		r := e.answered(engine.Limit, said)
		if no.after > 0 {
			r.Next = "wait " + span(no.after) + another
		}
		return r
	case no.status == http.StatusNotFound && model != "":
		r := e.answered(engine.NoProblem, said)
		r.Next = "choose a model that it has with /model; it was asked for " + words(model)
		return r
	case no.status >= 500:
		return e.answered(engine.Unavailable, said)
	}
	r := e.answered(engine.NoProblem, said)
	r.Detail = words(no.raw)
	return r
}

func (e *Engine) explainNetwork(err error) engine.Result {
	r := e.answered(engine.Unavailable, reason(err, e.at))
	switch {
	case e.at.loopback():
		if start := e.start(); start != "" {
			r.Next = "start it: " + start
		} else {
			r.Next = "start the server at " + e.at.host() + another
		}
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		r.Next = "its address begins with http://, not https://: mend its url in config.toml"
	default:
		r.Next = "check the network and its url in config.toml" + another
	}
	return r
}

// start is how the server is started that usually is at this address, "" when none
// is known.
func (e *Engine) start() string {
	for _, s := range Servers(e.opts.Environ) {
		if SameServer(s.URL, e.at.shown()) {
			return s.Start
		}
	}
	return ""
}

// reason says in a few words why there was no connection. The library's words name
// the whole address, which may be secret.
func reason(err error, at address) string {
	var (
		name *net.DNSError
		late interface{ Timeout() bool }
		dial *net.OpError
	)
	text := err.Error()
	switch {
	case errors.Is(err, errRedirect):
		return errRedirect.Error()
	case errors.As(err, &name):
		return "there is no host " + at.host()
	case strings.Contains(text, "connection refused") || strings.Contains(text, "actively refused"):
		return "nothing answers at " + at.host()
	case strings.Contains(text, "certificate"):
		return "the certificate of " + at.host() + " is not trusted"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return at.host() + " did not answer in time"
	case errors.As(err, &dial):
		return "there is no way to " + at.host()
	case errors.Is(err, errNoEnd), errors.Is(err, errNoList):
		return text
	}
	return "the connection to " + at.host() + " broke"
}
