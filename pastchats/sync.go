package pastchats

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// fewLogs are synced one by one. More are written back with all else that waits
// for their disk, where the system can: it costs one wait and not thousands.
const fewLogs = 32

// settle has the disk keep the logs that a run wrote. It comes before the list
// that says they are there, so that after a power failure no log is empty that
// the list calls whole: by then the app may have thrown its own copy away.
func (s *Store) settle(ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if len(ids) > fewLogs {
		if done, err := syncDisk(s.dir); done {
			return plainly("write the past chats to the disk", err)
		}
	}
	for _, id := range ids {
		err := syncFile(s.logPath(id))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // somebody took it away: doctor sees that
			return plainly("write past chat "+id+" to the disk", err)
		}
	}
	syncFolder(s.dir)
	return nil
}

// syncFile writes back what waits of a file.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows syncs nothing that is open for reading
	if err != nil {
		return err
	}
	return errors.Join(syncOpen(f), f.Close())
}

// syncFolder writes back the names in a folder. Not every file system can, and
// none needs to: a chat whose name is lost is met as a new one.
func syncFolder(dir string) {
	if runtime.GOOS == "windows" {
		return
	}
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
