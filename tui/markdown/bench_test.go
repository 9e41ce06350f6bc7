package markdown

import (
	"strings"
	"testing"
)

// reply is about size bytes of what an agent writes.
func reply(size int) string {
	const part = `## What I found

The total panics because ` + "`c.Items[0]`" + ` is read before the length is checked. **Three** places do it:

1. ` + "`cart/service.go`" + `, in *Total*
2. ` + "`cart/discount.go`" + `, see [the docs](https://example.com/docs/cart)
   - and its test
   - which never has an empty cart
3. the handler

` + "```go" + `
func (c *Cart) Total() (Money, error) {
	if len(c.Items) == 0 {
		return Zero, nil // an empty cart costs nothing
	}
	return c.Items[0].Price.Mul(2), nil
}
` + "```" + `

| file | lines | why |
|------|------:|-----|
| service.go | 120 | the guard |
| discount.go | 44 | the same guard, and a longer text that has to be wrapped somewhere |

> An empty cart is what checkout expects when everything was removed.

Then I ran the tests, and they pass. The rest of this paragraph is here so that there is something to wrap at the width of the pane.

`
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(part)
	}
	return b.String()[:size]
}

func BenchmarkRender20KB(b *testing.B) {
	src, th := reply(20<<10), colourTheme()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Render(src, 98, th)
	}
}

func BenchmarkRenderWide20KB(b *testing.B) {
	src, th := strings.Repeat(readText(b, "wide.txt")+"\n\n", 42), colourTheme()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Render(src, 98, th)
	}
}

// A reply of 20 KB in pieces of 40 bytes, drawn after each.
func BenchmarkStream20KBIn40ByteDeltas(b *testing.B) {
	src, th := reply(20<<10), colourTheme()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewStream(98, th)
		for at := 0; at < len(src); at += 40 {
			s.Write(src[at:min(at+40, len(src))])
			s.Lines()
		}
	}
}

// The same with the whole reply drawn after each piece.
func BenchmarkWhole20KBIn40ByteDeltas(b *testing.B) {
	src, th := reply(20<<10), colourTheme()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		for at := 0; at < len(src); at += 40 {
			Render(src[:min(at+40, len(src))], 98, th)
		}
	}
}

// One block of code that is still open: nothing of it settles.
func BenchmarkStreamOpenFence20KB(b *testing.B) {
	src, th := "```go\n"+strings.Repeat("\tfirst := c.Items[0] // and a comment\n", 560), colourTheme()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		s := NewStream(98, th)
		for at := 0; at < len(src); at += 40 {
			s.Write(src[at:min(at+40, len(src))])
			s.Lines()
		}
	}
}

func BenchmarkDiff(b *testing.B) {
	before := strings.Repeat("a line of a file that stays as it is\n", 2000)
	after := strings.Replace(before, "stays", "changes", 40)
	th := colourTheme()
	b.ReportAllocs()
	for b.Loop() {
		Diff(&before, &after, th, DiffOptions{Width: 98, Limit: 12})
	}
}
