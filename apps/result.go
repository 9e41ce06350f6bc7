package apps

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/engine"
	"conch/plain"
)

const (
	// maxText is how much of an answer goes on, in characters.
	maxText = 100_000
	// maxImages and maxImageBytes bound the pictures of one answer.
	maxImages     = 8
	maxImageBytes = 10 << 20
)

// result is an app's answer for the model: its words cleaned, without keys and of
// bounded length, its pictures beside them, a word in the place of everything else.
func (b *Bridge) result(t Listed, r *mcp.CallToolResult) engine.ToolResult {
	out := engine.ToolResult{Failed: r.IsError}
	var parts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			if len(out.Images) < maxImages && len(c.Data) > 0 && len(c.Data) <= maxImageBytes && strings.HasPrefix(c.MIMEType, "image/") {
				out.Images = append(out.Images, engine.Attachment{Name: "picture", MIME: line(c.MIMEType, 60), Data: c.Data})
				continue
			}
			parts = append(parts, placeholder("a picture", c.MIMEType, len(c.Data)))
		case *mcp.AudioContent:
			parts = append(parts, placeholder("sound", c.MIMEType, len(c.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, strings.TrimSpace("("+strings.TrimSpace(c.Name+" "+c.URI)+") "+c.Description))
		case *mcp.EmbeddedResource:
			switch {
			case c.Resource == nil:
			case c.Resource.Text != "":
				parts = append(parts, c.Resource.URI+"\n"+c.Resource.Text)
			default:
				parts = append(parts, c.Resource.URI+" "+placeholder("a file", c.Resource.MIMEType, len(c.Resource.Blob)))
			}
		case nil:
		default:
			parts = append(parts, "(something that Conch can't read is left out)")
		}
	}
	if len(parts) == 0 && len(out.Images) == 0 && r.StructuredContent != nil {
		if raw, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(raw))
		}
	}
	out.Text = b.text(strings.Join(parts, "\n"))
	switch {
	case strings.TrimSpace(out.Text) != "":
	case out.Failed:
		out.Text = t.Tool + " failed without saying why."
	case len(out.Images) > 0:
		out.Text = fmt.Sprintf("%d pictures", len(out.Images))
		if len(out.Images) == 1 {
			out.Text = "1 picture"
		}
	default:
		out.Text = "(an empty answer)"
	}
	return out
}

// text cleans an app's words and cuts them.
func (b *Bridge) text(s string) string {
	// The beginning alone is looked at: an answer may have millions of characters.
	// What is cut off may hold the end of a key that began before, so a stretch more
	// is looked at than is kept.
	whole := utf8.RuneCountInString(s)
	s = b.redacted(plain.Text(bytesOf(s, 4*(maxText+2000))))
	if r := []rune(s); len(r) > maxText || whole > maxText+2000 {
		note := fmt.Sprintf("\n(cut: the answer had %d characters)", whole)
		s = string(r[:min(len(r), maxText-utf8.RuneCountInString(note))]) + note
	}
	return s
}

// placeholder stands where something was that no model is given.
func placeholder(what, mime string, n int) string {
	return fmt.Sprintf("(%s, %s, %d bytes: left out)", what, line(mime, 60), n)
}
