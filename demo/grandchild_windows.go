package demo

import (
	"os"
	"os/exec"
	"syscall"
)

func politeSignals() []os.Signal { return []os.Signal{os.Interrupt} }

// ownGroup gives a command a process group of its own.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
