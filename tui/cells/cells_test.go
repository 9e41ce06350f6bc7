package cells

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

var lines = []string{
	"", "plain words", "日本語のファイル名.txt", "สวัสดี ดี", "👨\u200d👩\u200d👧\u200d👦 family 👩🏽\u200d🚀 🏳️\u200d🌈 🇩🇪🇯🇵 ☁️ ❤", "e\u0301 a\u0308 combining",
	"한글 中文 ABC", "①②③ ±×÷", "הטקסט הזה", strings.Repeat("界", 60), "𓀀 𝔘𝔫𝔦 🀄", "\x1b[31mred 界\x1b[m and \x1b[1mbold\x1b[m",
}

func TestAFilledLineHasItsWidthAndNoTornCharacter(t *testing.T) {
	for _, m := range []ansi.Method{ansi.GraphemeWidth, ansi.WcWidth} {
		for _, line := range lines {
			for width := range 201 {
				for name, got := range map[string]string{
					"Fill": Fill(m, line, width, "…"), "Right": Right(m, line, width, "…"), "Sides": Sides(m, line, "右12", width, 4, "…"), "no ellipsis": Fill(m, line, width, ""),
				} {
					if w := m.StringWidth(got); w != width {
						t.Fatalf("%s of %q in %d cells has %d: %q", name, line, width, w, got)
					}
					if strings.ToValidUTF8(got, "") != got {
						t.Fatalf("%s tore a character: %q", name, got)
					}
				}
			}
		}
	}
}

func TestAPathIsCutInItsMiddle(t *testing.T) {
	m := ansi.GraphemeWidth
	for width, want := range map[int]string{
		40: "cart/internal/deep/service.go", 29: "cart/internal/deep/service.go", 28: "cart/internal/…/service.go", 20: "cart/…/service.go",
		17: "cart/…/service.go", 16: "…/service.go", 12: "…/service.go", 10: "service.go", 9: "service.…", 1: "…", 0: "",
	} {
		if got := CutPath(m, "cart/internal/deep/service.go", width, "…"); got != want {
			t.Errorf("in %d cells: %q, want %q", width, got, want)
		}
	}
	for width := range 60 {
		for _, p := range []string{"日本語/ファイル/名前.txt", "/", "//", "/etc/passwd", "a/", "x", strings.Repeat("界/", 30)} {
			if got := CutPath(m, p, width, "…"); Width(m, got) > width {
				t.Fatalf("%q in %d cells: %q", p, width, got)
			}
		}
	}
}

func TestWrapKeepsEveryWord(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	for range 2000 {
		text := lines[random.Intn(len(lines)-1)] + " " + lines[random.Intn(len(lines)-1)] + "\n" + lines[random.Intn(len(lines)-1)]
		m, width := ansi.Method(random.Intn(2)), 1+random.Intn(60)
		rows := Wrap(m, text, width)
		for _, r := range rows {
			// One cluster may be wider than the whole row.
			if cluster, _ := First(m, r); Width(m, r) > width && cluster != r {
				t.Fatalf("%q at %d: a row of %d cells: %q", text, width, Width(m, r), r)
			}
		}
		squeeze := strings.NewReplacer(" ", "", "\n", "")
		if got, want := squeeze.Replace(strings.Join(rows, "")), squeeze.Replace(text); got != want {
			t.Fatalf("at %d:\n%s", width, cmp.Diff(want, got))
		}
	}
	if got := Wrap(ansi.GraphemeWidth, "a\n\nb c", 3); len(got) != 3 {
		t.Errorf("%q", got)
	}
}

func TestMarkTearsNoCluster(t *testing.T) {
	got := Mark(ansi.GraphemeWidth, "xe\u0301y", func(i int) bool { return i == 2 }, func(s string) string { return "<" + s + ">" })
	if got != "x<e\u0301>y" {
		t.Errorf("%q", got)
	}
}
