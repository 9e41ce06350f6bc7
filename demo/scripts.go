package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// script is one little conversation. It is played when the message holds one of
// its words, or is its command.
type script struct {
	name  string
	about string
	hint  string
	words []string
	play  func(*turn) error
}

// scripts in the order in which they are looked for.
var scripts = []script{
	{name: "edit", about: "Read a file, change it with your permission, run the checks", words: []string{"edit", "fix", "change"}, play: playEdit},
	{name: "plan", about: "Work through a plan of four steps", words: []string{"plan", "steps"}, play: playPlan},
	{name: "ask", about: "Ask you something with a small form", words: []string{"ask", "question", "choose"}, play: playAsk},
	{name: "long", about: "A long answer with every kind of Markdown", words: []string{"long", "markdown", "table"}, play: playLong},
	{name: "run", about: "Run a command and show its output grow", words: []string{"run", "bash", "check"}, play: playRun},
	{name: "fail", about: "A step that goes wrong, and what comes of it", words: []string{"fail", "break", "error"}, play: playFail},
	{name: "think", about: "Think before answering", words: []string{"think", "why"}, play: playThink},
	{name: "recall", about: "Say what you said before in this chat", words: []string{"recall", "remember", "before"}, play: playRecall},
	{name: "tour", about: "What the demo can show", words: []string{"tour", "hello", "hi", "help"}, play: playTour},
}

// script picks one by the command or the first of its words in the message.
func (t *turn) script() script {
	words := strings.FieldsFunc(strings.ToLower(t.text), func(r rune) bool { return !(r >= 'a' && r <= 'z') })
	for _, w := range words {
		for _, s := range scripts {
			for _, own := range s.words {
				if w == own {
					return s
				}
			}
		}
	}
	t.mu.Lock()
	first := len(t.rec.Prompts) <= 1
	t.mu.Unlock()
	if first {
		return scripts[len(scripts)-1]
	}
	return script{play: playUnknown}
}

const tour = `Hello! I am the **demo agent** that comes with Conch. There is no model behind me: my answers are scripted, and nothing leaves this machine. I am here so that you can try everything before you install a real agent.

Type one of these words and press enter:

- ` + "`edit`" + `: I read a file, change it **after you allowed it**, and run the checks
- ` + "`plan`" + `: I work through a plan, and you see where I am
- ` + "`ask`" + `: I ask you something with a small form
- ` + "`long`" + `: a long answer with headings, a table and code
- ` + "`run`" + `: a command that takes a while: ` + "`tab`" + ` and ` + "`space`" + ` show its output grow, ` + "`esc`" + ` stops it
- ` + "`fail`" + `: a step that goes wrong
- ` + "`think`" + `: I think aloud first
- ` + "`recall`" + `: I say what you told me before, also after you closed Conch and came back

My steps really happen, in a scratch folder below the temporary folder. Your own files are never touched.`

func playTour(t *turn) error {
	if err := t.attached(); err != nil {
		return err
	}
	return t.say(tour)
}

func playUnknown(t *turn) error {
	if err := t.attached(); err != nil {
		return err
	}
	return t.say(fmt.Sprintf("You said “%s”. I am only a demo, so that is all I can make of it.\n\nI know the words `edit`, `plan`, `ask`, `long`, `run`, `fail`, `think`, `recall` and `tour`.",
		clip(firstLine(t.text), 120)))
}

// attached says what came with the message besides words.
func (t *turn) attached() error {
	if t.handed != "" {
		if err := t.say(fmt.Sprintf("(I was told what was said before: %d characters.)\n\n", len([]rune(t.handed)))); err != nil {
			return err
		}
	}
	for _, b := range t.blocks {
		var words string
		switch b.Type {
		case "image":
			words = fmt.Sprintf("a picture (%s, %d bytes)", b.MimeType, len(b.Data)*3/4)
		case "resource_link":
			words = "a link to `" + b.Name + "`"
		case "resource":
			if b.Resource != nil {
				words = fmt.Sprintf("the text of `%s` (%d characters)", b.Resource.URI, len([]rune(b.Resource.Text)))
			}
		}
		if words == "" {
			continue
		}
		if err := t.say("With your message came " + words + ".\n\n"); err != nil {
			return err
		}
	}
	return nil
}

// looksOnly reports that the session is in its plan mode.
func (t *turn) looksOnly() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rec.Mode == "plan"
}

// muse thinks one sentence, or all of them when much thinking was chosen.
func (t *turn) muse(sentences ...string) error {
	t.mu.Lock()
	high := t.rec.Effort == "high"
	t.mu.Unlock()
	if !high {
		sentences = sentences[:1]
	}
	return t.think(strings.Join(sentences, " "))
}

func playEdit(t *turn) error {
	if err := t.muse("The till refuses an empty cart; the rule for it is probably in the rules file.", "I should look before I change anything.", "Then the checks will tell."); err != nil {
		return err
	}
	if err := t.say("I'll look at the rules of the till first.\n"); err != nil {
		return err
	}
	now, err := t.read("rules.txt")
	if err != nil {
		return err
	}
	next := rulesNew
	if now == rulesNew {
		next = strings.Replace(rulesNew, "discount = 10 %", "discount = 15 %", 1)
	}
	if t.looksOnly() {
		return t.say("In plan mode I only look. I would change `empty cart = error` to `empty cart = 0.00` and run the checks.")
	}
	if err := t.say("An empty cart ends in an error there. It should simply cost nothing, so I'd like to change that line.\n"); err != nil {
		return err
	}
	done, err := t.edit("rules.txt", next)
	if err != nil {
		return err
	}
	if !done {
		return t.say("All right, I left the file as it was. Say `edit` again if you change your mind.")
	}
	if err := t.say("Now the checks.\n"); err != nil {
		return err
	}
	ok, err := t.bash(true, checkCommand()...)
	if err != nil {
		return err
	}
	if !ok {
		return t.say("The file is changed; the checks did not run through.")
	}
	return t.say("**Done.** An empty cart now costs `0.00`, and all five checks pass. Look at the step above: `space` opens its diff.")
}

func playPlan(t *turn) error {
	titles := []string{"Find where the till adds up", "Read its rules", "Run the checks", "Say what is wrong"}
	show := func(active int) {
		entries := make([]planEntry, len(titles))
		for i, title := range titles {
			status := "pending"
			switch {
			case i < active:
				status = "completed"
			case i == active:
				status = "in_progress"
			}
			entries[i] = planEntry{Content: title, Priority: "medium", Status: status}
		}
		t.plan(entries...)
	}
	show(0)
	if err := t.say("I'll take it in four steps.\n"); err != nil {
		return err
	}
	if err := t.grep("empty cart"); err != nil {
		return err
	}
	show(1)
	if _, err := t.read("rules.txt"); err != nil {
		return err
	}
	show(2)
	ok := false
	if !t.looksOnly() {
		var err error
		if ok, err = t.bash(true, checkCommand()...); err != nil {
			return err
		}
	}
	show(3)
	if err := t.pause(400 * time.Millisecond); err != nil {
		return err
	}
	show(4)
	if ok {
		return t.say("All is well: the checks pass. (You let me fix it before.)")
	}
	return t.say("The rule for an *empty cart* is `error`; that is what is wrong. Say `edit` and I'll change it.")
}

// grep is a Grep step over the scratch folder's rules.
func (t *turn) grep(what string) error {
	s, err := t.folder()
	if err != nil {
		return err
	}
	c := t.start("search", `"`+what+`" in ./`, s.dir, map[string]any{"pattern": what, "path": "."})
	if err := t.pause(200 * time.Millisecond); err != nil {
		c.to("failed", wordsContent("stopped"))
		return err
	}
	c.to("completed", wordsContent("rules.txt:3: empty cart = error\ncheck.sh:4: for rule in …\n"))
	return nil
}

func playAsk(t *turn) error {
	if t.agent.canAskForms() {
		if err := t.say("Before I go on, I'd like to know how you want it.\n"); err != nil {
			return err
		}
		answer, err := t.question("How should the receipt look?", receiptForm)
		if err != nil {
			return err
		}
		if answer.Action != "accept" {
			return t.say("No answer is fine too: I'd take the short receipt.")
		}
		raw, _ := json.Marshal(answer.Content) // it came as JSON
		return t.say("Thank you! You chose:\n\n```json\n" + string(raw) + "\n```\n")
	}
	return t.say("How should the receipt look: **short** or **full**? (This client shows no forms, so just tell me.)")
}

// receiptForm has a field of each kind, in the order in which they are meant.
const receiptForm = `{
  "type": "object",
  "properties": {
    "layout": {"type": "string", "title": "Layout", "default": "short", "oneOf": [
      {"const": "short", "title": "Short, one line"}, {"const": "full", "title": "Full, a line for each thing"}]},
    "name":   {"type": "string", "title": "Name on top", "description": "Left empty there is none", "maxLength": 40},
    "copies": {"type": "integer", "title": "Copies", "minimum": 1, "maximum": 9, "default": 1},
    "tax":    {"type": "boolean", "title": "Show the tax", "default": true},
    "extras": {"type": "array", "title": "Extras", "items": {"anyOf": [
      {"const": "date", "title": "The date"}, {"const": "thanks", "title": "A thank-you"}]}}
  },
  "required": ["layout"]
}`

func (a *agent) canAskForms() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.client.Elicitation.Form != nil
}

// question puts a form to the person and waits.
func (t *turn) question(title, form string) (elicitationAnswer, error) {
	t.endMessage()
	raw, err := t.agent.conn.call(t.ctx, "elicitation/create", map[string]any{
		"sessionId": t.id, "mode": "form", "message": title, "requestedSchema": json.RawMessage(form),
	})
	var answer elicitationAnswer
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return answer, fmt.Errorf("read the answer to the question: %w", err)
	}
	return answer, nil
}

func playLong(t *turn) error {
	if err := t.muse("A long answer is asked for, so I should use every form there is."); err != nil {
		return err
	}
	return t.say(longAnswer)
}

func playRun(t *turn) error {
	if t.looksOnly() {
		return t.say("In plan mode I run nothing. I would run the checks of the till.")
	}
	if err := t.say("I'll run the checks of the till.\n"); err != nil {
		return err
	}
	t.slowly = true
	ok, err := t.bash(true, checkCommand()...)
	if err != nil {
		return err
	}
	if ok {
		return t.say("All checks pass.")
	}
	return t.say("Not all went well: the step above says what. `edit` would fix the empty cart.")
}

func playFail(t *turn) error {
	if err := t.say("Watch: the next step asks for a file that isn't there.\n"); err != nil {
		return err
	}
	s, err := t.folder()
	if err != nil {
		return err
	}
	if _, err := t.read("prices.txt"); err != nil && t.ctx.Err() != nil {
		return err
	}
	_ = s
	return t.say("It failed, and that is all: I go on, and so can you.")
}

func playThink(t *turn) error {
	if err := t.think("The question is why a cart may be empty at all. Someone opens the shop, looks around, and pays by mistake. " +
		"Nothing is owed then, so the sum is zero. An error would only hide that."); err != nil {
		return err
	}
	return t.say("An empty cart is no error: nothing was bought, so nothing is owed. I'd let it cost `0.00`.")
}

func playRecall(t *turn) error {
	t.mu.Lock()
	earlier := append([]string(nil), t.rec.Prompts[:max(0, len(t.rec.Prompts)-1)]...)
	t.mu.Unlock()
	if err := t.attached(); err != nil {
		return err
	}
	if len(earlier) == 0 {
		return t.say("This is the first thing you said to me in this chat.")
	}
	var b strings.Builder
	b.WriteString("Before this you said:\n\n")
	for i, words := range earlier {
		fmt.Fprintf(&b, "%d. %s\n", i+1, firstLine(words))
	}
	return t.say(b.String())
}
