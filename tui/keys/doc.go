package keys

import (
	"fmt"
	"strings"
)

// Groups are the headings of the help, in order.
func Groups() []Group {
	return []Group{Writing, Answering, Moving, ThisChat, Leaving, OnCard, OnItem, InARun, InSheet, InMemory, OnMoment}
}

// Shown is an entry's keys in one line: "ctrl+o, f2". A run of digits is "1…9".
func (e Entry) Shown() string {
	if e.Ordered && len(e.Keys) == 9 {
		first, last := e.Keys[0], e.Keys[8]
		if strings.TrimSuffix(first, "1") == strings.TrimSuffix(last, "9") && first != last {
			return first + "…9"
		}
	}
	var shown []string
	for _, k := range e.Keys {
		shown = append(shown, Name(k))
	}
	if e.Also != "" {
		shown = append(shown, e.Also)
	}
	return strings.Join(shown, ", ")
}

// Markdown is the table as it stands in the docs.
func Markdown() string {
	t, _ := New(nil)
	var b strings.Builder
	for _, g := range Groups() {
		fmt.Fprintf(&b, "### %s\n\n| key | command | what it does | name in `[keys]` |\n| --- | --- | --- | --- |\n", g)
		for _, e := range t.entries {
			if e.Group != g {
				continue
			}
			name := "`" + string(e.Action) + "`"
			if !e.bindable() {
				name = ""
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", codes(e), code(e.Command), e.Words, name)
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func codes(e Entry) string {
	if s := e.Shown(); strings.HasSuffix(s, "…9") {
		return code(s)
	}
	var out []string
	for _, k := range e.Keys {
		out = append(out, code(Name(k)))
	}
	if e.Also != "" {
		out = append(out, "`` "+strings.ReplaceAll(e.Also, " and ", " `` and ``")+"``")
	}
	return strings.Join(out, ", ")
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
