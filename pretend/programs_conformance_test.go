//go:build conformance && unix

package pretend

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// agent is a real agent: its package, and what points it at a pretend model.
type agent struct {
	id      string // as Conch knows it
	npm     string
	version string
	bin     string
	needs22 bool // Node 22 or newer
	dialect Dialect
	env     func(url string) []string
	files   func(url string) map[string]string // by path in the home folder
	config  func(url string) string            // what config.toml needs for it: no program, a model API
	loads   bool                               // a new process opens the session of an old one
	hides   bool                               // it keeps the tools of servers behind one of its own: the model is offered that one
	says401 bool                               // it says at once that its key was refused; the others try on and on
}

var agents = []agent{
	{
		id: "claude-code", npm: "@agentclientprotocol/claude-agent-acp", version: "0.101.0", bin: "claude-agent-acp", needs22: true, dialect: Anthropic, loads: true,
		env: func(url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=pretend-key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1"}
		},
	},
	{
		id: "codex", says401: true, npm: "@openai/codex", version: "0.171.0", bin: "codex", dialect: Responses, loads: true,
		env: func(string) []string { return []string{"PRETEND_KEY=pretend-key"} },
		files: func(url string) map[string]string {
			return map[string]string{".codex/config.toml": fmt.Sprintf(`model = "gpt-5.5"
model_provider = "pretend"
[model_providers.pretend]
name = "Pretend"
base_url = "%s/v1"
env_key = "PRETEND_KEY"
wire_api = "responses"
request_max_retries = 2
stream_max_retries = 2
`, url)}
		},
	},
	{
		id: "gemini-cli", says401: true, npm: "@google/gemini-cli", version: "0.61.0", bin: "gemini", dialect: Gemini,
		env: func(url string) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=pretend-key", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_TELEMETRY_ENABLED=false"}
		},
	},
	{
		id: "opencode", npm: "opencode-ai", version: "1.18.33", bin: "opencode", dialect: Chat, loads: true,
		env: func(string) []string {
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
		},
		files: func(url string) map[string]string {
			model := obj{"tool_call": true, "limit": obj{"context": 200000, "output": 8000}}
			return map[string]string{".config/opencode/opencode.json": encode(obj{
				"model": "pretend/pretend-1", "small_model": "pretend/pretend-2", "autoupdate": false, "share": "disabled",
				"provider": obj{"pretend": obj{
					"npm": "@ai-sdk/openai-compatible", "name": "Pretend",
					"options": obj{"baseURL": url + "/v1", "apiKey": "pretend-key"},
					"models":  obj{"pretend-1": model, "pretend-2": model},
				}},
			})}
		},
	},
	{
		id: "copilot", says401: true, npm: "@github/copilot", version: "1.0.102", bin: "copilot", dialect: Chat, loads: true,
		env: func(url string) []string {
			return []string{"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_BASE_URL=" + url + "/v1",
				"COPILOT_PROVIDER_API_KEY=pretend-key", "COPILOT_MODEL=pretend-1"}
		},
	},
	{
		id: "grok", says401: true, hides: true, npm: "@xai-official/grok", version: "1.0.41", bin: "grok", dialect: Chat, loads: true,
		env: func(string) []string {
			return []string{"XAI_API_KEY=pretend-key", "GROK_DISABLE_AUTOUPDATER=1", "GROK_TELEMETRY_ENABLED=false"}
		},
		files: func(url string) map[string]string {
			return map[string]string{".grok/config.toml": fmt.Sprintf(`[cli]
auto_update = false
[models]
default = "pretend"
[model.pretend]
model = "pretend-1"
base_url = "%s/v1"
api_key = "pretend-key"
api_backend = "chat_completions"
context_window = 128000
`, url)}
		},
	},
	{
		id: "qwen", says401: true, hides: true, npm: "@qwen-code/qwen-code", version: "0.24.4", bin: "qwen", needs22: true, dialect: Chat, loads: true,
		env: func(url string) []string {
			return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=pretend-key", "OPENAI_MODEL=pretend-1"}
		},
	},
	modelAPI("chat-api", "openai", "/v1", Chat),
	modelAPI("responses-api", "openai-responses", "/v1", Responses),
	modelAPI("messages-api", "anthropic", "", Anthropic),
}

// modelAPI is no program: Conch itself speaks with the model.
func modelAPI(id, kind, path string, d Dialect) agent {
	return agent{
		id: id, dialect: d, loads: true, says401: true,
		env: func(string) []string { return []string{"PRETEND_API_KEY=pretend-key"} },
		config: func(url string) string {
			return fmt.Sprintf("[[model_api]]\nid = %q\nkind = %q\nurl = %q\nmodel = \"pretend-1\"\nkey_env = \"PRETEND_API_KEY\"\n", id, kind, url+path)
		},
	}
}

// chosenAgents are those that CONCH_CONFORMANCE names, with commas; else all.
func chosenAgents(t *testing.T) []agent {
	t.Helper()
	names := os.Getenv("CONCH_CONFORMANCE")
	if names == "" {
		return agents
	}
	var out []agent
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(agents, func(a agent) bool { return a.id == strings.TrimSpace(name) })
		if i < 0 {
			t.Fatalf("CONCH_CONFORMANCE: no agent is called %q", name)
		}
		out = append(out, agents[i])
	}
	return out
}

// agentsDir is where the agents are installed: CONCH_AGENTS_DIR, else a folder of
// the person's cache.
func agentsDir() (string, error) {
	if dir := os.Getenv("CONCH_AGENTS_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the agents: %w (set CONCH_AGENTS_DIR)", err)
	}
	return filepath.Join(cache, "conch-conformance"), nil
}

var installing sync.Mutex

// install brings a package of npm to its folder, unless it is there, and returns
// the folder of its programs.
func install(npm, version string) (string, error) {
	installing.Lock()
	defer installing.Unlock()
	root, err := agentsDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, strings.NewReplacer("@", "", "/", "-").Replace(npm))
	bin := filepath.Join(dir, "node_modules", ".bin")
	if installed(dir, npm, version) {
		return bin, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error", npm+"@"+version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install %s@%s: %w\n%s", npm, version, err, out)
	}
	return bin, nil
}

// node22 is a folder with a Node that is new enough, "" when the machine's own is.
func node22() (string, error) {
	if out, err := exec.Command("node", "--version").Output(); err == nil {
		var major int
		if _, err := fmt.Sscanf(string(out), "v%d.", &major); err == nil && major >= 22 {
			return "", nil
		}
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	return install("node-"+runtime.GOOS+"-"+arch, "22")
}

func installed(dir, npm, version string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "node_modules", filepath.FromSlash(npm), "package.json"))
	if err != nil {
		return false
	}
	var p struct {
		Version string `json:"version"`
	}
	return json.Unmarshal(data, &p) == nil && (p.Version == version || strings.HasPrefix(p.Version, version+"."))
}
