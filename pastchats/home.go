package pastchats

import (
	"io"
	"runtime"
	"sync"
)

// Home is where other apps' chats are looked for.
type Home struct {
	Dir  string // the person's home, or a pretend one
	OS   string // runtime.GOOS; "" is this system's
	env  func(string) string
	temp string // a folder of Conch's own for private copies of databases

	readers sync.Pool // of *lineReader: as many as there are workers

	failing func(path string, r io.Reader) io.Reader // what stands for a disk that fails, in tests
}

// NewHome says where to look. With pretend set (CONCH_IMPORT_HOME) that folder is
// the only home and no variable of env has any effect. temp is a folder of
// Conch's own in which private copies of databases may be made for a while.
func NewHome(home, pretend string, env func(string) string, temp string) *Home {
	h := &Home{Dir: home, OS: runtime.GOOS, env: env, temp: temp}
	if pretend != "" {
		h.Dir, h.env = pretend, nil
	}
	return h
}

// getenv is a variable that moves an app's folder, "" in a pretend home.
func (h *Home) getenv(name string) string {
	if h.env == nil {
		return ""
	}
	return h.env(name)
}
