// Package keyring reads secrets from the keyring of the person's system: the
// Keychain of macOS, the Credential Manager of Windows, the Secret Service of a
// Linux desktop. It only reads, and keeps nothing.
//
// An entry is of the service "conch", and its account is what config.toml names.
package keyring

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/zalando/go-keyring"
)

// Service is the name under which entries are looked for.
const Service = "conch"

// limit is how long the system may take: a locked keyring may ask the person.
const limit = 20 * time.Second

// Errors of an entry.
var (
	ErrNone = errors.New("there is no such entry")
	ErrSlow = errors.New("the keyring did not answer in time")
)

// Secret gives what an entry holds. Of one that is not there it says how it is made.
func Secret(entry string) (string, error) {
	type given struct {
		value string
		err   error
	}
	answered := make(chan given, 1)
	go func() { // it can't be broken off; it ends with the system's answer
		value, err := keyring.Get(Service, entry)
		answered <- given{value, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case g := <-answered:
		switch {
		case errors.Is(g.err, keyring.ErrNotFound):
			return "", fmt.Errorf("%w: %s makes it", ErrNone, making(runtime.GOOS, entry))
		case g.err != nil:
			return "", fmt.Errorf("ask the keyring: %w", g.err)
		}
		return g.value, nil
	case <-timer.C:
		return "", ErrSlow
	}
}

// making is the command that puts a secret into an entry, for a system.
func making(goos, entry string) string {
	switch goos {
	case "darwin":
		return fmt.Sprintf("security add-generic-password -s %s -a %s -w", Service, entry)
	case "windows":
		return fmt.Sprintf("cmdkey /generic:%s:%s /user:%s /pass", Service, entry, entry)
	}
	return fmt.Sprintf("secret-tool store --label=%s service %s username %s", entry, Service, entry)
}
