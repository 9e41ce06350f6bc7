package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWhatStandsInTheWayOfAFileIsMovedAsideAndSaid(t *testing.T) {
	home := t.TempDir()
	at := func(name string) string { return filepath.Join(home, name) }
	for _, err := range []error{
		os.MkdirAll(filepath.Join(at("conch.db"), "kept"), 0o700),
		os.Symlink("/nowhere/at/all", at("conch.db-wal")),
		os.WriteFile(at("elsewhere.json"), []byte("{}"), 0o600),
		os.Symlink("elsewhere.json", at("state.json")),
		os.WriteFile(at("conch.db-shm"), nil, 0o600),
		os.WriteFile(at("lock"), nil, 0o600),
		os.Symlink("lock", at("conch.db.lock")), // leads to a file, and may
	} {
		if err != nil {
			t.Skipf("no link can be made here: %v", err)
		}
	}
	a := &app{home: home, host: Host{Now: func() time.Time { return time.Date(2026, 12, 1, 2, 3, 4, 0, time.UTC) }}}
	if odd := a.standInTheWay(); len(odd) != 3 || !strings.Contains(odd[1], "conch.db in Conch's home is a folder") {
		t.Errorf("%q", odd)
	}
	says, err := a.moveAside()
	if err != nil || len(says) != 3 || says[0] != "state.json was a link; it was moved aside and is called state.json.20261201-020304.aside now." {
		t.Errorf("%q %v", says, err)
	}
	if _, err := os.Stat(filepath.Join(at("conch.db.20261201-020304.aside"), "kept")); err != nil {
		t.Errorf("what was in the folder is not kept: %v", err)
	}
	if odd := a.standInTheWay(); len(odd) != 0 {
		t.Errorf("still in the way: %q", odd)
	}
}
