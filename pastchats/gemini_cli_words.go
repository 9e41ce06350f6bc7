package pastchats

import (
	"strings"
)

// geminiWords tells the person's words from those that Gemini CLI puts into the
// person's turns.
type geminiWords struct{ blocks *marks }

func newGeminiWords() *geminiWords {
	return &geminiWords{newMarks(append(commonMarks(), "session_context", "hook_context")...)}
}

// geminiMessage is one message of a session.
type geminiMessage struct {
	id     string
	role   Role // "" for what is neither the person's nor the model's
	text   string
	at     int64
	model  string
	shown  bool   // text is what was shown as typed
	folder string // the folder that the program told the model
}

// geminiIDs bounds a message's id, in bytes.
const geminiIDs = 256

// geminiFields are a message's members that matter, as they stand.
type geminiFields struct{ id, at, kind, content, shown, model value }

func (f *geminiFields) take(key []byte, val value) {
	switch string(key) {
	case "id":
		f.id = val
	case "timestamp":
		f.at = val
	case "type":
		f.kind = val
	case "content":
		f.content = val
	case "displayContent":
		f.shown = val
	case "model":
		f.model = val
	}
}

// message reads one message.
func (w *geminiWords) message(v value) geminiMessage {
	var f geminiFields
	v.members(func(key []byte, val value) bool {
		f.take(key, val)
		return true
	})
	return w.read(f)
}

func (w *geminiWords) read(f geminiFields) geminiMessage {
	m := geminiMessage{id: f.id.text(), at: when(f.at)}
	if len(m.id) > geminiIDs {
		m.id = ""
	}
	switch {
	case f.kind.is("gemini"):
		m.role, m.model = Assistant, f.model.text()
		if m.text = trim(geminiText(f.content)); m.text == geminiCompressed {
			m.text = ""
		}
	case f.kind.is("user"):
		m.role = User
		text := geminiText(f.shown)
		if m.shown = trim(text) != ""; !m.shown {
			text, _, _ = strings.Cut(geminiText(f.content), geminiFiles)
		}
		if strings.Contains(text, "<session_context>") {
			m.folder = geminiWorkspace(text)
		}
		m.text = w.typed(text)
	}
	return m
}

const (
	// geminiFiles stands before the files that an @ pulled in.
	geminiFiles = "--- Content from referenced files ---"
	// geminiCompressed is what the program lets the model say to a summary.
	geminiCompressed = "Got it. Thanks for the additional context!"
)

// typed is what the person typed of a text, "" for none.
func (w *geminiWords) typed(text string) string {
	text = w.blocks.strip(text)
	for _, note := range []string{
		"<state_snapshot>",
		"Here is the user's editor context",
		"Here is a summary of changes in the user's editor context",
	} {
		if strings.HasPrefix(text, note) {
			return ""
		}
	}
	if geminiCommand(text) {
		return ""
	}
	return text
}

// geminiCommand reports that a text is one command for the program, such as
// /stats.
func geminiCommand(text string) bool {
	if len(text) < 2 || text[0] != '/' || text[1] < 'a' || text[1] > 'z' {
		return false
	}
	for _, c := range []byte(text[2:]) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != ':' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// geminiText is the text of a content: a string, a part, or a list of both. What
// was thought, called or answered by a tool is no text.
func geminiText(content value) string {
	switch {
	case content.isString():
		return content.text()
	case content.isObject():
		return geminiPart(content)
	}
	var parts []string
	content.items(func(part value) bool {
		text := part.text()
		if part.isObject() {
			text = geminiPart(part)
		}
		if trim(text) != "" {
			parts = append(parts, text)
		}
		return true
	})
	return strings.Join(parts, "\n\n")
}

func geminiPart(part value) string {
	var text, thought value
	part.members(func(key []byte, val value) bool {
		switch string(key) {
		case "text":
			text = val
		case "thought":
			thought = val
		}
		return true
	})
	if thought.bool() {
		return ""
	}
	return text.text()
}

// geminiWorkspace is the first folder that a session's context names.
func geminiWorkspace(text string) string {
	_, rest, ok := strings.Cut(text, "**Workspace Directories:**")
	if !ok {
		return ""
	}
	for range 3 {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "- ")); line != "" {
			if strings.HasPrefix(line, "<") {
				return ""
			}
			return line
		}
	}
	return ""
}
