package cli

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Unheard counts the messages of kinds that a provider's program sent and Conch
// ignored, by kind. A provider that can say so is asked at the end.
type unhearing interface{ Unheard() map[string]int }

const unheardMark = "unheard"

// noteUnheard keeps the counts in the log, where doctor finds them.
func (a *app) noteUnheard() {
	for _, e := range a.engines {
		u, ok := e.(unhearing)
		if !ok {
			continue
		}
		for kind, n := range u.Unheard() {
			a.logger().Info(unheardMark, "provider", e.Info().ID, "kind", kind, "count", n)
		}
	}
}

// unheardBefore sums what earlier runs kept, by provider and kind.
func (a *app) unheardBefore() map[string]map[string]int {
	sum := map[string]map[string]int{}
	for _, name := range []string{logName + ".1", logName} {
		f, err := os.Open(filepath.Join(a.home, "log", name))
		if err != nil {
			continue // no log, nothing heard of
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			provider, kind, n, ok := readUnheard(lines.Text())
			if !ok {
				continue
			}
			if sum[provider] == nil {
				sum[provider] = map[string]int{}
			}
			sum[provider][kind] += n
		}
		_ = f.Close() // only read
	}
	return sum
}

// readUnheard reads a line that noteUnheard wrote.
func readUnheard(line string) (provider, kind string, n int, ok bool) {
	_, rest, ok := strings.Cut(line, " msg="+unheardMark+" provider=")
	if !ok {
		return "", "", 0, false
	}
	provider, rest, ok1 := strings.Cut(rest, " kind=")
	i := strings.LastIndex(rest, " count=")
	if !ok1 || i < 0 {
		return "", "", 0, false
	}
	kind = rest[:i]
	if strings.HasPrefix(kind, `"`) {
		if kind, _ = strconv.Unquote(kind); kind == "" {
			return "", "", 0, false
		}
	}
	n, err := strconv.Atoi(rest[i+len(" count="):])
	return provider, kind, n, err == nil && n > 0
}
