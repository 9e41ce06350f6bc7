package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"conch/chats"
	"conch/engine"
	"conch/pastchats"
	"conch/plain"
	"conch/redact"
)

// TaintApp is the kind of a taint whose words were brought from another app.
const TaintApp = "app"

// Adoption is a past chat that is carried on.
type Adoption struct {
	Past   *pastchats.Store
	Own    *chats.Store
	ID     string // pc_…
	Folder string // of the new chat
	Branch string
	// Engines are those that may answer. The one whose id is the app's goes on,
	// when it can be used; else the default does.
	Engines []engine.Engine
}

// Adopt starts a chat of Conch's own with the words of a past one, and gives its
// id. It is tainted from the start: the words are another app's, and only a copy
// is made of them. Nothing runs and nothing is sent before the person writes; the
// message then goes with the conversation so far handed over. The other app's own
// session is neither resumed nor written.
func Adopt(ctx context.Context, a Adoption) (id string, err error) {
	entry, err := a.Past.Find(a.ID)
	if err != nil {
		return "", fmt.Errorf("carry on %s: %w", chats.Quote(a.ID), err)
	}
	log := a.Own.Create(a.Folder, a.Branch)
	defer func() {
		if closeErr := log.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("carry on %s: %w", entry.ID, closeErr)
		}
		if err != nil && log.LastSeq() >= 0 {
			// A half copy is no chat to go on with.
			err = errors.Join(err, a.Own.Delete(log.ID()))
		}
	}()
	c := copier{log: log, source: entry.Source}
	c.put(time.Time{}, chats.Taint{Source: chats.TaintSource{Kind: TaintApp, Label: taintLabel(entry)}})
	if title := cleanTitle(entry.Title); title != "" {
		c.put(time.Time{}, chats.Title{Title: title, By: "carried"})
	}
	if who := usable(ctx, a.Engines, entry.Source); who != "" {
		c.put(time.Time{}, chats.Options{Engine: who})
	}
	if err := a.Past.Messages(entry.ID, func(m pastchats.Message) bool {
		c.say(m)
		return c.err == nil && ctx.Err() == nil
	}); err != nil {
		return "", fmt.Errorf("carry on %s: %w", entry.ID, err)
	}
	c.put(time.Time{}, chats.Notice{Code: "carried-on", Message: "carried on from " + entry.From() + "; nothing is sent before you write"})
	if err := errors.Join(c.err, ctx.Err()); err != nil {
		return "", fmt.Errorf("carry on %s: %w", entry.ID, err)
	}
	if c.said == 0 {
		return "", fmt.Errorf("carry on %s: nothing was said in it", entry.ID)
	}
	if err := log.Sync(); err != nil {
		return "", err
	}
	return log.ID(), nil
}

// taintLabel names where the words are from: "Claude Code, in shop".
func taintLabel(e pastchats.Entry) string {
	label, _ := redact.Redact(plain.Line(e.From(), 200))
	return label
}

func cleanTitle(title string) string {
	title, _ = redact.Redact(plain.Line(title, 200))
	return title
}

// copier writes the words of a past chat into a log.
type copier struct {
	log    *chats.Log
	source string
	n      int // messages seen
	said   int // written
	err    error
}

// put appends an event; at zero is now.
func (c *copier) put(at time.Time, body chats.Body) {
	if c.err != nil {
		return
	}
	if at.IsZero() {
		_, c.err = c.log.Append("", body)
	} else {
		_, c.err = c.log.AppendAt(at, "", body)
	}
}

func (c *copier) say(m pastchats.Message) {
	id := c.source + "." + strconv.Itoa(c.n)
	c.n++
	text, _ := redact.Redact(plain.Text(m.Text))
	if text == "" {
		return
	}
	c.said++
	if m.Role == pastchats.User {
		c.put(m.At, chats.UserMessage{MessageID: id, Text: text})
		return
	}
	c.put(m.At, chats.AssistantDelta{MessageID: id, Channel: chats.ChannelText, Delta: text})
	c.put(m.At, chats.AssistantDone{MessageID: id})
}

// readyLimit bounds how long the app's provider is asked whether it is ready.
const readyLimit = 3 * time.Second

// usable gives the provider of an app when it can be used, else "".
func usable(ctx context.Context, engines []engine.Engine, source string) string {
	if source == "copilot-cli" {
		source = "copilot"
	}
	i := slices.IndexFunc(engines, func(e engine.Engine) bool { return e.Info().ID == source })
	if i < 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	switch engines[i].Health(ctx).State {
	case engine.Ready, engine.Unknown:
		return source
	}
	return ""
}
