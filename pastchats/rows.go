package pastchats

import (
	"errors"
	"fmt"
	"strings"
)

// have is what a table of another app's database has by its columns. Only
// columns that are there are asked for, for each version of an app has others.
type have map[string]bool

// col is a column of the table that stands under name in a query, NULL when the
// table has none.
func (h have) col(name, column string) string {
	if !h[column] {
		return "NULL"
	}
	return name + `."` + column + `"`
}

// cols are several columns, each as col.
func (h have) cols(name string, columns ...string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = h.col(name, c)
	}
	return strings.Join(out, ", ")
}

// short are columns for a list: names, states, small settings. What is longer
// than 64 KiB is none of these and is not loaded.
func (h have) short(name string, columns ...string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = upTo(h.col(name, c), 64<<10)
	}
	return strings.Join(out, ", ")
}

// upTo is a column, or NULL where it is longer than limit bytes: SQLite looks
// only at the row's head to know, and does not load what it leaves out.
func upTo(column string, limit int) string {
	if column == "NULL" {
		return column
	}
	return fmt.Sprintf("CASE WHEN octet_length(%s) <= %d THEN %s END", column, limit, column)
}

// tooLong is 1 where upTo leaves a column out for its length.
func tooLong(column string, limit int) string {
	return fmt.Sprintf("coalesce(octet_length(%s) > %d, 0)", column, limit)
}

// bytesOf are a column's bytes, of text or of a blob, valid as long as the column.
func bytesOf(col any) []byte {
	switch c := col.(type) {
	case []byte:
		return c
	case string:
		return []byte(c)
	}
	return nil
}

// latest is the last time in milliseconds that File can have, in the year 2255:
// what is later is no time of a chat.
const latest = 9_000_000_000_000

// millis is a time of a database: seconds or milliseconds since 1970 (under 10¹²
// is seconds) as milliseconds, 0 for what is no time.
func millis(n int64) int64 {
	if n > 0 && n < 1e12 {
		n *= 1000
	}
	if n <= 0 || n > latest {
		return 0
	}
	return n
}

// nanos is a time in milliseconds as File has it, 0 for one that is too late.
func nanos(ms int64) int64 {
	if ms < 0 || ms > latest {
		return 0
	}
	return ms * 1e6
}

// textParts are the words of a content as several apps keep it: a text, or a list
// of parts of which those of text count (also those without a type), joined by a
// blank line. Blank ones are passed over.
func textParts(content value) string {
	if content.isString() {
		return strings.TrimSpace(content.text())
	}
	var said []string
	content.items(func(part value) bool {
		var kind, text value
		part.members(func(key []byte, v value) bool {
			switch string(key) {
			case "type":
				kind = v
			case "text":
				text = v
			}
			return true
		})
		if len(kind) == 0 || kind.is("text") || kind.is("input_text") || kind.is("output_text") {
			if t := strings.TrimSpace(text.text()); t != "" {
				said = append(said, t)
			}
		}
		return true
	})
	return strings.Join(said, "\n\n")
}

// again reads once more what an app changed while it was read.
func again(read func() error) error {
	err := read()
	for n := 0; n < 2 && errors.Is(err, errMoved); n++ {
		err = read()
	}
	return err
}
