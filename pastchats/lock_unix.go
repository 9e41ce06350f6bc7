//go:build !windows

package pastchats

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes the lock on a file, which goes when the file is closed, however
// the process ends.
func lockFile(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		}
		return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
}

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func isReadOnlyDisk(err error) bool { return errors.Is(err, syscall.EROFS) }
