package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"conch/plain"
	"conch/redact"
	"conch/tui"
)

// maxReports is how many reports of crashes are kept.
const maxReports = 20

// report keeps a crash in the log's folder, redacted, and gives its path; "" when
// it could not be written.
func (a *app) report(c tui.Crash) string {
	home, err := homeOf(a.host)
	if err != nil {
		return ""
	}
	dir := filepath.Join(home, "log")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "conch %s\nat %s\nin %s\n", a.host.Version, a.host.Now().UTC().Format("2006-01-02T15:04:05Z"), c.Where)
	if c.Chat != "" {
		fmt.Fprintf(&b, "chat %s\n", c.Chat)
	}
	fmt.Fprintf(&b, "\n%s\n\n%s\n", c.Value, c.Stack)
	words, _ := redact.Redact(plain.Text(b.String()))

	f, err := os.CreateTemp(dir, "crash-"+a.host.Now().UTC().Format("20060102-150405.000000")+"-*.txt")
	if err != nil {
		return ""
	}
	_, err = f.WriteString(words)
	if closeErr := f.Close(); err != nil || closeErr != nil {
		return ""
	}
	tidyReports(dir)
	return f.Name()
}

func tidyReports(dir string) {
	all, err := filepath.Glob(filepath.Join(dir, "crash-*.txt"))
	if err != nil {
		return
	}
	sort.Strings(all) // by time
	for _, old := range all[:max(0, len(all)-maxReports)] {
		_ = os.Remove(old) // another conch may have done it
	}
}
