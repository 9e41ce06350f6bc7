package chats

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the log for writing. Windows locks a range of bytes against
// everyone, so the one that is locked lies far behind the end of any log: the
// log can be read meanwhile.
func tryLock(f *os.File) (bool, error) { return lockFar(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// tryShared takes a lock that many may have, but nobody beside a writer.
func tryShared(f *os.File) (bool, error) { return lockFar(f, 0) }

func lockFar(f *os.File, how uint32) (bool, error) {
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

func isFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

func isReadOnlyDisk(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }
