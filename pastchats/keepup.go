package pastchats

import (
	"context"
	"errors"
	"slices"
	"time"
)

const (
	keepUpFirst = 2 * time.Minute
	keepUpEvery = 6 * time.Hour
)

// KeepUp brings in new chats of the apps that chats were brought from, two
// minutes after it begins and then every six hours, until ctx ends. tick makes
// the clock's channel; nil is time.After. Nothing is announced.
func (s *Service) KeepUp(ctx context.Context, tick func(time.Duration) <-chan time.Time) {
	if tick == nil {
		tick = time.After
	}
	for wait := keepUpFirst; ; wait = keepUpEvery {
		select {
		case <-ctx.Done():
			return
		case <-tick(wait):
		}
		if _, err := s.keepUp(ctx); err != nil && !errors.Is(err, ErrRunning) && ctx.Err() == nil {
			s.o.Log("past-chats-keep-up", err.Error())
		}
	}
}

// keepUp brings in what is new of the apps that chats were brought from. Before
// a first yes nothing is read.
func (s *Service) keepUp(ctx context.Context) (Result, error) {
	answer, err := s.o.Consent.Answer()
	if err != nil {
		return Result{}, err
	}
	known := slices.DeleteFunc(slices.Clone(answer.Apps), func(id string) bool {
		return !slices.ContainsFunc(s.apps, func(a app) bool { return a.id == id })
	})
	if len(known) == 0 {
		return Result{}, nil
	}
	return s.bringIn(ctx, known, nil, false)
}

// NotNow remembers that the offer was put off.
func (s *Service) NotNow() error {
	return s.o.Consent.Change(func(a *Answer) { a.NotNow = true })
}
