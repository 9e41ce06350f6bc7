package demo

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// A prompt "/test <what> [args]" makes the agent misbehave. Each misbehaviour is
// played as a turn; "/test help" lists them. How the agent starts and opens
// sessions is changed by Flags instead.
type misbehaviour struct {
	args  string
	about string
	play  func(*turn, testArgs) (stopReason string, err error)
}

// testArgs are the words after the misbehaviour's name.
type testArgs struct {
	id    json.RawMessage // of the prompt
	words []string
	named map[string]string // key=value
}

// number is the i-th word, never more than most.
func (a testArgs) number(i, otherwise, most int) int {
	if i < len(a.words) {
		if n, err := strconv.Atoi(a.words[i]); err == nil {
			return min(max(n, 0), most)
		}
	}
	return otherwise
}

func (a testArgs) word(i int, otherwise string) string {
	if i >= 0 && i < len(a.words) {
		return a.words[i]
	}
	return otherwise
}

func (a testArgs) name(key, otherwise string) string {
	if v, ok := a.named[key]; ok {
		return v
	}
	return otherwise
}

func parseTest(id json.RawMessage, s string) (what string, a testArgs) {
	a = testArgs{id: id, named: map[string]string{}}
	fields := strings.Fields(s)
	if len(fields) == 0 {
		return "help", a
	}
	for _, f := range fields[1:] {
		if k, v, ok := strings.Cut(f, "="); ok {
			a.named[k] = v
			continue
		}
		a.words = append(a.words, f)
	}
	return fields[0], a
}

func (t *turn) misbehave(id json.RawMessage, s string) (stopReason string, err error) {
	what, args := parseTest(id, s)
	all := misbehaviours()
	m, ok := all[what]
	if !ok {
		return "end_turn", t.say(testHelp(all))
	}
	return m.play(t, args)
}

func testHelp(all map[string]misbehaviour) string {
	var names []string
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	b.WriteString("What `/test` can do:\n\n")
	for _, name := range names {
		m := all[name]
		fmt.Fprintf(&b, "- `/test %s`: %s\n", strings.TrimSpace(name+" "+m.args), m.about)
	}
	return b.String()
}

func misbehaviours() map[string]misbehaviour {
	return map[string]misbehaviour{
		// Words.
		"chunks":  {"N [ms]", "answers in N chunks", testChunks},
		"echo":    {"", "says the whole prompt, as JSON", testEcho},
		"long":    {"KB", "a long Markdown answer of so many KB", testLong},
		"flood":   {"[RATE] [SECONDS]", "RATE updates a second (6000)", testFlood},
		"retry":   {"", "a dropped stream that is sent again under a new message id", testRetry},
		"hostile": {"", "escape sequences in words, titles, outputs, diffs, plan, commands", testHostile},
		"slow":    {"MS", "says one sentence, waits, says another", testSlow},

		// The end of a turn.
		"stop":          {"REASON", "ends with that stop reason", testStop},
		"cancelled":     {"", "ends as cancelled without a cancel", testUnsolicited},
		"late":          {"[MS]", "sends words after its end", testLate},
		"twice":         {"", "answers the prompt twice", testTwice},
		"error":         {"CODE [WORDS]", "fails with a JSON-RPC error", testError},
		"sign-in":       {"", "refuses: sign in first (-32000)", testSignIn},
		"silent":        {"[SECONDS]", "says nothing, for ever or so long", testSilent},
		"ignore-cancel": {"[SECONDS]", "goes on for so long whatever the client says (60)", testIgnoreCancel},
		"crash":         {"[CODE]", "dies in mid-sentence with that status (1) and last words on stderr", testCrash},

		// The wire.
		"foreign":   {"", "updates of another session, before its own", testForeign},
		"malformed": {"", "a broken line, half a line and a batch in the stream", testMalformed},
		"banner":    {"", "words on stdout in the middle of the turn", testBanner},
		"unknown":   {"", "an unknown update, notification, request, block, status and kind", testUnknown},
		"null":      {"", "null where a list or a text belongs", testNull},
		"utf8":      {"", "bytes that are not UTF-8, and lone surrogates", testUTF8},
		"huge":      {"MIB", "one message of so many MiB (33), then a normal one", testHuge},
		"stderr":    {"BYTES", "so much on stderr (4 MB), part of it without line ends", testStderr},

		// Steps.
		"orphan":     {"", "a tool_call_update without its tool_call", testOrphan},
		"open":       {"", "ends the turn with a step still running", testOpen},
		"bash":       {"[SECONDS] [ask]", "a command that runs so long (30) with output", testBash},
		"rows":       {"N", "N steps, one after the other", testRows},
		"diff":       {"LINES", "an edit of a file with so many lines", testDiff},
		"grandchild": {"[group] [SECONDS]", "starts a grandchild that ignores end of input and SIGTERM; says its pid", testGrandchild},

		// What waits for the person.
		"permission":  {"[KIND…] [tool=KIND] [path=P] [command=C]", "asks with options of those kinds, and says what was answered", testPermission},
		"permissions": {"[MS]", "three permissions in a row that come and go", testPermissions},
		"withdraw":    {"[MS]", "a permission that is withdrawn with $/cancel_request", testWithdraw},
		"late-ask":    {"", "asks for a permission after its end", testLateAsk},
		"form":        {"", "a question with a field of each kind", testForm},
		"url":         {"[ADDRESS]", "a question that asks to open an address", testURL},
		"bad-form":    {"", "a question whose form makes no sense", testBadForm},

		// The session.
		"title":    {"WORDS", "names the chat", testTitle},
		"mode":     {"ID", "says that its mode changed", testMode},
		"plan":     {"", "plans with odd entries", testPlan},
		"commands": {"N", "offers N commands", testCommands},
	}
}
