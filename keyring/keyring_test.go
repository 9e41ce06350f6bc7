package keyring

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	system "github.com/zalando/go-keyring"
)

func TestAnEntryOfTheServiceIsRead(t *testing.T) {
	system.MockInit()
	if err := errors.Join(system.Set(Service, "plum", "sk-plum"), system.Set("another", "pear", "sk-pear")); err != nil {
		t.Fatal(err)
	}
	if got, err := Secret("plum"); got != "sk-plum" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := Secret("pear"); got != "" || !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), making(runtime.GOOS, "pear")) {
		t.Errorf("an entry of another program: %q, %v", got, err)
	}
	locked := errors.New("the keyring is locked")
	system.MockInitWithError(locked)
	if got, err := Secret("plum"); got != "" || !errors.Is(err, locked) || !strings.HasPrefix(err.Error(), "ask the keyring: ") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestItIsSaidHowAnEntryIsMade(t *testing.T) {
	for goos, want := range map[string]string{
		"darwin":  "security add-generic-password -s conch -a plum -w",
		"windows": "cmdkey /generic:conch:plum /user:plum /pass",
		"linux":   "secret-tool store --label=plum service conch username plum",
	} {
		if got := making(goos, "plum"); got != want {
			t.Errorf("%s: %s", goos, got)
		}
	}
}
