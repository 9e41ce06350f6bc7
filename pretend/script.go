// Package pretend serves pretend models on loopback: Anthropic Messages, Gemini
// GenerateContent, OpenAI Chat Completions and OpenAI Responses, all of them on
// one address and by one script. The real agents are pointed at it, so that what
// they do can be tested without an account, and so that a test can ask what a
// model saw.
//
// Only tests import it. It knows no agent: a script says "edit this file", and
// the call is made of whatever tool the asking program offers for that.
package pretend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// Script is what the pretend model says and does.
type Script struct {
	// Rules are matched against the newest words of the person that any rule
	// matches. Of several rules the one whose match stands last in the words is
	// taken: what a program or Conch puts before the words (context, a
	// conversation so far) doesn't pick the rule.
	Rules []Rule `json:"rules"`
	// Fallback answers when no rule matches; nil is the text "ok".
	Fallback *Step `json:"fallback,omitempty"`
	// Aux answers requests that offer no tools and no rule claims (titles,
	// summaries); nil is the text "A pretend title".
	Aux *Step `json:"aux,omitempty"`
	// Models are the ids of GET /models; nil is "pretend-1" and "pretend-2".
	Models []string `json:"models,omitempty"`
	// Toolless refuses requests that offer tools, as the server of a model that takes
	// none does.
	Toolless bool `json:"toolless,omitempty"`
}

// Rule is a small conversation: step k answers after k rounds of tool calls, the
// last one also after more. A request that is sent again gets its step again. What a
// named group of the match found stands for ${name} in the steps.
type Rule struct {
	Match string `json:"match"` // a regular expression, case and line ends don't matter
	// Untooled lets the rule answer requests that offer no tools too.
	Untooled bool   `json:"untooled,omitempty"`
	Steps    []Step `json:"steps"`

	re *regexp.Regexp
}

// Step is one answer of the model.
type Step struct {
	Thought string `json:"thought,omitempty"`
	Text    string `json:"text,omitempty"`
	// Chunk is how many characters a piece of text has; 0 is 16.
	Chunk int `json:"chunk,omitempty"`
	// Repeat sends the text so many times (a long answer); 0 is once.
	Repeat int    `json:"repeat,omitempty"`
	Calls  []Call `json:"calls,omitempty"`
	// Wait is before the first byte of the answer, Delay before each piece.
	Wait  Duration `json:"wait,omitempty"`
	Delay Duration `json:"delay,omitempty"`
	Fault *Fault   `json:"fault,omitempty"`
	// Stop is the end's reason: "" (tools when there are calls, else the end of
	// the turn), "length" or "refusal".
	Stop string `json:"stop,omitempty"`
}

// Call is a tool call: Do with the fields that belong to it, or a tool's own
// Name with Args.
type Call struct {
	// Do is read (Path), edit (Path, Old, New), write (Path, Content), bash
	// (Command), grep (Pattern, Path), fetch (URL), page (URL: where no tool of
	// Conch's reads it, by a command), plan (Steps).
	Do      string     `json:"do,omitempty"`
	Path    string     `json:"path,omitempty"`
	Old     string     `json:"old,omitempty"`
	New     string     `json:"new,omitempty"`
	Content string     `json:"content,omitempty"`
	Command string     `json:"command,omitempty"`
	Pattern string     `json:"pattern,omitempty"`
	URL     string     `json:"url,omitempty"`
	Steps   []PlanStep `json:"steps,omitempty"`

	Name string         `json:"name,omitempty"`
	Args map[string]any `json:"args,omitempty"`
}

// PlanStep is a step of a plan; Status is pending, in_progress or completed.
type PlanStep struct {
	Title  string `json:"title"`
	Status string `json:"status"`
}

// Fault spoils a step the first Times times that it is asked for (0 is once, -1
// for ever): an HTTP error when Status is set, else the connection is cut after
// Drop pieces of text.
type Fault struct {
	Times      int `json:"times,omitempty"`
	Status     int `json:"status,omitempty"`
	RetryAfter int `json:"retryAfter,omitempty"` // seconds, in the answer's header; 0: none
	Drop       int `json:"drop,omitempty"`
}

// Duration reads as "150ms" in JSON.
type Duration time.Duration

// UnmarshalJSON reads a string that time.ParseDuration knows.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	v, err := time.ParseDuration(s)
	*d = Duration(v)
	return err
}

// MarshalJSON writes what UnmarshalJSON reads.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// ParseScript reads a script from JSON. Unknown names are errors.
func ParseScript(data []byte) (Script, error) {
	var s Script
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return s, fmt.Errorf("read script: %w", err)
	}
	return s, s.check()
}

// check compiles the rules' matches. The rules are then the script's own: the one who
// wrote it may give it to several servers.
func (s *Script) check() error {
	s.Rules = slices.Clone(s.Rules)
	for i := range s.Rules {
		r := &s.Rules[i]
		if len(r.Steps) == 0 {
			return fmt.Errorf("rule %q has no steps", r.Match)
		}
		re, err := regexp.Compile("(?is)" + r.Match)
		if err != nil {
			return fmt.Errorf("rule %q: %w", r.Match, err)
		}
		r.re = re
	}
	return nil
}

// pieces cuts text for streaming, between characters.
func (s Step) pieces() []string {
	size := s.Chunk
	if size <= 0 {
		size = 16
	}
	var out []string
	for range max(s.Repeat, 1) {
		out = append(out, cut(s.Text, size)...)
	}
	return out
}

func cut(text string, size int) []string {
	var out []string
	start, n := 0, 0
	for i := range text {
		if n == size {
			out = append(out, text[start:i])
			start, n = i, 0
		}
		n++
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}
