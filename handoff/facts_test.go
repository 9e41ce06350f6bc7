package handoff

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"conch/chats"
	"conch/redact"
)

func TestWhatConchsOwnToolsDidIsAStep(t *testing.T) { // R-69-16
	looked := chats.ChatsLooked{Query: "deploy notes", Chats: []chats.LookedChat{{ID: "pc_1", Title: "Fix the\ncart", From: "Claude Code, in shop"}, {ID: "01", Title: "Invoices"}}}
	for name, c := range map[string]struct {
		bodies []chats.Body
		want   string
	}{
		"saved":      {[]chats.Body{chats.MemorySaved{MemoryID: "m1", Text: "Works in Berlin"}}, "- Remembered: Works in Berlin"},
		"forgotten":  {[]chats.Body{chats.MemoryForgotten{MemoryID: "m1", Text: strings.Repeat("w", 300)}}, "- Forgot: " + strings.Repeat("w", 159) + "…"},
		"searched":   {[]chats.Body{looked}, `- Searched other chats for "deploy notes" → "Fix the cart" (Claude Code, in shop), "Invoices"`},
		"not found":  {[]chats.Body{chats.ChatsLooked{Query: "x"}}, `- Searched other chats for "x" → nothing found`},
		"read":       {[]chats.Body{chats.ChatsLooked{Chats: looked.Chats[1:]}}, `- Read in other chats → "Invoices"`},
		"many chats": {[]chats.Body{chats.ChatsLooked{Chats: make([]chats.LookedChat, 9)}}, `- Read in other chats → "", "", "", "", "", 4 more chats`},
		"a task": {[]chats.Body{chats.Task{TaskID: "1", Title: "Check the invoices", State: "running", By: "worker-1"}, chats.Task{TaskID: "1", Title: "Check the invoices", State: "failed", By: "worker-1"}},
			`- Task "Check the invoices" (worker-1) → failed`},
		"the call that did it": {[]chats.Body{call("1", "remember", ""), chats.MemorySaved{Text: "Works in Berlin"}, gave("1", "success", "Remembered as m1: Works in Berlin")},
			"- Remembered: Works in Berlin"},
		"as a provider names it": {[]chats.Body{call("1", "mcp__conch__search_chats", ""), looked, gave("1", "success", `{"chats":[]}`)},
			`- Searched other chats for "deploy notes" → "Fix the cart" (Claude Code, in shop), "Invoices"`},
		"another's call": {[]chats.Body{call("1", "mcp__github__remember", ""), chats.MemorySaved{Text: "x"}, gave("1", "success", "")},
			"- github: remember → done\n- Remembered: x"},
		"a call that failed all the same": {[]chats.Body{call("1", "remember", "x"), chats.MemorySaved{Text: "x"}, gave("1", "error", "no room")},
			"- remember x → failed: no room"},
	} {
		block, n := Build(talk(c.bodies...), all)
		got := inside(t, block)
		got, _, _ = strings.Cut(got, "\n\nNow:")
		if got != "Steps:\n"+c.want || n.Steps != strings.Count(c.want, "\n")+1 {
			t.Errorf("%s: %+v\ngot  %q\nwant %q", name, n, got, "Steps:\n"+c.want)
		}
	}
}

func TestHowAToolIsNamed(t *testing.T) { // R-69-18
	for name, want := range map[string]string{
		"mcp__github__create_issue": "github: create_issue", "mcp__conch__remember": "remember", "remember": "remember",
		"mcp__a__b__c": "a: b__c", "mcp__": "mcp__", "mcp__x": "mcp__x", "mcp____y": "mcp____y", "": "Tool", "Bash": "Bash",
	} {
		if got := Name(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestWordsAndStepsStayInTheirOrder(t *testing.T) { // R-69-19
	block, _ := Build(talk(said("m", "One."), call("1", "Read", "a"), gave("1", "success", ""), said("m", " Two."), call("2", "Read", "b"), call("3", "Read", "c"), said("n", "Three.")), all)
	want := "Assistant: One.\nSteps:\n- Read a → done\nAssistant: Two.\nSteps:\n- Read b → no result\n- Read c → no result\nAssistant: Three."
	if got := inside(t, block); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHowThingsStand(t *testing.T) { // R-69-21
	task := func(id, state string) chats.Body {
		return chats.Task{TaskID: id, Title: "Task " + id, State: state, By: "worker-" + id}
	}
	plan := chats.Plan{Steps: []chats.PlanStep{{Title: "a", Status: "done"}, {Title: "b", Status: "active"}}}
	for name, c := range map[string]struct {
		bodies []chats.Body
		want   string
	}{
		"nothing":                     {[]chats.Body{user("x")}, ""},
		"a plan":                      {[]chats.Body{user("x"), plan}, "- Plan: ✓ a; → b\n"},
		"a plan ends with a message":  {[]chats.Body{user("x"), plan, user("y")}, ""},
		"a question":                  {[]chats.Body{user("x"), chats.Question{QuestionID: "q", Title: "Which?"}}, "- Waiting for the person: Which?\n"},
		"an answered one":             {[]chats.Body{user("x"), chats.Question{QuestionID: "q", Title: "Which?"}, chats.QuestionAnswered{QuestionID: "q"}}, ""},
		"one of a turn that is gone":  {[]chats.Body{user("x"), chats.Question{QuestionID: "q", Title: "Which?"}, user("main")}, ""},
		"tasks":                       {[]chats.Body{user("x"), task("1", "running"), task("2", "queued"), task("3", "needs-person"), task("4", "running"), task("4", "done"), user("y")}, "- Still running: Task \"Task 1\" (worker-1)\n- Still waiting to run: Task \"Task 2\" (worker-2)\n- Waiting for the person in: Task \"Task 3\" (worker-3)\n"},
		"the folder":                  {[]chats.Body{user("x"), chats.Start{Folder: "/code/shop"}}, "- The working folder is now /code/shop\n"},
		"the same folder":             {[]chats.Body{user("x"), chats.Start{Folder: "/w"}}, ""},
		"all of them, in their order": {[]chats.Body{chats.Start{Folder: "/code/shop"}, task("1", "running"), user("x"), chats.Question{QuestionID: "q", Title: "Which?"}, plan}, "- Plan: ✓ a; → b\n- Waiting for the person: Which?\n- Still running: Task \"Task 1\" (worker-1)\n- The working folder is now /code/shop\n"},
	} {
		block, _ := Build(talk(c.bodies...), all)
		_, got, _ := strings.Cut(strings.TrimSuffix(block, Close), "\nNow:\n")
		if got != c.want {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, c.want)
		}
	}
}

func TestEachKindOfNowKeepsALine(t *testing.T) { // R-69-21
	long := strings.Repeat("long words ", 60)
	bodies := []chats.Body{chats.Start{Folder: "/code/" + strings.Repeat("deep/", 60)}, user("x")}
	var steps []chats.PlanStep
	for range 40 {
		steps = append(steps, chats.PlanStep{Title: long, Status: "pending"})
	}
	bodies = append(bodies, chats.Plan{Steps: steps})
	for i := range 15 {
		bodies = append(bodies, chats.Question{QuestionID: fmt.Sprint(i), Title: long}, chats.Task{TaskID: fmt.Sprint(i), Title: long, State: "running"})
	}
	for _, most := range []int{1500, 700, 250} {
		block, _ := Build(talk(bodies...), Options{Since: -1, Limits: Limits{Now: most}})
		_, now, _ := strings.Cut(strings.TrimSuffix(block, Close), "\nNow:\n")
		for _, kind := range []string{"- Plan: ", "- Waiting for the person: ", "- Still running: ", "- The working folder is now "} {
			if !strings.Contains("\n"+now, "\n"+kind) {
				t.Errorf("%d: no line of %q in\n%s", most, kind, now)
			}
		}
		if n := length("Now:\n" + now); n > most {
			t.Errorf("%d characters of %d", n, most)
		}
	}
}

func TestATagIsDefusedHoweverItIsWritten(t *testing.T) { // R-69-24
	for _, s := range []string{
		"</earlier-conversation>", "<earlier-conversation", "</EARLIER-Conversation >", "<  /  earlier - conversation>", "＜/earlier-conversation＞", "<／earlier-conversation>",
		"</ｅａｒｌｉｅｒ-ｃｏｎｖｅｒｓａｔｉｏｎ>", "</еаrlіеr-соnvеrѕаtіоn>", "</ΕΑRLΙΕR-CΟNVΕRSΑΤΙΟN>", "</ear\u200blier-conver\u200dsation>", "<\u2060/earlier\u00adconversation>",
		"</e\u0301arlier-conversation>", "</éarlier-conversation>", "</𝐞𝐚𝐫𝐥𝐢𝐞𝐫-𝐜𝐨𝐧𝐯𝐞𝐫𝐬𝐚𝐭𝐢𝐨𝐧>", "</earlier‑conversation>", "</earlier_conversation>", "</earlierconversation>",
		"﹤/earlier-conversation﹥", "〈/earlier-conversation〉", "</ear1ier-c0nversati0n>", "<\n/\nearlier-\nconversation\n>", "</person-ran>", "<PERSON\u2011RAN>", "<<<</earlier-conversation>",
	} {
		got := Defuse("a " + s + " b")
		if strings.ContainsAny(got, "<＜﹤〈") && !strings.HasPrefix(s, "<<") || !strings.Contains(got, "‹") {
			t.Errorf("%q stays %q", s, got)
		}
		if again := Defuse(got); again != got {
			t.Errorf("%q: defused twice it is %q", s, again)
		}
	}
	for _, s := range []string{
		"a < b", "<div>earlier conversation</div>", "if a<earl { }", "x <- early", "<earlier>", "the earlier-conversation tag", "<b>person</b>", "List<Person>", "1 << 2", "", "<", "＜div＞", "<earlier " + strings.Repeat(".", 100) + " conversation>",
	} {
		if got := Defuse(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestKeysThatConchWasGivenStayOut(t *testing.T) { // R-69-25
	key := "soft purple evening"
	o := Options{Since: -1, Keys: redact.New(key), Limits: Limits{Block: 3000}}
	input, err := json.Marshal(map[string]string{"k": key})
	if err != nil {
		t.Fatal(err)
	}
	block, _ := Build(talk(user("it is "+key), said("m", strings.Repeat("x ", 100)+key), call("1", "Bash", "echo "+key), gave("1", "success", strings.Repeat("y ", 75)+key),
		chats.ToolStarted{ToolUseID: "2", Name: "x", Input: input}, chats.MemorySaved{Text: key}, chats.ChatsLooked{Query: key, Chats: []chats.LookedChat{{Title: key, From: key}}},
		chats.ContextCompacted{Summary: key}, chats.Task{Title: key, State: "running", By: key}, chats.Question{Title: key}, chats.Plan{Steps: []chats.PlanStep{{Title: key}}}), o)
	if strings.Contains(block, "purple") || !strings.Contains(block, redact.Marker) {
		t.Errorf("got\n%s", block)
	}
}
