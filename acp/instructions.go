package acp

import (
	"strings"

	"conch/engine"
)

// The frames of instructions that go with a message. The model is to know that
// they are the app's words and not the person's.
const (
	framedFirst = "<conch-instructions>\nThis is from Conch, the app that this conversation is held in, and not from the person. It holds for the whole conversation. There is no need to mention it.\n\n"
	framedAnew  = "<conch-instructions>\nThis is from Conch, the app that this conversation is held in, and not from the person. It replaces all that Conch has instructed before. There is no need to mention it.\n\n"
	framedNone  = "<conch-instructions>\nThis is from Conch, the app that this conversation is held in, and not from the person. What Conch has instructed before holds no longer."
	frameEnd    = "\n</conch-instructions>"
)

// meta is what of the instructions a program takes when a session is opened.
func (a Agent) meta(words string) map[string]any {
	switch {
	case words == "":
		return nil
	case a.Instructions == SystemAppend:
		return map[string]any{"systemPrompt": map[string]any{"append": words}}
	case a.Instructions == Rules:
		return map[string]any{"rules": words}
	}
	return nil
}

// toTell gives the block of instructions that goes before a message, for a program
// that was not told them; "" when it was. s.digest is then the digest of what it
// has been told; earlier is what to set it back to if it does not take them in.
func (s *session) toTell(in engine.TurnInput) (block, earlier string) {
	earlier = s.digest
	now := digestOf(in.SystemAppend)
	if now == s.digest || s.isCommand(in.Prompt) {
		return "", earlier
	}
	s.digest = now
	words := strings.ReplaceAll(in.SystemAppend, "</conch-instructions", "‹/conch-instructions")
	switch {
	case words == "":
		return framedNone + frameEnd, earlier
	case earlier == digestOf(""):
		return framedFirst + words + frameEnd, earlier
	}
	return framedAnew + words + frameEnd, earlier
}

// isCommand reports a message that is one of the program's own commands: it is
// known as one only when nothing stands before it.
func (s *session) isCommand(prompt string) bool {
	word, ok := strings.CutPrefix(prompt, "/")
	if !ok {
		return false
	}
	word, _, _ = strings.Cut(word, " ")
	word, _, _ = strings.Cut(word, "\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.commands {
		if c.Name == word {
			return true
		}
	}
	return false
}
