package tools

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes a file for the one that writes. It is let go when the file is
// closed, however the process ends.
func tryLock(f *os.File) (bool, error) {
	var all windows.Overlapped
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &all)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}
