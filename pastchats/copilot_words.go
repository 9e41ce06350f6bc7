package pastchats

import (
	"strings"
)

// tell puts the words of a session's object into a chat.
func (c *copilotChat) tell(root copilotNode, chat *talk) {
	chat.Title = root.member("customTitle").text()
	chat.Started = when(root.member("creationDate").raw)
	chat.Updated = when(root.member("lastMessageDate").raw)
	root.member("requests").items(func(request copilotNode) {
		c.turn(request, chat)
	})
}

// turn reads one request and its answer. One that was undone is out.
func (c *copilotChat) turn(request copilotNode, chat *talk) {
	if !request.isObject() {
		return
	}
	var message, response, asked, model, state, result copilotNode
	undone := false
	request.members(func(key []byte, val copilotNode) {
		switch string(key) {
		case "message":
			message = val
		case "response":
			response = val
		case "timestamp":
			asked = val
		case "modelId":
			model = val
		case "modelState":
			state = val
		case "result":
			result = val
		case "isHidden":
			undone = undone || val.raw.bool()
		case "shouldBeRemovedOnSend":
			undone = undone || !val.none() && string(val.raw) != "false"
		}
	})
	if undone {
		return
	}
	at := when(asked.raw)
	done := when(state.member("completedAt").raw)
	chat.Updated = max(chat.Updated, at, done)
	text := message.text()
	if message.isObject() {
		text = message.member("text").text()
	}
	if text = c.words.strip(text); text != "" {
		chat.say(User, text, at)
	}
	if done == 0 {
		done = at
	}
	text = copilotAnswer(response)
	if text != "" {
		chat.say(Assistant, text, done)
	}
	if id := strings.TrimPrefix(model.text(), "copilot/"); id != "" && (text != "" || result.member(copilotFailed).none()) {
		chat.Model = id // of one that failed before it said anything: no
	}
}

// copilotSays reports that a part of this kind may have words.
func copilotSays(kind value) bool {
	return kind == nil || string(kind) == "null" || kind.is("markdownContent") || kind.is("markdownVuln") || kind.is("inlineReference")
}

// copilotAnswer is the text of an answer, as the editor itself makes one of its
// parts: fragments are joined directly, a step begins a new paragraph.
func copilotAnswer(response copilotNode) string {
	if text := response.text(); text != "" {
		return copilotTidy(text)
	}
	var out strings.Builder
	step := false
	say := func(text string) {
		if text == "" {
			return
		}
		if step && out.Len() > 0 {
			out.WriteString("\n\n")
		}
		step = false
		out.WriteString(text)
	}
	response.items(func(part copilotNode) {
		if !part.isObject() {
			say(part.text())
			return
		}
		kind := part.member("kind")
		if kind.none() {
			say(part.member("value").text())
			return
		}
		switch kind.text() {
		case "markdownContent", "markdownVuln":
			content := part.member("content")
			if content.isObject() {
				content = content.member("value")
			}
			say(content.text())
		case "inlineReference":
			if name := copilotReference(part); name != "" {
				say("`" + name + "`")
			}
		case "toolInvocation", "toolInvocationSerialized", "command", "confirmation", "elicitationSerialized", "questionCarousel":
			step = true
		}
	})
	return copilotTidy(out.String())
}

// copilotReference is the name of what an answer points at: of a symbol its
// name, of a file the last part of its path.
func copilotReference(part copilotNode) string {
	ref := part.member("inlineReference")
	uri := ref.member("uri")
	if uri.none() {
		for _, n := range []copilotNode{ref, part} {
			if name := n.member("name").text(); name != "" {
				return name
			}
		}
		uri = ref
	}
	at := copilotPath(uri.text())
	for _, name := range []string{"path", "fsPath", "external"} {
		if at == "" {
			at = copilotPath(uri.member(name).text())
		}
	}
	at = strings.TrimRight(at, `/\`)
	return at[strings.LastIndexAny(at, `/\`)+1:]
}

// copilotTidy takes out the empty fences that edits leave and makes two of three
// and more line ends.
func copilotTidy(text string) string {
	if strings.Contains(text, "```") {
		text = copilotFences(text)
	}
	if strings.Contains(text, "\n\n\n") {
		var out strings.Builder
		ends := 0
		for i := 0; i < len(text); i++ {
			if text[i] != '\n' {
				ends = 0
			} else if ends++; ends > 2 {
				continue
			}
			out.WriteByte(text[i])
		}
		text = out.String()
	}
	return strings.TrimSpace(text)
}

func copilotFences(text string) string {
	lines := strings.Split(text, "\n")
	kept := make([]string, 0, len(lines))
	for i := 0; i < len(lines); i++ {
		ticks := copilotTicks(lines[i])
		if ticks < 3 {
			kept = append(kept, lines[i])
			continue
		}
		end := i + 1
		for end < len(lines) && strings.TrimSpace(lines[end]) == "" {
			end++
		}
		if end < len(lines) && copilotCloses(lines[end], ticks) {
			i = end // nothing is in it
			continue
		}
		kept = append(kept, lines[i])
		for i++; i < len(lines); i++ {
			kept = append(kept, lines[i])
			if copilotCloses(lines[i], ticks) {
				break
			}
		}
	}
	return strings.Join(kept, "\n")
}

// copilotTicks is how many backticks a line begins with.
func copilotTicks(line string) int {
	line = strings.TrimLeft(line, " \t")
	return len(line) - len(strings.TrimLeft(line, "`"))
}

func copilotCloses(line string, ticks int) bool {
	line = strings.TrimSpace(line)
	return len(line) >= ticks && strings.Trim(line, "`") == ""
}
