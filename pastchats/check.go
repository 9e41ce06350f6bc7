package pastchats

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Check is what doctor wants to know: whether the list reads, and what waits.
type Check struct {
	Problem string // "" when all is well
	Next    string
	Brought int
	Waiting map[string]int // fresh chats by label; nil before a first yes
}

// Check looks; it changes nothing.
func (s *Service) Check(ctx context.Context) Check {
	l, whole, err := s.store.read()
	if err != nil {
		return Check{Problem: "The list of past chats cannot be read: " + err.Error() + ".", Next: "See that the folder past-chats can be read by you."}
	}
	c := Check{Brought: l.brought()}
	if info, err := os.Stat(s.store.dir); err == nil && !info.IsDir() {
		c.Problem, c.Next = "Something else has the name of the folder past-chats.", "Move "+s.store.dir+" away."
		return c
	}
	const repair = "Run conch doctor --repair."
	switch lost := s.store.lost(l); {
	case l.version > listVersion:
		c.Problem, c.Next = "A newer Conch wrote the list of past chats.", "Bring chats in with that one, or update this one."
	case !whole:
		c.Problem, c.Next = "The list of past chats is damaged.", repair
	case lost == 1:
		c.Problem, c.Next = "The words of one past chat are lost.", repair
	case lost > 1:
		c.Problem, c.Next = fmt.Sprintf("The words of %d past chats are lost.", lost), repair
	}
	answer, err := s.o.Consent.Answer()
	if err != nil || len(answer.Apps) == 0 {
		return c
	}
	look, err := s.look(ctx, false)
	if err != nil {
		return c
	}
	c.Waiting = map[string]int{}
	for i, a := range s.apps {
		if !slices.Contains(answer.Apps, a.id) {
			continue
		}
		if n := sourceOfLook(a, look.apps[i], l).Fresh; n > 0 {
			c.Waiting[a.label] = n
		}
	}
	return c
}

// lost is how many chats of the list have no log.
func (s *Store) lost(l *list) (n int) {
	for _, e := range l.entries {
		if e.Empty {
			continue
		}
		if info, err := os.Lstat(s.logPath(e.ID)); err != nil || !hasWords(info) {
			n++
		}
	}
	return n
}

// hasWords reports that a log can have some: one that was written right before the
// power failed is there and empty.
func hasWords(info fs.FileInfo) bool { return info.Mode().IsRegular() && info.Size() > 0 }

// Repair mends the list from the logs and brings in what waits of the apps that
// chats were brought from.
func (s *Service) Repair(ctx context.Context) (Result, error) {
	if err := s.store.repair(); err != nil {
		return Result{}, err
	}
	return s.keepUp(ctx)
}

func (s *Store) repair() error {
	if _, err := os.Lstat(s.dir); err != nil {
		return nil // nothing was brought in
	}
	lock, err := s.tryLock(doingMend)
	if err != nil {
		return err
	}
	_, err = s.mend()
	return errors.Join(err, lock.release())
}
