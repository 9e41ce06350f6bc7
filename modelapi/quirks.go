package modelapi

import (
	"regexp"
	"strconv"
	"strings"
)

// quirk is something that a server, or one of its models, does not take. It is
// learned from what the server refuses, and holds for the life of the engine.
type quirk string

const (
	noStreamOptions quirk = "stream_options"
	noInclude       quirk = "include"
	noAdaptive      quirk = "adaptive" // Anthropic: thinking by effort; older models want a number of tokens
	noEffort        quirk = "effort"
	shorter         quirk = "max_tokens" // the answer may not be as long as was asked for
	noTools         quirk = "tools"
	noPictures      quirk = "pictures"
)

// quirks are what is known not to be taken, for one model or for all ("").
type quirks struct {
	list map[string]bool
	most map[string]int // the longest answer of a model, in tokens
	// windows are what models were found to take, in tokens.
	windows map[string]int
}

func (q *quirks) learn(model string, what quirk) {
	if q.list == nil {
		q.list = map[string]bool{}
	}
	if len(q.list) < 1000 {
		q.list[model+"\x00"+string(what)] = true
	}
}

func (q quirks) has(what quirk) bool { return q.list["\x00"+string(what)] }

func (q quirks) of(model string, what quirk) bool {
	return q.has(what) || q.list[model+"\x00"+string(what)]
}

// learned notes that a model does not take something. It reports whether that is
// news: only then a request is sent again for it.
func (e *Engine) learned(model string, what quirk) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.quirks.of(model, what) {
		return false
	}
	if what == noStreamOptions || what == noInclude {
		model = ""
	}
	e.quirks.learn(model, what)
	return true
}

func (e *Engine) takes(model string, what quirk) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.quirks.of(model, what)
}

// nowQuirks is a copy to build a request by.
func (e *Engine) nowQuirks() quirks {
	e.mu.Lock()
	defer e.mu.Unlock()
	q := quirks{list: map[string]bool{}, most: map[string]int{}}
	for k, v := range e.quirks.list {
		q.list[k] = v
	}
	for k, v := range e.quirks.most {
		q.most[k] = v
	}
	return q
}

// adapt looks whether a refusal is of something that can be left out, and notes it.
// It gives what it is, "" when the refusal stands.
func (e *Engine) adapt(r request, no *refusal) quirk {
	hard := no.status == 0 || no.status >= 400 && no.status < 500 && no.status != 401 && no.status != 429 || no.status == 500 || no.status == 501
	if !hard || no.tooLong() {
		return ""
	}
	try := func(what quirk, about bool) bool { return about && e.learned(r.model, what) }
	switch {
	case len(r.tools) > 0 && try(noTools, no.noTools()):
		return noTools
	case e.learnedMost(r.model, no):
		return shorter
	case r.effort != "" && e.api.Kind == Anthropic && try(noAdaptive, no.about("adaptive", "output_config", "effort", "thinking")):
		return noAdaptive
	case r.effort != "" && try(noEffort, no.about("reasoning_effort", "reasoning.effort", "thinking", "reasoning")):
		return noEffort
	case try(noStreamOptions, no.about("stream_options", "include_usage")):
		return noStreamOptions
	case try(noInclude, no.about("encrypted_content", "'include'", "\"include\"", "include[0]")):
		return noInclude
	case hasPictures(r.history) && try(noPictures, no.noPictures()):
		return noPictures
	}
	return ""
}

var mostWords = regexp.MustCompile(`max_tokens: [0-9]+ > ([0-9]{2,7})`)

// learnedMost notes how long an answer of a model may be, where a refusal says it.
// It reports whether that is news.
func (e *Engine) learnedMost(model string, no *refusal) bool {
	m := mostWords.FindStringSubmatch(no.raw)
	if m == nil {
		return false
	}
	n, _ := strconv.Atoi(m[1])
	e.mu.Lock()
	defer e.mu.Unlock()
	if old := e.quirks.most[model]; old > 0 && old <= n {
		return false
	}
	if e.quirks.most == nil {
		e.quirks.most = map[string]int{}
	}
	e.quirks.most[model] = n
	return true
}

func hasPictures(history []message) bool {
	for _, m := range history {
		if len(m.Images) > 0 {
			return true
		}
	}
	return false
}

// said is what a notice tells of it, "" for what nobody needs to know.
func (q quirk) said(name, model string) string {
	model = strings.TrimSpace(model)
	switch q {
	case noTools:
		return name + " takes no tools with " + model + ": it answers in words only, and can look nothing up."
	case noEffort:
		return name + " takes no effort with " + model + ": it thinks as it likes."
	case noPictures:
		return name + " takes no pictures with " + model + ": it was told that there were some."
	}
	return ""
}
