//go:build unix

package pastchats

import (
	"errors"
	"syscall"
)

// noWait keeps an open from waiting for the other end of a pipe.
const noWait = syscall.O_NONBLOCK

// notFolder reports that a path that was taken for a folder is none.
func notFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
