package change

import (
	"errors"
	"strings"

	"conch/tools/replace"
)

// text is a file while edits are made in it: with its mark and its line ends set aside.
type text struct {
	mark string
	crlf bool
	body string
}

func textOf(data []byte) text {
	body, marked := strings.CutPrefix(string(data), "\ufeff")
	t := text{body: body}
	if marked {
		t.mark = "\ufeff"
	}
	if n := strings.Count(body, "\r\n"); n > 0 && n == strings.Count(body, "\n") {
		t.crlf, t.body = true, strings.ReplaceAll(body, "\r\n", "\n")
	}
	return t
}

// bytes are the text as it stands in the file.
func (t text) bytes() []byte {
	body := t.body
	if t.crlf {
		body = strings.ReplaceAll(body, "\n", "\r\n")
	}
	return []byte(t.mark + body)
}

// whole puts another text in its place, with the mark and the line ends that it has.
func (t text) whole(content string) []byte {
	content = strings.TrimPrefix(content, "\ufeff")
	if t.crlf && strings.Contains(content, "\r") {
		t.crlf = false // it has line ends of its own
	}
	t.body = content
	return t.bytes()
}

// edit makes one edit. The error names the field: old or new.
func (t *text) edit(e edit) error {
	body, _, err := replace.In(t.body, e.old, e.new, e.all, MaxFile)
	if err == nil {
		t.body = body
		return nil
	}
	field, problem, _ := strings.Cut(err.Error(), " ")
	if field != "new" {
		field = "old"
	}
	return errors.New(field + ": it " + problem)
}
