package main

import (
	"slices"
	"time"

	"conch/acp"
	"conch/config"
)

// demoID is offered last, whatever the config adds.
const demoID = "demo"

// agents puts the person's own programs into the table: a known id gets another
// command, environment, model or time to start; another id is a row of its own
// before the demo. Programs of another protocol are left to their own engine.
func agents(table []acp.Agent, own []config.Agent) []acp.Agent {
	table = slices.Clone(table)
	for _, o := range own {
		if o.Protocol != "" && o.Protocol != "acp" {
			continue
		}
		i := slices.IndexFunc(table, func(a acp.Agent) bool { return a.ID == o.ID })
		if i < 0 && len(o.Command) == 0 {
			continue // the id of a program that another engine drives
		}
		if i < 0 {
			i = slices.IndexFunc(table, func(a acp.Agent) bool { return a.ID == demoID })
			if i < 0 {
				i = len(table)
			}
			table = slices.Insert(table, i, acp.Agent{ID: o.ID, Name: o.ID, Instructions: acp.FromDoor})
		}
		table[i] = merged(table[i], o)
	}
	return table
}

func merged(a acp.Agent, own config.Agent) acp.Agent {
	if own.Name != "" {
		a.Name = own.Name
	}
	if len(own.Command) > 0 {
		a.Command, a.Args = own.Command[0], own.Command[1:]
		// A path of the person's own may be a wrapper: it isn't asked for its version.
		a.VersionArgs, a.Install = nil, ""
	}
	if own.Model != "" {
		a.Model = own.Model
	}
	if own.StartTimeout > 0 {
		a.StartTimeout = time.Duration(own.StartTimeout) * time.Second
	}
	a.PassEnv = append(slices.Clone(a.PassEnv), own.PassEnv...)
	a.Env = slices.Clone(a.Env)
	for _, name := range sortedKeys(own.Env) {
		a.Env = append(a.Env, name+"="+own.Env[name])
	}
	return a
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
