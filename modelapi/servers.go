package modelapi

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// The servers that run on a person's own machine.
const (
	ollama   = "Ollama"
	lmStudio = "LM Studio"
	llamaCPP = "llama.cpp"
	vllm     = "vLLM"
)

// Server is a server that is looked for at its usual address.
type Server struct {
	ID    string // what a person types
	Name  string // what a person reads
	URL   string
	Start string // how it is started
}

// Servers are those that are looked for on this machine: none with
// CONCH_LOCAL_MODELS=off. environ may move Ollama, by the variable that its own
// programs go by.
func Servers(environ []string) []Server {
	if variable(environ, "CONCH_LOCAL_MODELS") == "off" {
		return nil
	}
	at := "127.0.0.1:11434"
	if host := ollamaHost(variable(environ, "OLLAMA_HOST")); host != "" {
		at = host
	}
	return []Server{
		{ID: "ollama", Name: ollama, URL: "http://" + at + "/v1", Start: "ollama serve"},
		{ID: "lm-studio", Name: lmStudio, URL: "http://127.0.0.1:1234/v1", Start: "lms server start"},
		{ID: "llama-cpp", Name: llamaCPP, URL: "http://127.0.0.1:8080/v1", Start: "llama-server"},
		{ID: "vllm", Name: vllm, URL: "http://127.0.0.1:8000/v1", Start: "vllm serve"},
	}
}

// ollamaHost reads what the variable says, "" where it names no place on this
// machine.
func ollamaHost(value string) string {
	value = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(value), "http://"), "/")
	host, port, found := strings.Cut(value, ":")
	if value == "" || strings.Contains(port, ":") {
		return ""
	}
	if !found {
		port = "11434"
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return ""
	}
	switch host {
	case "", "0.0.0.0", "localhost", "127.0.0.1":
		return "127.0.0.1:" + port
	}
	return ""
}

// SameServer reports that two addresses are the same place on this machine.
func SameServer(one, other string) bool {
	a, err := parseAddress(one, OpenAI)
	b, otherErr := parseAddress(other, OpenAI)
	return err == nil && otherErr == nil && a.loopback() && b.loopback() && a.base.Port() == b.base.Port()
}

// recognise looks which of the known servers this one is, by what each has beside
// the API.
func (e *Engine) recognise(ctx context.Context, now *said) {
	var answer struct {
		Version string          `json:"version"`
		Default json.RawMessage `json:"default_generation_settings"`
	}
	ask := func(path string) bool {
		answer.Version, answer.Default = "", nil
		data, err := e.get(ctx, e.at.beside(path))
		return err == nil && json.Unmarshal(data, &answer) == nil
	}
	switch {
	case ask("api/version") && answer.Version != "":
		now.server, now.version = ollama, words(answer.Version)
	case ask("props") && isObject(answer.Default):
		now.server = llamaCPP
		e.askProps(ctx, now)
	case e.askStudio(ctx, now):
		now.server = lmStudio
	case ask("version") && answer.Version != "":
		now.server, now.version = vllm, words(answer.Version)
	}
}

// askProps takes what llama.cpp says of its one model.
func (e *Engine) askProps(ctx context.Context, now *said) {
	data, err := e.get(ctx, e.at.beside("props"))
	if err != nil {
		return
	}
	var p struct {
		Default struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Build      string           `json:"build_info"`
		Modalities *map[string]bool `json:"modalities"`
		Can        struct {
			Tools *bool `json:"supports_tools"`
		} `json:"chat_template_caps"`
	}
	if lenient(data, &p) != nil {
		return
	}
	now.version = words(p.Build)
	for i := range now.models {
		m := &now.models[i]
		if p.Default.Context > 0 {
			m.window = p.Default.Context
		}
		m.noPictures = p.Modalities != nil && !(*p.Modalities)["vision"]
		m.noTools = p.Can.Tools != nil && !*p.Can.Tools
	}
}

// askStudio takes what LM Studio says of its models beside the API.
func (e *Engine) askStudio(ctx context.Context, now *said) bool {
	data, err := e.get(ctx, e.at.beside("api/v0/models"))
	if err != nil {
		return false
	}
	models, err := parseModels(data)
	if err != nil {
		return false
	}
	if len(models) > 0 {
		now.models = models
	}
	return true
}

var numCtx = regexp.MustCompile(`(?m)^num_ctx\s+"?(\d{2,8})"?\s*$`)

// askOllama takes what Ollama says of one model. The window of a model that is
// loaded is told by what runs; else only a number that the person set is sure: what
// the model was made for is more than Ollama gives it.
func (e *Engine) askOllama(ctx context.Context, m *model) {
	ctx, cancel := context.WithTimeout(ctx, e.times.Probe)
	defer cancel()
	body, err := json.Marshal(object{"model": m.id})
	if err != nil {
		return
	}
	if data, err := e.question(ctx, http.MethodPost, e.at.beside("api/show"), body); err == nil {
		var show struct {
			Parameters   string                     `json:"parameters"`
			Capabilities []string                   `json:"capabilities"`
			Info         map[string]json.RawMessage `json:"model_info"`
		}
		if lenient(data, &show) == nil {
			if n := numCtx.FindStringSubmatch(show.Parameters); n != nil {
				m.window, _ = strconv.Atoi(n[1])
			}
			if len(show.Capabilities) > 0 {
				m.noTools = !has(show.Capabilities, "tools")
				m.noPictures = !has(show.Capabilities, "vision")
				if has(show.Capabilities, "thinking") {
					m.efforts = usualEfforts
				}
			}
			trained := 0
			for name, value := range show.Info {
				if strings.HasSuffix(name, ".context_length") {
					trained, _ = strconv.Atoi(string(value))
				}
			}
			if m.window == 0 && trained > 0 {
				m.window = min(trained, unknownLocal)
			}
		}
	}
	if data, err := e.get(ctx, e.at.beside("api/ps")); err == nil {
		var ps struct {
			Models []struct {
				Name    string `json:"name"`
				Context int    `json:"context_length"`
			} `json:"models"`
		}
		if lenient(data, &ps) == nil {
			for _, each := range ps.Models {
				if each.Name == m.id && each.Context > 0 {
					m.window = each.Context
				}
			}
		}
	}
}
