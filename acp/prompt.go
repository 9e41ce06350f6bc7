package acp

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"conch/engine"
	"conch/program"
)

// prompt is a message as blocks, and what had to be said about it.
type prompt struct {
	blocks  []any
	notices []engine.Event
}

// prompt makes blocks of a message and what goes with it, as far as the program
// takes them in. What it cannot take is said, never dropped in silence.
func (e *Engine) prompt(caps capabilities, text string, attachments []engine.Attachment) prompt {
	out := prompt{}
	images := caps.image && !e.agent.Quirks.NoImages
	withImage := false
	for _, a := range attachments {
		withImage = withImage || isImage(a) && len(a.Data) > 0 && images
	}
	var files []string
	for _, a := range attachments {
		switch {
		case isImage(a) && len(a.Data) > 0 && images:
			out.blocks = append(out.blocks, map[string]any{
				"type": "image", "mimeType": a.MIME, "data": base64.StdEncoding.EncodeToString(a.Data),
			})
		case isImage(a) && a.Path == "":
			out.notices = append(out.notices, engine.Notice{
				Code:    "no-images",
				Message: fmt.Sprintf("%s takes no pictures: %s was not sent.", e.agent.Name, program.OneLine(cmp.Or(a.Name, "the picture"), maxName)),
			})
		case withImage && e.agent.Quirks.DropsImageBesideLink && a.Path != "":
			// A link or a file beside it would cost the picture, so the file is
			// named in the text.
			files = append(files, a.Path)
		case len(a.Data) > 0 && caps.embedded && utf8.Valid(a.Data):
			out.blocks = append(out.blocks, map[string]any{
				"type": "resource",
				"resource": map[string]any{
					"uri": uriOf(a), "mimeType": cmp.Or(a.MIME, "text/plain"), "text": string(a.Data),
				},
			})
		case a.Path != "":
			link := map[string]any{"type": "resource_link", "name": cmp.Or(a.Name, filepath.Base(a.Path)), "uri": uriOf(a)}
			if a.MIME != "" {
				link["mimeType"] = a.MIME
			}
			out.blocks = append(out.blocks, link)
		case len(a.Data) > 0 && utf8.Valid(a.Data):
			text += fmt.Sprintf("\n\n%s:\n%s", cmp.Or(a.Name, "File"), fenced(string(a.Data)))
		default:
			out.notices = append(out.notices, engine.Notice{
				Code:    "not-sent",
				Message: fmt.Sprintf("%s does not take files like %s: it was not sent.", e.agent.Name, program.OneLine(cmp.Or(a.Name, "this one"), maxName)),
			})
		}
	}
	if len(files) > 0 {
		text += "\n\nFiles:\n" + strings.Join(files, "\n")
	}
	if text != "" || len(out.blocks) == 0 {
		out.blocks = append([]any{map[string]any{"type": "text", "text": text}}, out.blocks...)
	}
	return out
}

func isImage(a engine.Attachment) bool { return strings.HasPrefix(a.MIME, "image/") }

// uriOf is the address of an attachment; one without a file has a made-up one.
func uriOf(a engine.Attachment) string {
	if a.Path == "" {
		return "attachment:///" + url.PathEscape(cmp.Or(a.Name, "file"))
	}
	path := filepath.ToSlash(a.Path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// fenced puts a fence around text that is longer than any in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
