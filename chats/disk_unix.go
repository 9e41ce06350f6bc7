//go:build !windows

package chats

import (
	"errors"
	"syscall"
)

// IsFull reports that a write failed because the disk, or the person's share of
// it, is full.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// IsLimited reports that a write failed at a limit on the size of a file.
func IsLimited(err error) bool { return errors.Is(err, syscall.EFBIG) }

// IsReadOnlyDisk reports that a write failed because the disk takes none.
func IsReadOnlyDisk(err error) bool { return errors.Is(err, syscall.EROFS) }
