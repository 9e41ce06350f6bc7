package modelapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"conch/program"
)

// refusal is a failure that the server told.
type refusal struct {
	status int           // of HTTP; 0: it came inside a stream
	kind   string        // the server's own word for it
	words  string        // cleaned, one line; "" for none
	raw    string        // lower case, to look for what it is about
	after  time.Duration // how long it asks to wait; 0: it does not
}

func (r *refusal) Error() string {
	said := r.words
	if said == "" {
		said = r.kind
	}
	switch {
	case r.status == 0:
		return said
	case said == "":
		return fmt.Sprintf("HTTP %d %s", r.status, http.StatusText(r.status))
	}
	return fmt.Sprintf("%s (HTTP %d)", said, r.status)
}

const maxRefusal = 64 << 10

// refused reads the answer of a request that was not taken.
func refused(res *http.Response, now time.Time) *refusal {
	data, _ := io.ReadAll(io.LimitReader(res.Body, maxRefusal)) // what there is will do
	r := refusalOf(data)
	r.status, r.after = res.StatusCode, retryAfter(res.Header, now)
	return r
}

// refusalOf reads what a server says of a failure: {"error": {…}}, {"error": "…"},
// {"detail": …}, {"message": …}, or plain words.
func refusalOf(data []byte) *refusal {
	r := &refusal{raw: strings.ToLower(string(data[:min(len(data), 16<<10)]))}
	var all struct {
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
		Message json.RawMessage `json:"message"`
		Type    json.RawMessage `json:"type"`
		Code    json.RawMessage `json:"code"`
	}
	if json.Unmarshal(data, &all) != nil {
		if text := strings.TrimSpace(string(data)); text != "" && !strings.HasPrefix(text, "<") {
			r.words = words(text)
		}
		return r
	}
	for _, part := range []json.RawMessage{all.Error, all.Detail, all.Message} {
		if r.words == "" {
			r.take(part)
		}
	}
	if r.kind == "" {
		r.kind = firstText(all.Code, all.Type)
	}
	return r
}

func (r *refusal) take(part json.RawMessage) {
	if text := firstText(part); text != "" {
		r.words = words(text)
		return
	}
	var inner struct {
		Message  json.RawMessage `json:"message"`
		Type     json.RawMessage `json:"type"`
		Code     json.RawMessage `json:"code"`
		Metadata struct {
			Raw json.RawMessage `json:"raw"` // OpenRouter: what the model's own server said
		} `json:"metadata"`
	}
	if json.Unmarshal(part, &inner) != nil {
		return
	}
	r.words, r.kind = words(firstText(inner.Message)), firstText(inner.Code, inner.Type)
	if raw := firstText(inner.Metadata.Raw); raw != "" {
		r.words = words(r.words + ": " + raw)
	}
	if n, err := strconv.Atoi(strings.TrimSpace(string(inner.Code))); err == nil && n >= 400 && n < 600 {
		r.status = n
		r.kind = firstText(inner.Type)
	}
}

// firstText is the first of some values that is a text, not empty.
func firstText(values ...json.RawMessage) string {
	for _, v := range values {
		var s string
		if json.Unmarshal(v, &s) == nil && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// words makes what a server said one harmless line without secrets.
func words(text string) string { return program.OneLine(text, 300) }

// retryAfter is how long a server asks to wait, in seconds or until a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e10 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil && s >= 0 && s < 1e8 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// about reports that it names one of some words, in lower case.
func (r *refusal) about(some ...string) bool {
	for _, each := range some {
		if strings.Contains(r.raw, each) {
			return true
		}
	}
	return false
}

// passing reports that the same request may be taken in a moment.
func (r *refusal) passing() bool {
	if r.spent() || r.tooLong() {
		return false
	}
	switch r.status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, 520, 522, 524, 529:
		return true
	case 0:
		return r.about("overloaded", "rate_limit", "rate limit", "server_error", "api_error", "internal error", "internal_error", "temporarily", "try again")
	}
	return false
}

// spent reports that nothing is left to be used: money, or a quota.
func (r *refusal) spent() bool {
	return r.status == http.StatusPaymentRequired || r.about("insufficient_quota", "insufficient credits", "credit balance is too low", "billing_hard_limit", "exceeded your current quota", "insufficient balance", "more credits")
}

// busy reports a limit of how often may be asked.
func (r *refusal) busy() bool {
	return r.status == http.StatusTooManyRequests || r.status == 529 || r.about("rate_limit", "overloaded")
}

// unsigned reports that the key was not taken.
func (r *refusal) unsigned() bool {
	return r.status == http.StatusUnauthorized || r.status == http.StatusForbidden || r.status == 0 && r.about("authentication_error", "invalid_api_key")
}

// tooLong reports that the history is more than the model takes.
func (r *refusal) tooLong() bool {
	if r.status != 0 && (r.status < 400 || r.status == 401 || r.status == 403 || r.status == 429) {
		return false
	}
	return r.status == http.StatusRequestEntityTooLarge || r.about(
		"context_length_exceeded", "context length", "context window", "maximum context", "prompt is too long", "too many tokens",
		"exceed_context_size", "exceeds the available context size", "exceed context limit", "input is too long", "input too long",
		"reduce the length", "larger than the context", "longer than the model's context", "tokens to keep from the initial prompt")
}

// noTools reports that the model or its server takes no tools.
func (r *refusal) noTools() bool {
	if r.status != 0 && (r.status < 400 || r.status == 401 || r.status == 429) {
		return false
	}
	return r.about("does not support tools", "does not support function", "tool use is not supported", "tools are not supported", "tools is not supported",
		"no endpoints found that support tool use", "tool calling is not supported", "function calling is not supported", "doesn't support tools", "tools param requires",
		"not support tool", "\"auto\" tool choice requires", "enable-auto-tool-choice", "unsupported parameter: 'tools'", "does not support the following features: tools") ||
		r.about("tools", "tool_choice") && r.about("unsupported", "not supported", "unrecognized", "unknown parameter", "extra inputs are not permitted", "extra fields")
}

// noPictures reports that the model takes no pictures.
func (r *refusal) noPictures() bool {
	return r.status >= 400 && r.status < 500 && r.about("image", "vision", "multimodal", "mmproj") &&
		r.about("not support", "unsupported", "doesn't support", "no endpoints found", "invalid", "must be a string", "is not", "unknown variant", "without")
}

var windowWords = regexp.MustCompile(`(?:maximum context length is|context size of|context window of|"n_ctx": ?|context size \(|max_model_len (?:is )?|context length is(?: only)?) ?([0-9]{3,8})`)

// window is how large the model's window is by what a refusal says, 0 when it does
// not say.
func (r *refusal) window() int {
	if m := windowWords.FindStringSubmatch(r.raw); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}
