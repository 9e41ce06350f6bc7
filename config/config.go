// Package config reads config.toml and checks it. It never writes the file.
//
// One table holds every key with its default and its meaning: the file is read
// by it, the reference in the README is made from it, and what is not in it is
// named in a warning. A value that makes no sense is a warning too, and its
// default holds; only a file that is no TOML at all is an error.
package config

// Config is the whole of config.toml; every field is optional.
type Config struct {
	Provider     string
	Mode         string
	Theme        string // auto | light | dark | none
	Motion       bool
	Mouse        bool
	Notify       string // unfocused | always | never
	Memory       bool
	Persona      string
	Instructions string
	KeepUp       bool
	MonthlyToken int64
	Keys         map[string][]string
	Personas     map[string]string
	Agents       []Agent
	ModelAPIs    []ModelAPI
	Apps         []App
}

// Agent is a program of the person's own, or another path, model or environment
// for a known id.
type Agent struct {
	ID           string
	Name         string
	Protocol     string // acp | codex; "" leaves a known id's own, else it is acp
	Model        string
	Command      []string // empty leaves a known id's own
	Env          map[string]string
	PassEnv      []string
	StartTimeout int // seconds
}

// ModelAPI is a server with a model API.
type ModelAPI struct {
	ID, Name, Kind, URL, Model string
	Context                    int
	Lean                       bool
	Key                        string
	KeyEnv                     string
	KeyKeyring                 string
}

// App is an MCP app.
type App struct {
	ID         string
	Command    []string
	URL        string
	Env        map[string]string
	HeadersEnv map[string]string
	Tools      []string
	Own        bool

	HeadersKeyring map[string]string // a header and the entry of the keyring that holds its value
}

// Default is what holds without a config.toml.
func Default() Config {
	return Config{
		Theme: "auto", Motion: true, Mouse: true, Notify: "unfocused", Memory: true, KeepUp: true,
		Keys: map[string][]string{}, Personas: map[string]string{},
	}
}

// Known lists the ids of the providers that need no configuration, in the order
// in which they are offered.
func Known() []string {
	return []string{"claude-code", "codex", "gemini-cli", "copilot", "opencode", "grok", "qwen", "demo"}
}

// Found lists the ids of the servers that are looked for on this machine and need
// no configuration.
func Found() []string { return []string{"ollama", "lm-studio", "llama-cpp", "vllm"} }

// ProviderID gives the id that a person's spelling of a provider means: other
// spellings of known ids are resolved, everything else stays as it is.
func ProviderID(word string) string {
	switch word {
	case "claude":
		return "claude-code"
	case "gemini":
		return "gemini-cli"
	case "codex-cli":
		return "codex"
	}
	return word
}
