package tools

import (
	"encoding/json"
	"fmt"
	"testing"
)

// BenchmarkSearchChats searches 100,000 messages in 1,000 chats of Conch's own.
func BenchmarkSearchChats(b *testing.B) {
	w := newWorld(b)
	words := []string{"cart", "total", "invoice", "deploy", "parser", "timeout", "schema", "render", "socket", "budget"}
	for c := range 1000 {
		var lines []saidLine
		for i := range 100 {
			n := c*100 + i
			lines = append(lines, you(fmt.Sprintf("%s and %s of item %d, see the %s", words[n%10], words[n/10%10], n, words[n/100%10])))
		}
		w.own(fmt.Sprintf("Chat %d", c), lines...)
	}
	if err := w.index.CatchUp(b.Context()); err != nil {
		b.Fatal(err)
	}
	for name, args := range map[string]string{
		"one word": `{"query":"cart","limit":8}`, "two words": `{"query":"cart total"}`, "a rare one": `{"query":"item 4711"}`, "nothing": `{"query":"zebra"}`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := w.tool(&aTurn{}, "search_chats").Call(b.Context(), json.RawMessage(args)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadChat reads around a message in the middle of a chat of 4,000 that
// was brought in, and of one of Conch's own.
func BenchmarkReadChat(b *testing.B) {
	w := newWorld(b)
	var lines []saidLine
	for i := range 4000 {
		lines = append(lines, long(2)[i%2])
		lines[i].text += fmt.Sprintf(" %d: ", i) + "some words of the person and of the assistant, about as long as they are on most days, with a path like /code/shop/cart.go in them"
	}
	own := w.own("Own", lines...)
	w.foreign("66666666-0000-4000-8000-000000000001", "shop", "Past", lines...)
	w.bring()
	for name, args := range map[string]string{
		"past, around": `{"chat":"` + w.brought("Past").ID + `","message":"claude-code.2000"}`, "past, newest": `{"chat":"` + w.brought("Past").ID + `"}`, "own, newest": `{"chat":"` + own + `"}`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := w.tool(&aTurn{}, "read_chat").Call(b.Context(), json.RawMessage(args)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
