package codex

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"conch/flock"
)

// stores are the folders below CONCH_HOME that belong to Codex, and the person's
// own Codex home, of which only the sign-in and the choice of a model are read.
type stores struct {
	running string // homes of programs that run
	kept    string // threads between two lives of the program
	person  string
	now     func() time.Time

	limit int64             // bytes of a kept rollout; more is not kept
	at    func(step string) // between two steps that a crash may part; for tests
	told  atomic.Pointer[string]
}

func newStores(conchHome, person string, now func() time.Time) *stores {
	return &stores{
		running: filepath.Join(conchHome, "codex-runtime"), kept: filepath.Join(conchHome, "codex-sessions"),
		person: person, now: now, limit: maxThread, at: func(string) {},
	}
}

// Sweep takes away what a Conch that was killed left of Codex's: the run homes with
// the sign-ins in them, and kept threads that nobody uses. It does so once, and is
// called when Conch starts, whether or not Codex is used then.
func (e *Engine) Sweep() {
	e.sweep.Do(func() {
		if err := e.stores.sweep(); err != nil {
			e.program.Logf("codex-sweep", "%v", err)
		}
	})
}

// sweep takes away what an earlier life left: homes of programs that run no more,
// with the sign-ins in them, and threads that nobody has used for long. What another
// Conch uses stays.
func (s *stores) sweep() error {
	return errors.Join(s.sweepHomes(), s.sweepKept())
}

// noLink refuses a folder of ours that is a link: what Conch makes and takes away
// would be in a folder of somebody else's.
func noLink(path string) error {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a link, and Conch keeps nothing of Codex's behind one: take the link away", path)
	}
	return nil
}

// privateDir makes a folder of ours and shuts it to others, also where an earlier
// hand opened it. A link is none.
func privateDir(path string) error {
	if err := noLink(path); err != nil {
		return err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		return os.Chmod(path, 0o700)
	}
	return nil
}

// whole puts a file in place whole or not at all. It is written to temp, which lies
// on the same disk.
func whole(path, temp string, mode os.FileMode, fill func(*os.File) error) (err error) {
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, gone(os.Remove(temp)))
		}
	}()
	err = fill(f)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(temp, path); err == nil {
		syncFolder(filepath.Dir(path))
	}
	return err
}

// syncFolder has the disk keep the names in a folder. Not every file system can, and
// none needs to: what is lost with a name heals.
func syncFolder(dir string) {
	if runtime.GOOS == "windows" {
		return
	}
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// readBounded reads a regular file. A pipe or a device in its place is not opened.
func readBounded(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", path, limit)
	}
	return data, errors.Join(err, f.Close())
}

// gone takes it for done that a file to be removed is not there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

// hold opens a lock file and tries its lock: nil without an error when another has
// it. The file that is locked is the one that lies at path: its last holder may have
// taken it away between opening and locking.
func hold(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flag, 0o600)
	if err != nil {
		return nil, err
	}
	ok, err := flock.Try(f)
	if ok && err == nil {
		mine, mineErr := f.Stat()
		there, thereErr := os.Lstat(path)
		if mineErr == nil && thereErr == nil && os.SameFile(mine, there) {
			return f, nil
		}
	}
	return nil, errors.Join(err, f.Close())
}

// letGo takes a held lock file away. Windows removes no file that is open.
func letGo(f *os.File, path string) error {
	if os.Remove(path) == nil {
		return f.Close()
	}
	return errors.Join(f.Close(), gone(os.Remove(path)))
}
