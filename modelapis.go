package main

import (
	"slices"

	"conch/cli"
	"conch/config"
	"conch/conversation"
	"conch/engine"
	"conch/modelapi"
)

// modelAPIs are the model APIs of the person's config, and behind them the servers
// that are looked for on this machine, where no entry names them.
func modelAPIs(s cli.EngineSetup) []engine.Engine {
	opts := modelapi.Options{
		Home: s.Home, Environ: s.Environ, Secret: s.Secret, Swap: swap, Small: inLeanMode,
		Now: s.Now, ClientVersion: s.Version,
		Log: func(code, line string) { s.Log.Info(line, "code", code) },
	}
	var all []engine.Engine
	for _, api := range apis(s.Config, modelapi.Servers(s.Environ)) {
		all = append(all, modelapi.New(api, opts))
	}
	return all
}

func apis(c config.Config, servers []modelapi.Server) (all []modelapi.API) {
	for _, own := range c.ModelAPIs {
		all = append(all, modelapi.API{
			ID: own.ID, Name: own.Name, Kind: modelapi.Kind(own.Kind), URL: own.URL, Model: own.Model,
			Context: own.Context, Lean: own.Lean, Key: own.Key, KeyEnv: own.KeyEnv, KeyKeyring: own.KeyKeyring,
		})
	}
	for _, server := range servers {
		named := slices.ContainsFunc(all, func(a modelapi.API) bool { return a.ID == server.ID || modelapi.SameServer(a.URL, server.URL) }) ||
			slices.ContainsFunc(c.Agents, func(a config.Agent) bool { return a.ID == server.ID })
		if !named {
			all = append(all, modelapi.API{ID: server.ID, Name: server.Name, Kind: modelapi.OpenAI, URL: server.URL, Usual: &server})
		}
	}
	return all
}

// swap puts the instructions of a running turn into another form.
func swap(system string, form engine.Form) string {
	if form == engine.FormWordsOnly {
		return conversation.Disarm(system)
	}
	return conversation.Swap(system, form)
}

// inLeanMode reports that a tool is offered to small models too: those for files,
// commands and questions, and the person's apps. Each further one makes it likelier
// that a small model calls the wrong one.
func inLeanMode(tool string) bool {
	return !slices.Contains([]string{"search_chats", "read_chat", "plan", "remember", "forget", "wait_for", "web_read"}, tool)
}
