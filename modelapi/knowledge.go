package modelapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// model is what is known of a model; a zero field is not known.
type model struct {
	id, name            string
	window              int // in tokens
	most                int // tokens of an answer
	noTools, noPictures bool
	efforts             []string
}

// knowledge is what a server said of itself.
type knowledge struct {
	sync.Mutex // held while it is asked
	now        said
}

// said is what a server said, at one time.
type said struct {
	at      time.Time
	err     error // why it did not answer as a model API, nil when it did
	models  []model
	server  string // which of the known servers it is: "" when it is none
	version string
}

const (
	maxModels = 500
	maxList   = 16 << 20 // bytes
)

var errNoList = errors.New("it does not answer as a model API")

// look gives what the server said of itself, at most old ago.
func (e *Engine) look(ctx context.Context, old time.Duration) said {
	if e.problem != nil {
		return said{err: e.problem}
	}
	e.known.Lock()
	defer e.known.Unlock()
	last := e.known.now
	if last.err != nil {
		old = min(old, e.times.Remembered)
	}
	if !last.at.IsZero() && e.opts.Now().Sub(last.at) < old {
		return last
	}
	now := e.inquire(ctx)
	if ctx.Err() == nil {
		e.known.now = now
	}
	return now
}

func (e *Engine) inquire(ctx context.Context) said {
	ctx, cancel := context.WithTimeout(ctx, e.times.Probe)
	defer cancel()
	now := said{at: e.opts.Now()}
	to := e.at.to("models")
	if e.api.Kind == Anthropic {
		to += "?limit=1000"
	}
	data, err := e.get(ctx, to)
	if err != nil {
		now.err = err
		return now
	}
	if now.models, err = parseModels(data); err != nil {
		now.err = err
		return now
	}
	if e.at.local() {
		e.recognise(ctx, &now)
	}
	return now
}

// get asks a small question.
func (e *Engine) get(ctx context.Context, to string) ([]byte, error) {
	return e.question(ctx, http.MethodGet, to, nil)
}

func (e *Engine) question(ctx context.Context, method, to string, body []byte) ([]byte, error) {
	res, err := e.do(ctx, method, to, body)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, e.hide(refused(res, e.opts.Now()))
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxList+1))
	if err != nil {
		return nil, fmt.Errorf("read its answer: %w", err)
	}
	if len(data) > maxList {
		return nil, errTooMuch
	}
	return data, nil
}

// listed is a model as the lists of servers have it: OpenAI, OpenRouter, Anthropic,
// vLLM, llama.cpp, LM Studio, each with fields of its own.
type listed struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Display string `json:"display_name"`
	Type    string `json:"type"`

	ContextLength  int `json:"context_length"`     // OpenRouter and others
	ContextWindow  int `json:"context_window"`     // Groq
	MaxModelLen    int `json:"max_model_len"`      // vLLM
	MaxInputTokens int `json:"max_input_tokens"`   // Anthropic
	MaxTokens      int `json:"max_tokens"`         // Anthropic: of an answer
	MaxContext     int `json:"max_context_length"` // Mistral, LM Studio
	LoadedContext  int `json:"loaded_context_length"`
	Meta           struct {
		Trained int `json:"n_ctx_train"` // llama.cpp
	} `json:"meta"`
	Top struct {
		Context int `json:"context_length"`
		Most    int `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Supported    []string `json:"supported_parameters"` // OpenRouter
	Architecture struct {
		In  []string `json:"input_modalities"`
		Out []string `json:"output_modalities"`
	} `json:"architecture"`
	Capabilities json.RawMessage `json:"capabilities"`
	Efforts      []string        `json:"reasoning_efforts"`
}

// parseModels reads a list of models, of at most 500. What is not one is an error.
func parseModels(data []byte) ([]model, error) {
	var list struct {
		Data *[]json.RawMessage `json:"data"`
	}
	if json.Unmarshal(data, &list) != nil || list.Data == nil {
		return nil, errNoList
	}
	var all []model
	for _, raw := range *list.Data {
		var l listed
		if lenient(raw, &l) != nil || l.ID == "" || len(l.ID) > maxName || !l.chats() || len(all) >= maxModels {
			continue
		}
		all = append(all, l.model())
	}
	return all, nil
}

// chats reports that a model talks, as far as the list says.
func (l listed) chats() bool {
	switch l.Type {
	case "embedding", "embeddings", "rerank", "image", "audio", "moderation", "transcription", "speech":
		return false
	}
	if len(l.Architecture.Out) > 0 && !has(l.Architecture.Out, "text") {
		return false
	}
	var can map[string]json.RawMessage
	if json.Unmarshal(l.Capabilities, &can) == nil && string(can["completion_chat"]) == "false" {
		return false // Mistral
	}
	id := strings.ToLower(l.ID)
	for _, part := range []string{"embed", "whisper", "tts-", "dall-e", "moderation", "gpt-image", "transcribe", "sora-", "-realtime", "rerank"} {
		if strings.Contains(id, part) {
			return false
		}
	}
	return true
}

func (l listed) model() model {
	m := model{id: l.ID, name: firstWord(l.Display, l.Name, l.ID)}
	for _, n := range []int{l.LoadedContext, l.Top.Context, l.ContextLength, l.MaxModelLen, l.ContextWindow, l.MaxInputTokens} {
		if n > 0 && m.window == 0 {
			m.window = n
		}
	}
	m.most = l.Top.Most
	if l.MaxInputTokens > 0 {
		m.most = l.MaxTokens
	}
	if l.Supported != nil {
		m.noTools = !has(l.Supported, "tools")
		if has(l.Supported, "reasoning") || has(l.Supported, "reasoning_effort") {
			m.efforts = usualEfforts
		}
	}
	if l.Architecture.In != nil {
		m.noPictures = !has(l.Architecture.In, "image")
	}
	var can []string
	if json.Unmarshal(l.Capabilities, &can) == nil && l.MaxContext > 0 && l.Type != "" {
		m.noTools = !has(can, "tool_use") && !has(can, "tools") // LM Studio
		m.noPictures = l.Type != "vlm"
	}
	if len(l.Efforts) > 0 && len(l.Efforts) < 20 {
		m.efforts = l.Efforts
	}
	return m
}

var usualEfforts = []string{"low", "medium", "high"}

func has(list []string, word string) bool {
	for _, each := range list {
		if each == word {
			return true
		}
	}
	return false
}

func firstWord(all ...string) string {
	for _, s := range all {
		if s = strings.TrimSpace(s); s != "" {
			return s
		}
	}
	return ""
}
