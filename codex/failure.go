package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"conch/child"
	"conch/engine"
	"conch/plain"
)

// failure is an error with what is known of the process that it is about.
type failure struct {
	err      error
	starting bool   // it was not initialized yet
	ended    string // how the process ended; "" while it runs
	stderr   string // the end of what it said, cleaned and redacted
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// tooOld is an app-server that is older than what Conch speaks.
type tooOld struct{ version string }

func (t tooOld) Error() string { return "version " + t.version + " is too old" }

func isRefusal(err error) bool {
	var no *refused
	return errors.As(err, &no)
}

// broken keeps what is known of an error. A process that did not answer, or that
// nothing may be sent to, is ended; one that said no stays.
func (c *chat) broken(ctx context.Context, p *process, err error) error {
	f := &failure{err: err}
	if p != nil {
		f.starting = !p.begun
		if errors.Is(err, errGone) || !p.alive() {
			f.ended = p.exit()
		}
		f.stderr = p.stderr()
		if !isRefusal(err) || !p.begun {
			c.drop(ctx)
		}
	}
	return f
}

// explain makes an error the end of a turn: what happened, in one sentence, and
// one next step.
func (e *Engine) explain(err error) engine.Result {
	name := e.agent.Name
	r := engine.Result{Outcome: engine.Failed}
	var f *failure
	if errors.As(err, &f) {
		r.Detail = f.stderr
	}
	var (
		no     *refused
		slow   late
		big    tooBig
		old    tooOld
		seal   unsealed
		wrong  wrongThread
		folder noFolder
		out    signedOut
	)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errClosed):
		return engine.Result{Outcome: engine.Interrupted, Detail: r.Detail}
	case errors.Is(err, child.ErrNotFound):
		r.Problem = engine.Unavailable
		r.Error = fmt.Sprintf("%s is not installed: %s was not found.", name, oneLine(e.agent.Command, maxErrorLine))
		r.Next = e.installs()
	case errors.As(err, &folder):
		r.Error = fmt.Sprintf("The folder of this chat is not there: %s.", oneLine(folder.path, maxErrorLine))
		r.Next = "make it again, or carry the chat on in another folder with -C"
	case errors.As(err, &out):
		return e.notSignedIn(r, "")
	case errors.As(err, &old):
		r.Problem = engine.Unavailable
		r.Error = fmt.Sprintf("%s %s is too old: Conch needs %s or newer.", name, old.version, oldest)
		r.Next = install
	case errors.As(err, &seal):
		r.Problem = engine.Unavailable
		r.Error = sentence(fmt.Sprintf("%s did not take up Conch's permissions (it has %q), so nothing was sent", name, oneLine(seal.has, 80)))
		r.Next = "update Conch and " + name + ", or carry on with another provider"
	case errors.As(err, &wrong):
		r.Error = sentence(fmt.Sprintf("%s could not open a thread: %s", name, wrong.why))
		r.Next = "send the message again"
	case errors.As(err, &slow):
		r.Problem = engine.Unavailable
		r.Error = fmt.Sprintf("%s is taking too long: %s.", name, slow.Error())
		r.Next = "send the message again, or carry on with another provider"
	case errors.As(err, &big):
		r.Error = fmt.Sprintf("%s could not be heard: %s.", name, big.Error())
		r.Next = "ask for less at once and send the message again"
	case errors.As(err, &no):
		words := oneLine(no.message, maxErrorLine)
		if f != nil && f.starting || saysUnknown.MatchString(no.message) {
			// What this Codex refuses is not known to it any more, or not yet.
			r.Problem = engine.Unavailable
			r.Error = sentence(fmt.Sprintf("%s and Conch do not understand each other: %s", name, words))
			r.Next = "update both: " + install
			return r
		}
		r.Error = sentence(fmt.Sprintf("%s could not be used: %s", name, words))
		r.Next = "conch doctor"
	case errors.Is(err, errGone):
		r.Problem = engine.Unavailable
		r.Error = name + " stopped"
		if f != nil && f.ended != "" {
			r.Error += " (" + f.ended + ")"
		}
		if f != nil {
			if last := lastLine(f.stderr); last != "" {
				r.Error += ": " + last
			}
		}
		r.Error = sentence(r.Error)
		r.Next = "send the message again: it is started anew"
	default:
		r.Problem = engine.Unavailable
		r.Error = sentence(fmt.Sprintf("%s could not be used: %s", name, oneLine(err.Error(), maxErrorLine)))
		r.Next = "conch doctor"
	}
	return r
}

var saysUnknown = regexp.MustCompile(`(?i)unknown (variant|field)|invalid request|requires experimentalApi|undefined profile|missing field`)

func (e *Engine) installs() string {
	if !e.agent.AskVersion {
		return "check its command in config.toml"
	}
	return install
}

func (e *Engine) notSignedIn(r engine.Result, words string) engine.Result {
	r.Problem = engine.SignedOut
	r.Error = e.agent.Name + " is not signed in."
	if words != "" {
		r.Error = sentence(e.agent.Name + " is not signed in: " + words)
	}
	r.Next, r.SignIn = signIn, true
	return r
}

// reason is the word of codexErrorInfo, and the HTTP status that it names; 0 for
// none.
func reason(info json.RawMessage) (word string, status int) {
	if json.Unmarshal(info, &word) == nil {
		return word, 0
	}
	var object map[string]struct {
		Status *int `json:"httpStatusCode"`
	}
	lenient(info, &object)
	for name, inner := range object {
		word = name
		if inner.Status != nil {
			status = *inner.Status
		}
	}
	return word, status
}

// What Codex says of failures that it has no word for.
var (
	saysUnreachable = regexp.MustCompile(`(?i)stream disconnected|error sending request|connection (refused|reset|closed)|timed? ?out`)
	saysNoVariable  = regexp.MustCompile("(?i)missing environment variable: `?(\\w+)")
)

// problemOf names a failure of the model's server that has a known next step.
func problemOf(info json.RawMessage, words string) engine.Problem {
	word, status := reason(info)
	switch {
	case status == 401, word == "unauthorized":
		return engine.SignedOut
	case status == 429, word == "usageLimitExceeded", word == "rateLimitExceeded", word == "sessionBudgetExceeded":
		return engine.Limit
	case word == "contextWindowExceeded":
		return engine.TooLong
	case status >= 500, word == "serverOverloaded", word == "internalServerError", word == "flexUnavailable", word == "policyCapacityUnavailable",
		word == "httpConnectionFailed", word == "responseStreamConnectionFailed", word == "responseStreamDisconnected", word == "responseTooManyFailedAttempts":
		return engine.Unavailable
	case (word == "" || word == "other") && saysUnreachable.MatchString(words):
		return engine.Unavailable
	}
	return engine.NoProblem
}

// explainTurn makes the failure of a turn its end.
func (e *Engine) explainTurn(failed turnError, p *process) engine.Result {
	name := e.agent.Name
	words := oneLine(orElse(failed.Message, failed.Details), maxErrorLine)
	r := engine.Result{Outcome: engine.Failed, Problem: problemOf(failed.Info, failed.Message), Detail: oneLine(failed.Details, 1000)}
	switch r.Problem {
	case engine.SignedOut:
		return e.notSignedIn(r, words)
	case engine.Limit:
		r.Error = sentence(fmt.Sprintf("%s has reached a limit: %s", name, words))
		r.Next = "wait a while, or carry on with another provider"
	case engine.TooLong:
		r.Error = sentence(fmt.Sprintf("The chat is too long for %s: %s", name, words))
		r.Next = "start a new chat, or carry on with another provider"
	case engine.Unavailable:
		r.Error = sentence(fmt.Sprintf("%s cannot be reached: %s", name, words))
		r.Next = "send the message again, or carry on with another provider"
	default:
		r.Error = sentence(fmt.Sprintf("%s answered with an error: %s", name, orElse(words, "it did not say which")))
		r.Next = "send the message again, or carry on with another provider"
		if m := saysNoVariable.FindStringSubmatch(failed.Message); m != nil {
			r.Next = "set " + m[1] + " where you start conch, then start it again"
		}
	}
	r.Detail = orElse(r.Detail, p.stderr())
	return r
}

// learn keeps for Health what a turn showed. A Codex that is not signed in is let
// go: it is started anew after the sign-in, and reads it then.
func (c *chat) learn(r engine.Result) {
	switch {
	case r.Outcome == engine.Success:
		c.e.known.prove(engine.Ready, "", "")
	case r.Problem == engine.SignedOut:
		c.e.known.prove(engine.NeedSignIn, r.Error, r.Next)
		c.mu.Lock()
		c.retire(c.proc)
		c.proc = nil
		c.mu.Unlock()
	case r.Outcome == engine.Failed && r.Problem == engine.Unavailable && !r.Accepted:
		c.e.known.prove(engine.Broken, r.Error, r.Next)
	}
}

// sentence ends a line with a full stop.
func sentence(s string) string { return strings.TrimRight(s, " .:;,…") + "." }

// lastLine is the end of the last line of cleaned text.
func lastLine(s string) string {
	s = strings.TrimRight(s, "\n \t")
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	if r := []rune(s); len(r) > maxErrorLine {
		s = "…" + string(r[len(r)-maxErrorLine+1:])
	}
	return plain.Line(s, 0)
}
