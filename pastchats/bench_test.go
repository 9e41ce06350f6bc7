package pastchats

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// benchLines are lines of the kinds that fill a chat's file.
func benchLines() map[string][]byte {
	code := "func (s *Shop) Total(items []Item) int {\\n\\tsum := 0\\n\\tfor _, i := range items {\\n\\t\\tsum += i.Price\\n\\t}\\n\\treturn sum\\n}\\n"
	plainText := strings.Repeat("The menu is cut off on phones because its width is fixed. ", 20)
	quoted := strings.Repeat(`{\"name\":\"cart\",\"price\":12},`, 200)
	head := `{"parentUuid":"5b1d0c3a-7e42-4f6a-9a51-0d2c3b4a5e6f","isSidechain":false,"userType":"external","cwd":"/home/dev/shop","sessionId":"5b1d0c3a-7e42-4f6a-9a51-0d2c3b4a5e6f","version":"2.1.331","gitBranch":"main",`
	var nested strings.Builder
	for i := range 300 {
		fmt.Fprintf(&nested, `{"file":"src/%d.ts","line":%d,"ok":true,"marks":[1,2,3],"of":{"a":"b"}},`, i, i*7)
	}
	return map[string][]byte{
		"words":     []byte(head + `"type":"assistant","message":{"id":"msg_1","model":"m","role":"assistant","content":[{"type":"text","text":"` + plainText + `"}]},"timestamp":"2026-11-30T10:00:00.000Z"}`),
		"result":    []byte(head + `"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"` + strings.Repeat(code, 300) + `"}]},"toolUseResult":{"stdout":"` + strings.Repeat(code, 300) + `"}}`),
		"quoted":    []byte(head + `"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"` + strings.Repeat(quoted, 10) + `"}]}}`),
		"nested":    []byte(head + `"type":"progress","data":[` + nested.String() + `{}]}`),
		"backslash": []byte(head + `"type":"progress","data":"` + strings.Repeat(`\\`, 50_000) + `"}`),
	}
}

// BenchmarkValue walks the members of a line and passes over all of them.
func BenchmarkValue(b *testing.B) {
	for name, line := range benchLines() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if !parse(line).members(func([]byte, value) bool { return true }) {
					b.Fatal("not whole")
				}
			}
		})
	}
}

// BenchmarkText takes a message's words out of its line.
func BenchmarkText(b *testing.B) {
	line := benchLines()["words"]
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		parse(line).get("message", "content").items(func(v value) bool {
			n += len(v.get("text").text())
			return true
		})
		if n == 0 {
			b.Fatal("no words")
		}
	}
}

// BenchmarkLines splits lines of many lengths.
func BenchmarkLines(b *testing.B) {
	var all bytes.Buffer
	for all.Len() < 64<<20 {
		for _, line := range benchLines() {
			all.Write(line)
			all.WriteByte('\n')
		}
	}
	b.SetBytes(int64(all.Len()))
	b.ReportAllocs()
	var lr lineReader
	for b.Loop() {
		if _, err := lr.each(bytes.NewReader(all.Bytes()), maxLine, func([]byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStrip takes blocks out of a text that is made against it.
func BenchmarkStrip(b *testing.B) {
	m := newMarks(commonMarks()...)
	for name, text := range map[string]string{
		"words":   strings.Repeat("Fix the menu, please. It is cut off on phones. ", 100),
		"block":   "<system-reminder>" + strings.Repeat("remember ", 1000) + "</system-reminder>\nFix it.",
		"hostile": strings.Repeat("<system-reminder>", 1<<20/17),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				m.strip(text)
			}
		})
	}
}
