package modelapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"time"
)

const (
	mostTries = 5 // of one request
	mostDrops = 2 // how often an answer that broke off is asked for anew
)

// ask gets one answer: a request that fails in passing is sent again, one that the
// server can't take as it is goes out in another form. What was shown of an answer
// that broke off is taken back.
func (t *turn) ask(ctx context.Context) (*answer, error) {
	for tries, drops := 1, 0; ; {
		r := t.request()
		shown := t.saying()
		a, err := t.once(ctx, r, shown)
		if err == nil {
			t.accept()
			shown.done(false)
			return a, nil
		}
		if ctx.Err() != nil {
			t.stopped(a)
			return nil, ctx.Err()
		}
		begun := !a.empty()
		if begun {
			shown.done(true)
		}
		var no *refusal
		if errors.As(err, &no) {
			if learned := t.e.adapt(r, no); learned != "" {
				t.without(learned)
				continue
			}
		}
		if !t.again(err) {
			return nil, err
		}
		if begun {
			if drops++; drops > mostDrops {
				return nil, err
			}
		} else if tries++; tries > mostTries {
			return nil, err
		}
		wait, ok := t.e.wait(err, max(tries-1, drops))
		if !ok {
			return nil, err
		}
		t.silence.Say(waiting(t.e.name, err, wait))
		if err := t.e.opts.Nap(ctx, wait); err != nil {
			return nil, err
		}
		t.silence.Stir()
	}
}

// without goes on without something that the server does not take.
func (t *turn) without(what quirk) {
	if what == noTools {
		t.unarm()
	}
	if words := what.said(t.e.name, t.model); words != "" {
		t.notice("not-taken", words)
	}
}

// stopped keeps what was said of an answer that the person stopped.
func (t *turn) stopped(a *answer) {
	if !t.accepted {
		return
	}
	if text := strings.TrimSpace(a.text.String()); text != "" {
		t.s.history = append(t.s.history, message{Role: ofModel, Text: text})
	}
}

// again reports that the same request may go better in a moment.
func (t *turn) again(err error) bool {
	var (
		no   *refusal
		gone dropped
	)
	switch {
	case errors.As(err, &no):
		return no.passing()
	case errors.As(err, &gone):
		return !errors.Is(err, errRedirect) && !t.e.hopeless(err)
	}
	return false
}

// hopeless reports that nobody is there: a server of one's own that does not run,
// a name that there is none of, a certificate that is not trusted.
func (e *Engine) hopeless(err error) bool {
	var (
		dial *net.OpError
		name *net.DNSError
	)
	if errors.As(err, &name) && name.IsNotFound {
		return true
	}
	if errors.As(err, &dial) && dial.Op == "dial" && e.at.local() {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "certificate") || strings.Contains(text, "server gave HTTP response to HTTPS client")
}

// wait is how long is waited before a request is sent again: as long as the server
// asks for, else twice as long each time. ok is false when it asks for too long.
func (e *Engine) wait(err error, n int) (d time.Duration, ok bool) {
	var no *refusal
	if errors.As(err, &no) && no.after > 0 {
		return no.after, no.after <= e.times.MaxRetry
	}
	d = time.Duration(float64(e.times.Retry) * math.Pow(2, float64(max(0, n-1))))
	return min(d, e.times.MaxRetry), true
}

// waiting says what is waited for.
func waiting(name string, err error, d time.Duration) string {
	why := name + " did not answer"
	var (
		no   *refusal
		gone dropped
	)
	switch {
	case errors.As(err, &no) && no.busy():
		why = name + " is busy"
	case errors.As(err, &no):
		why = name + " failed (" + no.Error() + ")"
	case errors.As(err, &gone):
		why = "the connection to " + name + " broke"
	}
	return fmt.Sprintf("%s, trying again in %s", why, span(d))
}

// span is a duration as a person says it.
func span(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%d s", int(math.Ceil(d.Seconds())))
}
