package tools

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"conch/engine"
	"conch/handoff"
)

// Limits of wait_for.
const (
	defaultWait = 30      // minutes
	maxWait     = 24 * 60 // the same
	maxWaitSecs = 24 * 60 * 60
	tryTime     = time.Minute // of one run of a command
	maxTryWords = 2000        // characters of what it said last
	fileEvery   = 2 * time.Second
	otherEvery  = 10 * time.Second
	minEvery    = 5 // seconds
	maxEvery    = 3600
)

// Waiting is something that is waited for after a turn.
type Waiting struct {
	Says  string        // in a few words: "until make test succeeds"
	Runs  bool          // it runs a command, each time it looks
	Every time.Duration // between two looks
	Limit time.Duration
	// Look reports that it has happened, with what there is to say of it. An error is
	// one that looking again does not mend.
	Look func(ctx context.Context) (happened bool, words string, err error)
}

// Woke is how a waiting ended.
type Woke struct {
	Happened bool
	Words    string // what the last look had to say
	Took     time.Duration
}

// Watch looks until it has happened, its limit is reached, or ctx is done.
func (w Waiting) Watch(ctx context.Context) (Woke, error) {
	began := time.Now()
	limit := time.NewTimer(w.Limit)
	defer limit.Stop()
	next := time.NewTimer(0)
	defer next.Stop()
	last := ""
	for {
		select {
		case <-next.C:
		case <-limit.C:
			return Woke{Words: last, Took: time.Since(began)}, nil
		case <-ctx.Done():
			return Woke{}, ctx.Err()
		}
		happened, words, err := w.Look(ctx)
		if err := ctx.Err(); err != nil {
			return Woke{}, err
		}
		if last = words; happened || err != nil {
			return Woke{Happened: happened, Words: words, Took: time.Since(began)}, err
		}
		next.Reset(w.Every)
	}
}

const waitForWhat = `Wait for something that takes long, without looking again and again: give one of command (until it succeeds), file (until it exists, or what state or text say), page (until it answers well) or seconds. ` +
	`The answer comes at once: then end your turn, saying what you wait for. Conch watches, and wakes you with a message in <from-conch> when it has happened or limit is over, and you go on. ` +
	`One wait at a time; a new one takes the place of the one before. A command must be quick and change nothing: it only looks, such as a status query.`

var waitForTakes = []argument{
	{name: "command", what: "A command line that succeeds when it has happened.", kind: "string", min: 1, max: maxCommandLine},
	{name: "file", what: "A file's path.", kind: "string", min: 1, max: maxPath},
	{name: "state", what: "Of the file. Without it: exists.", kind: "string", among: []string{"exists", "changed", "gone"}},
	{name: "text", what: "Words that the file is to hold.", kind: "string", min: 1, max: 500},
	{name: "page", what: "An http or https address.", kind: "string", min: 1, max: maxAddress},
	{name: "seconds", what: "How long.", kind: "integer", min: 1, max: maxWaitSecs},
	{name: "every", what: "Seconds between two looks at a command or page. Without it: 10.", kind: "integer", min: minEvery, max: maxEvery},
	{name: "limit", what: "Minutes until you are woken anyway. Without it: 30.", kind: "integer", min: 1, max: maxWait},
}

type waitForArgs struct {
	Command string `json:"command"`
	File    string `json:"file"`
	State   string `json:"state"`
	Text    string `json:"text"`
	Page    string `json:"page"`
	Seconds int    `json:"seconds"`
	Every   int    `json:"every"`
	Limit   int    `json:"limit"`
}

func (b *bound) waitFor() *tool {
	t := bind("wait_for", waitForWhat, waitForTakes, func(ctx context.Context, args waitForArgs) (engine.ToolResult, error) {
		if err := args.check(); err != nil {
			return engine.ToolResult{}, err
		}
		w, err := b.waiting(ctx, args)
		if err != nil {
			return engine.ToolResult{}, err
		}
		w.Limit = time.Duration(orElse(args.Limit, defaultWait)) * time.Minute
		if args.Seconds > 0 {
			w.Limit = time.Duration(args.Seconds)*time.Second + time.Minute
		}
		if b.turn.Unattended() {
			woke, err := w.Watch(ctx)
			if err != nil {
				return engine.ToolResult{}, err
			}
			result := "it happened"
			if !woke.Happened {
				result = "not yet"
			}
			return engine.ToolResult{Text: woke.Tell(w), View: engine.View{Result: result}}, nil
		}
		if err := b.turn.Wait(w); err != nil {
			return engine.ToolResult{}, err
		}
		return engine.ToolResult{
			Text: "Conch waits " + w.Says + ", and wakes you then. End your turn now: say in a sentence what you wait for and what you will do then. Don't look again yourself.",
			View: engine.View{Result: "waits"},
		}, nil
	})
	return rowed(t, func(args waitForArgs) engine.ToolStart {
		return engine.ToolStart{Name: "wait_for", Kind: engine.KindOther, Subject: args.subject()}
	})
}

func (a waitForArgs) subject() string {
	switch {
	case a.Command != "":
		return a.Command
	case a.File != "":
		return a.File
	case a.Page != "":
		return a.Page
	case a.Seconds > 0:
		return (time.Duration(a.Seconds) * time.Second).String()
	}
	return ""
}

// check says what a schema can't say of the arguments.
func (a waitForArgs) check() error {
	bad := &BadArguments{Tool: "wait_for"}
	given := 0
	for _, is := range []bool{a.Command != "", a.File != "", a.Page != "", a.Seconds > 0} {
		if is {
			given++
		}
	}
	if given != 1 {
		bad.add("", "wanted one of command, file, page and seconds, got "+strconv.Itoa(given)+" of them")
	}
	if a.File == "" && a.State != "" {
		bad.add("state", "wanted only with file")
	}
	if a.File == "" && a.Text != "" {
		bad.add("text", "wanted only with file")
	}
	if a.Text != "" && a.State != "" {
		bad.add("text", "wanted without state: the file has to be there for it")
	}
	if len(bad.Problems) > 0 {
		return bad
	}
	return nil
}

// waiting asks for what is to be waited for, and says how it is looked at.
func (b *bound) waiting(ctx context.Context, args waitForArgs) (Waiting, error) {
	every := otherEvery
	if args.Every > 0 {
		every = time.Duration(args.Every) * time.Second
	}
	often := fmt.Sprintf("it is looked at every %s, for at most %d minutes", every, orElse(args.Limit, defaultWait))
	switch {
	case args.Command != "":
		p := engine.Permission{Tool: "Bash", Kind: engine.KindExecute, Subject: args.Command, Reason: often}
		return Waiting{Says: "until " + b.clean.line(args.Command, 200) + " succeeds", Runs: true, Every: every, Look: b.tries(args.Command)}, b.may(ctx, p)
	case args.Page != "":
		u, err := address("wait_for", "page", args.Page)
		if err != nil {
			return Waiting{}, err
		}
		p := engine.Permission{Tool: "WebFetch", Kind: engine.KindFetch, Subject: u.String(), Reason: often}
		return Waiting{Says: "until " + b.clean.line(u.String(), 200) + " answers", Every: every, Look: b.asks(u)}, b.may(ctx, p)
	case args.File != "":
		return b.waitingForFile(ctx, args)
	}
	at := time.Now().Add(time.Duration(args.Seconds) * time.Second)
	return Waiting{Says: "for " + (time.Duration(args.Seconds) * time.Second).String(), Every: time.Second, Look: func(context.Context) (bool, string, error) {
		return !time.Now().Before(at), "", nil
	}}, nil
}

// tries looks by running a command.
func (b *bound) tries(command string) func(context.Context) (bool, string, error) {
	dir, err := filepath.EvalSymlinks(b.turn.Folder())
	return func(ctx context.Context) (bool, string, error) {
		if err != nil {
			return false, "", fmt.Errorf("the working folder: %w", err)
		}
		out := &output{}
		code, err := b.shell(ctx, dir, command, tryTime, func(p []byte) { out.Write(p) }) //nolint:errcheck // it is kept in memory
		words := strings.TrimSpace(b.clean.text(out.String()))
		if r := []rune(words); len(r) > maxTryWords {
			words = "…" + string(r[len(r)-maxTryWords:])
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return false, "It was ended after a minute: it must be quick.\n" + words, nil
		case err != nil:
			return false, words, err
		}
		return code == 0, strings.TrimSpace(fmt.Sprintf("It ended with exit %d.\n%s", code, words)), nil
	}
}

// asks looks by reading a page. Of what it says nothing is told: that is web_read's.
func (b *bound) asks(u *url.URL) func(context.Context) (bool, string, error) {
	return func(ctx context.Context) (bool, string, error) {
		a, err := b.fetch(ctx, u)
		if err != nil {
			return false, b.clean.line(err.Error(), 300), nil
		}
		return a.status >= 200 && a.status < 300, fmt.Sprintf("It answered %d %s.", a.status, a.words), nil
	}
}

func (b *bound) waitingForFile(ctx context.Context, args waitForArgs) (Waiting, error) {
	p, err := b.target("wait_for", "file", args.File)
	if err != nil {
		return Waiting{}, err
	}
	paths := p.paths()
	if !p.there { // it is looked for where it will be
		dir := p.real
		for dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
			if _, err := os.Stat(dir); err == nil {
				break
			}
		}
		paths = []string{dir}
	}
	if err := b.may(ctx, engine.Permission{Tool: "Read", Kind: engine.KindRead, Subject: p.shown, Paths: paths}); err != nil {
		return Waiting{}, err
	}
	name := b.clean.line(p.shown, 200)
	w := Waiting{Every: fileEvery}
	switch {
	case args.Text != "":
		w.Says = "until " + name + " holds " + strconv.Quote(b.clean.line(args.Text, 100))
		w.Look = func(context.Context) (bool, string, error) {
			raw, err := p.fresh().whole()
			return err == nil && bytes.Contains(raw, []byte(args.Text)), "", nil
		}
	case args.State == "gone":
		w.Says = "until " + name + " is gone"
		w.Look = func(context.Context) (bool, string, error) { return !isThere(p.real), "", nil }
	case args.State == "changed":
		if !p.there {
			return Waiting{}, b.missing("wait_for", p)
		}
		before, err := p.mark()
		if err != nil {
			return Waiting{}, err
		}
		w.Says = "until " + name + " changes"
		w.Look = func(context.Context) (bool, string, error) {
			now, err := p.mark()
			return err != nil || now != before, "", nil
		}
	default:
		w.Says = "until " + name + " exists"
		w.Look = func(context.Context) (bool, string, error) { return isThere(p.real), "", nil }
	}
	return w, nil
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// whole reads a file that is waited for, up to the size that is looked into.
func (p target) whole() ([]byte, error) {
	f, _, err := p.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFileSearch))
}

// mark changes with a file or a folder.
func (p target) mark() (string, error) {
	info, err := os.Lstat(p.real)
	if err != nil {
		return "", p.trouble("look at", err)
	}
	mark := fmt.Sprint(info.Size(), info.ModTime().UnixNano(), info.Mode())
	if info.Mode().IsRegular() && info.Size() < 1<<20 {
		if raw, err := p.whole(); err == nil {
			mark = fmt.Sprintf("%x", sha256.Sum256(raw)) // written anew with the same words is no change
		}
	}
	return mark, nil
}

// Tell is what the model is told when a waiting ended, without its frame.
func (o Woke) Tell(w Waiting) string {
	took := o.Took.Round(time.Second).String()
	text := "You waited " + w.Says + ". It has happened, after " + took + "."
	if !o.Happened {
		text = "You waited " + w.Says + ". It has not happened in " + took + ": find out why, wait again, or say how things stand."
	}
	if o.Words != "" {
		text += "\nThe last look, quoted:\n" + handoff.Defuse(o.Words)
	}
	return text
}
