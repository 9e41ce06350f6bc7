package composer

import (
	"strings"
	"unicode"

	"conch/tui/complete"
	"conch/tui/edit"
)

// completion is the list that is open under the word at the cursor.
type completion struct {
	open      bool
	files     bool // paths behind an at sign, else commands
	start     int  // where the word begins
	query     string
	list      complete.List
	moved     bool // the person chose in the list
	dismissed int  // the start of a word whose list was closed; -1
}

// SetCommands gives what a slash completes, Conch's first, then the agent's.
// Insert is the command with its slash.
func (c *Composer) SetCommands(items []complete.Item) {
	c.commands = items
	if c.completion.open && !c.completion.files {
		c.completion.list.SetItems(items)
	}
}

// SetFiles gives what an at sign completes; nil while it is not known.
func (c *Composer) SetFiles(f *complete.Files) {
	c.files = f
	if c.completion.open && c.completion.files && f != nil {
		c.completion.list.SetFiles(f)
	}
}

// WantsFiles reports once that a completion of files began: the screen walks the
// folder (complete.Walk) and calls SetFiles. What was known before is shown
// meanwhile.
func (c *Composer) WantsFiles() bool {
	wants := c.wantsFiles
	c.wantsFiles = false
	return wants
}

// Opened reports that a list with something to take, or the history search, is
// open.
func (c *Composer) Opened() bool {
	return c.search != nil || c.completion.open && c.completion.list.Len() > 0
}

// Cancel closes what is open on top of the prompt and reports whether there was
// something. The draft stays.
func (c *Composer) Cancel() bool {
	if c.search != nil {
		c.search = nil
		return true
	}
	if c.completion.open {
		shown := c.completion.list.Len() > 0 || c.completion.files && c.files == nil
		c.completion.open, c.completion.dismissed = false, c.completion.start
		return shown
	}
	return false
}

func (c *Composer) closeCompletion() { c.completion = completion{dismissed: -1} }

// follow opens, narrows or closes the list after a key that changed the text.
func (c *Composer) follow() {
	start, query, files, ok := c.word()
	if !ok {
		c.closeCompletion()
		return
	}
	cp := &c.completion
	if !cp.open && cp.dismissed == start && !fresh(query) {
		return
	}
	if !cp.open || cp.files != files || cp.start != start {
		*cp = completion{open: true, files: files, start: start, dismissed: -1}
		switch {
		case !files:
			cp.list.SetItems(c.commands)
		case c.files != nil:
			cp.list.SetFiles(c.files)
		}
		c.wantsFiles = c.wantsFiles || files
	}
	if query != cp.query {
		cp.query, cp.moved = query, false
	}
	cp.list.Filter(query)
}

// fresh reports a word that has just begun: a list that was closed opens again.
func fresh(query string) bool { return query == "" || query == "/" }

// maxWord bounds how far back a word is looked for.
const maxWord = 1024

// word is what is completed at the cursor: a command at the very start that was
// typed, or a path behind an at sign.
func (c *Composer) word() (start int, query string, files, ok bool) {
	before := c.buf.Before()
	if strings.HasPrefix(before, "/") && c.buf.Typed() && len(before) <= maxWord && !strings.ContainsFunc(before, unicode.IsSpace) {
		return 0, before, false, true
	}
	from := max(0, len(before)-maxWord)
	for at := strings.LastIndexByte(before[from:], '@'); at >= 0; at = strings.LastIndexByte(before[from:from+at], '@') {
		start = from + at
		if !complete.WordStart(before[:start]) {
			continue
		}
		query = before[start+1:]
		if quoted, isQuoted := strings.CutPrefix(query, `"`); isQuoted {
			query = unescape(quoted)
			ok = !closesQuote(quoted) && !strings.Contains(quoted, "\n")
		} else {
			ok = !strings.ContainsFunc(query, unicode.IsSpace)
		}
		// An atom in the word is a byte that no path can be matched by.
		if ok && validWord(query) {
			return start, query, true, true
		}
	}
	return 0, "", false, false
}

func validWord(s string) bool { return strings.ToValidUTF8(s, "") == s }

func unescape(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// closesQuote reports a quote that no backslash stands before.
func closesQuote(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return true
		}
	}
	return false
}

// take puts the chosen item into the text. With enter, what was typed whole
// already is sent, and so is a command that takes no words.
func (c *Composer) take(enter bool) Action {
	cp := &c.completion
	it, ok := cp.list.Selected()
	if !ok {
		return None
	}
	if enter && !cp.moved && c.typedWhole() {
		c.closeCompletion()
		return Send
	}
	end := c.buf.Cursor() + wordRest(c.buf.After())
	if cp.files {
		c.takeFile(it, end)
		return None
	}
	c.buf.Replace(cp.start, end, it.Insert, edit.Typed)
	run := enter && it.Hint == "" && strings.TrimSpace(c.buf.After()) == ""
	if !run {
		c.blankBehind()
	}
	c.closeCompletion()
	if run {
		return Send
	}
	return None
}

// typedWhole reports that the word names an item exactly.
func (c *Composer) typedWhole() bool {
	if c.completion.files {
		for i := range min(c.completion.list.Len(), complete.Rows) {
			if c.completion.list.At(i).Insert == c.completion.query {
				return true
			}
		}
		return strings.HasSuffix(c.completion.query, "/")
	}
	it, _ := c.completion.list.Selected()
	return it.Insert == c.completion.query
}

func (c *Composer) takeFile(it complete.Item, end int) {
	start := c.completion.start
	words := complete.Mention(it.Insert)
	if !it.Dir {
		c.buf.Replace(start, end, words, edit.Typed)
		c.blankBehind()
		c.closeCompletion()
		return
	}
	// A quoted folder stays open, so that the path goes on behind it.
	c.buf.Replace(start, end, strings.TrimSuffix(words, `"`), edit.Typed)
	c.follow()
}

// blankBehind leaves a blank between what was inserted and what is typed next.
func (c *Composer) blankBehind() {
	if after := c.buf.After(); after == "" || !strings.ContainsRune(" \n\t", rune(after[0])) {
		c.buf.Insert(" ", edit.Typed)
	} else {
		c.buf.Right()
	}
}

// wordRest is how much of the word stands behind the cursor.
func wordRest(after string) int {
	if n := strings.IndexFunc(after, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFFFD' }); n >= 0 {
		return n
	}
	return len(after)
}
