package cells

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestCutKeepsWholeClustersAndTheWidth(t *testing.T) {
	for _, s := range []string{"plain words", "日本語のファイル", "👨‍👩‍👧‍👦 family", "\x1b[31m界界\x1b[m界", "e\u0301e\u0301", ""} {
		for _, m := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
			for width := range 20 {
				got := Cut(m, s, width, "…")
				if w := m.StringWidth(got); w > width {
					t.Errorf("method %d: Cut(%q, %d) = %q takes %d cells", m, s, width, got, w)
				}
			}
		}
	}
	if got := Cut(ansi.GraphemeWidth, "\x1b[31m界界界\x1b[m", 4, "…"); got != "\x1b[31m界…\x1b[m" {
		t.Errorf("a style that was opened is not closed: %q", got)
	}
}
