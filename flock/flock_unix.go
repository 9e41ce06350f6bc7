//go:build !windows

package flock

import (
	"errors"
	"os"
	"syscall"
)

// Try takes the lock for one alone; false when another has it.
func Try(f *os.File) (bool, error) { return try(f, syscall.LOCK_EX) }

// TryShared takes a lock that many may have, but nobody beside who has it alone.
func TryShared(f *os.File) (bool, error) { return try(f, syscall.LOCK_SH) }

func try(f *os.File, how int) (bool, error) {
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
