package ignore

import (
	"path"
	"strings"
	"testing"
)

// of are the rules of one file.
func of(base, text string) Rules {
	var r Rules
	for line := range strings.Lines(text) {
		if p, ok := parsePattern(strings.TrimRight(line, "\n"), base); ok {
			r = append(r, p)
		}
	}
	return r
}

// The examples are those of git's own page about the format, and what people write.
func TestPatternsFitAsGitReadsThem(t *testing.T) {
	for _, c := range []struct {
		patterns string
		left     []string // with a slash at the end: a folder
		kept     []string
	}{
		{"node_modules\n", []string{"node_modules/", "a/node_modules/", "node_modules"}, []string{"node_modules2/", "a/b"}},
		{"/dist\n", []string{"dist", "dist/"}, []string{"a/dist"}},
		{"build/\n", []string{"build/", "a/build/"}, []string{"build"}},
		{"doc/frotz/\n", []string{"doc/frotz/"}, []string{"a/doc/frotz/", "doc/frotz"}},
		{"*.log\n!keep.log\n", []string{"a.log", "x/b.log"}, []string{"keep.log", "x/keep.log", "a.logs"}},
		{"/*\n!/src\n", []string{"README", "dist/"}, []string{"src/"}},
		{"**/foo\n", []string{"foo", "a/b/foo"}, []string{"a/foob"}},
		{"**/foo/bar\n", []string{"foo/bar", "a/foo/bar"}, []string{"bar", "foo/x/bar"}},
		{"abc/**\n", []string{"abc/x", "abc/x/y"}, []string{"abc/", "d/abc/x"}},
		{"a/**/b\n", []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"b", "ab"}},
		{"a*b\n", []string{"ab", "a-b"}, []string{"a/b"}},
		{"foo?.txt\n", []string{"foo1.txt"}, []string{"foo.txt", "foo12.txt"}},
		{"[a-c].o\n[!x]y\n", []string{"a.o", "zy"}, []string{"d.o", "xy"}},
		{"# a remark\n\\#kept\n\\!also\n", []string{"#kept", "!also"}, []string{"# a remark"}},
		{"end \nkept\\ \n", []string{"end", "kept "}, []string{"end "}},
		{"*.pyc\r\n\r\n", []string{"a.pyc"}, []string{"a.py"}},
		{"ä*\n", []string{"äpfel"}, []string{"apfel"}},
	} {
		list := of("", c.patterns)
		for _, at := range c.left {
			if at, folder := strings.CutSuffix(at, "/"); !list.Leaves(at, path.Base(at), folder) {
				t.Errorf("%q keeps %s", c.patterns, at)
			}
		}
		for _, at := range c.kept {
			if at, folder := strings.CutSuffix(at, "/"); list.Leaves(at, path.Base(at), folder) {
				t.Errorf("%q leaves %s out", c.patterns, at)
			}
		}
	}
}

func TestAFileHoldsInItsFolderAndBelowAndTheDeeperOneDecides(t *testing.T) {
	list := of("", "*.log\n").with(of("web/", "!*.log\n/out\n"))
	for at, want := range map[string]bool{"a.log": true, "web/a.log": false, "web/x/a.log": false, "webs/a.log": true, "web/out": true, "out": false, "web/x/out": false} {
		if got := list.Leaves(at, path.Base(at), false); got != want {
			t.Errorf("%s: %v", at, got)
		}
	}
}

func FuzzIgnoreLines(f *testing.F) {
	for _, line := range []string{"*.log", "!a/**/b/", "[!]x]", "[a-]", "/dist", "***/x", "ä[ö-ü]", `\#a `} {
		f.Add(line, "a/b/c")
	}
	f.Add(strings.Repeat("**/", 50)+"x", strings.Repeat("y/", 50))
	f.Add("[", "[")
	f.Add(`a\`, "a")
	f.Fuzz(func(t *testing.T, line, at string) {
		p, ok := parsePattern(line, "")
		if !ok {
			return
		}
		at = strings.Trim(at, "/")
		Rules{p}.Leaves(at, path.Base(at), false)
	})
}
