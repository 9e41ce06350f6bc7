package apps

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/engine"
	"conch/redact"
)

// R-102-30.
func TestAnAnswerIsGivenOnInWordsAndPictures(t *testing.T) {
	b := New(Options{Keys: redact.New("hunter2hunter2")})
	png := []byte{1, 2, 3}
	for _, each := range []struct {
		name string
		in   *mcp.CallToolResult
		want engine.ToolResult
	}{
		{"words", words("one\ntwo"), engine.ToolResult{Text: "one\ntwo"}},
		{"several words", &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "one"}, &mcp.TextContent{Text: "two"}}}, engine.ToolResult{Text: "one\ntwo"}},
		{"a failure", &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no"}}}, engine.ToolResult{Text: "no", Failed: true}},
		{"a failure without words", &mcp.CallToolResult{IsError: true}, engine.ToolResult{Text: "look failed without saying why.", Failed: true}},
		{"nothing", &mcp.CallToolResult{}, engine.ToolResult{Text: "(an empty answer)"}},
		{"a picture", &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: png, MIMEType: "image/png"}}},
			engine.ToolResult{Text: "1 picture", Images: []engine.Attachment{{Name: "picture", MIME: "image/png", Data: png}}}},
		{"a picture of no known kind", &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: png, MIMEType: "x"}}}, engine.ToolResult{Text: "(a picture, x, 3 bytes: left out)"}},
		{"sound", &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hear"}, &mcp.AudioContent{Data: png, MIMEType: "audio/wav"}}}, engine.ToolResult{Text: "hear\n(sound, audio/wav, 3 bytes: left out)"}},
		{"a link", &mcp.CallToolResult{Content: []mcp.Content{&mcp.ResourceLink{URI: "ledger://1", Name: "Invoice", Description: "the first"}}}, engine.ToolResult{Text: "(Invoice ledger://1) the first"}},
		{"a text within", &mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "ledger://1", Text: "400.00"}}}}, engine.ToolResult{Text: "ledger://1\n400.00"}},
		{"a file within", &mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "ledger://1", MIMEType: "application/pdf", Blob: png}}}}, engine.ToolResult{Text: "ledger://1 (a file, application/pdf, 3 bytes: left out)"}},
		{"only a structure", &mcp.CallToolResult{StructuredContent: map[string]any{"sum": 3}}, engine.ToolResult{Text: `{"sum":3}`}},
		{"keys", words("hunter2hunter2 and ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i"), engine.ToolResult{Text: "[redacted] and [redacted]"}},
		{"controls", words("a\x1b[31mb\x1b]0;t\x07\u202ec"), engine.ToolResult{Text: "abc"}},
	} {
		t.Run(each.name, func(t *testing.T) {
			if d := cmp.Diff(each.want, b.result(Listed{Tool: "look"}, each.in)); d != "" {
				t.Error(d)
			}
		})
	}
}

// R-102-30: 100,000 characters, with a word about the rest.
func TestALongAnswerIsCut(t *testing.T) {
	b := New(Options{})
	for n, cut := range map[int]bool{100_000: false, 100_001: true, 5_000_000: true} {
		got := b.result(Listed{}, words(strings.Repeat("ä", n))).Text
		if utf8.RuneCountInString(got) != 100_000 || strings.Contains(got, "(cut: the answer had") != cut {
			t.Errorf("%d characters give %d, … %q", n, utf8.RuneCountInString(got), got[len(got)-60:])
		}
	}
	const key = "ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i"
	if got := b.result(Listed{}, words(strings.Repeat("x ", 49_990)+key+strings.Repeat(" y", 200_000))).Text; strings.Contains(got, "ghp_") {
		t.Error("half a key is left where it was cut")
	}
}

func TestTooManyPicturesAreLeftOut(t *testing.T) {
	r := &mcp.CallToolResult{}
	for range 10 {
		r.Content = append(r.Content, &mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png"})
	}
	got := New(Options{}).result(Listed{}, r)
	if len(got.Images) != 8 || strings.Count(got.Text, "left out") != 2 {
		t.Errorf("%d pictures, %q", len(got.Images), got.Text)
	}
}
