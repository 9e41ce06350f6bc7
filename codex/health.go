package codex

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"conch/child"
	"conch/engine"
)

// knowledge is what an engine has learnt of its program.
type knowledge struct {
	asking chan struct{} // holds one: somebody asks for the version

	mu        sync.Mutex
	health    engine.Health
	healthAt  time.Time
	state     engine.State // as a turn proved it; "" for not at all
	problem   string
	next      string
	version   string
	versionOf string
	started   string // the version of the one that was started last
	models    int
	unheard   map[string]int
}

const maxKinds = 100

// count counts a message that was ignored, by its kind.
func (k *knowledge) count(kind string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kind = oneLine(kind, 80)
	if _, known := k.unheard[kind]; known || len(k.unheard) < maxKinds {
		k.unheard[kind]++
	}
}

func (k *knowledge) prove(state engine.State, problem, next string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state, k.problem, k.next = state, problem, next
	k.healthAt = time.Time{}
}

func (k *knowledge) begun(version string, models int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.started, k.models = version, models
}

// Health says whether Codex can be used. It asks for its version once; that nobody
// is signed in shows without a start where the person's Codex home has no sign-in.
func (e *Engine) Health(ctx context.Context) engine.Health {
	e.known.mu.Lock()
	h, at := e.known.health, e.known.healthAt
	e.known.mu.Unlock()
	if at.IsZero() || e.opts.Now().Sub(at) >= e.times.Remembered {
		h = e.look(ctx)
		if ctx.Err() == nil {
			e.known.mu.Lock()
			e.known.health, e.known.healthAt = h, e.opts.Now()
			e.known.mu.Unlock()
		}
	}
	e.known.mu.Lock()
	defer e.known.mu.Unlock()
	h.Unheard = map[string]int{}
	for kind, n := range e.known.unheard {
		h.Unheard[kind] = n
	}
	return h
}

func (e *Engine) look(ctx context.Context) engine.Health {
	env := child.Environ(e.opts.Environ, e.agent.PassEnv, nil, e.agent.Env)
	path, ok := child.Look(e.agent.Command, env)
	if !ok {
		h := engine.Health{State: engine.NotFound, Problem: e.agent.Name + " is not installed.", Next: e.installs()}
		if !e.agent.AskVersion {
			h.Problem = fmt.Sprintf("%s can't be started: there is no program %s.", e.agent.Name, oneLine(e.agent.Command, maxErrorLine))
		}
		return h
	}
	h := engine.Health{State: engine.Unknown, Found: path, Version: e.askVersion(ctx, path, env)}
	e.known.mu.Lock()
	defer e.known.mu.Unlock()
	h.Version = orElse(h.Version, e.known.started)
	if older(h.Version, oldest) {
		h.State = engine.TooOld
		h.Problem = fmt.Sprintf("%s %s is too old: Conch needs %s or newer.", e.agent.Name, h.Version, oldest)
		h.Next = install
		return h
	}
	h.Capabilities = []string{engine.TakesImages, "carries a chat on", "takes Conch's tools"}
	if e.known.models > 0 {
		h.Capabilities = append(h.Capabilities, fmt.Sprintf("%d models", e.known.models))
	}
	switch {
	case e.known.state != "" && e.known.state != engine.NeedSignIn:
		h.State, h.Problem, h.Next = e.known.state, e.known.problem, e.known.next
	case e.stores.signedOut(e.config()):
		h.State, h.Problem, h.Next = engine.NeedSignIn, e.agent.Name+" is not signed in.", signIn
	}
	return h
}

// askVersion asks a program file for its version, once for as long as the file
// stays the same.
func (e *Engine) askVersion(ctx context.Context, path string, env []string) string {
	if !e.agent.AskVersion {
		return ""
	}
	select {
	case e.known.asking <- struct{}{}:
		defer func() { <-e.known.asking }()
	case <-ctx.Done():
		return ""
	}
	of := path
	if info, err := os.Stat(path); err == nil {
		of = fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
	}
	e.known.mu.Lock()
	version, known := e.known.version, e.known.versionOf == of
	e.known.mu.Unlock()
	if known {
		return version
	}
	out, err := child.Run(ctx, child.Spec{Args: []string{path, "--version"}, Env: env, Guard: e.opts.Guard}, e.times.Version)
	if ctx.Err() != nil {
		return ""
	}
	if err != nil {
		e.log("version", e.agent.ID+": "+err.Error())
	}
	version = oneLine(versionInText.FindString(out), 80)
	e.known.mu.Lock()
	defer e.known.mu.Unlock()
	e.known.version, e.known.versionOf = version, of
	return version
}

var versionInText = regexp.MustCompile(`\d+\.\d+(?:\.\d+)?(?:[-+.][0-9A-Za-z.-]+)?`)

// older compares two versions by their numbers. One that cannot be read is not
// older.
func older(version, oldest string) bool {
	a, ok := numbers(version)
	b, sure := numbers(oldest)
	if !ok || !sure {
		return false
	}
	for i := range b {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func numbers(version string) (n [3]int, ok bool) {
	core, _, _ := strings.Cut(version, "-")
	core, _, _ = strings.Cut(core, "+")
	for i, part := range strings.SplitN(core, ".", 3) {
		v, err := strconv.Atoi(part)
		if err != nil {
			return n, i > 1
		}
		n[i] = v
	}
	return n, version != ""
}

// SignIn is Codex's own sign-in in the terminal, into the person's Codex home.
func (e *Engine) SignIn(context.Context) (engine.Command, bool) {
	if !e.agent.AskVersion {
		return engine.Command{}, false // of a wrapper it is not known
	}
	return engine.Command{Args: []string{e.agent.Command, "login"}, Env: child.Environ(e.opts.Environ, append([]string{"CODEX_HOME"}, e.agent.PassEnv...), nil, e.agent.Env)}, true
}
