package markdown

import (
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"conch/tui/theme"
)

// checkLine holds a drawn line to what is promised of it: its width, and no
// sequence but our own styles and links.
func checkLine(t *testing.T, line string, width int) {
	t.Helper()
	if w := ansi.StringWidth(line); w > width {
		t.Fatalf("%d cells in a width of %d: %q", w, width, line)
	}
	checkBytes(t, line)
}

func checkBytes(t *testing.T, line string) {
	t.Helper()
	for i := 0; i < len(line); {
		switch {
		case strings.HasPrefix(line[i:], "\x1b["):
			end := strings.IndexFunc(line[i+2:], func(r rune) bool { return r != ';' && r != ':' && (r < '0' || r > '9') })
			if end < 0 || line[i+2+end] != 'm' {
				t.Fatalf("a sequence that is no style: %q", line)
			}
			i += 2 + end + 1
		case strings.HasPrefix(line[i:], "\x1b]8;"):
			end := strings.IndexByte(line[i:], '\a')
			if end < 0 {
				t.Fatalf("a link that does not end: %q", line)
			}
			for _, c := range []byte(line[i+4 : i+end]) {
				if c <= ' ' || c >= 0x7f {
					t.Fatalf("a link with byte %#x: %q", c, line)
				}
			}
			i += end + 1
		case line[i] < ' ' || line[i] == 0x7f:
			t.Fatalf("control character %#x: %q", line[i], line)
		default:
			i++
		}
	}
	for _, r := range line {
		if r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			t.Fatalf("control character %U: %q", r, line)
		}
	}
}

func readText(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEveryLineKeepsItsWidth(t *testing.T) {
	wide := readText(t, "wide.txt")
	texts := append([]string{
		wide,
		"- " + strings.ReplaceAll(wide, "\n", "\n- "),
		"> " + strings.ReplaceAll(wide, "\n", "\n> "),
		"```\n" + wide + "\n```\n",
		"| a | b |\n|---|:-:|\n| " + strings.ReplaceAll(strings.ReplaceAll(wide, "|", "/"), "\n", " | x |\n| ") + " | y |\n",
		strings.Repeat("> - ", 30) + "deep 界",
		strings.Repeat("**👩**\u200d🚀 *🇩*🇪 `e`\u0301 ", 10),
		"[界界](https://example.com/界?q=\u202e) <https://x.y/" + strings.Repeat("z", 300) + "> https://a.b/c_d_(e).",
	}, seeds...)
	for _, method := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
		for _, colours := range []bool{true, false} {
			th := theme.New(false, colours, theme.Unicode())
			th.Widths = method
			step := 1
			if !colours || method == ansi.WcWidth {
				step = 7
			}
			for _, src := range texts {
				for width := 1; width <= 200; width += step {
					for _, line := range Render(src, width, th) {
						if w := method.StringWidth(line); w > width {
							t.Fatalf("method %d: %d cells in a width of %d: %q", method, w, width, line)
						}
						checkBytes(t, line)
					}
				}
			}
		}
	}
}
