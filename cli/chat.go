package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"conch/chats"
	"conch/conversation"
	"conch/engine"
	"conch/plain"
)

// find resolves what a person gave for a chat: an id, its beginning, or words of
// its title. The failure says which chats come close.
func (a *app) find(words string) (chats.Summary, error) {
	if strings.TrimSpace(words) == "" {
		return chats.Summary{}, wrong("conch chats lists them", "no chat is named")
	}
	found, near, err := a.store.Find(words)
	if err == nil {
		return found, nil
	}
	if !errors.Is(err, chats.ErrNotFound) && !errors.Is(err, chats.ErrBadID) {
		return found, fmt.Errorf("look for the chat: %w", err)
	}
	f := &failure{status: statusFailed, err: err, next: "conch chats lists them"}
	f.say = fmt.Sprintf("no such chat: %s", plain.Line(words, 60))
	if len(near) > 0 {
		f.say = fmt.Sprintf("no single chat is %s", plain.Line(words, 60))
		var lines []string
		for _, s := range near {
			lines = append(lines, fmt.Sprintf("%s (%s)", titleOf(s), s.ID))
		}
		f.next = "these come close: " + strings.Join(lines, " · ")
	}
	return found, f
}

func titleOf(s chats.Summary) string {
	if t := plain.Line(s.Title, 60); t != "" {
		return t
	}
	return "untitled"
}

// modelOf is the model chosen for the chat, else the one that answered last.
func modelOf(s chats.Summary) string { return plain.Line(cmp.Or(s.Model, s.Answered), 0) }

// toResume finds the chat that --resume or --continue mean, and what is left of
// the words as the message. An empty id starts a new chat.
func (a *app) toResume(folder string, words []string) (id string, rest []string, err error) {
	switch {
	case a.flags.newest:
		id, err := a.store.Newest(ofFolder(folder))
		if err != nil || id != "" {
			return id, words, err
		}
		return "", nil, &failure{status: statusFailed, say: "there is no chat of " + a.shortPath(folder) + " yet", next: "conch starts one; conch --resume picks from all folders"}
	case a.flags.resume.chat != "":
		if id, ok := a.store.Known(a.flags.resume.chat); ok {
			return id, words, nil // the first screen waits for no log to be read whole
		}
		if len(words) > 0 {
			// An unquoted title: to take its words for a message would send it.
			if all, err := a.find(a.flags.resume.chat + " " + strings.Join(words, " ")); err == nil {
				return all.ID, nil, nil
			}
		}
		found, err := a.find(a.flags.resume.chat)
		return found.ID, words, err
	}
	return "", words, nil
}

// ofFolder tells the chats of a folder, by whatever name the folder was reached.
func ofFolder(folder string) func(string) bool {
	here, err := os.Stat(folder)
	same := map[string]bool{}
	return func(of string) bool {
		known, ok := same[of]
		if !ok {
			there, e := os.Stat(of)
			known = filepath.Clean(of) == folder || err == nil && e == nil && os.SameFile(here, there)
			same[of] = known
		}
		return known
	}
}

// defaults is how a chat answers when it chose nothing itself. Nobody is asked
// whether they are ready for a chat that chose its provider.
func (a *app) defaults(ctx context.Context, log *chats.Log) (provider, model string, mode engine.Mode) {
	provider = cmp.Or(a.flags.provider, a.configured())
	if provider == "" {
		if s, err := log.Summary(); err == nil && a.engineOf(s.Provider) != nil {
			provider = s.Provider
		}
	}
	if provider == "" {
		provider = a.defaultProvider(ctx)
	}
	model = a.flags.model
	if model == "" {
		for _, each := range a.cfg.Agents {
			if each.ID == provider {
				model = each.Model
			}
		}
	}
	return provider, model, a.mode()
}

// mode is the one asked for now: by the flag, else by config.toml.
func (a *app) mode() engine.Mode {
	word := a.flags.mode
	if word == "" {
		word = a.cfg.Mode
	}
	mode, err := engine.ParseMode(word)
	if err != nil {
		return engine.ModePlan // both were checked before; the strictest is safe
	}
	return mode
}

// askLimit bounds how long providers are asked whether they are ready.
const askLimit = 3 * time.Second

// defaultProvider is config.toml's, else the first that is ready, else the first
// that is installed, else the demo. It asks once, and not while the first screen
// is on its way: each is a program that starts.
func (a *app) defaultProvider(ctx context.Context) string {
	if provider := a.configured(); provider != "" {
		return provider
	}
	a.pick.Do(func() {
		if a.drawn != nil {
			select {
			case <-a.drawn:
			case <-ctx.Done():
			}
		}
		ctx, cancel := context.WithTimeout(ctx, askLimit)
		defer cancel()
		a.picked = firstReady(a.engines, a.healths(ctx))
	})
	return a.picked
}

// configured is config.toml's provider, "" when it names none that is there.
func (a *app) configured() string {
	if a.engineOf(a.cfg.Provider) == nil {
		return ""
	}
	return a.cfg.Provider
}

func firstReady(engines []engine.Engine, found []engine.Health) string {
	for want := range engine.Ranks {
		for i, e := range engines {
			if rank, ok := engine.Rank(e, found[i].State); ok && rank == want && e.Info().ID != demoID {
				return e.Info().ID
			}
		}
	}
	for _, e := range engines {
		if e.Info().ID == demoID {
			return demoID
		}
	}
	return engines[0].Info().ID
}

const demoID = "demo"

// healths asks every provider, side by side. One that doesn't answer in time is
// broken.
func (a *app) healths(ctx context.Context) []engine.Health {
	found := make([]engine.Health, len(a.engines))
	var wait sync.WaitGroup
	for i, e := range a.engines {
		wait.Go(func() { found[i] = e.Health(ctx) })
	}
	wait.Wait()
	return found
}

// manage makes the Manager of a log with what flags and configuration say.
func (a *app) manage(ctx context.Context, log *chats.Log, unattended bool) (*conversation.Manager, error) {
	provider, model, mode := a.defaults(ctx, log)
	over, spent := a.month()
	m, err := conversation.New(log, conversation.Deps{
		Engines: a.engines, Home: a.home, Now: a.host.Now,
		Log:        func(format string, args ...any) { a.logger().Info(fmt.Sprintf(format, args...)) },
		Unattended: unattended, Allow: a.flags.allow, Tools: a.tools(), Apps: a.connectApps(), Instructions: a.instructions(), Keys: a.givenKeys(),
		OverMonth: over, Spent: spent,
		DefaultProvider: provider, DefaultModel: model, DefaultMode: mode,
	})
	if err != nil {
		_ = log.Close() // the first error says more
		return nil, fmt.Errorf("open the chat: %w", err)
	}
	return m, nil
}

// newChat makes a chat for a folder; nothing is written before its first message.
func (a *app) newChat(ctx context.Context, folder string, unattended bool) (*conversation.Manager, error) {
	return a.manage(ctx, a.store.Create(folder, branchOf(folder)), unattended)
}

// openChat opens one that is there. With flags, the provider and the model are
// those; of the mode asked for now and the chat's own the Manager takes the
// stricter.
func (a *app) openChat(ctx context.Context, id string, flagged, unattended bool) (*conversation.Manager, error) {
	log, err := a.store.OpenLog(id)
	if err != nil {
		return nil, fmt.Errorf("open chat %s: %w", plain.Line(id, 60), err)
	}
	m, err := a.manage(ctx, log, unattended)
	if err != nil || log.ReadOnly() || !flagged {
		return m, err
	}
	if err := a.applyChoices(m); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (a *app) applyChoices(m *conversation.Manager) error {
	if a.flags.provider != "" && m.Status().Provider != a.flags.provider {
		if err := m.SetProvider(a.flags.provider); err != nil {
			return fmt.Errorf("set the provider: %w", err)
		}
	}
	if a.flags.model != "" && m.Status().Model != a.flags.model {
		if err := m.SetModel(a.flags.model); err != nil {
			return fmt.Errorf("set the model: %w", err)
		}
	}
	return nil
}

// branchOf is the branch that git has checked out in a folder, "" for none. It
// reads git's own files and runs nothing.
func branchOf(folder string) string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		if info, err := os.Lstat(git); err == nil {
			if !info.IsDir() {
				git = worktreeOf(git, dir)
			}
			return branchIn(git)
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

// worktreeOf reads the .git file of a work tree beside the main one.
func worktreeOf(file, dir string) string {
	raw, err := readHead(file)
	to, ok := strings.CutPrefix(raw, "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	return absolute(dir, to)
}

func branchIn(git string) string {
	if git == "" {
		return ""
	}
	raw, err := readHead(filepath.Join(git, "HEAD"))
	branch, ok := strings.CutPrefix(raw, "ref: refs/heads/")
	if err != nil || !ok {
		return ""
	}
	return plain.Line(branch, 100)
}

// readHead reads the first line of a small file.
func readHead(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > 4096 {
		return "", fmt.Errorf("%s is not git's", path)
	}
	raw, err := os.ReadFile(path)
	line, _, _ := strings.Cut(string(raw), "\n")
	return strings.TrimSpace(line), err
}
