//go:build !windows

package chats

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the log for writing. The lock lies on the file itself, goes
// with it when it is moved, and is let go when the file is closed, however the
// process ends.
func tryLock(f *os.File) (bool, error) { return flock(f, syscall.LOCK_EX) }

// tryShared takes a lock that many may have, but nobody beside a writer.
func tryShared(f *os.File) (bool, error) { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
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
