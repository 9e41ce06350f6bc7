package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// The scanner is held to chroma, which knows the grammars and takes a hundred
// times as long: on a sample of each language the two have to agree.

type class byte

const (
	classOther class = iota
	classComment
	classString
	classNumber
	classKeyword
)

func ofLook(l look) class {
	switch l {
	case comment:
		return classComment
	case str:
		return classString
	case number:
		return classNumber
	case keyword:
		return classKeyword
	}
	return classOther
}

func ofChroma(lang string, t chroma.TokenType) class {
	switch {
	case t == chroma.CommentPreproc || t == chroma.CommentPreprocFile || t == chroma.CommentHashbang:
		return classOther
	case t.InCategory(chroma.Comment):
		return classComment
	case t == chroma.LiteralStringDoc && lang == "rs":
		return classComment
	case t.InSubCategory(chroma.LiteralNumber):
		return classNumber
	case t == chroma.LiteralStringSymbol || t == chroma.LiteralStringInterpol || t == chroma.LiteralStringEscape:
		return classOther // fine points that one colour does not show
	case t.InSubCategory(chroma.LiteralString):
		return classString
	case t == chroma.KeywordType:
		return classOther
	case t.InCategory(chroma.Keyword):
		return classKeyword
	}
	return classOther
}

func classes(g *language, s string) []class {
	f := flow{text: []byte(s)}
	g.scan(s, f.until)
	f.until(len(s), 0)
	out := make([]class, 0, len(s))
	for _, r := range f.runs {
		for len(out) < r.end {
			out = append(out, ofLook(r.look))
		}
	}
	return out
}

func TestTheScannerAgreesWithChroma(t *testing.T) {
	files, err := filepath.Glob("testdata/code/sample.*.txt")
	if err != nil || len(files) < 14 {
		t.Fatalf("%d samples, %v", len(files), err)
	}
	for _, file := range files {
		lang := strings.Split(filepath.Base(file), ".")[1]
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src := string(b)
		g, ref := languageOf(lang), lexers.Get(lang)
		if g == nil || ref == nil {
			t.Fatalf("%s: not known: %v, %v", lang, g, ref)
		}
		got := classes(g, src)
		tokens, err := ref.Tokenise(nil, src)
		if err != nil {
			t.Fatal(err)
		}
		var same, all, keywords, found int
		at, inside := 0, false // a value that a string holds
		for token := tokens(); token != chroma.EOF; token = tokens() {
			want := ofChroma(lang, token.Type)
			if token.Type == chroma.LiteralStringInterpol {
				inside = strings.ContainsAny(token.Value, "{(") && !strings.ContainsAny(token.Value, "})")
			}
			if inside || token.Type == chroma.NameVariable {
				at += len(token.Value)
				continue
			}
			for i := range len(token.Value) {
				if at+i >= len(src) {
					break
				}
				c := got[at+i]
				if strings.IndexByte(" \t\n", src[at+i]) >= 0 {
					continue
				}
				if want == classKeyword {
					keywords++
					if c == classKeyword || c == classOther && g.types != nil {
						found++
					}
					continue
				}
				if want == classComment || want == classString || want == classNumber || c == classComment || c == classString || c == classNumber {
					if token.Type == chroma.LiteralStringEscape || token.Type == chroma.LiteralStringInterpol || token.Type.InCategory(chroma.Comment) && want == classOther {
						continue
					}
					all++
					if c == want {
						same++
					} else if testing.Verbose() {
						t.Logf("%s: %q in %q: %d, want %d", lang, src[at+i], token.Value, c, want)
					}
				}
			}
			at += len(token.Value)
		}
		t.Logf("%-5s comments, strings, numbers %d of %d; keywords %d of %d", lang, same, all, found, keywords)
		if same*100 < all*85 {
			t.Errorf("%s: comments, strings and numbers agree in %d of %d bytes", lang, same, all)
		}
		if found*100 < keywords*85 && lang != "css" {
			t.Errorf("%s: %d of %d bytes of keywords are found", lang, found, keywords)
		}
	}
}

func TestOnlyAFenceThatIsClosedIsColoured(t *testing.T) {
	const coloured = "\x1b[34mreturn\x1b[m"
	th := colourTheme()
	for src, want := range map[string]bool{
		"```go\nreturn\n```":                  true,
		"```go\nreturn\n":                     false,
		"~~~~go\nreturn\n~~~~\n\nx":           true,
		"- ```go\n  return\n  ```":            true,
		"> ```go\n> return\n> ```":            true,
		"```nosuch\nreturn\n```":              false,
		"```\nreturn\n```":                    false,
		"``` main.go:12 {title}\nreturn\n```": true,
	} {
		if got := strings.Contains(strings.Join(Render(src, 40, th), "\n"), coloured); got != want {
			t.Errorf("%q: coloured %v, want %v", src, got, want)
		}
	}
	if got := strings.Join(Render("```go\nreturn\n```", 40, plainTheme()), ""); strings.Contains(got, "\x1b") {
		t.Errorf("colours without colour: %q", got)
	}
}

func FuzzScanKeepsTheText(f *testing.F) {
	for name := range languages() {
		f.Add("a \"b\n'c' # d /* e */ <f g=h> 0x1 `", name)
	}
	f.Fuzz(func(t *testing.T, src, lang string) {
		g := languageOf(lang)
		if g == nil || len(src) > 2000 {
			t.Skip()
		}
		last := 0
		g.scan(src, func(end int, _ look) {
			if end < 0 || end > len(src) {
				t.Fatalf("%s: %d in %d bytes of %q", lang, end, len(src), src)
			}
			last = max(last, end)
		})
	})
}

func BenchmarkScan(b *testing.B) {
	src := strings.Repeat(readText(b, "code/sample.go.txt"), 30)
	g := languageOf("go")
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		f := flow{text: []byte(src)}
		g.scan(src, f.until)
	}
}
