package pretend

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// Dialect is the form in which a program asks.
type Dialect string

// The dialects. Other is anything else that came: a list of models, a count of
// tokens, telemetry.
const (
	Anthropic Dialect = "anthropic"
	Gemini    Dialect = "gemini"
	Chat      Dialect = "openai-chat"
	Responses Dialect = "openai-responses"
	Other     Dialect = "other"
)

// Request is one request as it came. Keys are not kept.
type Request struct {
	N       int // from 1
	At      time.Time
	Dialect Dialect
	Method  string
	Path    string
	Agent   string // the User-Agent
	Model   string
	Body    json.RawMessage // null when there was none, or when it was no JSON
	// What the model was told, in the order of the request, in one form for all
	// dialects. The system prompt is the first.
	Messages []Message
	// Tools are the names of the offered tools.
	Tools []string
	// Rule is the match of the rule that answered ("" for fallback and aux), Step
	// the number of its step, Fault whether it was spoiled.
	Rule  string
	Step  int
	Fault bool
}

// Message is one message of a request.
type Message struct {
	Role string // system, user, assistant, call, result
	Text string // of a call: its arguments
	Name string // of a call: the tool's
}

// Saw says whether text stands in a message of one of the roles; without roles,
// in any.
func (r Request) Saw(text string, roles ...string) bool {
	for _, m := range r.Messages {
		if strings.Contains(m.Text, text) && (len(roles) == 0 || contains(roles, m.Role)) {
			return true
		}
	}
	return false
}

// LastUser is the newest text of the person, with what the program put around it.
func (r Request) LastUser() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return r.Messages[i].Text
		}
	}
	return ""
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// chosen is what answers a request.
type chosen struct {
	rule string
	n    int
	step Step
}

// choose finds the rule for what was said, and the step by counting the rounds of
// tool calls that ended since.
func (s *Script) choose(messages []Message, tooled bool) chosen {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != "user" {
			continue
		}
		words := spoken(messages[i].Text)
		if rule := s.match(words, tooled); rule != nil {
			n := min(rounds(messages[i+1:]), len(rule.Steps)-1)
			return chosen{rule.Match, n, rule.Steps[n].filled(rule.re, words)}
		}
	}
	switch {
	case !tooled && s.Aux != nil:
		return chosen{step: *s.Aux}
	case !tooled:
		return chosen{step: Step{Text: "A pretend title"}}
	case s.Fallback != nil:
		return chosen{step: *s.Fallback}
	}
	return chosen{step: Step{Text: "ok"}}
}

func (s *Script) match(words string, tooled bool) *Rule {
	var best *Rule
	at := -1
	for i := range s.Rules {
		r := &s.Rules[i]
		if !tooled && !r.Untooled {
			continue
		}
		all := r.re.FindAllStringIndex(words, -1)
		if len(all) == 0 {
			continue
		}
		if end := all[len(all)-1][1]; end > at {
			best, at = r, end
		}
	}
	return best
}

func rounds(messages []Message) int {
	n := 0
	for i, m := range messages {
		if m.Role == "result" && (i == 0 || messages[i-1].Role != "result") {
			n++
		}
	}
	return n
}

var reminder = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>`)

// spoken leaves out what a program says in the person's name.
func spoken(text string) string { return strings.TrimSpace(reminder.ReplaceAllString(text, "")) }
