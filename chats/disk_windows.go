package chats

import (
	"errors"

	"golang.org/x/sys/windows"
)

// IsFull reports that a write failed because the disk, or the person's share of
// it, is full.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// IsLimited reports that a write failed at a limit on the size of a file.
func IsLimited(err error) bool { return errors.Is(err, windows.ERROR_FILE_TOO_LARGE) }

// IsReadOnlyDisk reports that a write failed because the disk takes none.
func IsReadOnlyDisk(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }
