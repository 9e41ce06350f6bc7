package acp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"conch/engine"
	"conch/program"
)

func isRefusal(err error) bool {
	var r *refused
	return errors.As(err, &r)
}

func isSignIn(err error) bool {
	var r *refused
	return errors.As(err, &r) && r.code == codeSignIn
}

// words are the useful ones of an error that a program answered: they may be in
// the message, or in one of several places of data.
func (r *refused) words() string {
	message := unpacked(strings.TrimSpace(r.message))
	detail := ""
	if s, ok := (object{"data": r.data}).optText("data"); ok {
		detail = s
	} else if data := parse(r.data); data != nil {
		detail = data.firstText("details", "message", "error", "detail", "reason")
		if inner := data.object("error"); detail == "" && inner != nil {
			detail = inner.firstText("message", "details")
		}
	}
	detail = unpacked(detail)
	switch {
	case detail == "", detail == message:
		return message
	case message == "", strings.EqualFold(message, "Internal error"):
		return detail
	}
	return message + ": " + detail
}

// unpacked is the message of an error object that was written out into a text.
func unpacked(text string) string {
	inner := parse(json.RawMessage(text))
	if nested := inner.object("error"); nested != nil {
		inner = nested
	}
	return cmp.Or(inner.firstText("message", "details"), text)
}

const maxErrorLine = 200

// explain makes an error the end of a turn: what happened, in one sentence, and
// one next step.
func (e *Engine) explain(err error) engine.Result {
	name := e.agent.Name
	var (
		f       = new(program.Failure)
		no      *refused
		version unspoken
		mode    modeRefused
		r       engine.Result
	)
	errors.As(err, &f)
	switch {
	case errors.As(err, &mode):
		r.Problem = engine.Unavailable
		r.Error = fmt.Sprintf("%s could not be set to ask before it acts, so nothing was sent: %s", name, program.Sentence(mode.Error()))
		r.Next = "update it, or carry on with another provider"
	case errors.As(err, &no):
		r = e.explainRefusal(no)
		words := program.OneLine(no.words(), maxErrorLine)
		switch {
		case r.Problem != engine.NoProblem:
		case f.Starting:
			r = program.Misunderstood(name, words, cmp.Or(e.agent.Install, "update it"))
		case f.Opening:
			r.Error = program.Sentence(fmt.Sprintf("%s could not open a session: %s", name, words))
			r.Next = "conch doctor"
			if saysUnset().MatchString(words) {
				r.Next = cmp.Or(e.agent.SignIn, r.Next)
			}
		}
	case errors.As(err, &version):
		r.Problem = engine.Unavailable
		r.Error = fmt.Sprintf("%s cannot be used: %s.", name, version.Error())
		r.Next = cmp.Or(e.agent.Install, "update it")
	default:
		return e.program.Explain(err)
	}
	r.Outcome, r.Detail = engine.Failed, f.Said
	return r
}

// explainRefusal is explain for an error that the program answered.
func (e *Engine) explainRefusal(no *refused) engine.Result {
	words := program.OneLine(no.words(), maxErrorLine)
	if data := parse(no.data); data != nil && strings.Contains(data.text("error_kind"), "max_tokens") {
		return engine.Result{
			Outcome: engine.Failed, Next: "ask it to carry on",
			Error: fmt.Sprintf("The answer of %s was cut off at its length limit.", e.agent.Name),
		}
	}
	problem := problemOf(no.code, words)
	switch {
	case problem == engine.SignedOut && strings.EqualFold(words, "Authentication required"):
		words = ""
	case problem == engine.NoProblem && words == "":
		words = fmt.Sprintf("code %d", no.code)
	}
	r := program.Answered(e.agent.Name, problem, words)
	if problem == engine.SignedOut {
		r.Next = cmp.Or(e.agent.SignIn, "sign in with its own command")
		_, r.SignIn = e.signInBy(e.methods())
	}
	return r
}

// What programs say of failures that have no code of their own.
var (
	saysSignIn      = anyCase(`\b401\b|unauthori[sz]ed|authentication (failed|required)|not (logged|signed) in|invalid api key|please (log|sign) in`)
	saysNoSession   = anyCase(`session.{0,80}not found|(unknown|no such|invalid) session|not found: session`)
	saysUnset       = anyCase(`service failure|no (provider|model)s? `) // OpenCode without a provider
	saysLimit       = anyCase(`\b429\b|rate.?limit|quota|usage limit|too many requests|out of credits|insufficient (credit|balance|funds)|\bcredits?\b`)
	saysTooLong     = anyCase(`context (window|length)|prompt is too long|maximum context|input is too long|too many tokens`)
	saysUnavailable = anyCase(`\b(5[0-9][0-9])\b|overloaded|unavailable|timed? ?out|network|connection|connect|ECONN|terminated|socket|fetch failed|transport error|stream`)
)

// anyCase is a pattern in any case of letters.
func anyCase(pattern string) func() *regexp.Regexp { return program.Pattern("(?i)" + pattern) }

// problemOf names a failure that has a known next step, by its code where that
// says it, else by its words. Codes are not only JSON-RPC's: some programs give
// those of HTTP.
func problemOf(code int64, words string) engine.Problem {
	switch {
	case code == codeSignIn, code == 401:
		return engine.SignedOut
	case code == 429:
		return engine.Limit
	case saysTooLong().MatchString(words):
		return engine.TooLong
	case saysSignIn().MatchString(words):
		return engine.SignedOut
	case saysLimit().MatchString(words):
		return engine.Limit
	case code >= 500 && code < 600, saysUnavailable().MatchString(words):
		return engine.Unavailable
	}
	return engine.NoProblem
}
