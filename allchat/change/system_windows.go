package change

import (
	"errors"
	"os"
	"syscall"
)

// openNow is nothing here: no path of a file leads to a pipe that waits.
const openNow = 0

// notFolder tells that a part of a path is a file where a folder was wanted.
func notFolder(err error) bool { return errors.Is(err, syscall.ERROR_PATH_NOT_FOUND) }

// syncDir does nothing: Windows has no sync of a folder, and NTFS logs its names.
func syncDir(*os.Root) error { return nil }
