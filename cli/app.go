package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"conch/apps"
	"conch/chats"
	"conch/child"
	"conch/config"
	"conch/engine"
)

// app is one run of the program: what was opened for it.
type app struct {
	host   Host
	flags  flags
	status int // of a command that ended without an error

	log   *logFile
	guard *child.Guard

	home     string // CONCH_HOME, absolute
	cfg      config.Config
	store    *chats.Store
	engines  []engine.Engine
	past     *past        // other apps' chats and the index over all; nil until it is needed
	connects *apps.Bridge // the person's apps; nil until they are needed, or when there are none
	bridging sync.Once
	keyring  secretsRead
	opening  sync.Mutex // held while past is opened or closed
	closed   bool       // it is not opened any more

	drawn    chan struct{} // closed when the first screen is out; nil: there is none
	pick     sync.Once     // of the provider that answers when nobody chose one
	picked   string
	signals  signals
	warnings []string // of config.toml
}

func newApp(h Host) *app { return &app{host: h} }

// open reads the home and the configuration, and opens the chats. Nothing is
// written, but what a Conch that was killed left of its providers goes.
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
	if a.host.Sweep != nil {
		a.host.Sweep(a.engineSetup())
	}
	return nil
}

// engineSetup is what the providers are made from.
func (a *app) engineSetup() EngineSetup {
	return EngineSetup{
		Config: a.cfg, Home: a.home, Environ: a.host.Environ, Executable: a.host.Executable, Version: a.host.Version,
		Guard: a.childGuard(), Secret: a.secrets(), Now: a.host.Now, Log: a.logger(),
	}
}

// openEngines makes the providers. Their processes start when they are needed.
func (a *app) openEngines() error {
	if err := a.open(); err != nil || a.engines != nil {
		return err
	}
	list, err := a.host.Engines(a.engineSetup())
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

// childGuard is told of every child. It starts with the first one.
func (a *app) childGuard() *child.Guard {
	if a.guard == nil {
		a.guard = child.NewGuard([]string{a.host.Executable, "child-guard"}, child.Environ(a.host.Environ, nil, nil, nil))
	}
	return a.guard
}

// close ends what was started, the providers before the guard.
func (a *app) close() {
	a.closePast()
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
	if a.connects != nil {
		a.connects.Close()
	}
	a.guard.Close()
	a.log.close()
}

func (a *app) logger() *slog.Logger {
	if a.log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return a.log.logger()
}

// interrupted reports that the person or the system stopped the program.
func interrupted(ctx context.Context) bool { return ctx.Err() != nil }
