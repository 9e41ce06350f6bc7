// Package keys is the one table of keys: what each action is called, which keys
// and which command do it, where it can be used and why not. Routing, help,
// footer, the docs and the names in config.toml all come from it.
package keys
