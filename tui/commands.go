package tui

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"conch/conversation"
	"conch/engine"
	"conch/plain"
	"conch/tui/complete"
	"conch/tui/composer"
	"conch/tui/keys"
)

// submit sends what is in the prompt: words to the agent, a command of Conch's
// or the agent's, a command line of the person's.
func (m *model) submit(r *room) {
	if r.failed != nil {
		m.say(openFailed(r.failed), true)
		return
	}
	if m.pictures.reading == r {
		m.say("the picture is still being read from the clipboard; enter again when it is there", true)
		return
	}
	if why := m.unready(r); why != "" {
		m.say(why, true)
		return
	}
	msg, ok := r.prompt.Take()
	if !ok {
		m.submitNothing(r)
		return
	}
	switch {
	case msg.Kind == composer.Shell:
		m.runShell(r, msg.Text)
	case msg.Kind == composer.Command && m.command(r, msg.Text):
	default:
		if r.status.ReadOnly {
			r.prompt.Put(msg.Text, msg.Attachments)
			m.reopen(r)
			return
		}
		m.send(r, conversation.Message{Text: msg.Text, Attachments: attachments(r.folderNow(), msg)})
	}
}

// unready says why a command or a shell line can't be done as it stands. It stays
// in the prompt as what it is: one that was put back would go to the agent as
// words.
func (m *model) unready(r *room) string {
	switch r.prompt.Kind() {
	case composer.Shell:
		return m.noShell(r)
	case composer.Command:
		return m.misspelt(r, strings.TrimSpace(r.prompt.Text()))
	}
	return ""
}

// misspelt says which command of Conch's a text was likely meant to be, "" for one
// that is none or is right.
func (m *model) misspelt(r *room, text string) string {
	word, _, ok := ownWord(text)
	if !ok || slices.ContainsFunc(r.status.Commands, func(c engine.SlashCommand) bool { return "/"+c.Name == word }) {
		return ""
	}
	if _, known := m.keys.Command(word); known {
		return ""
	}
	near := m.nearest(word)
	if near == "" {
		return ""
	}
	return "there is no " + plain.Line(word, 40) + "; did you mean " + near + "?"
}

// ownWord cuts a text into the word of a command and the rest; ok is false for
// one that only begins like a command.
func ownWord(text string) (word, rest string, ok bool) {
	word, rest, _ = strings.Cut(text, " ")
	if len(word) < 2 || strings.Contains(word, "\n") || strings.Contains(word[1:], "/") {
		return "", "", false
	}
	return word, strings.TrimSpace(rest), true
}

// attachments are the pictures of a message and the files that it names.
func attachments(folder string, msg composer.Message) []engine.Attachment {
	all := msg.Attachments
	for _, path := range msg.Files {
		abs := path
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(folder, filepath.FromSlash(path))
		}
		all = append(all, engine.Attachment{Name: filepath.Base(abs), Path: abs})
	}
	return all
}

// submitNothing is Enter in an empty prompt: it sends held messages, or again
// what failed, or takes the demo where it is offered.
func (m *model) submitNothing(r *room) {
	end := r.status.LastEnd
	row, cut := m.cutOff(r)
	switch {
	case r.status.Held && !r.status.Running:
		m.do(r, "send it", func(t talk) error { return t.Release() })
	case cut:
		m.show(row.ID)
	case m.offersDemo(r):
		m.chooseProvider(demoID)
		r.prompt.SetText("show me what you can do")
	case end != nil && end.Outcome == string(engine.Failed) && !r.status.Running && r.lastText != "":
		m.send(r, conversation.Message{Text: r.lastText})
	}
}

// command does a command of Conch's. It reports false for what goes to the agent
// as it is: a command of its own, or a text that only begins like one.
func (m *model) command(r *room, text string) bool {
	word, rest, ok := ownWord(text)
	if !ok {
		return false
	}
	e, ok := m.keys.Command(word)
	if !ok {
		words := m.misspelt(r, text)
		if words != "" {
			m.say(words, true)
		}
		return words != ""
	}
	if why := e.Why(m.has()); why != "" {
		m.say(why, false)
		return true
	}
	m.commanded(r, e.Action, rest)
	return true
}

// commanded does an action that was typed, with what followed it.
func (m *model) commanded(r *room, a keys.Action, rest string) {
	switch {
	case a == keys.Provider && rest != "":
		m.chooseProvider(rest)
	case a == keys.Model && rest != "":
		m.setModel(r, rest)
	case a == keys.Effort && rest != "":
		m.setEffort(r, rest)
	case a == keys.Mode && rest == "":
		m.openModes()
	case a == keys.Mode:
		m.chooseMode(r, rest)
	case a == keys.SignIn && rest != "":
		m.askSignIn(rest)
	case a == keys.Steer && rest == "":
		m.say("/steer takes the words: /steer use the other branch", true)
	case a == keys.Steer:
		m.steer(r, conversation.Message{Text: rest})
	case a == keys.Run:
		m.toRun(rest)
	case a == keys.Search:
		m.openSheet(rest)
	case a == keys.Carry:
		m.carryTyped(rest)
	case a == keys.Import && rest == "no":
		m.notNow()
	case a == keys.CopyAnswer && rest != "":
		m.copyBlock(r, rest)
	case a == keys.Rename:
		m.rename(r, rest)
	case a == keys.ClearOrQuit:
		m.quit()
	case a == keys.Interrupt:
		if r.busy() {
			m.interruptNow()
		} else {
			m.say("nothing is running", false)
		}
	default:
		m.perform(a)
	}
}

func (m *model) copyBlock(r *room, rest string) {
	n, err := strconv.Atoi(rest)
	if err != nil || n < 1 {
		m.say("/copy takes the number of a block of code, such as /copy 1", true)
		return
	}
	code, ok := r.items.CodeBlock(n)
	if !ok {
		m.say("the answer has no block of code number "+rest, true)
		return
	}
	m.copyText("block "+rest, code)
}

// nearest is a command of Conch's that a word was likely meant to be, "" for
// none.
func (m *model) nearest(word string) string {
	if len(word) < 4 {
		return ""
	}
	best, least := "", 3
	for _, e := range m.keys.Entries() {
		if e.Command == "" {
			continue
		}
		if d := distance(word, e.Name()); d < least {
			best, least = e.Name(), d
		}
	}
	return best
}

// distance counts the edits between two words: a letter more, less, another, or
// two swapped.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, prev, cur := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(y)]
}

// commandItems are what a slash completes: Conch's commands, then the agent's.
func (m *model) commandItems(agent []engine.SlashCommand) []complete.Item {
	var items []complete.Item
	own := map[string]bool{}
	for _, e := range m.keys.Entries() {
		if e.Command == "" || e.Group == keys.InARun {
			continue
		}
		own[e.Name()] = true
		items = append(items, complete.Item{Insert: e.Name(), Label: e.Name(), Hint: e.Takes(), Detail: e.Says()})
	}
	for _, c := range agent {
		if name := "/" + c.Name; !own[name] {
			items = append(items, complete.Item{Insert: name, Label: name, Hint: c.Hint, Detail: c.Description})
		}
	}
	return items
}
