package markdown

import (
	"regexp"
	"strings"
	"testing"
)

// tagged makes links readable: <address|text>.
func tagged(lines []string) string {
	s := strings.Join(lines, "\n")
	s = regexp.MustCompile("\x1b\\]8;[^;]*;([^\a]+)\a").ReplaceAllString(s, "<$1|")
	s = strings.ReplaceAll(s, "\x1b]8;;\a", ">")
	return regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(s, "")
}

func TestLinksLeadOnlyWhereAPersonExpects(t *testing.T) {
	for src, want := range map[string]string{
		"[docs](https://example.com/x)":                  "<https://example.com/x|docs>",
		"[me](mailto:a@b.example)":                       "<mailto:a@b.example|me>",
		"[notes](file:///home/x/notes.md)":               "<file:///home/x/notes.md|notes>",
		"[run](javascript:alert(1))":                     "run (javascript:alert(1))",
		"[x](data:text/html,hi)":                         "x (data:text/html,hi)",
		"[service.go](cart/service.go)":                  "service.go (cart/service.go)",
		"[https://good.example](https://bad.example)":    "<https://bad.example|https://good.example> (<https://bad.example|https://bad.example>)",
		"[good.example/login](https://bad.example)":      "<https://bad.example|good.example/login> (<https://bad.example|https://bad.example>)",
		"<https://example.com/a>":                        "<https://example.com/a|https://example.com/a>",
		"<a@b.example>":                                  "<mailto:a@b.example|a@b.example>",
		"see https://example.com/a_b_(c).":               "see <https://example.com/a_b_(c)|https://example.com/a_b_(c)>.",
		"`https://example.com`":                          "https://example.com",
		"(https://example.com/x), **https://b.example**": "(<https://example.com/x|https://example.com/x>), <https://b.example|https://b.example>",
		"[a&#27;b](https://x.example/&#27;]0;y)":         "<https://x.example/%E2%90%9B]0;y|a>",
		"[](https://x.example)":                          "<https://x.example|https://x.example>",
		"![a picture](https://x.example/p.png)":          "<https://x.example/p.png|a picture>",
		"[wide](https://x.example/界)":                    "<https://x.example/%E7%95%8C|wide>",
		"xhttps://no.example ftp://no.example":           "xhttps://no.example ftp://no.example",
	} {
		if got := tagged(Render(src, 200, colourTheme())); got != want {
			t.Errorf("%q:\n got %s\nwant %s", src, got, want)
		}
	}
}

func TestWithoutLinksTheAddressIsVisible(t *testing.T) {
	for src, want := range map[string]string{
		"[docs](https://example.com/x)":                    "docs (https://example.com/x)",
		"[https://example.com](https://example.com)":       "https://example.com",
		"[a@b.example](mailto:a@b.example)":                "a@b.example",
		"[one] and [two][one]\n\n[one]: https://x.example": "one (https://x.example) and two (https://x.example)",
	} {
		if got := tagged(Render(src, 200, plainTheme())); got != want {
			t.Errorf("%q:\n got %s\nwant %s", src, got, want)
		}
	}
}

func TestALinkOverTwoLinesIsOneLink(t *testing.T) {
	got := tagged(Render("[a text of some words](https://example.com)", 12, colourTheme()))
	want := "<https://example.com|a text of>\n<https://example.com|some words>"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestAQuickLookAtEachBlock(t *testing.T) {
	for name, c := range map[string]struct {
		src, want string
		width     int
	}{
		"a nested list":           {"1. one\n   - a\n     1. x\n2. two\n10. ten", "1. one\n   • a\n     1. x\n2. two\n3. ten", 40},
		"numbers line up":         {"9. nine\n10. ten", " 9. nine\n10. ten", 40},
		"a loose list":            {"- a\n\n- b", "• a\n\n• b", 40},
		"a quote of a list":       {"> - a b c d e f\n>   g", "> • a b c d\n>   e f\n>   g", 11},
		"lines stay lines":        {"one\ntwo  \nthree", "one\ntwo\nthree", 40},
		"wide text":               {"日本語のファイル名です", "日本語の\nファイル\n名です", 8},
		"an option stays whole":   {"use --long-option-name now", "use\n--long-option-name\nnow", 20},
		"a word that is too long": {"see abcdefghijklmnop", "see\nabcdefgh\nijklmnop", 8},
		"code keeps its blanks":   {"```\na\n\n  b\n```", "  a\n\n    b", 40},
		"HTML is text":            {"<div>\n<b>x</b>\n</div>", "<div>\n<b>x</b>\n</div>", 40},
		"references":              {"&lt;&amp;&copy; &nosuch; \\*", "<&© &nosuch; *", 40},
		"a table":                 {"| a | b |\n|:-:|--:|\n| one | 2 |\n| x | 300 |", " a     b\n───  ───\none    2\n x   300", 40},
		"a table that wraps":      {"| a | b |\n|---|---|\n| one | two three four |", "a    b\n───  ─────────\none  two three\n     four", 14},
		"a table with no room":    {"| a | b | c |\n|---|---|---|\n| one | two | three |", "a: one\nb: two\nc: three", 10},
		"a rule":                  {"---", "────────────────────", 20},
		"nothing":                 {"", "", 20},
	} {
		if got := tagged(Render(c.src, c.width, plainTheme())); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.want)
		}
	}
}
