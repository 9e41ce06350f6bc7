package allchat

import (
	"context"
	"errors"
	"strings"

	"conch/allchat/change"
	"conch/allchat/record"
	"conch/plain"
)

// Sentence says in words for the person what an error of this package means, and one
// next step, "" for none.
func Sentence(err error) (says, next string) {
	var notReady *NotReady
	var refused *change.Refusal
	var coded *record.Error
	switch {
	case err == nil:
		return "", ""
	case errors.Is(err, context.Canceled):
		return "It was stopped.", ""
	case errors.As(err, &notReady):
		return whole(notReady.Problem), notReady.Next
	case errors.As(err, &refused):
		says := "Nothing was changed: " + refused.Why
		if refused.Half {
			says = "The change could not be made whole, nor taken back whole: " + refused.Why
		}
		if len(refused.Paths) > 0 {
			says += " (" + strings.Join(refused.Paths[:min(len(refused.Paths), 8)], ", ") + ")"
		}
		switch {
		case refused.Half:
			return whole(says), "look at these files; opening the run again tries to put them back"
		case refused.Code == change.Stale:
			return whole(says), "ask for the proposal again"
		}
		return whole(says), ""
	case errors.As(err, &coded):
		return sentenceOf(coded)
	}
	return whole(plain.Line(err.Error(), maxNotice)), ""
}

func sentenceOf(e *record.Error) (says, next string) {
	if e.What == otherFolder {
		return whole(e.What), "start conch there, or name the folder with -C"
	}
	switch e.Code {
	case record.LeaseHeld:
		return "Another conch has a run of this folder open.", "close it there, or look at this one read-only"
	case record.Damaged:
		return "The record of this run is damaged: it is shown up to the last part that is whole, and never written to.", "start another run"
	case record.FutureVersion:
		return "This run is of a newer Conch.", "update Conch to open it"
	case record.Storage:
		return "The record of this run can't be written, so nothing more is sent.", "make room or mend the folder, then open the run again"
	case record.GenerationStale, record.Conflict:
		return "Something else wrote the record of this run, so nothing more is sent from here.", "open the run again"
	case record.Limit:
		return whole("A bound of the run is reached: " + orCode(e)), "start another run for what is left"
	case record.Unavailable:
		return whole(orCode(e)), "renew the sessions to go on"
	}
	return whole(orCode(e)), ""
}

func orCode(e *record.Error) string {
	what := e.What
	if what == "" {
		what = wordsOf(e.Code)
	}
	if e.Field != "" {
		what = e.Field + " " + what
	}
	return what
}

// wordsOf says a code in words, for the middle of a sentence.
func wordsOf(c record.Code) string {
	switch c {
	case record.SignedOut:
		return "its program is not signed in"
	case record.Unsupported:
		return "its program can't do that"
	case record.ResponseInvalid:
		return "what came was not taken"
	case record.Unavailable:
		return "its program could not be reached"
	case record.Cancelled:
		return "it was cancelled"
	case record.Timeout:
		return "it took too long"
	case record.Limit:
		return "a bound was reached"
	case record.Stale:
		return "a file was no longer as it had been read"
	case record.Outside:
		return "a path leads out of the project"
	case record.Unapproved:
		return "nobody approved it"
	case record.Storage:
		return "the disk would not take it"
	case "":
		return "it failed"
	}
	return string(c)
}

// whole makes a sentence: a capital and a full stop.
func whole(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "?") && !strings.HasSuffix(s, "!") {
		s += "."
	}
	return s
}

// says is the sentence of an error alone.
func says(err error) string {
	words, _ := Sentence(err)
	return words
}

func codeOr(err error, otherwise record.Code) record.Code {
	if c := record.CodeOf(err); c != "" {
		return c
	}
	return otherwise
}

func titleOf(s string) string { return plain.Line(s, 80) }
