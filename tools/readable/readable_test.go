package readable

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestAPageReadsAsAPersonWouldReadIt(t *testing.T) {
	base, err := url.Parse("https://shop.example/docs/index.html")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ page, want string }{
		"headings and paragraphs": {"<title> The   Shop </title><h1>Prices</h1><p>All in\n  <b>euro</b>.</p><p>Two</p>", "# Prices\n\nAll in euro.\n\nTwo"},
		"links":                   {`<p>See <a href="../a?b=1">the list</a>, <a href="#x">below</a> or <a href="javascript:alert(1)">this</a>.</p>`, "See [the list](https://shop.example/a?b=1), below or this."},
		"lists":                   {"<ul><li>one<li>two<ol><li>a</li><li><p>b</p></li></ol></ul>after", "- one\n- two\n  1. a\n  2. b\n\nafter"},
		"a table":                 {"<table><tr><th>Name</th><th>Price</th></tr><tr><td>Cup</td><td> 4.00 </td></tr></table>", "Name | Price\nCup | 4.00"},
		"code":                    {"<p>Run <code>make  test</code></p><pre><code>a\n  b\n</code></pre><p>then", "Run `make test`\n\n```\na\n  b\n```\n\nthen"},
		"a quote":                 {"<blockquote><p>one</p><p>two</p></blockquote>", "> one\n>\n> two"},
		"what is hidden":          {`a<script>x</script><style>y</style><p hidden>z</p><div style="display: none">w</div><span aria-hidden="true">v</span>b`, "ab"},
		"the main part":           {"<nav>menu</nav><main>" + strings.Repeat("word ", 100) + "</main><footer>end</footer>", strings.TrimSpace(strings.Repeat("word ", 100))},
		"a small main part":       {"<nav>menu</nav><main>x</main>", "menu\nx"},
		"pictures and breaks":     {`one<br>two<img alt="a cup" src="x.png"><hr>three`, "one\ntwo[picture: a cup]\n\n---\n\nthree"},
		"entities":                {"<p>a &lt;b&gt; &amp; c&nbsp;d", "a <b> & c d"},
		"no page at all":          {"just words", "just words"},
		"nothing":                 {"", ""},
	} {
		_, got := Text(c.page, base)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if title, _ := Text("<title> The   Shop </title><svg><title>no</title></svg>", nil); title != "The Shop" {
		t.Errorf("the title is %q", title)
	}
}

func TestAPageOfTagsAloneEndsSoon(t *testing.T) {
	for name, page := range map[string]string{
		"deep":    strings.Repeat("<div>", 300_000) + "x",
		"lists":   strings.Repeat("<ul><li>", 100_000) + "x",
		"bold":    strings.Repeat("<b>", 300_000) + "x",
		"tables":  strings.Repeat("<table><tr><td>", 50_000) + "x",
		"anchors": strings.Repeat("<a href=x>", 100_000) + "x",
		"quotes":  strings.Repeat("<blockquote>x", 100_000),
	} {
		began := time.Now()
		if _, text := Text(page, nil); len(text) > 2*maxOut {
			t.Errorf("%s: %d bytes", name, len(text))
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s took %s", name, took)
		} else if took > time.Second {
			t.Logf("%s took %s", name, took)
		}
	}
}

func FuzzNoPageBreaksIt(f *testing.F) {
	for _, seed := range []string{"<ul><li>a", "<pre>\n<li>x", "<table><td><a href=//x>y", "<blockquote><pre>a\nb", "<svg><title>x", "<a href=%zz>x</a>", "<ol start=99999999999><li>x"} {
		f.Add(seed)
	}
	base := &url.URL{Scheme: "http", Host: "a.example", Path: "/"}
	f.Fuzz(func(t *testing.T, page string) {
		_, text := Text(page, base)
		if len(text) > maxOut+len(page)+1000 {
			t.Errorf("%d bytes of %d", len(text), len(page))
		}
		if text != strings.TrimRight(text, " \n") {
			t.Errorf("ends in blanks: %q", text)
		}
	})
}
