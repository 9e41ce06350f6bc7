package codex

import (
	"strings"
	"testing"
)

// R-69-84: a command counts as reading by its own words, with each path in it.
func TestWhatACommandReads(t *testing.T) {
	for _, c := range []struct{ line, paths string }{
		{"cat readme.txt", "readme.txt"},
		{"cat a b/c", "a b/c"},
		{"cat a /etc/passwd", "a /etc/passwd"},
		{"cd src && ls", "src"},
		{"sed -n '1,200p' a.go && sed -n 3p b.go", "1,200p a.go 3p b.go"},
		{"rg -n 'a|b; c' src | head -5", "a|b; c src"},
		{`grep -rn "foo\(" .`, `foo\( .`},
		{"find . -name '*.go' | sort | wc -l", ". *.go"},
		{"cat 'it'\\''s'", "it's"},
		{"cd src && cat a; cd b | cat /c d", "src a src/a b src/b /c /c /c /c d src/d b/d src/b/d"},
		{"rg --files src", "src"},
		{"ls", ""},
	} {
		paths, ok := reads(c.line)
		if !ok || strings.Join(paths, " ") != c.paths {
			t.Errorf("%q: %q %v", c.line, paths, ok)
		}
	}
}

func TestWhatDoesMoreThanRead(t *testing.T) {
	for _, line := range []string{
		"", " ", "cat a > b", "cat a >> b", "cat < a", "cat $(rm b)", "cat `rm b`", "cat \"$(rm b)\"", "cat $HOME/x", "cat a | tee b",
		"ls | xargs rm", "cat a; rm b", "cat a & rm b", "cat a\nrm b", "cat a || rm b", "(rm a)", "{ rm a; }", "find . -delete", "find . -exec rm x +",
		"find . -fprint out", "rg --pre ./x y", "rg --pre=./x y", "sort -o a b", "sort -uo a b", "sort --output=a b", "sort --compress-program=./x b",
		"sed -i s/a/b/ c", "sed -n 'w out' a", "sed -n 1p -i a", "sed '1e rm' a", "awk 1 a", "A=1 cat b", "cat ~/x", "cat ~root/x", "grep -f/etc/passwd x",
		"grep --file=../x y", "cat .*/x", "cat {a,/etc/passwd}", "cat 'a", "cat a \\", "./cat a", "env cat a", "tree -o x", "! cat a", "uniq a b",
		// Another folder than it seems, or what is not named.
		"cd && cat a", "cd - && cat a", "cd '' && cat a", "cd a b", "cd -P a", "cat *", "cat a?", "cat [a]", "ls -RL", "grep -inR x .", "grep --dereference-recursive x .",
		"grep -fa b", "grep --file=a b", "grep --file a b", "rg -L x", "rg --follow x", "rg -fa b", "rg --file a b", "find -L .", "find . -follow", "find -files0-from a",
		"wc --files0-from=a", "file -C -m a", "file -bf a", "file --files-from=a", "tree -ao x", "tree -R -H .", "tree -l", strings.Repeat("cd a;", 9) + "cat b",
	} {
		if paths, ok := reads(line); ok {
			t.Errorf("%q reads %q", line, paths)
		}
	}
}

func FuzzReads(f *testing.F) {
	f.Add("cat 'a' | head; ls > b")
	f.Fuzz(func(t *testing.T, line string) {
		if _, ok := reads(line); ok && !strings.ContainsAny(line, "'\"\\") && strings.ContainsAny(line, "`$<>(){}~\x00") {
			t.Errorf("%q reads", line)
		}
	})
}
