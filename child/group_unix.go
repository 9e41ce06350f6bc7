//go:build unix

package child

import (
	"os/exec"
	"os/signal"
	"syscall"
)

// group is the process group of a child. On Unix its number is the child's pid.
type group struct{}

// startInGroup starts cmd in a session of its own. That makes a process group
// too, and leaves the child without a terminal: it can neither draw over the
// screen through /dev/tty, nor wait there for a password, nor be stopped for
// trying.
func startInGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return &group{}, cmd.Start()
}

func (g *group) release() {}

// killAll kills the group of a program that was not waited for yet.
func (g *group) killAll(pid int) {
	syscall.Kill(-pid, syscall.SIGKILL) //nolint:errcheck // gone is what is wanted
}

func terminate(_ *group, t *tree, alive []ident, inGroup bool) {
	send(syscall.SIGTERM, t, alive, inGroup)
}

func kill(_ *group, t *tree, alive []ident, inGroup bool) {
	send(syscall.SIGKILL, t, alive, inGroup)
}

// send signals the group at once, which no fork escapes, then each member.
func send(sig syscall.Signal, t *tree, alive []ident, inGroup bool) {
	if inGroup && t.root.pid > 1 {
		syscall.Kill(-t.root.pid, sig) //nolint:errcheck // gone is what is wanted
	}
	for _, id := range alive {
		sendTo(id, sig)
	}
}

// ignoreSignals is for the guard's own process: who ends a whole session with a
// signal must not take the guard first.
func ignoreSignals() {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
}
