// Package evals measures how an assistant works: tasks that one that keeps at it
// solves and one that gives up does not. A task runs in a home and a folder of its
// own, with a pretend person who lets through what only reads, and it is judged by
// code: by what the fixture app was really asked, by files, by the final words. No
// model judges another.
package evals

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"conch/conversation"
	"conch/engine"
)

// Outcomes of a task.
const (
	Pass   = "pass"
	Fail   = "fail"
	Errors = "error" // it could not be judged: the provider failed, or the harness
)

// Result is how a task went.
type Result struct {
	Task     string `json:"task"`
	Outcome  string `json:"outcome"`
	Reason   string `json:"reason"`   // one sentence
	Provider string `json:"provider"` // who really answered
	Model    string `json:"model"`
	Steps    int    `json:"steps"`
	// Calls are what the Ledger app was asked and what came of it, in order:
	// "exchange_rate busy".
	Calls []string `json:"calls"`
	Ms    int64    `json:"ms"`
}

// Task is something that a person might ask.
type Task struct {
	ID   string
	What string // one line on what it shows
	// Persistence marks a task that is about not giving up.
	Persistence bool

	ledger bool // the Ledger app is there
	run    func(r *room) error
}

// failed is what makes a task fail; any other error is one of the harness or of the
// provider.
type failed struct{ reason string }

func (f failed) Error() string { return f.reason }

func fail(format string, args ...any) error { return failed{fmt.Sprintf(format, args...)} }

// Place is where a chat of a task is opened.
type Place struct {
	Home   string // a fresh CONCH_HOME
	Folder string // the chat's folder
	Ledger string // the log of the Ledger app's calls; "" when the app is not there
	// Job says that nobody is there: the brief of a job is in the instructions.
	Job bool
}

// Chat is an opened chat; Close ends it and all that it started.
type Chat struct {
	*conversation.Manager
	Close func() error
}

// Harness runs tasks.
type Harness struct {
	// Open begins a new chat in a place. Of all providers only the one under test is
	// there, and for one task the demo beside it.
	Open func(ctx context.Context, p Place) (Chat, error)

	Provider string // the id of the one under test
	Model    string // "" for its own
	Limit    time.Duration
	Temp     string // where the homes are made; "" is the system's
	Now      func() time.Time
}

// Choose gives the tasks of the ids, all for none.
func Choose(ids []string) ([]Task, error) {
	all := Tasks()
	if len(ids) == 0 {
		return all, nil
	}
	var list []Task
	for _, id := range ids {
		at := slices.IndexFunc(all, func(t Task) bool { return t.ID == id })
		if at < 0 {
			var known []string
			for _, t := range all {
				known = append(known, t.ID)
			}
			return nil, fmt.Errorf("there is no task %q: there are %s", id, strings.Join(known, ", "))
		}
		list = append(list, all[at])
	}
	return list, nil
}

// defaultLimit is what one task may take.
const defaultLimit = 15 * time.Minute

// Run runs a task.
func (h Harness) Run(ctx context.Context, t Task) Result {
	now := h.Now
	if now == nil {
		now = time.Now
	}
	limit := h.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	began := now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res := Result{Task: t.ID, Outcome: Pass, Reason: "it was solved", Provider: h.Provider, Model: h.Model, Calls: []string{}}
	r, err := h.room(ctx, t)
	if err == nil {
		err = t.run(r)
		for _, c := range r.logged() {
			res.Calls = append(res.Calls, c.Tool+" "+c.Outcome)
		}
		err = errors.Join(err, r.close())
		res.Steps = r.steps
		if r.answeredBy != "" {
			res.Provider, res.Model = r.answeredBy, r.model
		}
	}
	var f failed
	switch {
	case err == nil:
	case errors.As(err, &f):
		res.Outcome, res.Reason = Fail, f.reason
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		res.Outcome, res.Reason = Errors, fmt.Sprintf("it took longer than %s", limit)
	default:
		res.Outcome, res.Reason = Errors, engine.FailureText(err)
	}
	res.Ms = now().Sub(began).Milliseconds()
	return res
}

// room is what one task has.
type room struct {
	ctx   context.Context
	h     Harness
	task  Task
	root  string
	place Place
	site  *site

	chat       *Chat
	person     person
	steps      int
	answeredBy string
	model      string
}

func (h Harness) room(ctx context.Context, t Task) (*room, error) {
	root, err := os.MkdirTemp(h.Temp, "conch-eval-")
	if err != nil {
		return nil, fmt.Errorf("make a home for %s: %w", t.ID, err)
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	r := &room{ctx: ctx, h: h, task: t, root: root, place: Place{
		Home: filepath.Join(root, "conch"), Folder: filepath.Join(root, "work"), Job: true,
	}}
	if t.ledger {
		r.place.Ledger = filepath.Join(root, "ledger.jsonl")
	}
	if err := os.MkdirAll(r.place.Folder, 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("make a folder for %s: %w", t.ID, err), os.RemoveAll(root))
	}
	if r.site, err = openSite(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(root))
	}
	r.person = person{site: r.site.url}
	return r, nil
}

func (r *room) close() error {
	err := r.leave()
	r.site.close()
	return errors.Join(err, os.RemoveAll(r.root))
}

// leave ends the chat: the next message begins another.
func (r *room) leave() error {
	if r.chat == nil {
		return nil
	}
	err := r.chat.Close()
	r.chat = nil
	if err != nil {
		return fmt.Errorf("close the chat: %w", err)
	}
	return nil
}
