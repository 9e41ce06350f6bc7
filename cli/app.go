package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/term"

	"conch/chats"
	"conch/child"
	"conch/config"
	"conch/engine"
	"conch/plain"
)

// app is one run of the program: what was opened for it.
type app struct {
	host   Host
	flags  flags
	status int // of a command that ended without an error

	log   *logFile
	guard *child.Guard

	home    string // CONCH_HOME, absolute
	cfg     config.Config
	store   *chats.Store
	engines []engine.Engine

	pick     sync.Once // of the provider that answers when nobody chose one
	picked   string
	signals  signals
	warnings []string // of config.toml
}

func newApp(h Host) *app { return &app{host: h} }

// open reads the home and the configuration, and opens the chats. Nothing is
// written.
func (a *app) open() error {
	if a.store != nil {
		return nil
	}
	home, err := homeOf(a.host)
	if err != nil {
		return err
	}
	a.home = home
	a.log = newLogFile(filepath.Join(home, "log"), a.host.Now)
	if a.cfg, a.warnings, err = config.Load(home); err != nil {
		return err
	}
	a.store, err = chats.Open(home, a.host.Now)
	if err != nil {
		return fmt.Errorf("open the chats in %s: %w", home, err)
	}
	return nil
}

// openEngines makes the providers. Their processes start when they are needed.
func (a *app) openEngines() error {
	if err := a.open(); err != nil || a.engines != nil {
		return err
	}
	a.guard = child.NewGuard([]string{a.host.Executable, "child-guard"}, child.Environ(a.host.Environ, nil, nil, nil))
	list, err := a.host.Engines(EngineSetup{
		Config: a.cfg, Home: a.home, Environ: a.host.Environ, Executable: a.host.Executable, Version: a.host.Version,
		Guard: a.guard, Now: a.host.Now, Log: a.logger(),
	})
	if err != nil {
		return fmt.Errorf("set up the providers: %w", err)
	}
	if len(list) == 0 {
		return errors.New("there is no provider at all")
	}
	a.engines = list
	if id := a.cfg.Provider; id != "" && a.engineOf(id) == nil {
		a.warnings = append(a.warnings, fmt.Sprintf("%s: this Conch has no provider %q; these are: %s", config.FileName, id, strings.Join(a.engineIDs(), ", ")))
	}
	return nil
}

// close ends what was started, the providers before the guard.
func (a *app) close() {
	a.noteUnheard()
	var wait sync.WaitGroup
	for _, e := range a.engines {
		wait.Go(func() {
			if err := e.Close(); err != nil {
				a.logger().Warn("close provider", "provider", e.Info().ID, "error", err)
			}
		})
	}
	wait.Wait()
	a.engines = nil
	a.guard.Close()
	a.log.close()
}

func (a *app) logger() *slog.Logger {
	if a.log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return a.log.logger()
}

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

// isTerminal reports that a stream is one.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// printer writes to stdout and remembers the first failure: a reader that went
// away ends the work.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// interrupted reports that the person or the system stopped the program.
func interrupted(ctx context.Context) bool { return ctx.Err() != nil }
