package search

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Parse takes a typed line apart: words, "quoted phrases", app:, project:,
// since:, until: (2026, 2026-10, 2026-10-03, today, yesterday, 3d, 2w, 6m) and
// from:me. What is no filter is a word; it never fails. now dates the relative
// ones and says where the days begin.
func Parse(typed string, now time.Time) Query {
	q := Query{Typed: typed}
	rest := typed
	for {
		rest = strings.TrimLeftFunc(rest, blank)
		if rest == "" {
			return q
		}
		var token string
		var quoted bool
		if token, rest, quoted = quotedToken(rest); quoted {
			if token != "" {
				q.Phrases = append(q.Phrases, token)
			}
			continue
		}
		token, rest = plainToken(rest)
		name, value, ok := strings.Cut(token, ":")
		if ok && q.filter(strings.ToLower(name), value, &rest, now) {
			continue
		}
		q.Words = append(q.Words, token)
	}
}

// Empty reports that nothing is asked for: no word and no filter.
func (q Query) Empty() bool {
	return len(q.Words) == 0 && len(q.Phrases) == 0 && !q.filtered()
}

func (q Query) filtered() bool {
	return len(q.Apps) > 0 || len(q.Projects) > 0 || !q.Since.IsZero() || !q.Until.IsZero() || q.FromMe
}

// blank parts words. NUL does too: it can be pasted and never searched.
func blank(r rune) bool { return unicode.IsSpace(r) || r == 0 }

// quotedToken takes a phrase in quotes, straight or curly. An opening quote that
// is never closed opens nothing.
func quotedToken(s string) (phrase, rest string, ok bool) {
	open, size := utf8.DecodeRuneInString(s)
	var closing string
	switch open {
	case '"':
		closing = `"`
	case '“', '„':
		closing = "”“\""
	case '«':
		closing = "»"
	default:
		return "", s, false
	}
	end := strings.IndexAny(s[size:], closing)
	if end < 0 {
		return "", s, false
	}
	phrase, rest = s[size:size+end], s[size+end:]
	_, size = utf8.DecodeRuneInString(rest)
	return phrase, rest[size:], true
}

func plainToken(s string) (token, rest string) {
	if end := strings.IndexFunc(s, blank); end >= 0 {
		return s[:end], s[end:]
	}
	return s, ""
}

// filter takes a filter in. A value that begins with a quote goes on to the next
// one. What has no value yet, or one that cannot be meant, is a word.
func (q *Query) filter(name, value string, rest *string, now time.Time) bool {
	switch name {
	case "app", "project", "since", "until", "from":
	default:
		return false
	}
	more := *rest
	if strings.HasPrefix(value, `"`) {
		whole := value + more
		phrase, after, ok := quotedToken(whole)
		if ok {
			value, more = phrase, after
		} else {
			value = value[1:]
		}
	}
	value = strings.TrimSpace(value)
	if value == "" {
		return false
	}
	switch name {
	case "app":
		q.Apps = append(q.Apps, value)
	case "project":
		q.Projects = append(q.Projects, value)
	case "since":
		from, _, ok := when(value, now)
		if !ok {
			return false
		}
		q.Since = from
	case "until":
		_, to, ok := when(value, now)
		if !ok {
			return false
		}
		q.Until = to
	case "from":
		if !strings.EqualFold(value, "me") {
			return false
		}
		q.FromMe = true
	}
	*rest = more
	return true
}

// when reads a date: the time that it begins and the time that it is over.
func when(s string, now time.Time) (from, to time.Time, ok bool) {
	s = strings.ToLower(s)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch s {
	case "today":
		return today, today.AddDate(0, 0, 1), true
	case "yesterday":
		return today.AddDate(0, 0, -1), today, true
	}
	if from, to, ok := ago(s, today, now); ok {
		return from, to, true
	}
	for _, form := range []struct {
		layout  string
		y, m, d int
	}{
		{"2006-1-2", 0, 0, 1}, {"2006/1/2", 0, 0, 1}, {"2.1.2006", 0, 0, 1}, {"20060102", 0, 0, 1},
		{"2006-1", 0, 1, 0}, {"2006/1", 0, 1, 0}, {"2006", 1, 0, 0},
	} {
		if from, err := time.ParseInLocation(form.layout, s, now.Location()); err == nil && from.Year() > 0 {
			return from, from.AddDate(form.y, form.m, form.d), true
		}
	}
	if at, err := time.Parse(time.RFC3339, strings.ToUpper(s)); err == nil {
		return at, at, true
	}
	return from, to, false
}

// ago reads 3d, 2w, 6m, 1y and 12h: days, weeks and months before today, hours
// before now. It is over when that day is.
func ago(s string, today, now time.Time) (from, to time.Time, ok bool) {
	if len(s) < 2 {
		return from, to, false
	}
	n, err := strconv.Atoi(s[:len(s)-1])
	if err != nil || n < 0 || n > 10000 || s[0] == '+' || s[0] == '-' {
		return from, to, false
	}
	switch s[len(s)-1] {
	case 'h':
		at := now.Add(-time.Duration(n) * time.Hour)
		return at, at, true
	case 'd':
		from = today.AddDate(0, 0, -n)
	case 'w':
		from = today.AddDate(0, 0, -7*n)
	case 'm':
		from = today.AddDate(0, -n, 0)
	case 'y':
		from = today.AddDate(-n, 0, 0)
	default:
		return from, to, false
	}
	if from.Year() < 1 {
		return from, to, false
	}
	return from, from.AddDate(0, 0, 1), true
}
