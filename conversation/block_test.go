package conversation

import (
	"strings"
	"testing"
	"unicode/utf8"

	"conch/engine"
)

var forms = []engine.Form{engine.FormWhole, engine.FormCompact, engine.FormWordsOnly}

func TestEachFormOfTheBlockKeepsToItsSize(t *testing.T) { // R-102-1, checklist 3
	for form, most := range map[engine.Form]int{engine.FormWhole: 2600, engine.FormCompact: 700, engine.FormWordsOnly: 500} {
		text := block(form)
		if n := utf8.RuneCountInString(text); n > most {
			t.Errorf("%q has %d characters, more than %d", form, n, most)
		}
		if !strings.HasPrefix(text, blockHeading+"\n") || strings.Count(text, "\n# ") != 0 {
			t.Errorf("%q does not begin with its one heading:\n%s", form, text)
		}
		if strings.TrimSpace(text) != text {
			t.Errorf("%q has blank lines around it", form)
		}
	}
}

func TestTheBlockSaysWhatItMust(t *testing.T) { // R-102-2, R-102-3, R-102-5, checklist 3
	for form, points := range map[engine.Form]map[string][]string{
		engine.FormWhole: {
			"goal and its test":         {"what is wanted", "show that it is reached"},
			"ask where it alters":       {"Ask only where the answer would alter your next step"},
			"plan":                      {"brief plan", "one line on what comes next"},
			"read, cause, test, differ": {"full error", "likely cause", "test it", "must differ", "identical call"},
			"escalate":                  {"once more for what passes by itself", "the cause", "another way", "source, tool or method"},
			"empty is a hint":           {"empty or surprising", "a name, a spelling or a place"},
			"check":                     {"Check the work", "Claim only what a result shows"},
			"fix":                       {"Fix what you can rather than hand it back"},
			"own tools, no installs":    {"Conch's own tools", "Install nothing system-wide"},
			"wait":                      {"the tool that waits"},
			"stops":                     {"approval", "sign-in", "key", "spending", "sending", "choice"},
			"a no":                      {"A no is final", "work around"},
			"plan mode":                 {"plan mode", "change nothing"},
			"stuck":                     {"what you tried", "in the way", "one next step"},
			"never invent":              {"Never invent"},
		},
		engine.FormCompact: {
			"stops":     {"approval", "sign-in", "key", "spending", "sending", "choice", "A no is final", "plan mode change nothing"},
			"honesty":   {"claim only what a result shows", "Invent nothing"},
			"errors":    {"all of it", "the cause", "something different"},
			"stuck":     {"what you tried", "in the way", "one next step"},
			"the empty": {"names, spelling and place"},
		},
		engine.FormWordsOnly: {
			"no tools": {"no tools"},
			"honesty":  {"Tell what you know from what you guess", "Invent no"},
			"ask":      {"Ask where the answer would alter yours"},
		},
	} {
		text := block(form)
		for point, words := range points {
			for _, each := range words {
				if !strings.Contains(text, each) {
					t.Errorf("%q says nothing of %s: %q", form, point, each)
				}
			}
		}
	}
	for _, form := range forms {
		low := strings.ToLower(block(form))
		for _, never := range []string{"never ask", "don't ask", "do not ask", "without asking", "voice", "tone", "speak"} {
			if strings.Contains(low, never) {
				t.Errorf("%q says %q", form, never)
			}
		}
	}
}

func TestABlockIsSwappedWhereItStands(t *testing.T) { // R-102-6, checklist 4
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for name, test := range map[string]struct{ before, want string }{
		"in the middle":                {"# Who\n\nyou\n\n" + wholeBlock + "\n\n\n# Persona\n\nterse\n", "# Who\n\nyou\n\n" + wordsBlock + "\n\n\n# Persona\n\nterse\n"},
		"at the end":                   {"# Who\n\n" + wholeBlock, "# Who\n\n" + wordsBlock},
		"at the end, with blank lines": {"# Who\n\n" + wholeBlock + "\n\n", "# Who\n\n" + wordsBlock + "\n\n"},
		"alone":                        {wholeBlock, wordsBlock},
		"no heading":                   {"# Who\n\nyou", "# Who\n\nyou"},
		"nothing":                      {"", ""},
		"quoted, not at the start of a line": {
			"# Person\n\n> " + blockHeading + "\nsays who?\n\n" + compactBlock + "\n\n# Memory", "# Person\n\n> " + blockHeading + "\nsays who?\n\n" + wordsBlock + "\n\n# Memory",
		},
		"quoted alone":      {"see " + blockHeading + " there", "see " + blockHeading + " there"},
		"a longer heading":  {blockHeading + " of mine\n\ntext", blockHeading + " of mine\n\ntext"},
		"a lower heading":   {blockHeading + "\n\na\n\n## More\n\nb\n\n# Next\n", wordsBlock + "\n\n# Next\n"},
		"line ends of both": {crlf("# Who\n\n" + wholeBlock + "\n\n# Persona\n"), crlf("# Who\n\n" + wordsBlock + "\n\n# Persona\n")},
	} {
		if got := Swap(test.before, engine.FormWordsOnly); got != test.want {
			t.Errorf("%s: got\n%q\nwant\n%q", name, got, test.want)
		}
	}
	for _, from := range forms {
		for _, to := range forms {
			text := "# Who\n\n" + block(from) + "\n\n# Tools\n"
			if got := Swap(Swap(text, to), from); got != text {
				t.Errorf("from %q to %q and back: %q", from, to, got)
			}
		}
	}
}

func TestAModelThatTakesNoToolsIsToldOfNone(t *testing.T) {
	whole := whoYouAre + "\n\n" + block(engine.FormWhole) + "\n\n# Memory\n\nLikes plums.\n\n" + toolsHeading + "\n\nBeside them:\n- plan: x"
	for name, system := range map[string]string{"at the end": whole, "in the middle": whole + "\n\n# Where you are\n\nHere."} {
		got := Disarm(system)
		if strings.Contains(got, "plan: x") || strings.Contains(got, toolsHeading) || !strings.Contains(got, block(engine.FormWordsOnly)) || !strings.Contains(got, "Likes plums.") {
			t.Errorf("%s:\n%s", name, got)
		}
		if name == "in the middle" && !strings.HasSuffix(got, "Likes plums.\n\n# Where you are\n\nHere.") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
