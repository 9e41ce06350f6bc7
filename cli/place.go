package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"conch/child"
	"conch/plain"
)

// env is a variable of the environment, "" when it is not set.
func (a *app) env(name string) string { return envOf(a.host.Environ, name) }

func envOf(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		key, value, ok := strings.Cut(environ[i], "=")
		if ok && (key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name)) {
			return value
		}
	}
	return ""
}

// homeOf is where everything of Conch's is kept.
func homeOf(h Host) (string, error) {
	if dir := envOf(h.Environ, "CONCH_HOME"); dir != "" {
		return absolute(h.Dir, dir), nil
	}
	home := personHome(h)
	if home == "" {
		return "", wrong("set CONCH_HOME to a folder where it may keep chats", "Conch doesn't know where your home is")
	}
	return filepath.Join(home, ".conch"), nil
}

// personHome is the person's home folder, "" when nothing says.
func personHome(h Host) string {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if dir := envOf(h.Environ, name); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return ""
}

func absolute(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// folder is the working folder of the chat: where conch was started, or -C.
func (a *app) folder() (string, error) {
	if a.flags.dir == "" {
		return a.host.Dir, nil
	}
	dir := absolute(a.host.Dir, a.flags.dir)
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return "", wrong("-C takes a folder that is there", "%s is no folder", a.shortPath(dir))
	}
	return dir, nil
}

// shortPath gives a path as a person reads it: ~ for the home, and harmless.
func (a *app) shortPath(path string) string {
	home := personHome(a.host)
	if home != "" && (path == home || strings.HasPrefix(path, home+string(filepath.Separator))) {
		path = "~" + path[len(home):]
	}
	return plain.Line(path, 0)
}

// called is what the person types to start this program: conch where that finds
// it, else the path that it was started by, as after make run.
func called(h Host) string {
	if filepath.Base(h.Called) == h.Called {
		return h.Called
	}
	if path, ok := child.Look("conch", h.Environ); ok {
		found, err := os.Stat(path)
		self, err2 := os.Stat(h.Executable)
		if err == nil && err2 == nil && os.SameFile(found, self) {
			return "conch"
		}
	}
	return plain.Line(h.Called, 200)
}
