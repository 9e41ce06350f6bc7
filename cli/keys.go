package cli

import (
	"sync"

	"conch/redact"
)

// secretsRead is what was read of the system's keyring. Each entry is asked for once: the
// system may ask the person.
type secretsRead struct {
	mu   sync.Mutex
	read map[string]entry
}

type entry struct {
	value string
	err   error
}

// secrets reads entries of the system's keyring; nil: there is none.
func (a *app) secrets() func(name string) (string, error) {
	if a.host.Secret == nil {
		return nil
	}
	return func(name string) (string, error) {
		k := &a.keyring
		k.mu.Lock()
		defer k.mu.Unlock()
		e, ok := k.read[name]
		if !ok {
			e.value, e.err = a.host.Secret(name)
			if k.read == nil {
				k.read = map[string]entry{}
			}
			k.read[name] = e
		}
		return e.value, e.err
	}
}

// givenKeys are the keys that Conch itself was given, in config.toml, by a variable
// that it names or by an entry of the keyring: they are taken out of past chats and
// answers whatever they look like. nil: none.
func (a *app) givenKeys() *redact.Redactor {
	var keys []string
	add := func(value string) {
		if value != "" {
			keys = append(keys, value)
		}
	}
	var entries []string
	for _, api := range a.cfg.ModelAPIs {
		add(api.Key)
		add(a.env(api.KeyEnv))
		entries = append(entries, api.KeyKeyring)
	}
	for _, app := range a.cfg.Apps {
		for _, name := range app.HeadersEnv {
			add(a.env(name))
		}
		for _, name := range app.HeadersKeyring {
			entries = append(entries, name)
		}
	}
	if secret := a.secrets(); secret != nil {
		for _, name := range entries {
			if name != "" {
				value, _ := secret(name) // one that can't be read is told by who needs it
				add(value)
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return redact.New(keys...)
}
