package apps

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/child"
	"conch/plain"
	"conch/redact"
)

// errSetup is wrapped by what config.toml or the environment has to change.
var errSetup = errors.New("set up")

// setupError is a failure of the app's entry in config.toml.
type setupError struct{ say, next string }

func (e *setupError) Error() string { return e.say }
func (e *setupError) Unwrap() error { return errSetup }

// Problem is why an app can't be connected, as a person reads it.
type Problem struct {
	Say    string // a part of a sentence: "nothing listens at 127.0.0.1:3001"
	Next   string // the one next step
	Detail string // what the program said last on stderr, cleaned; "" for none
}

// problem puts a failure into words.
func (b *Bridge) problem(a App, err error) Problem {
	p := b.explain(a, err)
	p.Say, p.Next = b.clean(p.Say, 300), b.clean(p.Next, 300)
	var exit *exitError
	if errors.As(err, &exit) {
		text := b.redacted(plain.Text(exit.last))
		if r := []rune(strings.TrimSpace(text)); len(r) > 1000 {
			text = "…" + string(r[len(r)-1000:])
		}
		p.Detail = strings.TrimSpace(text)
	}
	return p
}

func (b *Bridge) explain(a App, err error) Problem {
	var setup *setupError
	var status *statusError
	var exit *exitError
	var dns *net.DNSError
	var aside *url.Error
	where := hostOf(a.URL)
	switch {
	case errors.As(err, &setup):
		return Problem{Say: setup.say, Next: setup.next}
	case errors.Is(err, child.ErrNotFound):
		return Problem{Say: a.Command[0] + " is not there, or can't be run", Next: "install it, or mend its command in config.toml"}
	case errors.As(err, &exit):
		return Problem{Say: "the program ended at once (" + exit.words + ")", Next: "run it yourself to see why: " + strings.Join(a.Command, " ")}
	case errors.As(err, &status):
		return ofStatus(a, status)
	case errors.Is(err, errSlow):
		return Problem{Say: "it did not answer within " + seconds(b.limits.connect), Next: a.again()}
	case untrusted(err):
		return Problem{Say: "the certificate of " + where + " can't be trusted: " + innermost(err), Next: "mend the address or the server's certificate"}
	case errors.As(err, &dns):
		if dns.IsTemporary || dns.IsTimeout {
			return Problem{Say: "the name " + dns.Name + " can't be looked up now", Next: "try again when the network is there"}
		}
		return Problem{Say: "nobody knows the name " + dns.Name, Next: "mend its url in config.toml"}
	case errors.Is(err, syscall.ECONNREFUSED):
		return Problem{Say: "nothing listens at " + where, Next: "start it, or mend its url in config.toml"}
	case errors.Is(err, errElsewhere):
		return Problem{Say: where + " sends on to another host, which must not have your credentials", Next: "put the address that it names into config.toml"}
	case errors.Is(err, errTooLarge):
		return Problem{Say: "it sent more than Conch takes in one message", Next: a.again()}
	case errors.Is(err, mcp.ErrConnectionClosed), errors.Is(err, io.EOF), errors.Is(err, mcp.ErrSessionMissing):
		return Problem{Say: "it closed the connection", Next: a.again()}
	case errors.Is(err, context.Canceled):
		return Problem{Say: "it was stopped before it was there", Next: a.again()}
	}
	if wire := ofApp(err); wire != nil {
		return Problem{Say: "it answered with an error: " + said(wire), Next: a.again()}
	}
	if errors.As(err, &aside) {
		err = aside.Err
	}
	return Problem{Say: err.Error(), Next: a.again()}
}

func ofStatus(a App, e *statusError) Problem {
	say := fmt.Sprintf("%s answered HTTP %d", hostOf(a.URL), e.code)
	if text := http.StatusText(e.code); text != "" {
		say += " (" + text + ")"
	}
	switch {
	case e.code == http.StatusUnauthorized || e.code == http.StatusForbidden:
		if len(a.HeadersEnv)+len(a.HeadersKeyring) == 0 {
			return Problem{Say: say, Next: `it wants to know who you are: headers_env = { Authorization = "VAR" } in config.toml`}
		}
		return Problem{Say: say, Next: "see whether the value of its header is still good"}
	case e.code == http.StatusNotFound || e.code == http.StatusMethodNotAllowed || e.code == http.StatusGone:
		return Problem{Say: say + ": no MCP there", Next: "mend its url in config.toml; many end in /mcp"}
	}
	return Problem{Say: say, Next: a.again()}
}

// again is the next step where there is no better one.
func (a App) again() string { return "try it: conch apps test " + a.ID }

// untrusted reports a failure of TLS.
func untrusted(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &certificate) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.As(err, &unknown) || errors.As(err, &host) || errors.As(err, &invalid) || strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

func innermost(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "its address"
	}
	return u.Host
}

// seconds writes a limit: "30 seconds", "5 minutes".
func seconds(d time.Duration) string {
	switch {
	case d >= 2*time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	case d >= 2*time.Second:
		return fmt.Sprintf("%d seconds", d/time.Second)
	}
	return d.String()
}

// clean is a word from outside on one line, without keys.
func (b *Bridge) clean(s string, max int) string {
	return plain.Line(b.redacted(plain.Line(s, 4*max)), max)
}

// redacted takes keys out, those that Conch was given too.
func (b *Bridge) redacted(s string) string {
	b.mu.Lock()
	sent := b.sent
	b.mu.Unlock()
	if sent != nil {
		s, _ = sent.Redact(s)
	}
	if b.o.Keys != nil {
		s, _ = b.o.Keys.Redact(s)
		return s
	}
	s, _ = redact.Redact(s)
	return s
}

// keep notes the value of a header, to know it where an app gives it back: whole, and
// without the word before it ("Bearer").
func (b *Bridge) keep(value string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.Contains(b.values, value) {
		return
	}
	b.values = append(b.values, value)
	if _, key, ok := strings.Cut(value, " "); ok {
		b.values = append(b.values, key)
	}
	b.sent = redact.New(b.values...)
}
