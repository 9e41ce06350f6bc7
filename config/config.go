// Package config reads config.toml and checks it. It never writes the file.
package config

// Config is the whole of config.toml; every field is optional.
type Config struct {
	Provider     string              `toml:"provider"`
	Mode         string              `toml:"mode"`
	Theme        string              `toml:"theme"` // auto | light | dark | none
	Motion       bool                `toml:"motion"`
	Mouse        bool                `toml:"mouse"`
	Notify       string              `toml:"notify"` // unfocused | always | never
	Memory       bool                `toml:"memory"`
	Persona      string              `toml:"persona"`
	Instructions string              `toml:"instructions"`
	KeepUp       bool                `toml:"keep_up"`
	MonthlyToken int64               `toml:"monthly_tokens"`
	Keys         map[string][]string `toml:"keys"`
	Personas     map[string]string   `toml:"personas"`
	Agents       []Agent             `toml:"agent"`
	ModelAPIs    []ModelAPI          `toml:"model_api"`
	Apps         []App               `toml:"app"`
}

// Agent is a program of the person's own, or another path, model or environment
// for a known id.
type Agent struct {
	ID           string            `toml:"id"`
	Name         string            `toml:"name"`
	Protocol     string            `toml:"protocol"` // acp | codex
	Model        string            `toml:"model"`
	Command      []string          `toml:"command"`
	Env          map[string]string `toml:"env"`
	PassEnv      []string          `toml:"pass_env"`
	StartTimeout int               `toml:"start_timeout"` // seconds
}

// ModelAPI is a server with a model API.
type ModelAPI struct {
	ID, Name, Kind, URL, Model string
	Context                    int
	Lean                       bool
	Key                        string `toml:"key"`
	KeyEnv                     string `toml:"key_env"`
	KeyKeyring                 string `toml:"key_keyring"`
}

// App is an MCP app.
type App struct {
	ID         string            `toml:"id"`
	Command    []string          `toml:"command"`
	URL        string            `toml:"url"`
	Env        map[string]string `toml:"env"`
	HeadersEnv map[string]string `toml:"headers_env"`
	Tools      []string          `toml:"tools"`
	Own        bool              `toml:"own"`
}

// Load reads home/config.toml. A missing file is the default configuration.
// Warnings name unknown keys and odd values, with their line; an error is a file
// that cannot be read as TOML at all.
func Load(home string) (c Config, warnings []string, err error) { panic("soon") }
