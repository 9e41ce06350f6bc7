package record

import (
	"strings"
	"testing"
	"unicode/utf8"

	"conch/redact"
)

func cleaner() *Cleaner {
	return NewCleaner(Places{Folder: "/home/dev/code/shop", Also: []string{"/mnt/disk/shop"}, Home: "/home/dev", Secrets: redact.New("plum-plum-plum-9")})
}

// R-217-22, checklist 13: neither a whole path nor a secret gets into a record.
func TestATextLosesItsPathsAndSecrets(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"read /home/dev/code/shop/cart/total.go:12 first", "read cart/total.go:12 first"},
		{"it is in /mnt/disk/shop/a.go.", "it is in a.go."},
		{"the folder /home/dev/code/shop is clean", "the folder . is clean"},
		{"/home/dev/code/shop-old/a.go is another", "a.go is another"},
		{"open /home/dev/.ssh/id_ed25519: permission denied", "open id_ed25519: permission denied"},
		{"~/notes/plan.md says so", "plan.md says so"},
		{"in (/etc/hosts), '/var/lib/my app/x.db' and PATH=/usr/bin:/usr/local/bin", "in (hosts), 'x.db' and PATH=bin:bin"},
		{"cc -I/usr/include -o/tmp/out a.c", "cc -Iinclude -oout a.c"},
		{"see file:///home/dev/code/shop/README.md and https://example.org/home/dev/x", "see README.md and https://example.org/x"},
		{`C:\src\code\a.go and D:/build/b.go`, "a.go and b.go"},
		{`\\server\share\c.txt`, "c.txt"},
		{"src/home/x.go and/or a/b: 3/4 of GET /api/v1/carts", "src/home/x.go and/or a/b: 3/4 of GET /api/v1/carts"},
		{`/home/dev/My\ Files/a.txt`, "a.txt"},
		{"x/home/dev/code/shop/a.go", "xa.go"},
		{"https://u.example/x?p=/home/dev/d/n and vscode://file/home/dev/d/n.txt", "https://u.example/x?p=n and vscode://file/n.txt"},
		{"https://u.example/x?p=/etc/ssl/private.key&q=1", "https://u.example/x?p=private.key&q=1"},
		{`{"text":"see\n/etc/ssl/private.key"}`, `{"text":"see\nprivate.key"}`},
		{"a)/home/bob/d $/home/bob/e", "a)d $e"},
		{"/home/bob/d,/home/bob/e/f", "d,f"},
		{"cd /home/dev && ls", "cd ~ && ls"},
		{"the key plum-plum-plum-9 is it", "the key [redacted] is it"},
		{"token ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i", "token [redacted]"},
		{"a\x1b[31mred\x1b[0m\x07 word", "ared␇ word"},
		{"two\nlines\tand", "two\nlines\tand"},
		{"", ""},
	} {
		if got := cleaner().Text(c.in).String(); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestASubjectIsARelativePathOrAProgramsName(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"/home/dev/code/shop/cart/total.go", "cart/total.go"},
		{"cart/total.go", "cart/total.go"},
		{"../other/x.go", "x.go"},
		{"/etc/passwd", "passwd"},
		{"/home/dev/code/shop", "."},
		{"go test ./cart/...", "go"},
		{"FOO=1 /usr/bin/git push --force", "git"},
		{"(cd /tmp; rm -rf x)", "cd"},
		{`"/opt/my tools/run" --all`, "run"},
		{"https://user:pw@example.org/a?b=c", "example.org"},
		{"", ""},
	} {
		if got := cleaner().Subject(c.in).String(); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestALongTextSaysHowMuchIsLeftOut(t *testing.T) {
	got, left := cleaner().Bounded(strings.Repeat("ä", 100), 51)
	if got.String() != strings.Repeat("ä", 25) || left != 150 {
		t.Errorf("%q, %d left out", got, left)
	}
	if line := cleaner().Line("one\ntwo three", 9).String(); utf8.RuneCountInString(line) > 9 || !strings.HasSuffix(line, "…") {
		t.Errorf("%q", line)
	}
}

func BenchmarkCleaner(b *testing.B) {
	c := cleaner()
	for name, each := range map[string]string{"words": "read the file first. ", "slashes": "/", "flags": "-a", "quotes": `"/tmp`, "files": "file://", "paths": "/home/dev/code/shop/a.go "} {
		text := strings.Repeat(each, MaxText/len(each))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c.Text(text)
			}
		})
	}
}

// FuzzCleaner: what is cleaned fits a record, names no folder of the person's, and is
// the same when it is cleaned again.
func FuzzCleaner(f *testing.F) {
	for _, s := range []string{"read /home/dev/code/shop/a.go", `"/home/dev/x y`, "file:///home/dev", `\\a\b`, "~/~/x", "-I/home/dev/", "/home/dev/home/dev/x", "\xff/home/dev/a"} {
		f.Add(s)
	}
	c := cleaner()
	f.Fuzz(func(t *testing.T, s string) {
		got := c.Text(s).String()
		if strings.Contains(got, "/home/dev/") || strings.Contains(got, "plum-plum-plum-9") {
			t.Errorf("%q became %q", s, got)
		}
		if what := lines(0, len(got)+1)(got); what != "" {
			t.Errorf("%q became %q, which %s", s, got, what)
		}
		if sub := c.Subject(s).String(); subjectForm(sub) != "" {
			t.Errorf("the subject of %q is %q", s, sub)
		}
	})
}
