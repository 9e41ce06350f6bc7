package pastchats

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// whole reads a value as encoding/json would.
func (v value) whole() (any, bool) {
	switch {
	case v.isObject():
		got := map[string]any{}
		good := true
		if !v.fields(func(key string, val value) {
			x, ok := val.whole()
			got[key], good = x, good && ok
		}) {
			return nil, false
		}
		return got, good
	case v.isArray():
		got := []any{}
		good := true
		if !v.items(func(val value) bool {
			x, ok := val.whole()
			got, good = append(got, x), good && ok
			return true
		}) {
			return nil, false
		}
		return got, good
	case v.isString():
		return v.text(), true
	case string(v) == "true", string(v) == "false":
		return v.bool(), true
	case string(v) == "null":
		return nil, true
	}
	f, ok := v.number()
	return f, ok
}

func FuzzValue(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `{"a":1}`, `{"a":{"b":["c",null,true,-1.5e3]}}`, `{"a":1,"a":2}`, `"\ud83d\ude00 \ud83c x \u0041"`, `"\\\"\n\/\b"`,
		`{"type":"user","message":{"role":"user","content":"\ud83c"}}`, `[1,2,{"x":"}]"}]`, ` { "a" : [ ] } `, `{"a":"b"} x`, `{"a"`, `{"\u0061":1}`,
		"\"\xff\xe2\x82\"", `"0123456\"89"`, `"01234567\"9"`, `"` + strings.Repeat(`\\`, 20) + `"`, strings.Repeat("[", 50) + strings.Repeat("]", 50), `{"a":1,}`, `[1 2]`, `nul`, `--1`,
	} {
		f.Add([]byte(s))
	}
	for _, line := range benchLines() {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		start := time.Now()
		got, ok := parse(line).whole()
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%d bytes took %v", len(line), took)
		}
		var want any
		if json.Unmarshal(line, &want) != nil {
			return
		}
		if !ok {
			t.Fatalf("not read: %q", line)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("read %q as\n%#v, want\n%#v", line, got, want)
		}
	})
}

func TestAValueOfTheWrongKindGivesNothing(t *testing.T) {
	for _, s := range []string{``, `"`, `{`, `[`, `1`, `null`, `true`, `{"a":1}`, `[1]`, `x`} {
		v := parse([]byte(s))
		if got := v.text(); got != "" {
			t.Errorf("text of %s is %q", s, got)
		}
		if got := v.get("b", "c").text(); got != "" {
			t.Errorf("a member of %s is %q", s, got)
		}
	}
	if got := parse([]byte(`"1"`)).bool(); got {
		t.Error("a string is true")
	}
	for s, want := range map[string]int64{`12`: 12, `"12"`: 12, `1.9`: 1, `1e300`: 0, `"x"`: 0, `{}`: 0, `-3`: -3, `"NaN"`: 0, `"Inf"`: 0} {
		if got := parse([]byte(s)).int(); got != want {
			t.Errorf("int of %s is %d, want %d", s, got, want)
		}
	}
}

func TestALineIsActedOnOnlyWhenItIsWhole(t *testing.T) {
	for s, want := range map[string]bool{
		`{"a":1}`: true, `{}`: true, ` {"a" : "b"} `: true, `{"a":{"b":[1,2]}}`: true,
		`{"a":1`: false, `{"a":1}x`: false, `{"a":1}{"a":2}`: false, `{"a"}`: false, `{"a":}`: false, `{a:1}`: false, `{"a":"b}`: false, `[1]`: false, ``: false,
		`{"a":1,}`: false, `{,}`: false, `{"a" 1}`: false,
	} {
		if got := parse([]byte(s)).fields(func(string, value) {}); got != want {
			t.Errorf("%s is whole: %t, want %t", s, got, want)
		}
	}
}

// Halves of pairs and bytes that are no UTF-8 become U+FFFD.
func TestTextIsAlwaysUTF8(t *testing.T) {
	for s, want := range map[string]string{
		`"\ud83d\ude00"`: "😀", `"\ud83c"`: "\ufffd", `"\ud83cx"`: "\ufffdx", `"\ud83c\u0041"`: "\ufffdA", `"\ude00\ud83d"`: "\ufffd\ufffd",
		"\"a\xffb\"": "a\ufffdb", "\"\xed\xa0\x80\"": "\ufffd\ufffd\ufffd", `"\u00e4\n\t\"\\\/"`: "ä\n\t\"\\/", `"\u0000"`: "\x00", "\"a\u2028b\"": "a\u2028b",
	} {
		got := parse([]byte(s)).text()
		if got != want || !utf8.ValidString(got) {
			t.Errorf("text of %s is %q, want %q", s, got, want)
		}
	}
}

func TestPassingOverALineAllocatesNothing(t *testing.T) {
	for name, line := range benchLines() {
		if n := testing.AllocsPerRun(10, func() { parse(line).members(func([]byte, value) bool { return true }) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// What is twice as long may take little more than twice the time: the factor has
// room for a busy machine, not for a square.
func TestNoLineTakesSquareTime(t *testing.T) {
	shapes := map[string]func(n int) string{
		"backslashes":   func(n int) string { return `{"a":"` + strings.Repeat(`\`, n) },
		"quotes":        func(n int) string { return `{"a":` + strings.Repeat(`\"`, n) },
		"open lists":    func(n int) string { return strings.Repeat(`[`, n) },
		"open objects":  func(n int) string { return strings.Repeat(`{"a":`, n/5) },
		"strings":       func(n int) string { return `[` + strings.Repeat(`"",`, n/3) },
		"bad escapes":   func(n int) string { return `"` + strings.Repeat(`\ud8`, n/4) + `"` },
		"not UTF-8":     func(n int) string { return `"` + strings.Repeat("\xff", n) + `"` },
		"blanks":        func(n int) string { return `{` + strings.Repeat(" ", n) },
		"half a number": func(n int) string { return `{"a":` + strings.Repeat("1", n) },
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			took := func(n int) time.Duration {
				line := []byte(shape(n))
				best := time.Duration(math.MaxInt64)
				for range 3 {
					start := time.Now()
					v := parse(line)
					v.fields(func(key string, val value) { val.text() })
					v.items(func(val value) bool { val.text(); return true })
					v.text()
					best = min(best, time.Since(start))
				}
				return best
			}
			short, long := took(64<<10), took(4<<20) // 64 times as long; a square would be 4,096 times
			if long > 1000*short && long > time.Second {
				t.Errorf("64 KiB took %v, 4 MiB %v", short, long)
			}
		})
	}
}
