package markdown

import (
	"slices"
	"strings"
	"testing"

	"conch/tui/theme"
)

func plainTheme() *theme.Theme  { return theme.New(false, false, theme.Unicode()) }
func colourTheme() *theme.Theme { return theme.New(false, true, theme.Unicode()) }

// seeds are texts that end in the middle of every kind of block.
var seeds = []string{
	"# Title\n\nText with **bold**, *it*, `code`, ~~no~~ and [a link](https://example.com/x).\n\n- one\n- two\n  - nested\n\n    para\n\n1. a\n2. b\n\n> quote\n> > deeper\n\n```go\nfunc main() {}\n```\n\n| a | b |\n|---|--:|\n| 1 | 22 |\n\nend",
	"see [foo] and [bar]\n\ntext\n\n[foo]: http://x.example\n\n[bar]: http://y.example\n\nafter [foo]\n",
	"para\n\ntext\n---\n\nmore\n===\n",
	"- a\n\n- b\n\n      code\n\n- c\n*not a list*\n",
	"<div>\n\ntext\n\n</div>\n\n<!-- a\n\ncomment -->\n\nx <br> y\n",
	"    indented\n\n    code\n\ntext\n",
	"~~~\nopen\n\nfence\n",
	"x\n|a|b|\n|-|-|\n|1|2|\n\n|c|\n|-|\n",
	"a\r\n\r\nb\x1b]52;c;ZWNobw==\x07c\r\n\x1b[31mred\x1b[0m &#27;[31m &amp; \\* \\\\\n",
	"日本語のファイル名.txt と **太字**👨‍👩‍👧‍👦 e\u0301\n\n> 引用\n",
	"[a]: <x\n\n[a]\n\n[a]: http://z\n\"title\"\n\n[a]\n",
	"- a\n*\n\ntext\n\n+ b\n-\n",
	"1. x\n\n   ```sh\n   ls\n   ```\n2. y\n",
	"* * *\n\n***\n- x\n\n\n\n\n- y\n",
	"> [q]: http://in.quote\n\n[q] out\n\nz\n",
	"[label\n\nsplit]: http://x\n\n[ſ]: http://s\n\n[S] [s]\n\nz",
}

func checkStream(t *testing.T, src string, sizes []byte, width int) {
	t.Helper()
	th := colourTheme()
	s := NewStream(width, th)
	at := 0
	for i := 0; at < len(src); i++ {
		n := 1
		if len(sizes) > 0 {
			n = 1 + int(sizes[i%len(sizes)])
		}
		n = min(n, len(src)-at)
		s.Write(src[at : at+n])
		at += n
		got, want := s.Lines(), Render(src[:at], width, th)
		if !slices.Equal(got, want) {
			t.Fatalf("after %q at width %d:\nstream %q\nwhole  %q", src[:at], width, got, want)
		}
	}
}

func TestStreamEqualsTheWholeRenderHoweverItIsCut(t *testing.T) {
	for _, src := range seeds {
		for _, width := range []int{1, 7, 24, 80} {
			checkStream(t, src, nil, width)
			checkStream(t, src, []byte{0, 4, 9}, width)
			checkStream(t, src, []byte{39}, width)
		}
	}
	checkStream(t, strings.Join(seeds, "\n\n"), []byte{6}, 40)
}

func FuzzStreamEqualsWholeRender(f *testing.F) {
	for _, src := range seeds {
		f.Add(src, []byte{3, 0, 11}, uint8(40))
	}
	f.Fuzz(func(t *testing.T, src string, sizes []byte, width uint8) {
		if len(src) > 600 {
			t.Skip()
		}
		checkStream(t, src, sizes, int(width))
	})
}
