package modelapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"conch/engine"
)

// site answers by path, as they are.
func site(t *testing.T, pages map[string]string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasPrefix(page, "data:") {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		fmt.Fprint(w, page)
	}))
	t.Cleanup(s.Close)
	return s
}

const hi = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

// The servers of one's own machine, by what each really answers.
func TestEachLocalServerIsRecognised(t *testing.T) {
	for name, test := range map[string]struct {
		pages   map[string]string
		usual   string
		version string
		window  int64
		form    engine.Form
	}{
		"Ollama, the model loaded": {map[string]string{
			"/v1/models": `{"object":"list","data":[{"id":"llama3.2:3b","object":"model","created":1,"owned_by":"library"},{"id":"nomic-embed-text","object":"model"}]}`, "/api/version": `{"version":"0.12.3"}`,
			"/api/show": `{"parameters":"stop \"x\"","capabilities":["completion","tools"],"model_info":{"llama.context_length":131072}}`,
			"/api/ps":   `{"models":[{"name":"llama3.2:3b","context_length":8192}]}`,
		}, ollama, "0.12.3", 8192, engine.FormWhole},
		"Ollama, a model without tools": {map[string]string{
			"/v1/models": `{"object":"list","data":[{"id":"gemma:2b"}]}`, "/api/version": `{"version":"0.12.3"}`,
			"/api/show": `{"parameters":"num_ctx                        4096\nstop x","capabilities":["completion"],"model_info":{}}`, "/api/ps": `{"models":[]}`,
		}, ollama, "0.12.3", 4096, engine.FormWordsOnly},
		"llama.cpp": {map[string]string{
			"/v1/models": `{"models":[{"name":"x"}],"object":"list","data":[{"id":"qwen.gguf","object":"model","meta":{"n_ctx_train":40960}}]}`,
			"/props":     `{"default_generation_settings":{"n_ctx":16384},"total_slots":1,"build_info":"b6700-abc","modalities":{"vision":false,"audio":false}}`,
		}, llamaCPP, "b6700-abc", 16384, engine.FormWhole},
		"LM Studio": {map[string]string{
			"/v1/models":     `{"data":[{"id":"qwen3","object":"model"}],"object":"list"}`,
			"/api/v0/models": `{"data":[{"id":"qwen3","object":"model","type":"llm","state":"loaded","max_context_length":32768,"loaded_context_length":6000,"capabilities":["tool_use"]},{"id":"emb","type":"embeddings","max_context_length":512}]}`,
		}, lmStudio, "", 6000, engine.FormWhole},
		"vLLM": {map[string]string{
			"/v1/models": `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","object":"model","owned_by":"vllm","max_model_len":12000}]}`, "/version": `{"version":"0.11.0"}`,
		}, vllm, "0.11.0", 12000, engine.FormWhole},
	} {
		t.Run(name, func(t *testing.T) {
			test.pages["/v1/chat/completions"] = hi
			s := site(t, test.pages)
			b := newBench(t, API{Model: " ", URL: s.URL, Usual: &Server{ID: "x", Name: test.usual, Start: "start it"}})
			b.e.api.Model = ""
			h := b.e.Health(context.Background())
			if h.State != engine.Ready || h.Version != test.version || h.Found != s.URL+"/v1" {
				t.Fatalf("%+v", h)
			}
			if f := b.e.Form(context.Background(), engine.Options{}); f != test.form {
				t.Errorf("form %q", f)
			}
			r, sink := b.turn(engine.TurnInput{Prompt: "x", Tools: []engine.Tool{says("a")}})
			if r.Outcome != engine.Success || r.Usage.ContextSize == nil || *r.Usage.ContextSize != test.window {
				t.Errorf("%+v", r)
			}
			if offers := of[engine.Offers](sink); len(offers) != 1 || len(offers[0].Models) != 1 {
				t.Errorf("%+v", offers)
			}
			for _, other := range []string{ollama, lmStudio, llamaCPP, vllm} {
				if other == test.usual {
					continue
				}
				b := newBench(t, API{URL: s.URL, Usual: &Server{ID: "x", Name: other, Start: "start it"}})
				if h := b.e.Health(context.Background()); h.State != engine.NotFound {
					t.Errorf("taken for %s: %+v", other, h)
				}
			}
		})
	}
}

func TestAnotherProgramOnTheUsualPortIsNotTakenForAServer(t *testing.T) {
	for name, pages := range map[string]map[string]string{
		"a website":             {"/v1/models": "<html>", "/props": "<html>", "/version": "<html>"},
		"a list of another api": {"/v1/models": `{"models":["x"]}`, "/version": `{"version":"1"}`},
		"an API of its own":     {"/v1/models": `{"data":[{"id":"x"}]}`},
		"nothing":               {},
	} {
		s := site(t, pages)
		for _, server := range Servers(nil) {
			server.URL = s.URL
			b := newBench(t, API{ID: server.ID, Name: server.Name, URL: s.URL, Usual: &server})
			if h := b.e.Health(context.Background()); h.State != engine.NotFound || engine.Named(b.e, h) {
				t.Errorf("%s: taken for %s: %+v", name, server.Name, h)
			}
		}
	}
}

func TestHealthDoesNotWaitForAServerThatHangs(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	defer s.Close()
	defer close(release)
	b := newBench(t, API{URL: s.URL}, func(o *Options) { o.Timings.Probe = 50 * time.Millisecond })
	began := time.Now()
	h := b.e.Health(context.Background())
	if h.State != engine.Broken || !strings.Contains(h.Problem, "did not answer in time") || time.Since(began) > 2*time.Second {
		t.Errorf("%+v after %s", h, time.Since(began))
	}
}

func TestHealthIsRememberedAndNeverATurn(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		if r.URL.Path == "/v1/models" {
			asked++
			fmt.Fprint(w, `{"data":[{"id":"a"},{"id":"b"}]}`)
			return
		}
		http.NotFound(w, r)
	}))
	defer s.Close()
	now := time.Now()
	b := newBench(t, API{URL: s.URL, Model: "a"}, func(o *Options) { o.Now = func() time.Time { return now } })
	for range 3 {
		if h := b.e.Health(context.Background()); h.State != engine.Ready || h.Version != "a" {
			t.Errorf("%+v", h)
		}
	}
	now = now.Add(19 * time.Second)
	b.e.Health(context.Background())
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	now = now.Add(2 * time.Second)
	b.e.Health(context.Background())
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

func TestTheWindowIsTheServersUnlessConfigSaysIt(t *testing.T) {
	list := map[string]string{
		"openrouter": `{"id":"m1","context_length":200000,"top_provider":{"context_length":64000},"supported_parameters":["tools","reasoning"],"architecture":{"input_modalities":["text","image"],"output_modalities":["text"]}}`,
		"anthropic":  `{"type":"model","id":"m1","display_name":"Em","max_input_tokens":64000,"max_tokens":8000}`,
		"vllm":       `{"id":"m1","max_model_len":64000}`,
		"groq":       `{"id":"m1","context_window":64000}`,
	}
	for name, entry := range list {
		models, err := parseModels([]byte(`{"data":[` + entry + `]}`))
		if err != nil || len(models) != 1 || models[0].window != 64000 {
			t.Errorf("%s: %+v %v", name, models, err)
		}
	}
	b := newBench(t, API{URL: "https://far.example/v1", Context: 9000})
	for want, tn := range map[int]*turn{9000: {e: b.e, model: "m"}} {
		if got := tn.window(); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
	for want, api := range map[int]API{unknownFar: {URL: "https://far.example"}, unknownLocal: {URL: "http://192.168.1.5:8000"}, unknownAnthropic: {URL: "https://far.example", Kind: Anthropic}} {
		if got := (&turn{e: newBench(t, api).e, model: "m"}).window(); got != want {
			t.Errorf("%+v: %d, want %d", api, got, want)
		}
	}
}

func TestOnlyModelsThatTalkAreOffered(t *testing.T) {
	var all []string
	for _, id := range []string{"gpt-5.5", "text-embedding-3-small", "whisper-1", "dall-e-3", "o4-mini", "tts-1", "omni-moderation-latest"} {
		all = append(all, fmt.Sprintf(`{"id":%q}`, id))
	}
	for i := range 600 {
		all = append(all, fmt.Sprintf(`{"id":"m%d"}`, i))
	}
	models, err := parseModels([]byte(`{"data":[` + strings.Join(all, ",") + `,7,{"id":7},{"id":""}]}`))
	if err != nil || len(models) != maxModels || models[0].id != "gpt-5.5" || models[1].id != "o4-mini" || models[2].id != "m0" {
		t.Errorf("%d %+v %v", len(models), models[:3], err)
	}
}

func TestAnAPIWithoutAModelSaysWhichThereAre(t *testing.T) {
	b := newBench(t, API{URL: "https://far.example", Model: "x"})
	b.e.api.Model = ""
	_, err := b.e.pick(said{models: []model{{id: "a"}, {id: "b"}}}, "")
	if r := b.e.explain(err, ""); r.Error != "Plum: no model is named; it has a, b." || !strings.Contains(r.Next, "/model") {
		t.Errorf("%+v", r)
	}
}

func TestAKeyGoesOnlyWhereItIsSafe(t *testing.T) {
	for url, safe := range map[string]bool{
		"https://api.example/v1": true, "http://127.0.0.1:8000/v1": true, "http://localhost:1234": true, "http://[::1]:8000": true,
		"http://api.example/v1": false, "http://192.168.1.5:8000/v1": false, "http://localhost.evil.example": false,
	} {
		b := newBench(t, API{URL: url, Key: "sk-plum-0123456789"})
		key, err := b.e.key()
		if (err == nil) != safe || safe != (key != "") {
			t.Errorf("%s: %q %v", url, key, err)
		}
		if !safe {
			r := b.e.explain(err, "")
			if !strings.Contains(r.Error, "in the clear") || strings.Contains(r.Error, "0123456789") || r.Next != "use an https address in config.toml" {
				t.Errorf("%+v", r)
			}
		}
		keyless := newBench(t, API{URL: url})
		if _, err := keyless.e.key(); err != nil {
			t.Errorf("%s without a key: %v", url, err)
		}
	}
}

func TestTheKeyringsKeyIsUsed(t *testing.T) {
	ring := func(entry string) (string, error) {
		if entry == "plum" {
			return "sk-plum-0123456789\n", nil
		}
		return "", fmt.Errorf("there is no such entry")
	}
	b := newBench(t, API{URL: "https://far.example", KeyKeyring: "plum"}, func(o *Options) { o.Secret = ring })
	if key, err := b.e.key(); key != "sk-plum-0123456789" || err != nil {
		t.Errorf("%q %v", key, err)
	}
	b = newBench(t, API{URL: "https://far.example", KeyKeyring: "pear"}, func(o *Options) { o.Secret = ring })
	h := b.e.Health(context.Background())
	if h.State != engine.NeedSignIn || h.Problem != `Plum can't be asked: the entry "pear" of the keyring, which holds its key, can't be read: there is no such entry.` || h.Next == "" {
		t.Errorf("%+v", h)
	}
}

func TestAddressesAreReadAsPeopleWriteThem(t *testing.T) {
	for _, test := range []struct {
		url  string
		kind Kind
		want string
	}{
		{"http://127.0.0.1:11434", OpenAI, "http://127.0.0.1:11434/v1/chat/completions"},
		{"http://127.0.0.1:11434/v1/", OpenAI, "http://127.0.0.1:11434/v1/chat/completions"},
		{"https://openrouter.ai/api/v1", OpenAI, "https://openrouter.ai/api/v1/chat/completions"},
		{"https://api.openai.com/v1?x=1", Responses, "https://api.openai.com/v1/responses"},
		{"https://api.anthropic.com", Anthropic, "https://api.anthropic.com/v1/messages"},
		{"https://api.anthropic.com/v1", Anthropic, "https://api.anthropic.com/v1/messages"},
		{"https://far.example/anthropic", Anthropic, "https://far.example/anthropic/v1/messages"},
	} {
		a, err := parseAddress(test.url, test.kind)
		if err != nil || a.to(dialectOf(test.kind).path()) != test.want {
			t.Errorf("%s: %s %v, want %s", test.url, a.to(dialectOf(test.kind).path()), err, test.want)
		}
	}
	for _, bad := range []string{"", "127.0.0.1:80", "ftp://x", "http://", "://"} {
		if _, err := parseAddress(bad, OpenAI); err == nil {
			t.Errorf("%q is taken", bad)
		}
		b := newBench(t, API{URL: bad})
		if h := b.e.Health(context.Background()); h.State != engine.Broken || h.Next != "mend its url in config.toml" {
			t.Errorf("%q: %+v", bad, h)
		}
	}
}

func TestOllamasOwnVariableMovesIt(t *testing.T) {
	if list := Servers([]string{"CONCH_LOCAL_MODELS=off"}); list != nil {
		t.Errorf("looked for %v", list)
	}
	for value, want := range map[string]string{
		"": "127.0.0.1:11434", "127.0.0.1:9999": "127.0.0.1:9999", "0.0.0.0": "127.0.0.1:11434", "http://localhost:7/": "127.0.0.1:7", ":99": "127.0.0.1:99",
		"far.example:80": "127.0.0.1:11434", "127.0.0.1:x": "127.0.0.1:11434", "[::1]:5": "127.0.0.1:11434",
	} {
		if got := Servers([]string{"OLLAMA_HOST=" + value})[0].URL; got != "http://"+want+"/v1" {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

func TestNamesOfToolsAreWhatEveryAPITakes(t *testing.T) {
	var tools []engine.Tool
	for _, name := range []string{"read_file", "mcp__files__read.it", "mcp__files__read_it", "bäd name", strings.Repeat("x", 80), strings.Repeat("x", 80), ""} {
		tools = append(tools, says(name))
	}
	seen := map[string]bool{}
	for _, o := range offer(tools, nil) {
		if o.name == "" || len(o.name) > 64 || seen[o.name] || idOnly(o.name) != o.name {
			t.Errorf("the name %q", o.name)
		}
		seen[o.name] = true
	}
	list := offer(tools, nil)
	for name, want := range map[string]string{"mcp__files__read_it": "mcp__files__read.it", "mcp__files__read_it_2": "mcp__files__read_it", "functions.read_file": "read_file", "mcp__files__read.it": "mcp__files__read.it"} {
		if got, ok := find(list, name); !ok || got.tool.Name() != want {
			t.Errorf("%s: %v %v", name, got, ok)
		}
	}
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"a":{}}}`: `{"type":"object","properties":{"a":{}}}`, `nonsense`: `{"properties":{},"type":"object"}`, `{"properties":7}`: `{"properties":{},"type":"object"}`, `null`: `{"properties":{},"type":"object"}`,
	} {
		if got := string(objectSchema(json.RawMessage(schema))); got != want {
			t.Errorf("%s: %s", schema, got)
		}
	}
}

func TestLeanModeHasFewToolsAndTheCompactForm(t *testing.T) {
	h := byHand(t, stream(chunk("ok"), chatEnd))
	b := newBench(t, API{URL: h.URL, Lean: true}, func(o *Options) { o.Small = func(name string) bool { return name == "read_file" } })
	if f := b.e.Form(context.Background(), engine.Options{}); f != engine.FormCompact {
		t.Errorf("form %q", f)
	}
	b.turn(engine.TurnInput{Prompt: "x", Tools: []engine.Tool{says("read_file"), says("plan")}})
	if tools := h.asked()[0]["tools"].([]any); len(tools) != 1 {
		t.Errorf("%v", tools)
	}
}
