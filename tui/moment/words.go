package moment

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"conch/pastchats"
)

// Gathered are names in a row: "Claude Code, Codex and OpenCode".
func Gathered(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Sum says what a run did, in one line.
func Sum(r pastchats.Result) string {
	brought := r.Added + r.Updated
	var parts []string
	switch {
	case r.Stopped && brought == 0:
		parts = append(parts, "stopped, nothing was brought in yet")
	case r.Stopped:
		parts = append(parts, "stopped", grouped(brought)+" brought in, and they stay")
	case brought == 0 && r.Skipped == 0 && r.Wordless == 0:
		return "nothing new was there"
	default:
		parts = append(parts, grouped(brought)+" brought in")
	}
	if r.Wordless > 0 {
		parts = append(parts, grouped(r.Wordless)+" without words")
	}
	if r.Skipped > 0 {
		parts = append(parts, grouped(r.Skipped)+" couldn't be read")
	}
	if r.Redacted > 0 {
		parts = append(parts, count(r.Redacted, "key", "keys")+" taken out")
	}
	return strings.Join(parts, " · ")
}

// Far says how far a run is: "612 of 1,284 · Codex · 9 s left".
func (m *Moment) Far(now time.Time) string {
	p := m.progress
	if p.Total == 0 {
		return "looking through them"
	}
	words := grouped(p.Done) + " of " + grouped(p.Total)
	if m.state == Stopping {
		return words + " · stopping"
	}
	if p.App != "" {
		words += " · " + p.App
	}
	if left, ok := m.left(now); ok {
		words += " · " + lasts(left) + " left"
	}
	return words
}

// share is how much of the work is done, by size where sizes are known.
func (m *Moment) share() float64 {
	p := m.progress
	switch {
	case p.Total > 0 && p.Done >= p.Total:
		return 1
	case p.Of > 0:
		return min(float64(max(p.Bytes, 0))/float64(p.Of), 1)
	case p.Total > 0:
		return float64(max(p.Done, 0)) / float64(p.Total)
	}
	return 0
}

func (m *Moment) since() time.Time {
	if m.progress.Since.IsZero() {
		return m.began
	}
	return m.progress.Since
}

// left is about how long the rest takes; ok is false while there is too little to
// go by.
func (m *Moment) left(now time.Time) (time.Duration, bool) {
	share, gone := m.share(), now.Sub(m.since())
	if share < 0.02 || share >= 1 || gone < time.Second || gone > 24*time.Hour {
		return 0, false
	}
	return time.Duration(float64(gone) * (1 - share) / share), true
}

// rate is how fast it goes: "38 MB/s", or chats where sizes are not known.
func (m *Moment) rate(now time.Time) string {
	p, gone := m.progress, now.Sub(m.since()).Seconds()
	if gone < 1 || p.Done == 0 {
		return ""
	}
	if p.Bytes > 0 {
		mb := float64(p.Bytes) / 1e6 / gone
		if mb < 10 {
			return strconv.FormatFloat(mb, 'f', 1, 64) + " MB/s"
		}
		return grouped(int(mb)) + " MB/s"
	}
	return grouped(int(float64(p.Done)/gone)) + " a second"
}

func lasts(d time.Duration) string {
	switch s := int(d.Round(time.Second) / time.Second); {
	case s < 1:
		return "1 s"
	case s < 90:
		return strconv.Itoa(s) + " s"
	case s < 90*60:
		return strconv.Itoa((s+30)/60) + " min"
	default:
		return fmt.Sprintf("%.1f h", float64(s)/3600)
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

func grouped(n int) string {
	s := strconv.Itoa(max(n, 0))
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
