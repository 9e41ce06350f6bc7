package allchat

import (
	"conch/allchat/record"
)

// notice says something quietly. It is shown and never committed.
func (r *Run) notice(by record.Who, code, text string) {
	r.mu.Lock()
	r.note(by, code, text)
	r.mu.Unlock()
	r.wake()
}

// note is notice with mu held.
func (r *Run) note(by record.Who, code, text string) {
	text = r.cleaner.Line(text, maxNotice).String()
	if text == "" {
		return
	}
	n := Notice{At: r.deps.Clock.Now(), By: by, Code: code, Text: text}
	switch {
	case len(r.notices) < record.MaxObservations-1:
		r.notices = append(r.notices, n)
	case len(r.notices) == record.MaxObservations-1:
		n.By, n.Code, n.Text = record.Conch, "limit", "More was said than can be shown; what follows is left out."
		r.notices = append(r.notices, n)
	}
}

// maxNotice bounds a notice, in characters.
const maxNotice = 500
