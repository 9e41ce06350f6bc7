package acp

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"conch/engine"
)

const protocolVersion = 1

// capabilities is what a program said of itself when it was initialized.
type capabilities struct {
	load, resume, list, closes bool
	image, audio, embedded     bool
	mcpHTTP, mcpSSE            bool
	logout                     bool
	version                    string // the program's own
	methods                    []authMethod
}

// authMethod is a way to sign in that the program offers.
type authMethod struct {
	id, name, description string
	terminal              bool   // run in the terminal
	command               string // the program to run; "" is the agent as it is started, with args after its own
	args                  []string
	env                   []string
	vars                  []string // variables that it reads, for a sign-in with a key
}

// initialize negotiates: once, first.
func (p *process) initialize(ctx context.Context) error {
	answer, err := p.call(ctx, "initialize", map[string]any{
		"protocolVersion": protocolVersion,
		"clientInfo": map[string]any{
			"name": "conch", "title": "Conch", "version": cmp.Or(p.e.opts.ClientVersion, "dev"),
		},
		"clientCapabilities": map[string]any{
			"fs":          map[string]any{"readTextFile": false, "writeTextFile": false},
			"terminal":    false,
			"auth":        map[string]any{"terminal": true},
			"elicitation": map[string]any{"form": struct{}{}, "url": struct{}{}},
			"session":     map[string]any{"configOptions": map[string]any{"boolean": struct{}{}}},
		},
	}, p.e.times.Start, "it did not answer its start")
	if err != nil {
		return err
	}
	if v := versionOf(answer); v != protocolVersion {
		return unspoken{v}
	}
	p.caps = readCapabilities(answer)
	p.Begun = true
	caps := p.caps
	p.e.caps.Store(&caps)
	p.e.program.Started(caps.version)
	return nil
}

// unspoken is a version of the protocol that Conch does not speak.
type unspoken struct{ version int64 }

func (u unspoken) Error() string {
	return fmt.Sprintf("it speaks version %d of the agent protocol, and Conch speaks version %d", u.version, protocolVersion)
}

// versionOf is the version that was negotiated; a program that names none
// answered what it was asked.
func versionOf(answer object) int64 {
	if v, ok := answer.number("protocolVersion"); ok {
		return v
	}
	if v, err := strconv.ParseInt(answer.text("protocolVersion"), 10, 64); err == nil {
		return v
	}
	return protocolVersion
}

func readCapabilities(answer object) capabilities {
	agent := answer.object("agentCapabilities")
	prompt := agent.object("promptCapabilities")
	mcp := agent.object("mcpCapabilities")
	sessions := agent.object("sessionCapabilities")
	offers := func(o object, key string) bool {
		return o.has(key) && string(o[key]) != "false"
	}
	c := capabilities{
		load:     agent.flag("loadSession"),
		resume:   offers(sessions, "resume"),
		list:     offers(sessions, "list"),
		closes:   offers(sessions, "close"),
		image:    prompt.flag("image"),
		audio:    prompt.flag("audio"),
		embedded: prompt.flag("embeddedContext"),
		mcpHTTP:  mcp.flag("http"),
		mcpSSE:   mcp.flag("sse"),
		logout:   offers(agent.object("auth"), "logout"),
		version:  answer.object("agentInfo").text("version"),
	}
	methods, _ := answer.objects("authMethods")
	for _, m := range methods {
		if method, ok := readAuthMethod(m); ok {
			c.methods = append(c.methods, method)
		}
	}
	return c
}

func readAuthMethod(m object) (authMethod, bool) {
	method := authMethod{id: m.text("id"), name: m.text("name"), description: m.text("description")}
	if method.id == "" {
		return method, false
	}
	meta := m.object("_meta")
	switch {
	case m.text("type") == "terminal":
		method.terminal = true
		method.args = texts(m, "args")
		method.env = pairs(m, "env")
	case meta.object("terminal-auth").text("command") != "":
		how := meta.object("terminal-auth")
		method.terminal = true
		method.command = how.text("command")
		method.args = texts(how, "args")
		method.env = pairs(how, "env")
	case m.text("type") == "env_var":
		vars, _ := m.objects("vars")
		for _, v := range vars {
			if name := v.text("name"); name != "" {
				method.vars = append(method.vars, name)
			}
		}
	}
	return method, true
}

func texts(o object, key string) []string {
	items, _ := o.items(key)
	var list []string
	for _, item := range items {
		if s, ok := (object{"s": item}).optText("s"); ok {
			list = append(list, s)
		}
	}
	return list
}

// pairs reads an environment in either of its two shapes.
func pairs(o object, key string) []string {
	var list []string
	if entries, ok := o.objects(key); ok {
		for _, each := range entries {
			if name := each.text("name"); name != "" {
				list = append(list, name+"="+each.text("value"))
			}
		}
		return list
	}
	vars := o.object(key)
	for name := range vars {
		list = append(list, name+"="+vars.text(name))
	}
	return list
}

// words are the capabilities as a person reads them.
func (c capabilities) words() []string {
	var list []string
	for _, each := range []struct {
		has  bool
		word string
	}{
		{c.load, "loads sessions"},
		{c.resume, "resumes sessions"},
		{c.list, "lists sessions"},
		{c.image, engine.TakesImages},
		{c.audio, "audio"},
		{c.embedded, "embedded files"},
		{c.mcpHTTP, "MCP over HTTP"},
		{c.mcpSSE, "MCP over SSE"},
	} {
		if each.has {
			list = append(list, each.word)
		}
	}
	return list
}
