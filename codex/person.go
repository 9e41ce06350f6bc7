package codex

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// person is what is taken of the person's own Codex config: which model they use
// and who serves it. Nothing else of it (servers, rules, trust, hooks) reaches the
// programs that Conch starts.
type person struct {
	chosen   map[string]any
	provider string
	needs    bool     // the provider takes Codex's own sign-in
	keyNames []string // of the variables that hold the providers' keys
	problem  string   // why the config counts as none; "" for no problem
}

const (
	configFile = "config.toml"

	maxConfig    = 256 << 10
	maxProviders = 100
	maxChosen    = 1000 // bytes of a model's or provider's name
)

// choice is what the person chose in their Codex home.
func (s *stores) choice() person {
	if s.person == "" {
		return person{needs: true}
	}
	path := filepath.Join(s.person, configFile)
	data, err := readBounded(path, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return person{needs: true}
	}
	if err != nil {
		return person{needs: true, problem: fmt.Sprintf("Codex's own config can't be read: %v", err)}
	}
	p, err := chosenIn(data)
	if err != nil {
		p.problem = fmt.Sprintf("Codex's own config %s is damaged: %v", path, err)
	}
	return p
}

// news reports a problem that was not the last one.
func (s *stores) news(problem string) bool {
	last := s.told.Swap(&problem)
	return problem != "" && (last == nil || *last != problem)
}

const maxVariable = 200

// variableName reports that a name can be that of a variable in an environment.
func variableName(name string) bool {
	for i, r := range name {
		if r != '_' && (r|0x20 < 'a' || r|0x20 > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxVariable
}

// chosenIn picks the choice of a model out of a config.
func chosenIn(data []byte) (person, error) {
	p := person{chosen: map[string]any{}, needs: true}
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		return p, err
	}
	for _, key := range []string{"model", "model_provider", "model_reasoning_effort"} {
		if value, ok := all[key].(string); ok && value != "" && len(value) <= maxChosen {
			p.chosen[key] = value
		}
	}
	p.provider, _ = p.chosen["model_provider"].(string)
	p.needs = p.provider == "" || p.provider == "openai"
	all, _ = all["model_providers"].(map[string]any)
	providers := map[string]any{}
	for id, each := range all {
		one, ok := each.(map[string]any)
		if !ok || len(providers) == maxProviders && id != p.provider {
			continue
		}
		providers[id] = one
		if needs, ok := one["requires_openai_auth"].(bool); ok && id == p.provider {
			p.needs = needs
		}
		p.addKey(one["env_key"])
		headers, _ := one["env_http_headers"].(map[string]any)
		for _, name := range headers {
			p.addKey(name)
		}
	}
	if len(providers) > 0 {
		p.chosen["model_providers"] = providers
	}
	slices.Sort(p.keyNames)
	p.keyNames = slices.Compact(p.keyNames)
	return p, nil
}

func (p *person) addKey(name any) {
	if name, ok := name.(string); ok && variableName(name) {
		p.keyNames = append(p.keyNames, name)
	}
}

// keys are the variables that the person's providers read their keys from.
func (p person) keys() []string { return p.keyNames }
