package pastchats

import (
	"bytes"
	"strings"
)

// codexWords tells the person's words from those that Codex puts into the
// person's turns.
type codexWords struct{ common, all []string }

func newCodexWords() *codexWords {
	common := commonMarks()
	return &codexWords{common: common, all: append([]string{
		"INSTRUCTIONS", "permissions instructions", "skills_instructions", "skill", "subagent_notification",
		"user_shell_command", "user_action", "recommended_plugins", "goal_context", "codex_internal_context",
		"extension_context", "hook_prompt", "collaboration_mode", "model_switch", "personality_spec",
		"multi_agent_mode", "apps_instructions", "plugins_instructions", "environments_instructions",
		codexWindowMark, "token_budget", "current_time_reminder", "realtime_conversation", "side_conversation",
		"codex_delegation",
	}, common...)}
}

// codexWindowMark is the beginning of a mark's name: what follows differs.
const codexWindowMark = "context_window"

// codexRequest stands before what was typed in an editor; above it is what the
// editor told.
const codexRequest = "## My request for Codex:"

// typed is what the person typed of an event's text.
func (w *codexWords) typed(text string) string {
	return codexAsked(codexUnwrap(text, w.common))
}

func codexAsked(text string) string {
	if _, asked, ok := strings.Cut(text, codexRequest); ok {
		text = asked
	}
	return trim(text)
}

// part is the person's of one part of an item. known says that the part's kind
// names it as the person's: then nothing was put before it.
func (w *codexWords) part(text string, known bool) string {
	text = trim(text)
	for _, note := range []string{
		"Warning: apply_patch was requested via",
		"Warning: The maximum number of unified exec processes",
		"Warning: Your account was flagged",
	} {
		if strings.HasPrefix(text, note) {
			return ""
		}
	}
	if text == "</image>" || strings.HasPrefix(text, "<image") && strings.IndexByte(text, '>') == len(text)-1 {
		return ""
	}
	if known {
		return text
	}
	return codexUnwrap(text, w.all)
}

// codexUnwrap takes whole envelopes off the front of a text. One in the middle of
// a sentence is text, and so is one that has no end.
func codexUnwrap(text string, names []string) string {
	for {
		text = trim(text)
		rest, ok := codexEnvelope(text, names)
		if !ok {
			return text
		}
		text = rest
	}
}

// codexEnvelope gives what follows the envelope that a text begins with.
func codexEnvelope(text string, names []string) (rest string, ok bool) {
	if strings.HasPrefix(text, "# AGENTS.md instructions") {
		_, rest, ok = strings.Cut(text, "</INSTRUCTIONS>")
		return rest, ok
	}
	if !strings.HasPrefix(text, "<") {
		return text, false
	}
	for _, name := range names {
		if !strings.HasPrefix(text[1:], name) {
			continue
		}
		end := 1 + len(name)
		if name == codexWindowMark {
			for end < len(text) && (text[end] == '_' || '0' <= text[end] && text[end] <= '9' || 'a' <= text[end] && text[end] <= 'z') {
				end++
			}
			name = text[1:end]
		}
		if end == len(text) || strings.IndexByte("> \t\r\n", text[end]) < 0 {
			continue
		}
		close := strings.IndexByte(text[end:], '>')
		if close < 0 || close > 0 && text[end+close-1] == '/' {
			return text, false
		}
		_, rest, ok = strings.Cut(text[end+close+1:], "</"+name+">")
		return rest, ok
	}
	return text, false
}

// item reads one message of what the model was given.
func (s *codexReading) item(v value, at int64) {
	var kind, who, content, passed value
	v.members(func(key []byte, val value) bool {
		switch string(key) {
		case "type":
			kind = val
		case "role":
			who = val
		case "content":
			content = val
		case "internal_chat_message_metadata_passthrough":
			passed = val
		}
		return true
	})
	if !kind.is("message") {
		return
	}
	switch {
	case who.is("assistant"):
		if text := codexParts(content, func(_ int, text string) string { return text }); strings.TrimSpace(text) != "" {
			s.items.say(Assistant, text, at)
		}
	case who.is("user"):
		kinds := codexKinds(passed)
		text := codexParts(content, func(i int, text string) string {
			s.folder(text)
			known := i < len(kinds) && kinds[i] != ""
			if known && !strings.HasPrefix(kinds[i], "user.") {
				return ""
			}
			return s.words.part(text, known)
		})
		text = codexAsked(text)
		if text != "" || codexPicture(content) {
			s.items.say(User, text, at)
		}
	}
}

// codexKinds are the kinds of a message's parts, by their place, which say who
// wrote each.
func codexKinds(passed value) []string {
	var kinds []string
	passed.get("content_item_kinds").items(func(kind value) bool {
		kinds = append(kinds, kind.text())
		return true
	})
	return kinds
}

// codexParts joins the texts of a message's parts. keep is given each with its
// place and says what is kept of it.
func codexParts(content value, keep func(i int, text string) string) string {
	if content.isString() {
		return keep(0, content.text())
	}
	var parts []string
	i := 0
	content.items(func(part value) bool {
		var kind, text value
		part.members(func(key []byte, val value) bool {
			switch string(key) {
			case "type":
				kind = val
			case "text":
				text = val
			}
			return true
		})
		if kind == nil || kind.is("input_text") || kind.is("output_text") || kind.is("text") {
			if kept := keep(i, text.text()); strings.TrimSpace(kept) != "" {
				parts = append(parts, kept)
			}
		}
		i++
		return true
	})
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts, "\n\n")
}

func codexPicture(content value) bool {
	picture := false
	content.items(func(part value) bool {
		picture = picture || part.get("type").is("input_image")
		return !picture
	})
	return picture
}

// folder takes the thread's folder from an environment's part, the only place
// where old versions name it.
func (s *codexReading) folder(text string) {
	if s.partCwd != "" || !strings.HasPrefix(trim(text), "<environment_context>") {
		return
	}
	if _, rest, ok := strings.Cut(text, "<cwd>"); ok {
		if cwd, _, ok := strings.Cut(rest, "</cwd>"); ok {
			s.partCwd = strings.TrimSpace(cwd)
			return
		}
	}
	if _, rest, ok := strings.Cut(text, "Current working directory:"); ok {
		cwd, _, _ := strings.Cut(rest, "\n")
		s.partCwd = strings.TrimSpace(cwd)
	}
}

// trimStart takes off what may stand before a file's first brace.
func trimStart(b []byte) []byte {
	return bytes.Trim(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), " \t\r\n\x00")
}
