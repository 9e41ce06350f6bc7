package config

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

var sectionNames = []string{"keys", "personas", "agent", "model_api", "app"}

// sections reads what has a heading in the file.
func (r *reader) sections(doc map[string]any, c *Config) {
	for _, action := range r.named(doc, "keys") {
		value := doc["keys"].(map[string]any)[action]
		list, ok := stringList(value)
		if !ok {
			r.warn(join("keys", action), `keys.%s: it must be a list of keys, such as ["ctrl+o", "f2"]`, bare(action))
			continue
		}
		c.Keys[action] = list
	}
	for _, name := range r.named(doc, "personas") {
		words, ok := doc["personas"].(map[string]any)[name].(string)
		if !ok {
			r.warn(join("personas", name), "personas.%s: it must be a text in quotes", bare(name))
			continue
		}
		c.Personas[name] = words
	}
	r.tables(doc, "agent", func(path string, table map[string]any) {
		a := Agent{StartTimeout: 30}
		readTable(r, path, table, &a, agentKeys)
		a.ID = ProviderID(a.ID)
		if r.takes(path, "agent", a.ID, slices.ContainsFunc(c.Agents, func(b Agent) bool { return b.ID == a.ID })) && r.complete(path, a) {
			c.Agents = append(c.Agents, a)
		}
	})
	r.tables(doc, "model_api", func(path string, table map[string]any) {
		m := ModelAPI{Kind: "openai"}
		readTable(r, path, table, &m, modelAPIKeys)
		taken := slices.ContainsFunc(c.ModelAPIs, func(b ModelAPI) bool { return b.ID == m.ID }) ||
			slices.ContainsFunc(c.Agents, func(b Agent) bool { return b.ID == m.ID }) || slices.Contains(Known(), m.ID)
		if !r.takes(path, "model_api", m.ID, taken) {
			return
		}
		if m.URL == "" {
			r.warn(join(path, "url"), "[[model_api]] %q has no url; it is left out", m.ID)
			return
		}
		if m.Key != "" {
			r.warn(join(path, "key"), "the key of %q stands in the file for all to read; key_env or key_keyring keeps it elsewhere", m.ID)
		}
		c.ModelAPIs = append(c.ModelAPIs, m)
	})
	r.tables(doc, "app", func(path string, table map[string]any) {
		var a App
		readTable(r, path, table, &a, appKeys)
		if !r.takes(path, "app", a.ID, slices.ContainsFunc(c.Apps, func(b App) bool { return b.ID == a.ID })) {
			return
		}
		if a.ID == ownApp {
			r.warn(join(path, "id"), "[[app]] %q: that is how Conch's own tools are called; it is left out", a.ID)
			return
		}
		if (len(a.Command) == 0) == (a.URL == "") {
			r.warn(path, "[[app]] %q needs a command or a url, one of the two; it is left out", a.ID)
			return
		}
		if len(a.Command) > 0 && a.Command[0] == "" {
			r.warn(join(path, "command"), "the command of %q is empty; it is left out", a.ID)
			return
		}
		r.fitting(path, a)
		c.Apps = append(c.Apps, a)
	})
}

// ownApp is the name of Conch's own tools among the apps of a program.
const ownApp = "conch"

// fitting warns of what an app's entry has in vain, and of headers that name none.
func (r *reader) fitting(path string, a App) {
	if _, address, _ := strings.Cut(a.URL, "://"); strings.Contains(strings.SplitN(address, "/", 2)[0], "@") {
		r.warn(join(path, "url"), "the url of %q holds a password for all to read; headers_env or headers_keyring keeps it elsewhere", a.ID)
	}
	if a.URL != "" && len(a.Env) > 0 {
		r.warn(join(path, "env"), "env is for a command, and %q has a url", a.ID)
	}
	for _, each := range []struct {
		key     string
		headers map[string]string
		is      form
		want    string
	}{
		{"headers_env", a.HeadersEnv, isEnvName, "the name of an environment variable"},
		{"headers_keyring", a.HeadersKeyring, func(s string) bool { return s != "" }, "the name of an entry"},
	} {
		if a.URL == "" && len(each.headers) > 0 {
			r.warn(join(path, each.key), "%s is for a url, and %q has a command", each.key, a.ID)
		}
		for header, value := range each.headers {
			if !each.is(value) {
				r.warn(join(path, each.key), "%s: the value of %q must be %s, not the secret itself; it is left out", each.key, clip(header), each.want)
				delete(each.headers, header)
			}
		}
	}
}

// takes reports that an entry of an array of tables has an id that is free.
func (r *reader) takes(path, section, id string, taken bool) bool {
	switch {
	case id == "":
		r.warn(join(path, "id"), "[[%s]] without an id; it is left out", section)
		return false
	case taken:
		r.warn(join(path, "id"), "[[%s]] %q is there already; this one is left out", section, id)
		return false
	}
	return true
}

// complete reports that an agent says what it is.
func (r *reader) complete(path string, a Agent) bool {
	if len(a.Command) > 0 && a.Command[0] != "" {
		return true
	}
	if len(a.Command) > 0 {
		r.warn(join(path, "command"), "the command of %q is empty; it is left out", a.ID)
		return false
	}
	if slices.Contains(Known(), a.ID) {
		return true
	}
	r.warn(path, "[[agent]] %q has no command, and Conch knows no program of that name; it is left out", a.ID)
	return false
}

// named gives the names of a section that is one table.
func (r *reader) named(doc map[string]any, section string) []string {
	value, ok := doc[section]
	if !ok {
		return nil
	}
	table, ok := value.(map[string]any)
	if !ok {
		r.warn(section, "%s must be a table: [%s]", section, section)
		return nil
	}
	var names []string
	for name := range table {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// maxTables bounds the entries of one kind.
const maxTables = 100

// tables hands each table of an array of tables to read.
func (r *reader) tables(doc map[string]any, section string, read func(path string, table map[string]any)) {
	value, ok := doc[section]
	if !ok {
		return
	}
	list, ok := value.([]any)
	if !ok {
		r.warn(section, "%s must be written as [[%s]], with two brackets on each side", section, section)
		return
	}
	for i, each := range list {
		table, ok := each.(map[string]any)
		if !ok || i >= maxTables {
			r.warn(section, "%s must be written as [[%s]], at most %d of them", section, section, maxTables)
			return
		}
		read(item(section, i), table)
	}
}

// check looks at values that depend on each other.
func (r *reader) check(c *Config) {
	c.Provider = ProviderID(strings.TrimSpace(c.Provider))
	if c.Provider != "" && !slices.Contains(c.Providers(), c.Provider) {
		r.warn("provider", "provider: no provider is called %q; these are: %s", clip(c.Provider), strings.Join(c.named(), ", "))
		c.Provider = ""
	}
	if _, ok := c.Personas[c.Persona]; c.Persona != "" && !ok {
		r.warn("persona", "persona: there is no %q under [personas]", clip(c.Persona))
		c.Persona = ""
	}
}

// Providers lists every provider's id: the known ones, then the person's own, then
// the servers that may be found.
func (c Config) Providers() []string {
	ids := Known()
	for _, a := range c.Agents {
		if !slices.Contains(ids, a.ID) {
			ids = append(ids, a.ID)
		}
	}
	for _, m := range c.ModelAPIs {
		if !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	for _, id := range Found() {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// named are the providers that need not be found.
func (c Config) named() []string {
	all := c.Providers()
	return slices.DeleteFunc(all, func(id string) bool {
		own := slices.ContainsFunc(c.ModelAPIs, func(m ModelAPI) bool { return m.ID == id }) || slices.ContainsFunc(c.Agents, func(a Agent) bool { return a.ID == id })
		return !own && slices.Contains(Found(), id)
	})
}

// Entry is one key of the reference.
type Entry struct {
	Section string // "" for the top, else as it is headed: [keys], [[agent]]
	Key     string
	Default string // as it stands in the file; an example where there is no default
	Meaning string
}

// Reference lists every key with its default and meaning, in the order of the
// README.
func Reference() []Entry {
	var all []Entry
	all = appendEntries(all, "", topKeys)
	all = append(all,
		Entry{"[keys]", "provider", `["ctrl+o", "f2"]`, "an action and its keys, by the names of the help; `[]` unbinds it"},
		Entry{"[personas]", "terse", `"Answer in few words."`, "a name of yours and the words it stands for"})
	all = appendEntries(all, "[[agent]]", agentKeys)
	all = appendEntries(all, "[[model_api]]", modelAPIKeys)
	return appendEntries(all, "[[app]]", appKeys)
}

func appendEntries[T any](all []Entry, section string, keys []key[T]) []Entry {
	for _, k := range keys {
		all = append(all, Entry{section, k.name, k.form, k.about})
	}
	return all
}

// Markdown is the reference as the README has it: a table a section.
func Markdown() string {
	var b strings.Builder
	section := "?"
	for _, e := range Reference() {
		if e.Section != section {
			section = e.Section
			if section != "" {
				fmt.Fprintf(&b, "\n`%s`\n", section)
			}
			b.WriteString("\n| key | default or example | meaning |\n| --- | --- | --- |\n")
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", e.Key, e.Default, e.Meaning)
	}
	return strings.TrimLeft(b.String(), "\n")
}
