package markdown

import (
	"strings"
	"testing"
	"time"
)

// What takes the parser's time squared is bounded: a text that is made to hang a
// program doesn't. The limit is a hundred times what these take.
func TestNoTextHangsTheScreen(t *testing.T) {
	th := colourTheme()
	for _, unit := range []string{"[", "[a](", "![", "> ", "> - ", "- ", "1. ", "[a]: b\n", "https://a ", "**a", "`a``b"} {
		src := strings.Repeat(unit, 100_000/len(unit))
		start := time.Now()
		Render(src, 80, th)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("100 KB of %q take %v", unit, d)
		}
	}
}

func TestWhatIsNestedTooDeepIsText(t *testing.T) {
	lines := Render(strings.Repeat("> ", 100)+"deep", 200, plainTheme())
	if len(lines) != 1 || !strings.HasSuffix(lines[0], "deep") {
		t.Errorf("%q", lines)
	}
}
