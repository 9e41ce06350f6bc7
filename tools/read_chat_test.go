package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"conch/chats"
	"conch/pastchats"
)

// long is a chat of n numbered messages.
func long(n int) []saidLine {
	var lines []saidLine
	for i := range n {
		l := you(fmt.Sprintf("question %d", i))
		if i%2 == 1 {
			l = it(fmt.Sprintf("answer %d", i))
		}
		lines = append(lines, l)
	}
	return lines
}

// numbers are the numbers of the messages that an answer holds.
func numbers(r readAnswer) []int {
	var list []int
	for _, m := range r.Messages {
		var word string
		var n int
		if _, err := fmt.Sscanf(m.Text, "%s %d", &word, &n); err == nil {
			list = append(list, n)
		}
	}
	return list
}

func upTo(from, to int) []int {
	var list []int
	for i := from; i <= to; i++ {
		list = append(list, i)
	}
	return list
}

func TestReadingAChatGivesAStretchOfIt(t *testing.T) { // R-111-51
	w := newWorld(t)
	own := w.own("Long", long(40)...)
	w.foreign("33333333-0000-4000-8000-000000000001", "shop", "Long too", long(40)...)
	w.bring()
	past := w.brought("Long too").ID
	for _, c := range []struct {
		name           string
		message        int // -1: none
		direction      string
		want           []int
		asked          int
		earlier, later bool
	}{
		{"the newest", -1, "", upTo(28, 39), -1, true, false},
		{"the newest, around", -1, "around", upTo(28, 39), -1, true, false},
		{"the newest, before the end", -1, "before", upTo(28, 39), -1, true, false},
		{"the oldest", -1, "after", upTo(0, 11), -1, false, true},
		{"around one in the middle", 20, "", upTo(14, 25), 20, true, true},
		{"around one near the beginning", 2, "around", upTo(0, 11), 2, false, true},
		{"around the first", 0, "around", upTo(0, 11), 0, false, true},
		{"around the last", 39, "around", upTo(28, 39), 39, true, false},
		{"around one near the end", 37, "around", upTo(28, 39), 37, true, false},
		{"before one", 20, "before", upTo(8, 19), -1, true, true},
		{"before one near the beginning", 5, "before", upTo(0, 4), -1, false, true},
		{"before one with just enough", 12, "before", upTo(0, 11), -1, false, true},
		{"before the first", 0, "before", nil, -1, false, true},
		{"after one", 20, "after", upTo(21, 32), -1, true, true},
		{"after one with just enough", 27, "after", upTo(28, 39), -1, true, false},
		{"after one near the end", 35, "after", upTo(36, 39), -1, true, false},
		{"after the last", 39, "after", nil, -1, true, false},
	} {
		for chat, id := range map[string]func(int) string{
			own: func(n int) string { return fmt.Sprintf("m%03d", n) }, past: func(n int) string { return fmt.Sprintf("claude-code.%d", n+1) },
		} {
			args := `{"chat":"` + chat + `"`
			if c.message >= 0 {
				args += `,"message":"` + id(c.message) + `"`
			}
			if c.direction != "" {
				args += `,"direction":"` + c.direction + `"`
			}
			r := into[readAnswer](t, w.call(&aTurn{}, "read_chat", args+"}").Text)
			asked := -1
			for i, m := range r.Messages {
				if m.Asked {
					asked = numbers(r)[i]
				}
			}
			if !slices.Equal(numbers(r), c.want) || asked != c.asked || r.Earlier != c.earlier || r.Later != c.later {
				t.Errorf("%s (%s): %v, asked for %d, earlier %v, later %v; want %v, %d, %v, %v",
					c.name, chat, numbers(r), asked, r.Earlier, r.Later, c.want, c.asked, c.earlier, c.later)
			}
		}
	}
}

func TestReadingSaysWhatItIs(t *testing.T) { // R-111-50, R-111-51
	w, own := aShop(t)
	past := w.brought("Fix the cart")
	r := w.call(&aTurn{}, "read_chat", `{"chat":"`+past.ID+`","message":"claude-code.2"}`)
	golden(t, "read_past.json", r.Text)
	if r.View.Result != "4 messages" {
		t.Errorf("the row says %q", r.View.Result)
	}
	golden(t, "read_own.json", strings.ReplaceAll(w.call(&aTurn{}, "read_chat", `{"chat":"`+strings.ToLower(own)+`"}`).Text, own, "01OWN"))
}

func TestReadingTaintsTheAskingChatBeforeItAnswers(t *testing.T) { // R-111-52
	w, own := aShop(t)
	turn := &aTurn{}
	w.call(turn, "read_chat", `{"chat":"`+own+`"}`)
	if !slices.Equal(turn.did, []string{"record chats.looked"}) {
		t.Errorf("for a chat of Conch's own it did %q", turn.did)
	}
	turn = &aTurn{}
	past := w.brought("Fix the cart")
	w.call(turn, "read_chat", `{"chat":"`+past.ID+`"}`)
	if want := []string{"taint chat “Fix the cart” (Claude Code, in shop)", "record chats.looked"}; !slices.Equal(turn.did, want) {
		t.Errorf("did %q, want %q", turn.did, want)
	}
	looked := recorded[chats.ChatsLooked](t, turn)
	if want := (chats.LookedChat{ID: past.ID, Title: "Fix the cart", From: "Claude Code, in shop", Messages: 4, Untrusted: true}); len(looked.Chats) != 1 || looked.Chats[0] != want || looked.Query != "" {
		t.Errorf("what was looked at: %+v", looked)
	}
	turn = &aTurn{chat: own}
	w.call(turn, "read_chat", `{"chat":"`+own+`"}`)
	if len(turn.did) != 0 {
		t.Errorf("for the asking chat itself it did %q", turn.did)
	}
}

func TestReadingIsBounded(t *testing.T) { // R-111-51, R-102-33
	w := newWorld(t)
	var lines []saidLine
	for i := range 30 {
		lines = append(lines, you(fmt.Sprintf("question %d ", i)+strings.Repeat("wörter ", 2000)))
	}
	id := w.own("Big", lines...)
	r := w.call(&aTurn{}, "read_chat", `{"chat":"`+id+`","message":"m015"}`)
	if n := utf8.RuneCountInString(r.Text); n > 12_000 || n < 10_000 {
		t.Errorf("%d characters in all", n)
	}
	a := into[readAnswer](t, r.Text)
	got := numbers(a)
	if len(got) < 6 || !a.Earlier || !a.Later {
		t.Errorf("messages %v, earlier %v, later %v", got, a.Earlier, a.Later)
	}
	if left, right := 15-got[0], got[len(got)-1]-15; left < 0 || right < 0 || left-right > 1 || right-left > 1 {
		t.Errorf("what is farthest is not what was left out: %v", got)
	}
	for _, m := range a.Messages {
		n, max := utf8.RuneCountInString(m.Text), maxMessage
		if m.Asked {
			max = maxAsked
		}
		if n > max || n < max-50 || !strings.HasSuffix(m.Text, " characters left out]") {
			t.Errorf("a message of %d characters, at most %d: …%q", n, max, m.Text[len(m.Text)-40:])
		}
	}
	for direction, side := range map[string]int{"before": 14, "after": 16} {
		a := into[readAnswer](t, w.call(&aTurn{}, "read_chat", `{"chat":"`+id+`","message":"m015","direction":"`+direction+`"}`).Text)
		got := numbers(a)
		if !slices.Contains(got, side) || slices.Contains(got, 15) || !a.Earlier || !a.Later || len(got) < 8 {
			t.Errorf("%s: %v, earlier %v, later %v", direction, got, a.Earlier, a.Later)
		}
	}
	var one []saidLine
	w.foreign("44444444-0000-4000-8000-000000000001", "shop", "Quotes", append(one, you(strings.Repeat("\"\\\n", 20_000)))...)
	w.bring()
	if n := utf8.RuneCountInString(w.call(&aTurn{}, "read_chat", `{"chat":"`+w.brought("Quotes").ID+`","message":"claude-code.1"}`).Text); n > 12_000 {
		t.Errorf("%d characters of one message", n)
	}
}

func TestReadingRefusesWhatIsNoChatOrMessage(t *testing.T) { // R-102-15
	w, own := aShop(t)
	for args, want := range map[string]string{
		`{"chat":"../../etc/passwd"}`:                                            `the arguments of read_chat don't fit: chat: wanted the id of a chat as search_chats gives it, got "../../etc/passwd", which is none`,
		`{"chat":"pc_../../../etc/pa"}`:                                          `"pc_../../../etc/pa", which is none`,
		`{"chat":"pc_0123456789abcdef"}`:                                         `"pc_0123456789abcdef", which is none`,
		`{"chat":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}`:                                  `which is none`,
		`{"chat":"` + own + `","message":"m9"}`:                                  `message: wanted the id of a message in that chat, got "m9", which is in none of its messages`,
		`{"chat":"` + w.brought("Invoices").ID + `","message":"claude-code.77"}`: `got "claude-code.77"`,
	} {
		turn := &aTurn{}
		if why := w.refused(turn, "read_chat", args); !strings.HasSuffix(why, want) && !strings.Contains(why, want) || len(turn.did) != 0 {
			t.Errorf("%s: %s (did %q)", args, why, turn.did)
		}
	}
	w.kit.Past = nil
	w.refused(&aTurn{}, "read_chat", `{"chat":"pc_0123456789abcdef"}`)
}

// leaking is a store of past chats that takes no care at all.
type leaking struct{ text string }

func (l leaking) Find(id string) (pastchats.Entry, error) {
	return pastchats.Entry{ID: id, Label: l.text, Title: l.text, Project: l.text, Messages: 1}, nil
}

func (l leaking) MessagesAt(_ string, _ func(int) bool, each func(int, pastchats.Message) bool) error {
	each(0, pastchats.Message{ID: l.text, Role: pastchats.Assistant, Text: l.text, At: time.UnixMilli(0)})
	return nil
}

func TestNoAnswerHoldsAKey(t *testing.T) { // R-102-33, checklist 7
	const shaped = "sk-ant-api03-Ab3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3hI5jK7lM9nO1pQ3rS5tU7vW9xY1zA3bC5dE7fG-aB3dE5fG"
	planted := "plumkey is " + shaped + " and " + knownKey
	hidden := planted + ", in parts sk-ant-\x1b[0mapi03-" + strings.TrimPrefix(shaped, "sk-ant-api03-")
	w := newWorld(t)
	own := w.own("plumkey "+knownKey, you(planted), it(planted))
	inParts := w.own("in parts", you(hidden))
	w.foreign("55555555-0000-4000-8000-000000000001", "shop", "plumkey "+shaped, you(hidden), it(hidden))
	w.bring()
	var answers []string
	for name, args := range map[string][]string{
		"search_chats": {`{"query":"plumkey","limit":8}`, `{"query":"\"correct horse battery\""}`, `{"query":"api03"}`},
		"read_chat":    {`{"chat":"` + own + `"}`, `{"chat":"` + own + `","message":"m000"}`, `{"chat":"` + inParts + `"}`},
	} {
		for _, each := range args {
			turn := &aTurn{}
			answers = append(answers, w.call(turn, name, each).Text, fmt.Sprintf("%+v", turn.bodies), fmt.Sprint(turn.taints))
		}
	}
	list, err := w.past.List()
	must(t, err)
	answers = append(answers, w.call(&aTurn{}, "read_chat", `{"chat":"`+list[0].ID+`"}`).Text)
	w.kit.Past = leaking{hidden}
	turn := &aTurn{}
	answers = append(answers, w.call(turn, "read_chat", `{"chat":"pc_0123456789abcdef"}`).Text, fmt.Sprint(turn.taints))
	words := 0
	for _, a := range answers {
		harmless(t, a)
		if strings.Contains(a, knownKey) || strings.Contains(a, "Ab3dE5fG7hI9") {
			t.Errorf("a key is in it:\n%.400q", a)
		}
		words += strings.Count(a, "plumkey")
	}
	if words < 10 {
		t.Errorf("the words around the key stand in %d places only", words)
	}
}
