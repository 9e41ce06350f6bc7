package apps

import (
	"context"
	"errors"
	"net/url"
	"time"

	"conch/child"
)

// Report is what came of connecting an app.
type Report struct {
	App     App
	Problem *Problem // nil: it is connected
	Listing Listing
	Took    time.Duration // until its tools were known, or until it was given up
}

// Look says what keeps an app from being connected, as far as it is seen without
// trying: nil for nothing. It starts nothing and calls nobody.
func (b *Bridge) Look(a App) *Problem {
	var err error
	switch {
	case a.URL != "":
		if u, e := url.Parse(a.URL); e != nil || u.Host == "" {
			err = &setupError{"its url is no address", "mend it in config.toml"}
		} else if _, err = b.environment(a); err == nil {
			return nil
		}
	case len(a.Command) == 0 || a.Command[0] == "":
		err = &setupError{"it has neither a command nor a url", "give it one of the two in config.toml"}
	default:
		if _, ok := child.Look(a.Command[0], child.Environ(b.o.Environ, nil, nil, b.added(a))); ok {
			return nil
		}
		err = child.ErrNotFound
	}
	p := b.problem(a, err)
	return &p
}

// Test connects an app for a moment and reads what it offers, as a turn would. It
// does not wait for the program's end; Close does.
// folder is where a program is started, and told to an app on this machine.
func (b *Bridge) Test(ctx context.Context, a App, folder string) Report {
	r := Report{App: a}
	began := b.o.Now()
	o, err := b.patiently(ctx, a, wishes{folder: folder})
	r.Took = b.o.Now().Sub(began)
	if err != nil {
		p := b.problem(a, err)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) { // the caller's, not the app's own
			p = Problem{Say: "it was not there after " + seconds(r.Took.Round(time.Second)), Next: "conch apps test " + a.ID + " waits longer"}
		}
		r.Problem = &p
		return r
	}
	b.work.Go(o.close) // some programs take their time to end
	r.Listing = o.list
	b.learn(a, o.list)
	return r
}
