package search

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if home := os.Getenv("CONCH_TEST_INDEX_HOME"); home != "" {
		indexUntilKilled(home)
		return
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		homes, _ := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf("conch-search-bench-%d-*", os.Getpid())))
		for _, home := range homes {
			_ = os.RemoveAll(home)
		}
		os.Exit(code)
	}))
}
