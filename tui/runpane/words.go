package runpane

import (
	"strconv"
	"strings"
	"time"

	"conch/allchat/record"
	"conch/plain"
)

// State is the run's state in words.
func (p *Pane) State() string { return p.run.Word() }

// Word is the run's state in words.
func (r Run) Word() string {
	switch {
	case r.Problem == record.FutureVersion:
		return "of a newer Conch (read-only)"
	case r.Problem == record.Storage:
		return "can't be read"
	case r.Problem != "":
		return "damaged (read-only)"
	}
	word := string(r.State.Phase())
	if open := r.State.End == "" && !r.State.Interrupted; open && !r.View && (r.Waiting() || r.State.Phase() == record.PhaseWaiting) {
		word = "waiting for you"
	}
	if r.View && r.State.End == "" && !r.State.Interrupted {
		word += " (read-only)"
	}
	return word
}

// Ended tells that nothing more can happen in the run.
func (r Run) Ended() bool { return r.Problem != "" || r.State.End != "" }

// Title is what the person asked for first, on one line.
func (r Run) Title() string {
	for _, e := range r.State.Events {
		if b, ok := e.Body.(record.PersonMessage); ok {
			return plain.Line(b.Text.String(), 200)
		}
	}
	return ""
}

// because says a code in words.
func because(c record.Code) string {
	switch c {
	case record.Limit:
		return "a bound was reached"
	case record.LeaseHeld:
		return "another conch has the project's runs"
	case record.Storage:
		return "the disk would not take it"
	case record.SignedOut:
		return "not signed in"
	case record.Unsupported:
		return "its program can't do that"
	case record.ResponseInvalid:
		return "its program broke the protocol"
	case record.Unavailable:
		return "its program could not be reached"
	case record.Cancelled:
		return "cancelled"
	case record.Timeout:
		return "it took too long"
	case record.Unapproved:
		return "nobody approved exactly this"
	case record.Stale:
		return "a file is not as it was read"
	case record.Outside:
		return "a path leaves the project"
	}
	return strings.ReplaceAll(string(c), "-", " ")
}

// roleName is how a participant is called: its number in the header and its role.
func (p *Pane) roleName(who record.Who) string {
	switch who {
	case record.Person:
		return "you"
	case record.Conch:
		return "conch"
	}
	each, n := p.Of(who)
	if n == 0 {
		return string(who)
	}
	return strconv.Itoa(n) + " " + string(each.Role)
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// lasted is how long something runs, "" below a second.
func lasted(d time.Duration) string {
	switch s := int(d / time.Second); {
	case s < 1:
		return ""
	case s < 60:
		return strconv.Itoa(s) + " s"
	case s < 3600:
		return strconv.Itoa(s/60) + " min " + strconv.Itoa(s%60) + " s"
	default:
		return strconv.Itoa(s/3600) + " h " + strconv.Itoa(s/60%60) + " min"
	}
}

// size is a number of bytes as a person reads it.
func size(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return strconv.FormatFloat(float64(n)/1024, 'f', 1, 64) + " KB"
}
