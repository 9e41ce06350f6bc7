package record

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// coder goes over an event's fields in their order, either writing them or reading
// them, and checks each on the way: one description of a kind does all three.
// What it reads is exactly what it would write, and nothing else that JSON allows.
// The first problem stays, and nothing after it matters.
type coder struct {
	reading bool
	out     []byte // written so far
	in      []byte // left to read
	first   bool   // the next field has no comma before it
	err     *Error
}

func (c *coder) fail(field, what string) {
	if c.err == nil {
		c.err = &Error{Code: EventInvalid, Field: field, What: what}
	}
}

// lit writes or expects these very bytes.
func (c *coder) lit(s string) {
	if !c.reading {
		c.out = append(c.out, s...)
		return
	}
	if c.err != nil {
		return
	}
	if len(c.in) < len(s) || string(c.in[:len(s)]) != s {
		c.fail("", "not in the form in which it is written")
		return
	}
	c.in = c.in[len(s):]
}

// next tells whether these bytes are what comes, and leaves them there.
func (c *coder) next(s string) bool {
	return c.err == nil && len(c.in) >= len(s) && string(c.in[:len(s)]) == s
}

func (c *coder) key(name string) {
	if c.first {
		c.first = false
	} else {
		c.lit(",")
	}
	c.lit(`"`)
	c.lit(name)
	c.lit(`":`)
}

// object goes over the fields of an object within.
func (c *coder) object(fields func()) {
	c.lit("{")
	c.first = true
	fields()
	c.first = false
	c.lit("}")
}

// check is what a string must be; it gives what is wrong with it, "" for nothing.
type check func(string) string

func (c *coder) str(name string, p *string, ok check) {
	c.key(name)
	c.value(name, p, ok)
}

// value is a string without a key before it.
func (c *coder) value(name string, p *string, ok check) {
	if c.reading {
		*p = c.readString()
	}
	if c.err == nil {
		if what := ok(*p); what != "" {
			c.fail(name, what)
		}
	}
	if !c.reading {
		c.out = appendString(c.out, *p)
	}
}

func (c *coder) text(name string, p *Text, ok check) { c.str(name, &p.s, ok) }

func (c *coder) num(name string, p *int64, least, most int64) {
	c.key(name)
	if c.reading {
		*p = c.readNumber()
	}
	if *p < least || *p > most {
		c.fail(name, "out of range")
	}
	if !c.reading {
		c.out = strconv.AppendInt(c.out, *p, 10)
	}
}

func (c *coder) flag(name string, p *bool) {
	c.key(name)
	if c.reading {
		if *p = c.next("true"); *p {
			c.lit("true")
			return
		}
		c.lit("false")
		return
	}
	c.out = strconv.AppendBool(c.out, *p)
}

// list goes over the items of an array. No items are read as nil, however they
// were given.
func list[T any](c *coder, name string, p *[]T, least, most int, item func(*T)) {
	c.key(name)
	c.lit("[")
	if c.reading {
		*p = nil
		for c.err == nil && !c.next("]") && len(*p) <= most {
			if len(*p) > 0 {
				c.lit(",")
			}
			*p = append(*p, *new(T))
			item(&(*p)[len(*p)-1])
		}
	} else {
		for i := range *p {
			if i > 0 {
				c.lit(",")
			}
			item(&(*p)[i])
		}
	}
	if len(*p) < least || len(*p) > most {
		c.fail(name, "has "+strconv.Itoa(len(*p))+" items")
	}
	c.lit("]")
}

// readString reads a string as appendString writes it.
func (c *coder) readString() string {
	c.lit(`"`)
	if c.err != nil {
		return ""
	}
	end := bytes.IndexByte(c.in, '"')
	if end >= 0 && bytes.IndexByte(c.in[:end], '\\') < 0 {
		s := string(c.in[:end])
		c.in = c.in[end+1:]
		return s
	}
	var b []byte
	for i := 0; i < len(c.in); i++ {
		switch at := c.in[i]; at {
		case '"':
			c.in = c.in[i+1:]
			return string(b)
		case '\\':
			i++
			if i == len(c.in) {
				break
			}
			k := bytes.IndexByte(escaped, c.in[i])
			if k < 0 {
				c.fail("", "an escape that is never written")
				return ""
			}
			b = append(b, escapes[k])
		default:
			b = append(b, at)
		}
	}
	c.fail("", "a string without an end")
	return ""
}

func (c *coder) readNumber() int64 {
	n, i := int64(0), 0
	for i < len(c.in) && i < 16 && c.in[i] >= '0' && c.in[i] <= '9' {
		n = n*10 + int64(c.in[i]-'0')
		i++
	}
	if c.err == nil && (i == 0 || i > 1 && c.in[0] == '0') {
		c.fail("", "not a whole number")
		return 0
	}
	if c.err == nil {
		c.in = c.in[i:]
	}
	return n
}

// What a string's bytes are, and how they are written after a backslash. Every
// other control character is refused before it is written.
var (
	escapes = []byte{'"', '\\', '\n', '\r', '\t'}
	escaped = []byte{'"', '\\', 'n', 'r', 't'}
)

func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		if b := s[i]; b >= ' ' && b != '"' && b != '\\' || b >= utf8.RuneSelf {
			continue
		}
		k := bytes.IndexByte(escapes, s[i])
		if k < 0 {
			continue // refused by its check
		}
		out = append(out, s[from:i]...)
		out = append(out, '\\', escaped[k])
		from = i + 1
	}
	out = append(out, s[from:]...)
	return append(out, '"')
}
