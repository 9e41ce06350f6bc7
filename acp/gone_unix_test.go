//go:build !windows

package acp

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// gone reports that a process is not there any more. An orphan that was killed
// may still wait for its new parent.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(state), ") Z ")
}
