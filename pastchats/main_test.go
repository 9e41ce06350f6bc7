package pastchats

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if home := os.Getenv("PASTCHATS_TEST_RUN"); home != "" {
		runUntilKilled(home, os.Getenv("PASTCHATS_TEST_KILL"))
		return
	}
	goleak.VerifyTestMain(m)
}
