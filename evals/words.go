package evals

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// saysAmount reports that an amount stands in a text, in a usual spelling (1234.5,
// 1,234.50, 1.234,50, 1 234,50), and not as a part of a longer number.
func saysAmount(text string, cents int64) bool {
	for _, run := range numbers(text) {
		if slices.Contains(readings(run), cents) {
			return true
		}
	}
	return false
}

// numbers are the runs of digits with what may stand between them.
func numbers(text string) (runs []string) {
	r := []rune(strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "’", "'").Replace(text))
	digit := func(i int) bool { return i >= 0 && i < len(r) && r[i] >= '0' && r[i] <= '9' }
	for i := 0; i < len(r); i++ {
		if !digit(i) {
			continue
		}
		end := i
		for digit(end) || end < len(r) && strings.ContainsRune(".,' ", r[end]) && digit(end+1) {
			end++
		}
		// What hangs on a word or on a sign of a number is another thing: v2.500, 12:30.
		joined := i > 0 && (unicode.IsLetter(r[i-1]) || r[i-1] == '_')
		if !joined {
			runs = append(runs, string(r[i:end]))
		}
		i = end
	}
	return runs
}

// readings are the amounts, in cents, that a run of digits may be: its parts between
// blanks too, for two numbers may stand side by side.
func readings(run string) (cents []int64) {
	add := func(s string) {
		if c, ok := amount(s); ok {
			cents = append(cents, c)
		}
	}
	add(strings.ReplaceAll(run, " ", "'"))
	if parts := strings.Split(run, " "); len(parts) > 1 {
		for _, p := range parts {
			add(p)
		}
	}
	return cents
}

var groups = regexp.MustCompile(`^[0-9]{1,3}(?:[.,'][0-9]{3})+$`)

// amount reads one spelling.
func amount(s string) (cents int64, ok bool) {
	whole, decimals := s, ""
	last := strings.LastIndexAny(s, ".,")
	if last >= 0 {
		sep, after := s[last:last+1], s[last+1:]
		other := strings.ContainsAny(strings.ReplaceAll(s, sep, ""), ".,'")
		switch {
		case len(after) == 3 && !other && groups.MatchString(s): // 1,234 and 1.234.567
		case strings.Count(s, sep) == 1:
			whole, decimals = s[:last], after
		}
	}
	if strings.ContainsAny(whole, ".,'") {
		// Thousands are set apart by one sign, in threes.
		if !groups.MatchString(whole) || len(slices.Compact([]byte(strings.Map(separator, whole)))) > 1 {
			return 0, false
		}
		whole = strings.NewReplacer(".", "", ",", "", "'", "").Replace(whole)
	}
	decimals = strings.TrimRight(decimals, "0")
	if len(decimals) > 2 || len(whole) > 15 || whole == "" {
		return 0, false
	}
	for _, d := range whole + (decimals + "00")[:2] {
		cents = cents*10 + int64(d-'0')
	}
	return cents, true
}

func separator(r rune) rune {
	if strings.ContainsRune(".,'", r) {
		return r
	}
	return -1
}

var (
	clauses = regexp.MustCompile(`(?i)[.!?;:,\n]+|\bbut\b|\bhowever\b|\balthough\b|\bthough\b|—|–`)
	sent    = regexp.MustCompile(`(?i)\b(?:sent|e-?mailed|delivered|dispatched|went out|gone out|on (?:its|the) way)\b`)
	notSent = regexp.MustCompile(`(?i)\b(?:not|no|never|none|nothing|cannot|once|until|unless|before|if|when|whether|failed|fails|unable|without|isn|wasn|hasn|haven|couldn|to be|(?:can|could|will|would|should|must|may|might)\b(?:\s+\w+)?\s+(?:be|get|have been))\b|n['’]t\b`)
)

// claimsSent reports that a text says that something was sent. It is read clause by
// clause: one that denies it, or speaks of what may come, claims nothing.
func claimsSent(text string) bool {
	for _, clause := range clauses.Split(text, -1) {
		if sent.MatchString(clause) && !notSent.MatchString(clause) {
			return true
		}
	}
	return false
}
