package cli

import (
	"context"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"conch/conversation"
	"conch/engine"
	"conch/pastchats"
	"conch/search"
	"conch/tools"
)

// memoryName is the file in CONCH_HOME that holds what the person let Conch
// remember.
const memoryName = "memory.md"

// memory is what the person let Conch remember; nil with memory = false.
func (a *app) memory() *tools.Memory {
	if !a.cfg.Memory {
		return nil
	}
	return tools.OpenMemory(filepath.Join(a.home, memoryName))
}

// memoryUnread says that what is remembered can't be read, and what to do; "" when it
// can. An assistant that knows nothing looks like one that was told nothing.
func (a *app) memoryUnread() string {
	memory := a.memory()
	if memory == nil {
		return ""
	}
	why := memory.Problem()
	if why == "" {
		return ""
	}
	return why + ", so no assistant is told what you let Conch remember → mend it in an editor or move it away: " + a.shortPath(memory.Path())
}

// instructions gives what config.toml and the memory tell every assistant. The
// memory is read for each turn: another conch, or an editor, may change it.
func (a *app) instructions() func() conversation.Instructions {
	memory := a.memory()
	var unread atomic.Pointer[string] // why it can't be read, as it was logged
	return func() conversation.Instructions {
		own := conversation.Instructions{Persona: a.cfg.Personas[a.cfg.Persona], Person: a.cfg.Instructions}
		if memory != nil {
			own.Memory = memory.Text()
			// Text says nothing of a file that can't be read, and an assistant that
			// knows nothing looks like one that was told nothing.
			why := memory.Problem()
			if before := unread.Swap(&why); why != "" && (before == nil || *before != why) {
				a.logger().Warn("what is remembered is told to no assistant: "+why, "code", "memory-unread")
			}
		}
		return own
	}
}

// undo keeps what edits of Conch's own tools overwrite.
func (a *app) undo() *tools.Undo {
	return tools.OpenUndo(filepath.Join(a.home, "undo"), a.host.Now)
}

// tools gives the tools of a turn. The past chats and the index are opened when
// the first of them is called for words: most turns look at no other chat.
func (a *app) tools() func(t tools.Turn) []engine.Tool {
	kit := &tools.Kit{
		Search: toolSearch{a}, Chats: a.store, Past: toolPast{a}, Memory: a.memory(), Keys: a.givenKeys(), Now: a.host.Now,
		Undo: a.undo(), Protected: []string{a.home}, Environ: a.host.Environ, Guard: a.guard, Proxy: http.ProxyFromEnvironment,
	}
	return kit.For
}

// toolSearch searches all chats for a tool.
type toolSearch struct{ app *app }

func (s toolSearch) Search(ctx context.Context, q search.Query, o search.Options) (search.Results, error) {
	p, err := s.app.pastOpened()
	if err != nil {
		return search.Results{}, err
	}
	s.app.catchUp(ctx, p.index)
	return p.index.Search(ctx, q, o)
}

// toolPast reads past chats for a tool.
type toolPast struct{ app *app }

func (s toolPast) Find(id string) (pastchats.Entry, error) {
	p, err := s.app.pastOpened()
	if err != nil {
		return pastchats.Entry{}, err
	}
	return p.store.Find(id)
}

func (s toolPast) MessagesAt(id string, want func(n int) bool, each func(n int, m pastchats.Message) bool) error {
	p, err := s.app.pastOpened()
	if err != nil {
		return err
	}
	return p.store.MessagesAt(id, want, each)
}

// catchUpLimit is how long a search waits for the index when chats have come
// that it does not know. What it does not know then is read.
const catchUpLimit = 2 * time.Second

// catchUp brings the index up to the chats, as far as there is time.
func (a *app) catchUp(ctx context.Context, index *search.Index) {
	if wait, _ := index.Behind(); wait == 0 {
		return
	}
	short, cancel := context.WithTimeout(ctx, catchUpLimit)
	defer cancel()
	if err := index.CatchUp(short); err != nil && short.Err() == nil {
		a.logger().Warn("catch up with the chats", "error", err)
	}
}
