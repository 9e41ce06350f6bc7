package modelapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"sync"
)

// session is the history of one chat with one API. It is warm between turns.
type session struct {
	busy sync.Mutex // held by the turn that uses it

	id      string
	history []message
	serial  int // of the answers, for ids of calls
	// known is what the API counted for the first upTo messages, in tokens; 0: it has
	// not counted yet.
	known, upTo int
}

// A resume id is "ma-" and 32 hex: the name of the session's file.
var sessionForm = regexp.MustCompile(`^ma-[0-9a-f]{32}$`)

func newSessionID() string {
	b := make([]byte, 16)
	rand.Read(b) //nolint:errcheck // it never fails
	return "ma-" + hex.EncodeToString(b)
}

// openSession gives the session of a conversation: the warm one, or that of the
// disk. lost reports that one was to be carried on and is not there any more.
func (e *Engine) openSession(_ context.Context, conversation, resume string) (s *session, lost bool) {
	e.mu.Lock()
	s = e.warm[conversation]
	e.mu.Unlock()
	if s != nil && s.id == resume && resume != "" {
		return s, false
	}
	s = &session{id: newSessionID()}
	if resume != "" {
		history, serial, err := e.kept.load(resume)
		if err != nil {
			e.logf("session-lost", "%v", err)
			lost = true
		} else {
			s = &session{id: resume, history: history, serial: serial}
		}
	}
	return s, lost
}

// keepWarm makes a session the one of a conversation.
func (e *Engine) keepWarm(conversation string, s *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.warm[conversation] = s
	}
}
