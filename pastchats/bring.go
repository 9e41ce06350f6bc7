package pastchats

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"conch/plain"
)

// bring reads a chat and writes its log.
func (r *bringing) bring(j *job, room []byte) (o outcome, log []byte) {
	o.job = j
	log = room
	var c talk
	err := r.read(j, &c)
	if r.ctx.Err() != nil {
		o.stopped = true // what was read may be a part
		return o, log
	}
	done, log, err := r.prepare(j, &c, log, err)
	e := Entry{ID: j.pastID, Source: j.app.id, Label: j.app.label, Size: j.Size, MTime: j.MTime, Count: j.Count}
	e.Key, _ = taken(j.Key, r.s.o.Keys) // names can hold a key as any text can
	e.File, _ = taken(j.Path, r.s.o.Keys)
	if len(done.messages) == 0 || err != nil && len(done.messages) < j.old.Messages {
		return r.without(o, e, err, c.Damaged), log
	}
	if err != nil {
		r.s.o.Log("past-chats-part", j.app.id+": "+clean(err.Error()))
		e.Size = unknown // what is missing is tried again by the next run
	}
	e.Title, e.Project, e.Model = done.title, done.project, done.model
	e.Created, e.Updated = time.UnixMilli(done.created), time.UnixMilli(done.updated)
	e.Messages, e.UserMessages, e.Redacted = len(done.messages), done.users, done.redacted
	changed, err := r.s.store.writeLog(e.ID, log)
	if err != nil {
		o.err = err
		return o, log
	}
	o.entry, o.added = e, !j.had
	o.updated = j.had && (changed || j.old.Size != unknown && (j.old.Project != e.Project || j.old.Model != e.Model))
	return o, log
}

// without says what becomes of a chat that gave no words. What came in earlier
// stays: it may be the only copy.
func (r *bringing) without(o outcome, e Entry, err error, damaged bool) outcome {
	old := &o.job.old
	switch {
	case err != nil:
		o.skipped = problem(o.job, err.Error())
	case damaged:
		o.skipped = problem(o.job, "it is damaged, or larger than what is read")
		e.skipped = true
	}
	if err != nil {
		return o // tried again by the next run
	}
	if old.ID != "" && !old.Empty {
		e.Title, e.Project, e.Model, e.Created, e.Updated = old.Title, old.Project, old.Model, old.Created, old.Updated
		e.Messages, e.UserMessages, e.Redacted, e.skipped = old.Messages, old.UserMessages, 0, false
		o.entry = e
		return o
	}
	e.Empty = true
	e.Title = untitled
	e.Created = time.UnixMilli(e.MTime / 1e6)
	e.Updated = e.Created
	o.entry = e
	return o
}

// problem is a sentence about a chat that was skipped.
func problem(j *job, why string) string {
	return plain.Line(clean(fmt.Sprintf("%s: %s could not be read: %s.", j.app.label, filepath.Base(j.Path), strings.TrimRight(why, "."))), maxNote)
}

var errPanic = errors.New("it is not as expected")

// read reads a chat's words. A reader that panics has failed at this chat alone.
func (r *bringing) read(j *job, c *talk) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errPanic
			*c = talk{}
			r.s.o.Log("past-chats-panic", fmt.Sprintf("read a chat of %s: %v\n%s", j.app.id, p, debug.Stack()))
		}
	}()
	return j.finder.read(r.ctx, j.chatFile, c)
}

// prepare makes a chat ready for the store, and its log.
func (r *bringing) prepare(j *job, c *talk, room []byte, failed error) (done finished, log []byte, err error) {
	log = room
	defer func() {
		if p := recover(); p != nil {
			done, err = finished{}, errPanic
			r.s.o.Log("past-chats-panic", fmt.Sprintf("clean a chat of %s: %v\n%s", j.app.id, p, debug.Stack()))
		}
	}()
	c.keys = r.s.o.Keys
	done = finish(j.chatFile, c)
	return done, encodeLog(room, j.app.id, &done), failed
}
