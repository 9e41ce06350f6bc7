package tui

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// number groups thousands: 1,284.
func number(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// lasted is how long something runs: "4 s", "2 min 5 s", "" below a second.
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

// short writes a path below the person's home with ~.
func short(path, home string) string {
	if home == "" {
		return path
	}
	if path == home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(home, string(filepath.Separator))+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}
