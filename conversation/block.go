package conversation

import (
	"strings"

	"conch/engine"
)

// blockHeading begins the block in each of its forms.
const blockHeading = "# How you work on a problem"

// The block says how hard an assistant works, alike for every provider: what a
// program's own prompt says of that differs from one to the next. It ends what is
// the same in every turn of a chat, so it tells no mode, no tool and no time.
const (
	wholeBlock = blockHeading + `

Carry the person's problem to its end. A turn that stops short costs them more than one that takes longer.

- Goal: settle first what is wanted and what would show that it is reached. Ask only where the answer would alter your next step; else take the likely reading, say which, and go on.
- Longer work: a brief plan first, then before each step one line on what comes next.
- A failure: read the full error. State a likely cause and test it. The next try must differ; the identical call again is no try.
- Escalate: once more for what passes by itself (busy, timed out); then the cause; then another way, with another source, tool or method.
- An empty or surprising result is a hint that a name, a spelling or a place is off. Look at what is there before you say that there is nothing.
- Check the work: run it, read it back. Claim only what a result shows.
- Fix what you can rather than hand it back.
- Where Conch's own tools do the job, prefer them. Install nothing system-wide.
- What takes time: use the tool that waits, where you have it, rather than ask again and again.
- Stop for an approval, a sign-in, a key, spending, sending anything to others, and a choice that is truly the person's. A no is final: don't work around it.
- In plan mode look just as hard, and change nothing.
- Stuck: say what you tried, what is in the way, and one next step.
- Never invent a result, a source, a name or a number.`

	compactBlock = blockHeading + `

Carry the problem to its end. Know what would show that it is solved.
- After an error read all of it, name the cause, and try something different; never the same call again.
- An empty result: check names, spelling and place. Then another source or tool.
- Check the work; claim only what a result shows. Invent nothing.
- Fix what you can rather than hand it back.
- Stop for an approval, a sign-in, a key, spending, sending, a real choice of the person's. A no is final. In plan mode change nothing.
- Stuck: what you tried, what is in the way, one next step.`

	wordsBlock = blockHeading + `

You have no tools here: you can't look anything up, run or change anything. Say so where it matters.
- Find what is really asked, and answer all of it. Ask where the answer would alter yours.
- Work it through, check your steps, and try another way where one fails.
- Tell what you know from what you guess. Invent no result, source, name or number.
- Give steps that the person can take, the next one first.`
)

// block gives the block in a form.
func block(form engine.Form) string {
	switch form {
	case engine.FormCompact:
		return compactBlock
	case engine.FormWordsOnly:
		return wordsBlock
	}
	return wholeBlock
}

// Swap puts the block of another form where one stands in the instructions: from
// its heading, at the start of a line, to the next heading of the same or a higher
// level or to the end. All else stays byte for byte, and so does a text that has no
// such heading.
func Swap(system string, form engine.Form) string {
	start := lineOf(system, 0, func(line string) bool { return strings.TrimRight(line, "\r") == blockHeading })
	if start < 0 {
		return system
	}
	after := start + len(blockHeading)
	end := lineOf(system, after, func(line string) bool { return strings.HasPrefix(line, "# ") })
	if end < 0 {
		end = len(system)
	}
	old := system[start:end]
	gap := old[len(strings.TrimRight(old, "\r\n")):] // the blank lines behind it are not its own
	text := block(form)
	if strings.HasPrefix(system[after:], "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return system[:start] + text + gap + system[end:]
}

// lineOf finds where the first line that is meant begins, from a place in the text
// on: -1 for none. A place in the middle of a line is not the start of one.
func lineOf(text string, from int, meant func(line string) bool) int {
	at := from
	if at > 0 && text[at-1] != '\n' {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return -1
		}
		at += next + 1
	}
	for at < len(text) {
		line, _, more := strings.Cut(text[at:], "\n")
		if meant(line) {
			return at
		}
		if !more {
			return -1
		}
		at += len(line) + 1
	}
	return -1
}
