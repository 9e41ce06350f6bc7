package flock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try takes the lock for one alone; false when another has it.
func Try(f *os.File) (bool, error) { return try(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryShared takes a lock that many may have, but nobody beside who has it alone.
func TryShared(f *os.File) (bool, error) { return try(f, 0) }

// try locks a byte. Windows locks a range of them against everyone, so the one
// that is locked lies far behind the end of any file of ours: the file can be read
// meanwhile.
func try(f *os.File, how uint32) (bool, error) {
	far := windows.Overlapped{OffsetHigh: 0x7fffffff}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &far)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}
