package pastchats

import (
	"errors"
	"syscall"
)

// noWait is nothing here: a pipe is no part of a folder.
const noWait = 0

// notFolder reports that a path that was taken for a folder is none.
func notFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
