package chats

import (
	"os"

	"conch/flock"
)

// free reports that no process, this one included, writes a chat. It holds the
// log for a moment, which writers wait for.
func (s *Store) free(id string) bool {
	if s.opened(id) != nil {
		return false
	}
	f, err := os.Open(s.path(id))
	if err != nil {
		return true
	}
	ok, err := flock.TryShared(f)
	if closing := f.Close(); err != nil || closing != nil {
		return true // where locks do not work nobody holds one
	}
	return ok
}
