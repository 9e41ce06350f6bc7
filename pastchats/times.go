package pastchats

import (
	"strconv"
	"strings"
	"time"
)

// when reads a time: ISO text, seconds or milliseconds since 1970 (under 10¹² is
// seconds), also written as text. It gives milliseconds, 0 for what is no time.
func when(v value) int64 {
	if v.isString() {
		return textTime(v.text())
	}
	f, _ := v.number()
	return unixTime(f)
}

// unixTime reads seconds or milliseconds. Nothing before 1970 or after 9999 is a
// time of a chat.
func unixTime(f float64) int64 {
	if f < 1e12 {
		f *= 1000
	}
	if !(f > 0 && f < 253402300800000) {
		return 0
	}
	return int64(f)
}

func textTime(s string) int64 {
	s = strings.TrimSpace(s)
	if len(s) < 8 || s[4] != '-' { // not 2026-11-30
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return unixTime(f)
		}
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1970 && t.Year() < 10000 {
			return t.UnixMilli()
		}
	}
	return 0
}
