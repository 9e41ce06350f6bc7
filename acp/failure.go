package acp

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

// failure is an error with what the process showed when it happened.
type failure struct {
	err      error
	starting bool   // it was not initialized yet
	opening  bool   // no session was open yet
	ended    string // how the process ended; "" while it runs
	stderr   string // the end of what it said, cleaned and redacted
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// note keeps how the process stands.
func (f *failure) note(p *process) {
	if errors.Is(f.err, errGone) || !p.alive() {
		f.ended, _ = p.ended()
	}
	f.stderr = p.stderr()
}

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
	return orElse(inner.firstText("message", "details"), text)
}

const maxErrorLine = 200

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
		no      *refused
		slow    late
		big     tooBig
		version unspoken
		mode    modeRefused
		folder  noFolder
	)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errClosed):
		return engine.Result{Outcome: engine.Interrupted, Detail: r.Detail}
	case errors.Is(err, child.ErrNotFound):
		r.Problem = engine.Unavailable
		r.Error = fmt.Sprintf("%s is not installed: %s was not found.", name, oneLine(e.agent.Command, maxErrorLine))
		r.Next = orElse(e.agent.Install, "check its command in config.toml")
	case errors.As(err, &folder):
		r.Error = fmt.Sprintf("The folder of this chat is not there: %s.", oneLine(folder.path, maxErrorLine))
		r.Next = "make it again, or carry the chat on in another folder with -C"
	case errors.As(err, &mode):
		r.Problem = engine.Unavailable
		r.Error = fmt.Sprintf("%s could not be set to ask before it acts, so nothing was sent: %s", name, sentence(mode.Error()))
		r.Next = "update it, or carry on with another provider"
	case errors.As(err, &no):
		r = e.explainRefusal(no, r)
		if f == nil || r.Problem != engine.NoProblem {
			return r
		}
		words := oneLine(no.words(), maxErrorLine)
		switch {
		case f.starting:
			r.Error = sentence(fmt.Sprintf("%s and Conch do not understand each other: %s", name, words))
			r.Next = orElse(e.agent.Install, "update it")
		case f.opening:
			r.Error = sentence(fmt.Sprintf("%s could not open a session: %s", name, words))
			r.Next = "conch doctor"
			if saysUnset.MatchString(words) {
				r.Next = orElse(e.agent.SignIn, r.Next)
			}
		}
		return r
	case errors.As(err, &slow):
		r.Problem = engine.Unavailable
		r.Error = fmt.Sprintf("%s is taking too long: %s.", name, slow.Error())
		r.Next = "send the message again, or carry on with another provider"
	case errors.As(err, &big):
		r.Error = fmt.Sprintf("%s could not be heard: %s.", name, big.Error())
		r.Next = "ask for less at once and send the message again"
	case errors.As(err, &version):
		r.Problem = engine.Unavailable
		r.Error = fmt.Sprintf("%s cannot be used: %s.", name, version.Error())
		r.Next = orElse(e.agent.Install, "update it")
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

// explainRefusal is explain for an error that the program answered.
func (e *Engine) explainRefusal(no *refused, r engine.Result) engine.Result {
	words := oneLine(no.words(), maxErrorLine)
	if data := parse(no.data); data != nil && strings.Contains(data.text("error_kind"), "max_tokens") {
		r.Error = fmt.Sprintf("The answer of %s was cut off at its length limit.", e.agent.Name)
		r.Next = "ask it to carry on"
		return r
	}
	r.Problem = problemOf(no.code, words)
	switch r.Problem {
	case engine.SignedOut:
		r.Error = e.agent.Name + " is not signed in."
		if words != "" && !strings.EqualFold(words, "Authentication required") {
			r.Error = sentence(e.agent.Name + " is not signed in: " + words)
		}
		r.Next = orElse(e.agent.SignIn, "sign in with its own command")
		_, r.SignIn = e.signInBy(e.known.methods())
	case engine.Limit:
		r.Error = sentence(fmt.Sprintf("%s has reached a limit: %s", e.agent.Name, words))
		r.Next = "wait a while, or carry on with another provider"
	case engine.TooLong:
		r.Error = sentence(fmt.Sprintf("The chat is too long for %s: %s", e.agent.Name, words))
		r.Next = "start a new chat, or carry on with another provider"
	case engine.Unavailable:
		r.Error = sentence(fmt.Sprintf("%s cannot be reached: %s", e.agent.Name, words))
		r.Next = "send the message again, or carry on with another provider"
	default:
		r.Error = sentence(fmt.Sprintf("%s answered with an error: %s", e.agent.Name, orElse(words, fmt.Sprintf("code %d", no.code))))
		r.Next = "send the message again, or carry on with another provider"
	}
	return r
}

var (
	saysSignIn      = regexp.MustCompile(`(?i)\b401\b|unauthori[sz]ed|authentication (failed|required)|not (logged|signed) in|invalid api key|please (log|sign) in`)
	saysNoSession   = regexp.MustCompile(`(?i)session.{0,80}not found|(unknown|no such|invalid) session|not found: session`)
	saysUnset       = regexp.MustCompile(`(?i)service failure|no (provider|model)s? `) // OpenCode without a provider
	saysLimit       = regexp.MustCompile(`(?i)\b429\b|rate.?limit|quota|usage limit|too many requests|out of credits|insufficient (credit|balance|funds)|\bcredits?\b`)
	saysTooLong     = regexp.MustCompile(`(?i)context (window|length)|prompt is too long|maximum context|input is too long|too many tokens`)
	saysUnavailable = regexp.MustCompile(`(?i)\b(5[0-9][0-9])\b|overloaded|unavailable|timed? ?out|network|connection|connect|ECONN|terminated|socket|fetch failed|transport error|stream`)
)

// problemOf names a failure that has a known next step, by its code where that
// says it, else by its words. Codes are not only JSON-RPC's: some programs give
// those of HTTP.
func problemOf(code int64, words string) engine.Problem {
	switch {
	case code == codeSignIn, code == 401:
		return engine.SignedOut
	case code == 429:
		return engine.Limit
	case saysTooLong.MatchString(words):
		return engine.TooLong
	case saysSignIn.MatchString(words):
		return engine.SignedOut
	case saysLimit.MatchString(words):
		return engine.Limit
	case code >= 500 && code < 600, saysUnavailable.MatchString(words):
		return engine.Unavailable
	}
	return engine.NoProblem
}

// sentence ends a line with a full stop.
func sentence(s string) string {
	s = strings.TrimRight(s, " .:;,…")
	return s + "."
}

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
