package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// key is one key of a table: its name, what a person reads about it, and how a
// value is put into T. An error of set says what the value should have been.
type key[T any] struct {
	name  string
	form  string // default, as it stands in the file; for sections an example
	about string
	set   func(*T, any) error
}

var topKeys = []key[Config]{
	{"provider", `""`, "who answers when nothing else says so: an id of the list below, or of an `[[agent]]` or `[[model_api]]`; empty is the first that is ready", text(func(c *Config) *string { return &c.Provider })},
	{"mode", `"auto-read"`, "how much an agent may do unasked: `plan`, `ask`, `auto-read` or `auto-edit`, strictest first", oneOf(func(c *Config) *string { return &c.Mode }, "plan", "ask", "auto-read", "auto-edit")},
	{"theme", `"auto"`, "`auto` asks the terminal; `light`, `dark`; `none` has no colour", oneOf(func(c *Config) *string { return &c.Theme }, "auto", "light", "dark", "none")},
	{"motion", "true", "`false`: nothing moves", yesNo(func(c *Config) *bool { return &c.Motion })},
	{"mouse", "true", "`false`: the mouse stays the terminal's", yesNo(func(c *Config) *bool { return &c.Mouse })},
	{"notify", `"unfocused"`, "when to ring: `unfocused`, `always` or `never`", oneOf(func(c *Config) *string { return &c.Notify }, "unfocused", "always", "never")},
	{"memory", "true", "`false`: nothing is remembered between chats", yesNo(func(c *Config) *bool { return &c.Memory })},
	{"persona", `""`, "the name of one under `[personas]`", text(func(c *Config) *string { return &c.Persona })},
	{"instructions", `""`, "your own words, given to the agent in every chat", text(func(c *Config) *string { return &c.Instructions })},
	{"keep_up", "true", "`false`: new chats of apps you once brought in from stay where they are", yesNo(func(c *Config) *bool { return &c.KeepUp })},
	{"monthly_tokens", "0", "a budget; 0 is none", whole(func(c *Config) *int64 { return &c.MonthlyToken }, 0, 1<<53)},
}

var agentKeys = []key[Agent]{
	{"id", `"far"`, "what you type after `--provider`; needed. A known id (see below) is changed, another one added", id(func(a *Agent) *string { return &a.ID })},
	{"name", `""`, "what you read", text(func(a *Agent) *string { return &a.Name })},
	{"protocol", `"acp"`, "`acp` or `codex`", oneOf(func(a *Agent) *string { return &a.Protocol }, "acp", "codex")},
	{"model", `""`, "the model it starts with", text(func(a *Agent) *string { return &a.Model })},
	{"command", `["ssh", "host", "opencode", "acp"]`, "the program and its arguments; no shell reads them", texts(func(a *Agent) *[]string { return &a.Command })},
	{"env", `{ KEY = "value" }`, "added to its environment", pairs(func(a *Agent) *map[string]string { return &a.Env }, isEnvName)},
	{"pass_env", `[]`, "names of variables of yours that it gets too", names(func(a *Agent) *[]string { return &a.PassEnv })},
	{"start_timeout", "30", "seconds it may take to start", seconds(func(a *Agent) *int { return &a.StartTimeout })},
}

var modelAPIKeys = []key[ModelAPI]{
	{"id", `"local"`, "what you type after `--provider`; needed", id(func(m *ModelAPI) *string { return &m.ID })},
	{"name", `""`, "what you read", text(func(m *ModelAPI) *string { return &m.Name })},
	{"kind", `"openai"`, "`openai`, `openai-responses` or `anthropic`", oneOf(func(m *ModelAPI) *string { return &m.Kind }, "openai", "openai-responses", "anthropic")},
	{"url", `"http://127.0.0.1:11434/v1"`, "where it is; needed", address(func(m *ModelAPI) *string { return &m.URL })},
	{"model", `""`, "the model", text(func(m *ModelAPI) *string { return &m.Model })},
	{"context", "0", "its window in tokens; 0 is what the server says", count(func(m *ModelAPI) *int { return &m.Context })},
	{"lean", "false", "`true`: short instructions and few tools, for small models", yesNo(func(m *ModelAPI) *bool { return &m.Lean })},
	{"key_env", `""`, "the environment variable that holds the key", envText(func(m *ModelAPI) *string { return &m.KeyEnv })},
	{"key_keyring", `""`, "or the entry of your keyring that does", text(func(m *ModelAPI) *string { return &m.KeyKeyring })},
	{"key", `""`, "or the key itself; it works, and is warned about", text(func(m *ModelAPI) *string { return &m.Key })},
}

var appKeys = []key[App]{
	{"id", `"ledger"`, "its name; needed, and a short one leaves room for the names of its tools", id(func(a *App) *string { return &a.ID })},
	{"command", `[]`, "the program and its arguments", texts(func(a *App) *[]string { return &a.Command })},
	{"url", `""`, "or where it is", address(func(a *App) *string { return &a.URL })},
	{"env", `{}`, "added to its environment", pairs(func(a *App) *map[string]string { return &a.Env }, isEnvName)},
	{"headers_env", `{ Authorization = "VAR" }`, "headers whose values are in environment variables", pairs(func(a *App) *map[string]string { return &a.HeadersEnv }, isHeaderName)},
	{"headers_keyring", `{ Authorization = "entry" }`, "or in entries of your keyring", pairs(func(a *App) *map[string]string { return &a.HeadersKeyring }, isHeaderName)},
	{"tools", `[]`, "only these of its tools; empty is all", texts(func(a *App) *[]string { return &a.Tools })},
	{"own", "false", "`true`: it is yours, and what it says does not count as words from outside", yesNo(func(a *App) *bool { return &a.Own })},
}

// What a value can be. Each gives the set of a key.

func text[T any](at func(*T) *string) func(*T, any) error {
	return func(v *T, value any) error {
		s, ok := value.(string)
		if !ok {
			return errors.New(`it must be a text in quotes`)
		}
		*at(v) = s
		return nil
	}
}

func checked[T any](at func(*T) *string, is form, want string) func(*T, any) error {
	return func(v *T, value any) error {
		s, ok := value.(string)
		if !ok || s != "" && !is(s) {
			return errors.New("it must be " + want)
		}
		*at(v) = s
		return nil
	}
}

func oneOf[T any](at func(*T) *string, words ...string) func(*T, any) error {
	return func(v *T, value any) error {
		s, ok := value.(string)
		switch {
		case ok && s == "":
			return nil
		case !ok:
			return fmt.Errorf("it must be one of %s", strings.Join(words, ", "))
		case !slices.Contains(words, s):
			return fmt.Errorf("%q is none of %s", clip(s), strings.Join(words, ", "))
		}
		*at(v) = s
		return nil
	}
}

func yesNo[T any](at func(*T) *bool) func(*T, any) error {
	return func(v *T, value any) error {
		b, ok := value.(bool)
		if !ok {
			return errors.New("it must be true or false, without quotes")
		}
		*at(v) = b
		return nil
	}
}

func whole[T any](at func(*T) *int64, least, most int64) func(*T, any) error {
	return func(v *T, value any) error {
		n, ok := value.(int64)
		if !ok || n < least || n > most {
			return fmt.Errorf("it must be a whole number from %d to %d", least, most)
		}
		*at(v) = n
		return nil
	}
}

func number[T any](at func(*T) *int, least, most int64) func(*T, any) error {
	return func(v *T, value any) error {
		var n int64
		if err := whole(func(*T) *int64 { return &n }, least, most)(v, value); err != nil {
			return err
		}
		*at(v) = int(n)
		return nil
	}
}

func seconds[T any](at func(*T) *int) func(*T, any) error { return number(at, 1, 600) }

func count[T any](at func(*T) *int) func(*T, any) error { return number(at, 0, 100_000_000) }

func texts[T any](at func(*T) *[]string) func(*T, any) error {
	return func(v *T, value any) error {
		list, ok := stringList(value)
		if !ok {
			return errors.New(`it must be a list of texts, such as ["one", "two"]`)
		}
		*at(v) = list
		return nil
	}
}

func names[T any](at func(*T) *[]string) func(*T, any) error {
	return func(v *T, value any) error {
		list, ok := stringList(value)
		if !ok || slices.ContainsFunc(list, func(s string) bool { return !isEnvName(s) }) {
			return errors.New(`it must be a list of variables' names, such as ["VIRTUAL_ENV"]`)
		}
		*at(v) = list
		return nil
	}
}

func pairs[T any](at func(*T) *map[string]string, is form) func(*T, any) error {
	return func(v *T, value any) error {
		table, ok := value.(map[string]any)
		if !ok {
			return errors.New(`it must be a table of texts, such as { NAME = "value" }`)
		}
		got := map[string]string{}
		for name, each := range table {
			s, ok := each.(string)
			if !ok || strings.ContainsRune(s, 0) {
				return fmt.Errorf("the value of %q must be a text in quotes", clip(name))
			}
			if !is(name) {
				return fmt.Errorf("%q is no name", clip(name))
			}
			got[name] = s
		}
		*at(v) = got
		return nil
	}
}

// form says whether a word may stand where it stands. They are functions and not
// patterns: patterns would be compiled at each start of the program.
type form func(string) bool

func isID(s string) bool {
	return made(s, 64, func(c byte, first bool) bool {
		return small(c) || digit(c) || !first && strings.IndexByte("_.-", c) >= 0
	})
}

func isEnvName(s string) bool {
	return made(s, 128, func(c byte, first bool) bool {
		return small(c) || big(c) || c == '_' || !first && digit(c)
	})
}

func isHeaderName(s string) bool {
	return made(s, 64, func(c byte, _ bool) bool { return small(c) || big(c) || digit(c) || c == '-' })
}

func isAddress(s string) bool {
	rest, ok := strings.CutPrefix(s, "http://")
	if !ok {
		rest, ok = strings.CutPrefix(s, "https://")
	}
	host, _, _ := strings.Cut(rest, "/")
	return ok && host != "" && !strings.ContainsFunc(s, unicode.IsSpace)
}

// made reports a word of 1 to most bytes, all of them allowed.
func made(s string, most int, allowed func(c byte, first bool) bool) bool {
	for i := range len(s) {
		if !allowed(s[i], i == 0) {
			return false
		}
	}
	return s != "" && len(s) <= most
}

func small(c byte) bool { return c >= 'a' && c <= 'z' }
func big(c byte) bool   { return c >= 'A' && c <= 'Z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }

func id[T any](at func(*T) *string) func(*T, any) error {
	return checked(at, isID, "small letters, digits, - and _, at most 64")
}

func address[T any](at func(*T) *string) func(*T, any) error {
	return checked(at, isAddress, "an address that begins with http:// or https://")
}

func envText[T any](at func(*T) *string) func(*T, any) error {
	return checked(at, isEnvName, "the name of an environment variable")
}

// stringList reads a list of texts; one text alone is a list of one.
func stringList(value any) ([]string, bool) {
	if s, ok := value.(string); ok {
		return []string{s}, !strings.ContainsRune(s, 0)
	}
	list, ok := value.([]any)
	if !ok {
		return nil, false
	}
	out := []string{}
	for _, each := range list {
		s, ok := each.(string)
		if !ok || strings.ContainsRune(s, 0) {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}
