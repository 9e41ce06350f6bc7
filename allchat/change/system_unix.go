//go:build !windows

package change

import (
	"errors"
	"os"
	"syscall"
)

// openNow keeps the opening of what has become a pipe from waiting for a writer.
const openNow = syscall.O_NONBLOCK

// notFolder tells that a part of a path is a file where a folder was wanted.
func notFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// syncDir makes the names in a folder last.
func syncDir(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return bare(err)
	}
	return bare(errors.Join(f.Sync(), f.Close()))
}
