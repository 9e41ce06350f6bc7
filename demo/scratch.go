package demo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// scratch is the folder in which the demo's steps really happen. It lies below
// the system's temporary folder, never in the person's project, and goes with
// its session.
type scratch struct{ dir string }

const scratchPrefix = "conch-demo-"

// folder gives the session's scratch folder, made when it is first needed.
func (s *session) folder() (*scratch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scratch != nil {
		return s.scratch, nil
	}
	sweepScratch(os.TempDir(), s.agent.host.Now().Add(-24*time.Hour))
	dir, err := newScratch(os.TempDir())
	if err != nil {
		return nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	for name, words := range project {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(words), 0o600); err != nil {
			_ = os.RemoveAll(dir) // what was made of it
			return nil, fmt.Errorf("fill the scratch folder: %w", err)
		}
	}
	s.scratch = &scratch{dir: dir}
	return s.scratch, nil
}

// newScratch makes the first numbered folder that is free. A folder or a link
// that is there already is never taken.
func newScratch(tmp string) (string, error) {
	var err error
	for n := 1; n <= 10_000; n++ {
		dir := filepath.Join(tmp, scratchPrefix+strconv.Itoa(n))
		if err = os.Mkdir(dir, 0o700); !errors.Is(err, os.ErrExist) {
			return dir, err
		}
	}
	return "", err
}

func (s *scratch) remove() {
	if s != nil {
		_ = os.RemoveAll(s.dir) // swept later when it fails
	}
}

// sweepScratch removes what an agent that was killed left behind.
func sweepScratch(tmp string, before time.Time) {
	entries, err := os.ReadDir(tmp)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), scratchPrefix) {
			continue
		}
		info, err := e.Info()
		dir := filepath.Join(tmp, e.Name())
		if err != nil || !info.ModTime().Before(before) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, "cart.txt")); err == nil {
			_ = os.RemoveAll(dir) // another's may not be removable
		}
	}
}

// The project of the scratch folder: a till that adds up a cart wrongly.
const (
	cartFile = "cart.txt"
	rulesOld = "# how the till adds up\nround = down\nempty cart = error\ndiscount = 10 %\n"
	rulesNew = "# how the till adds up\nround = half to even\nempty cart = 0.00\ndiscount = 10 %\n"
)

var project = map[string]string{
	cartFile:    "3 apples    1.20\n1 bread     2.85\n2 milk      2.10\n",
	"rules.txt": rulesOld,
	"check.sh":  checkSh,
	"check.cmd": checkCmd,
}

const checkSh = `#!/bin/sh
# checks the rules of the till, one after the other
failed=0
for rule in "round" "empty cart" "discount" "no debts" "receipt"; do
  sleep "${DEMO_PAUSE:-0.2}"
  case "$rule" in
    "empty cart") grep -q "empty cart = error" rules.txt && { echo "FAIL  $rule"; failed=1; continue; } ;;
  esac
  echo "ok    $rule"
done
[ "$failed" = 0 ] && echo "5 checks passed" || echo "1 of 5 checks failed"
exit "$failed"
`

const checkCmd = "@echo off\r\nfor %%r in (round,discount,debts,receipt) do echo ok    %%r\r\n" +
	"findstr /c:\"empty cart = error\" rules.txt >nul && (echo FAIL  empty cart& exit /b 1)\r\n" +
	"echo ok    empty cart\r\necho 5 checks passed\r\n"

// checkCommand runs the checks of the project.
func checkCommand() []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/c", "check.cmd"}
	}
	return []string{"sh", "check.sh"}
}
