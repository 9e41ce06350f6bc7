package flock

import (
	"os"
	"path/filepath"
	"testing"
)

func TestALockIsForOneAloneAndGoesWithItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		t.Helper()
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	want := func(what string, ok bool, err error, want bool) {
		t.Helper()
		if err != nil || ok != want {
			t.Errorf("%s: %v %v, want %v", what, ok, err, want)
		}
	}
	first, second, third := open(), open(), open()
	ok, err := Try(first)
	want("the first", ok, err, true)
	ok, err = Try(second)
	want("another", ok, err, false)
	ok, err = TryShared(second)
	want("another, with others", ok, err, false)
	if _, err := first.WriteString("words"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "words" {
		t.Errorf("it can't be read meanwhile: %q %v", data, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	ok, err = TryShared(second)
	want("after it was closed", ok, err, true)
	ok, err = TryShared(third)
	want("two together", ok, err, true)
	ok, err = Try(open())
	want("one alone beside them", ok, err, false)
}
