package cli

import "conch/redact"

// givenKeys are the keys that Conch itself was given, in config.toml or by a
// variable that it names: they are taken out of past chats whatever they look
// like. nil: none.
func (a *app) givenKeys() *redact.Redactor {
	var keys []string
	for _, api := range a.cfg.ModelAPIs {
		if api.Key != "" {
			keys = append(keys, api.Key)
		}
		if api.KeyEnv != "" && a.env(api.KeyEnv) != "" {
			keys = append(keys, a.env(api.KeyEnv))
		}
	}
	for _, app := range a.cfg.Apps {
		for _, name := range app.HeadersEnv {
			if v := a.env(name); v != "" {
				keys = append(keys, v)
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return redact.New(keys...)
}
