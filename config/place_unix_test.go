//go:build unix

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAPipeInPlaceOfTheFileIsNotWaitedFor(t *testing.T) {
	home := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(home, FileName), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(home); err == nil || !strings.Contains(err.Error(), "it is no file") {
		t.Errorf("%v", err)
	}
}

func TestAFileInPlaceOfTheHomeIsSaid(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.WriteFile(home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := Load(home)
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Reason, "is a file, and Conch keeps a folder there") || !strings.Contains(e.Next, "CONCH_HOME") {
		t.Errorf("%+v", err)
	}
}
