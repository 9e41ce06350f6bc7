package modelapi

import (
	"errors"
	"fmt"
	"strings"

	"conch/redact"
)

// keyless is that the key of an API could not be had, or may not be sent.
type keyless struct {
	why  string // a part of a sentence
	next string
}

func (k keyless) Error() string { return k.why }

// key is what is sent to prove who asks; "" for an API without one.
func (e *Engine) key() (string, error) {
	key, err := e.secret()
	if err != nil || key == "" {
		return "", err
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", keyless{"its key holds a line end or another control character", "put the bare key there"}
	}
	if err := e.at.carries(); err != nil {
		return "", keyless{err.Error(), "use an https address in config.toml"}
	}
	return key, nil
}

func (e *Engine) secret() (string, error) {
	switch {
	case e.api.KeyEnv != "":
		key := strings.TrimSpace(variable(e.opts.Environ, e.api.KeyEnv))
		if key == "" {
			return "", keyless{fmt.Sprintf("the variable %s, which holds its key, is not set", e.api.KeyEnv), fmt.Sprintf("export %s=…, then start conch again", e.api.KeyEnv)}
		}
		return key, nil
	case e.api.KeyKeyring != "":
		return e.fromKeyring()
	}
	return strings.TrimSpace(e.api.Key), nil
}

func (e *Engine) fromKeyring() (string, error) {
	entry := e.api.KeyKeyring
	if e.opts.Secret == nil {
		return "", keyless{"there is no keyring here for its key", "key_env in config.toml takes it from the environment"}
	}
	key, err := e.opts.Secret(entry)
	if key = strings.TrimSpace(key); err == nil && key != "" {
		return key, nil
	}
	why := "it is empty"
	if err != nil {
		why = words(err.Error())
	}
	return "", keyless{fmt.Sprintf("the entry %q of the keyring, which holds its key, can't be read: %s", entry, why), "put the key there, or name a variable with key_env in config.toml"}
}

// secrets knows the API's own key, whatever it looks like: it is in no error, no log
// and no history.
func (e *Engine) secrets() *redact.Redactor {
	key, err := e.secret()
	if err != nil {
		return redact.New()
	}
	return redact.New(key)
}

// hide takes the key out of what a server said: some say it again when they refuse
// it.
func (e *Engine) hide(err error) error {
	var no *refusal
	if errors.As(err, &no) {
		known := e.secrets()
		no.words, _ = known.Redact(no.words)
		no.kind, _ = known.Redact(no.kind)
		no.raw, _ = known.Redact(no.raw)
	}
	return err
}

// keyPlace says where a refused key came from, "" for an API without one.
func (a API) keyPlace() string {
	switch {
	case a.KeyEnv != "":
		return "the key in the variable " + a.KeyEnv
	case a.KeyKeyring != "":
		return fmt.Sprintf("the key in the entry %q of the keyring", a.KeyKeyring)
	case a.Key != "":
		return "the key in config.toml"
	}
	return ""
}
