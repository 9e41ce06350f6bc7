package codex

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"conch/engine"
	"conch/program"
)

// explain makes an error the end of a turn: what happened, in one sentence, and
// one next step.
func (e *Engine) explain(err error) engine.Result {
	var (
		f     = new(program.Failure)
		no    *refused
		seal  unsealed
		wrong wrongThread
		out   signedOut
		r     engine.Result
	)
	errors.As(err, &f)
	switch {
	case errors.As(err, &out):
		r = e.noSignIn()
	case errors.As(err, &seal):
		r.Problem = engine.Unavailable
		r.Error = program.Sentence(fmt.Sprintf("%s did not take up Conch's permissions (it has %q), so nothing was sent", e.agent.Name, program.OneLine(seal.has, 80)))
		r.Next = "update Conch and " + e.agent.Name + ", or carry on with another provider"
	case errors.As(err, &wrong):
		r.Error = program.Sentence(fmt.Sprintf("%s could not open a thread: %s", e.agent.Name, wrong.why))
		r.Next = "send the message again"
	case errors.As(err, &no) && (f.Starting || saysUnknown().MatchString(no.message)):
		// What this Codex refuses is not known to it any more, or not yet.
		r = program.Misunderstood(e.agent.Name, program.OneLine(no.message, maxErrorLine), "update both: "+install)
	case errors.As(err, &no):
		r.Error = program.Sentence(fmt.Sprintf("%s could not be used: %s", e.agent.Name, program.OneLine(no.message, maxErrorLine)))
		r.Next = "conch doctor"
	default:
		return e.program.Explain(err)
	}
	r.Outcome, r.Detail = engine.Failed, f.Said
	return r
}

// notSignedIn is the end of a turn for which there was no sign-in. words are what was
// said of it; "" for none.
func (e *Engine) notSignedIn(words string) engine.Result {
	r := program.Answered(e.agent.Name, engine.SignedOut, words)
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
	saysUnknown     = program.Pattern(`(?i)unknown (variant|field)|invalid request|requires experimentalApi|undefined profile|missing field`)
	saysUnreachable = program.Pattern(`(?i)stream disconnected|error sending request|connection (refused|reset|closed)|timed? ?out`)
	saysNoVariable  = program.Pattern("(?i)missing environment variable: `?(\\w+)")
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
	case (word == "" || word == "other") && saysUnreachable().MatchString(words):
		return engine.Unavailable
	}
	return engine.NoProblem
}

// explainTurn makes the failure of a turn its end.
func (e *Engine) explainTurn(failed turnError, p *process) engine.Result {
	words := program.OneLine(cmp.Or(failed.Message, failed.Details), maxErrorLine)
	r := program.Answered(e.agent.Name, problemOf(failed.Info, failed.Message), words)
	r.Detail = program.OneLine(failed.Details, 1000)
	if r.Problem == engine.SignedOut {
		r = e.notSignedIn(words)
	} else if r.Detail == "" {
		r.Detail = p.Said()
	}
	if m := saysNoVariable().FindStringSubmatch(failed.Message); m != nil && r.Problem == engine.NoProblem {
		r.Next = "set " + m[1] + " where you start conch, then start it again"
	}
	return r
}
