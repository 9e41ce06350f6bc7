package pastchats

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// R-111-9
func TestAProjectIsTheLastPartOfItsFolder(t *testing.T) {
	for folder, want := range map[string]string{
		"/home/dev/shop":             "shop",
		"/home/dev/shop/":            "shop",
		"/home/dev/shop///":          "shop",
		"shop":                       "shop",
		`C:\code\shop`:               "shop",
		`C:\code\shop\`:              "shop",
		`C:/code/shop/`:              "shop",
		`\\server\code\shop`:         "shop",
		`C:\`:                        "",
		`C:`:                         "",
		"file:///home/dev/my%20shop": "my shop",
		"file:///home/dev/shop/":     "shop",
		"file:///c%3A/code/shop":     "shop",
		"file:///C:/code/shop":       "shop",
		"file:///c%3A/":              "",
		"file://server/share/shop":   "shop",
		"file:///home/dev/100%":      "100%",
		"vscode-remote://ssh-remote%2Bbox/x/shop": "shop",
		"vscode-vfs://github/dev/shop?ref=main":   "shop",
		`/home/dev/a\b`:                           `a\b`,
		"/":                                       "",
		"":                                        "",
		"  ":                                      "",
		".":                                       "",
		"..":                                      "",
		"/home/dev/ü\xff":                         "ü\ufffd",
		"/home/dev/" + strings.Repeat("ä", 200):   strings.Repeat("ä", 200),
	} {
		got := projectOf(folder)
		if got != want || !utf8.ValidString(got) {
			t.Errorf("the project of %q is %q, want %q", folder, got, want)
		}
	}
}
