//go:build !windows

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readLog gives the words of the one chat in a home.
func readLog(t *testing.T, p place) string {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(p.home, ".conch", "chats", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("chats in the home: %v (%v), want one", logs, err)
	}
	raw, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// newestChat is the id of the one chat in a home.
func newestChat(t *testing.T, p place) string {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(p.home, ".conch", "chats", "*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("chats in the home: %v (%v), want one", logs, err)
	}
	return strings.TrimSuffix(filepath.Base(logs[0]), ".jsonl")
}
