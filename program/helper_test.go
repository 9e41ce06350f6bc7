package program

import (
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also the program that the tests start.
func TestMain(m *testing.M) {
	switch os.Getenv("PROGRAM_TEST_AS") {
	case "":
		goleak.VerifyTestMain(m)
	case "reads": // until its input ends
		fmt.Fprintln(os.Stderr, "what it says last")
		io.Copy(io.Discard, os.Stdin) //nolint:errcheck // the end of a pipe
	case "fails":
		fmt.Fprintln(os.Stderr, "it broke \x1b[31mhere")
		os.Exit(3)
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func waitUntil(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for late := time.Now().Add(20 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}
