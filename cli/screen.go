package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"conch/config"
	"conch/conversation"
	"conch/redact"
	"conch/tui"
)

// screen shows a chat until the person leaves.
func (a *app) screen(ctx context.Context, words []string) error {
	return a.showScreen(ctx, func(folder string) (tui.Start, error) { return a.start(folder, words) })
}

// showScreen shows the screen until the person leaves. begin says what it opens with.
func (a *app) showScreen(ctx context.Context, begin func(folder string) (tui.Start, error)) error {
	if err := a.openEngines(); err != nil {
		return err
	}
	if err := a.checkFlags(); err != nil {
		return err
	}
	folder, err := a.folder()
	if err != nil {
		return err
	}
	if err := a.openPast(); err != nil {
		return err
	}
	start, err := begin(folder)
	if err != nil {
		return err
	}
	if !isTerminal(a.host.Stdin) || !isTerminal(a.host.Stdout) {
		return wrong(`conch -p "…" answers without one`, "the screen needs a terminal on both ends, and this is none")
	}
	a.drawn = make(chan struct{})
	stop := a.follow(ctx)
	defer stop()
	deps := a.deps(ctx, folder, start)
	switch {
	case !a.flags.plain:
		if deps.Runs, err = a.runs(); err != nil {
			return err
		}
	case start.Run != "":
		return wrong("conch runs show "+start.Run, "a run is not shown as plain lines yet, but it can be printed")
	}
	exit, err := a.host.Screen(ctx, deps)
	if err != nil {
		if interrupted(ctx) {
			return context.Cause(ctx)
		}
		return &failure{say: "the screen cannot be shown: " + err.Error(), next: "conch doctor says what the terminal can do", status: statusWrong, err: err}
	}
	a.status = exit.Code
	a.purge(ctx)
	return nil
}

// follow keeps the index and the past chats up while the screen is there, from
// the moment the first screen is out. The function that it gives ends that and
// waits for it.
func (a *app) follow(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	after := func(do func(context.Context)) {
		wait.Go(func() {
			select {
			case <-a.drawn:
				do(ctx)
			case <-ctx.Done():
			}
		})
	}
	after(a.past.index.Follow)
	if a.cfg.KeepUp {
		after(func(ctx context.Context) { a.past.service.KeepUp(ctx, nil) })
	}
	return func() {
		cancel()
		wait.Wait()
	}
}

const (
	// undoTime is how long a deleted chat can be brought back.
	undoTime = 7 * 24 * time.Hour
	// forgetTime is how long after its deletion a chat is kept at most when an engine
	// could not forget its sessions: only the chat says which they are.
	forgetTime = 5 * undoTime
)

// purge removes the chats that were deleted long ago, and what the engines keep
// of their sessions. It is done when the screen is gone: nobody waits for it at
// the start.
func (a *app) purge(ctx context.Context) {
	gone, err := a.store.Deleted(undoTime)
	forgotten := map[string]bool{}
	for _, chat := range gone {
		if failed := conversation.Forget(ctx, a.engines, chat); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		forgotten[chat.ID] = true
	}
	err = errors.Join(err,
		a.store.Purge(undoTime, func(id string) bool { return !forgotten[id] }),
		a.store.Purge(forgetTime, nil))
	if err != nil {
		a.logger().Warn("remove deleted chats", "error", err)
	}
}

// start is what the screen opens with.
func (a *app) start(folder string, words []string) (tui.Start, error) {
	s := tui.Start{Note: a.firstNote()}
	if isPast(a.flags.resume.chat) {
		e, err := a.findPast(a.flags.resume.chat)
		s.Past, s.First = e.ID, strings.Join(words, " ")
		return s, err
	}
	if given := a.flags.resume.chat; given != "" {
		if _, known := a.store.Known(given); !known {
			if s.Run = a.runToResume(given); s.Run != "" {
				return s, nil
			}
		}
	}
	id, rest, err := a.toResume(folder, words)
	if err != nil {
		return s, err
	}
	s.Chat = id
	s.Picker = a.flags.resume.given && id == ""
	s.First = strings.Join(rest, " ")
	if s.Chat == "" && !s.Picker && s.First == "" {
		s.Offer = a.offers()
	}
	return s, nil
}

// offers reports that other apps' chats may be offered: nothing was brought in
// yet, and the person never put it off.
func (a *app) offers() bool {
	answer, err := consent{config.OpenState(a.home)}.Answer()
	return err == nil && !answer.NotNow && len(answer.Apps) == 0
}

// firstNote is one line about what is odd in Conch's home: config.toml, or a memory
// that can't be read.
func (a *app) firstNote() string {
	notes := a.notes()
	switch n := len(notes); n {
	case 0:
		return ""
	case 1:
		return notes[0]
	default:
		return fmt.Sprintf("%s (and %d more: conch doctor)", notes[0], n-1)
	}
}

// notes is what a person is told before a chat begins, one line each.
func (a *app) notes() []string {
	notes := slices.Clone(a.warnings)
	if unread := a.memoryUnread(); unread != "" {
		notes = append(notes, unread)
	}
	return notes
}

// deps is what the screen works with.
func (a *app) deps(ctx context.Context, folder string, start tui.Start) tui.Deps {
	return tui.Deps{
		Store: a.store,
		New: func(dir string) (*conversation.Manager, error) {
			return a.newChat(ctx, dir, false)
		},
		Open: func(id string) (*conversation.Manager, error) {
			return a.openChat(ctx, id, id == start.Chat, false)
		},
		Engines: a.engines,
		Options: tui.Options{
			Theme: a.cfg.Theme, Motion: a.cfg.Motion, Mouse: a.cfg.Mouse, Notify: a.cfg.Notify, Keys: a.cfg.Keys,
			Plain: a.flags.plain, ASCII: a.asciiOnly(), NoColor: a.env("NO_COLOR") != "" || a.cfg.Theme == "none",
			ReducedMotion: a.env("CONCH_REDUCED_MOTION") != "" || a.env("NO_MOTION") != "",
		},
		Start:  start,
		Folder: folder,
		Home:   personHome(a.host),
		Shell:  a.shell,
		Export: func(_ context.Context, id string) (string, error) { return a.exportFile(id, folder) },
		Past:   a.past.service,
		Search: a.past.index,
		Carry:  func(ctx context.Context, id string) (string, error) { return a.carry(ctx, id, folder) },
		Memory: a.screenMemory(),
		Edits:  a.screenEdits(),
		Editor: a.editor(),
		Redact: func(s string) string {
			s, _ = redact.Redact(s)
			return s
		},
		History: tui.History{Load: a.typedBefore},
		Input:   a.host.Stdin,
		Output:  a.host.Stdout,
		Environ: a.host.Environ,
		Now:     a.host.Now,
		Log:     func(format string, args ...any) { a.logger().Info(fmt.Sprintf(format, args...)) },
		Version: a.host.Version,
		Drawn:   sync.OnceFunc(func() { close(a.drawn) }),
		Called:  called(a.host),
		PanicAt: a.env("CONCH_TEST_PANIC"),
		Report:  a.report,
	}
}

// screenMemory is what is remembered as the screen shows and changes it.
func (a *app) screenMemory() *tui.Memory {
	memory := a.memory()
	if memory == nil {
		return nil
	}
	return &tui.Memory{
		Path: memory.Path(),
		List: func() ([]tui.Remembered, error) {
			if why := memory.Problem(); why != "" {
				return nil, errors.New(why)
			}
			list, err := memory.List()
			shown := make([]tui.Remembered, 0, len(list))
			for _, r := range list {
				shown = append(shown, tui.Remembered{ID: r.ID, Words: r.Words, At: r.At, Chat: r.Chat})
			}
			return shown, err
		},
		Forget: func(id string) error {
			_, err := memory.Forget(id)
			return err
		},
		Read:    memory.Read,
		Replace: memory.Replace,
	}
}

// screenEdits takes edits of Conch's own tools back for the screen.
func (a *app) screenEdits() *tui.Edits {
	undo := a.undo()
	return &tui.Edits{
		Last: func(chat string) (string, time.Time, int, error) {
			e, err := undo.Last(chat)
			return e.Group, e.At, len(e.Paths), err
		},
		Back: func(chat, group string) ([]string, []string, error) {
			out, err := undo.TakeBack(chat, group)
			return out.Back, out.Left, err
		},
	}
}

// asciiOnly reports a terminal that shows no signs beyond ASCII, as its locale
// says.
func (a *app) asciiOnly() bool {
	if a.env("TERM") == "linux" {
		return true // its font has few signs
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := a.env(name); v != "" {
			v = strings.ToUpper(v)
			return v == "C" || v == "POSIX" || strings.Contains(v, ".") && !strings.Contains(v, "UTF")
		}
	}
	return false
}

// editor is VISUAL or EDITOR as a program with its arguments.
func (a *app) editor() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := splitWords(a.env(name)); len(words) > 0 {
			return words
		}
	}
	return nil
}

// splitWords splits a command of the person's own environment at spaces; quotes
// hold spaces together. No shell reads it.
func splitWords(s string) []string {
	var words []string
	var b strings.Builder
	in, quote := false, rune(0)
	for _, r := range s {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(r)
		case r == '\'' || r == '"':
			quote, in = r, true
		case r == ' ' || r == '\t':
			if in {
				words = append(words, b.String())
				b.Reset()
				in = false
			}
		default:
			b.WriteRune(r)
			in = true
		}
	}
	if in {
		words = append(words, b.String())
	}
	return words
}
