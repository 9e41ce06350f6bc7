package pastchats

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// encode writes the list, an entry a line, so that what is left of a cut one is
// easily found.
func (l *list) encode() ([]byte, error) {
	buf := make([]byte, 0, 512*len(l.entries)+1024)
	buf = append(buf, `{"version":`...)
	buf = strconv.AppendInt(buf, listVersion, 10)
	if l.clean {
		buf = strconv.AppendInt(append(buf, `,"clean":`...), listClean, 10)
	}
	buf = append(buf, `,"chats":[`...)
	for i := range l.entries {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, '\n')
		buf = l.entries[i].encode(buf)
	}
	buf = append(buf, "\n]"...)
	if l.last != nil {
		last, err := json.Marshal(l.last)
		if err != nil {
			return nil, fmt.Errorf("write the list of past chats: %w", err)
		}
		buf = append(append(buf, `,"last":`...), last...)
	}
	return append(buf, "}\n"...), nil
}

func (e *Entry) encode(buf []byte) []byte {
	buf = appendText(append(buf, `{"id":`...), e.ID)
	buf = appendText(append(buf, `,"source":`...), e.Source)
	buf = appendText(append(buf, `,"key":`...), e.Key)
	buf = appendText(append(buf, `,"file":`...), e.File)
	buf = strconv.AppendInt(append(buf, `,"size":`...), e.Size, 10)
	buf = appendMillis(append(buf, `,"mtimeMs":`...), e.MTime)
	if e.Count != 0 {
		buf = strconv.AppendInt(append(buf, `,"count":`...), int64(e.Count), 10)
	}
	buf = appendText(append(buf, `,"title":`...), e.Title)
	if e.Project != "" {
		buf = appendText(append(buf, `,"project":`...), e.Project)
	}
	buf = strconv.AppendInt(append(buf, `,"createdAt":`...), e.Created.UnixMilli(), 10)
	buf = strconv.AppendInt(append(buf, `,"updatedAt":`...), e.Updated.UnixMilli(), 10)
	buf = strconv.AppendInt(append(buf, `,"messages":`...), int64(e.Messages), 10)
	buf = strconv.AppendInt(append(buf, `,"userMessages":`...), int64(e.UserMessages), 10)
	if e.Redacted != 0 {
		buf = strconv.AppendInt(append(buf, `,"redacted":`...), int64(e.Redacted), 10)
	}
	if e.Model != "" {
		buf = appendText(append(buf, `,"model":`...), e.Model)
	}
	if e.Empty {
		buf = append(buf, `,"empty":true`...)
	}
	if e.skipped {
		buf = append(buf, `,"skipped":true`...)
	}
	return append(buf, '}')
}

// appendMillis writes nanoseconds as milliseconds, with a fraction when there is
// one: the time of a file must come back as it was.
func appendMillis(buf []byte, ns int64) []byte {
	if ns < 0 {
		return append(buf, '0')
	}
	buf = strconv.AppendInt(buf, ns/1e6, 10)
	if rest := ns % 1e6; rest != 0 {
		buf = append(buf, '.')
		buf = append(buf, strconv.FormatInt(1e6+rest, 10)[1:]...)
	}
	return buf
}

// asItIs are the bytes that stand in a string of JSON as they are.
var asItIs = func() (plain [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// appendText writes a string of JSON. Bytes that are no UTF-8 become U+FFFD.
func appendText(buf []byte, s string) []byte {
	const digits = "0123456789abcdef"
	buf = append(buf, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				buf = append(append(buf, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += n
			continue
		}
		if asItIs[c] {
			i++
			for i < len(s) && asItIs[s[i]] {
				i++
			}
			continue
		}
		buf = append(buf, s[from:i]...)
		switch c {
		case '"', '\\':
			buf = append(buf, '\\', c)
		case '\n':
			buf = append(buf, '\\', 'n')
		case '\t':
			buf = append(buf, '\\', 't')
		default:
			buf = append(buf, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
		i++
		from = i
	}
	return append(append(buf, s[from:]...), '"')
}
