package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// The files of a store.
const (
	logSuffix   = ".jsonl"
	tornSuffix  = ".torn"  // what was cut off a log: lines that were never committed
	leaseSuffix = ".lease" // of a project: who has locked it is its only writer
	newSuffix   = ".new"   // of a project: the log of a run that is about to begin
)

const maxHeader = 4 << 10 // bytes of a first line, of any version

func (s *Store) path(run string) string     { return filepath.Join(s.dir, run+logSuffix) }
func (s *Store) tornPath(run string) string { return filepath.Join(s.dir, run+tornSuffix) }

// there tells that a name is taken, by whatever.
func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// storage is a failure of the disk's, without the path, which is nobody's to know.
func storage(doing string, err error) *Error {
	var of *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &of):
		err = of.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &Error{Code: Storage, What: doing, Err: err}
}
