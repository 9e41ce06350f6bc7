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
		s := strings.TrimSpace(v.text())
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return isoTime(s)
		}
	}
	f, ok := v.number()
	if !ok || f <= 0 || f >= 1<<53 {
		return 0
	}
	if f < 1e12 {
		return int64(f * 1000)
	}
	return int64(f)
}

func isoTime(s string) int64 {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05Z07:00", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1970 && t.Year() < 10000 {
			return t.UnixMilli()
		}
	}
	return 0
}
