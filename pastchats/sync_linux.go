package pastchats

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncDisk writes back all that waits for the disk a folder lies on; done is
// false where that can't be told.
func syncDisk(dir string) (done bool, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return false, nil
	}
	for {
		if err = unix.Syncfs(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	return !errors.Is(err, unix.ENOSYS), errors.Join(err, f.Close())
}

func syncOpen(f *os.File) error { return f.Sync() }
