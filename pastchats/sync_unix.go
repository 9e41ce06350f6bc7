//go:build !linux && !windows

package pastchats

import (
	"errors"
	"os"
	"syscall"
)

func syncDisk(string) (done bool, err error) { return false, nil }

// syncOpen hands a file to the drive. Go's own Sync would have macOS's drive
// empty its cache for each; the list, which is synced after all of them, has it
// do so once.
func syncOpen(f *os.File) error {
	for {
		err := syscall.Fsync(int(f.Fd()))
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
			continue
		}
		return &os.PathError{Op: "sync", Path: f.Name(), Err: err}
	}
}
