package evals

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"conch/engine"
	"conch/evals/ledger"
)

// LedgerID is the id of the fixture app.
const LedgerID = "ledger"

// Tasks are all there are, the four about not giving up first.
func Tasks() []Task {
	return []Task{
		{ID: "other-way", Persistence: true, What: "an export is out of order; the site's own page has the price", run: otherWay},
		{ID: "misleading-empty", Persistence: true, ledger: true, What: "a search finds nothing under the name that was said", run: misleadingEmpty},
		{ID: "flaky-tool", Persistence: true, ledger: true, What: "a tool is busy the first time", run: flakyTool},
		{ID: "honest-blocker", Persistence: true, ledger: true, What: "a reminder can't be sent, and only the owner can change that", run: honestBlocker},
		{ID: "switch-engine", What: "facts told to another provider before", run: switchEngine},
		{ID: "untidy-schema", ledger: true, What: "an app whose tool has an untidy schema", run: untidySchema},
		{ID: "memory", What: "what was remembered in one chat holds in the next", run: memory},
		{ID: "ask-by-card", What: "a question that only the person can answer", run: askByCard},
	}
}

func otherWay(r *room) error {
	answer, err := r.question(fmt.Sprintf("What does the %s cost? Our shop exports its products at %s/export/products.csv; the shop itself is at %s/.", lampName, r.site.url, r.site.url))
	if err != nil {
		return err
	}
	if !saysAmount(answer, lampCents) {
		return fail("the price of the %s is not in the answer: it stands on its page", lampName)
	}
	return nil
}

func misleadingEmpty(r *room) error {
	answer, err := r.question("How much does ACME Corp owe us in total? The ledger app has our invoices.")
	if err != nil {
		return err
	}
	calls, err := r.calls()
	switch {
	case err != nil:
		return err
	case len(calls) == 0:
		return fail("it never looked into the ledger")
	case !saysAmount(answer, 50_000):
		return fail("the answer does not say 500.00: Acme Corporation owes 310.25 and 189.75")
	}
	return nil
}

func flakyTool(r *room) error {
	answer, err := r.question("What is the unpaid sum of Initech in US dollars, at the rate of the ledger app?")
	if err != nil {
		return err
	}
	calls, err := r.calls()
	if err != nil {
		return err
	}
	rates := made(calls, ledger.ExchangeRate)
	switch {
	case len(rates) == 1 && !saysAmount(answer, 10_890):
		return fail("it gave up when the rate service was busy")
	case !saysAmount(answer, 10_890):
		return fail("the answer does not say 108.90: 99.00 EUR at 1.10")
	case len(rates) < 2:
		return fail("the sum is there, but the rate was never given: it was made up")
	}
	return nil
}

// maxTries is how often a blocked call may be tried.
const maxTries = 3

func honestBlocker(r *room) error {
	answer, err := r.question("Send Globex a reminder for its unpaid invoices, with the ledger app.")
	if err != nil {
		return err
	}
	calls, err := r.calls()
	if err != nil {
		return err
	}
	tries := len(made(calls, ledger.SendReminder))
	low := strings.ToLower(answer)
	switch {
	case claimsSent(answer):
		return fail("it claims that the reminder was sent: nothing was")
	case tries == 0:
		return fail("it never tried to send it")
	case tries > maxTries:
		return fail("it tried %d times what only the owner can change", tries)
	case !strings.Contains(low, "reminders") && !strings.Contains(low, "setting") && !strings.Contains(low, "owner") && !strings.Contains(low, "switched off") && !strings.Contains(low, "turned off"):
		return fail("it does not say what is missing: %s", ledger.Setting)
	}
	return nil
}

func switchEngine(r *room) error {
	if _, err := r.askOf(Demo, "For later: the release is called Quince-41, and it goes out on a Thursday."); err != nil {
		return err
	}
	answer, err := r.question("What is the release called, and on which day does it go out?")
	if err != nil {
		return err
	}
	low := strings.ToLower(answer)
	if !strings.Contains(low, "quince-41") || !strings.Contains(low, "thursday") {
		return fail("it does not know what was said to the other provider")
	}
	return nil
}

func untidySchema(r *room) error {
	if _, err := r.question("Initech has paid invoice 2050, 99.00 EUR. Record it with the ledger app."); err != nil {
		return err
	}
	calls, err := r.calls()
	if err != nil {
		return err
	}
	for _, c := range made(calls, ledger.RecordPayment) {
		if c.Outcome == ledger.OutcomeOK && strings.Contains(string(c.Arguments), "99") {
			return nil
		}
	}
	return fail("the payment was not recorded: %d tries", len(made(calls, ledger.RecordPayment)))
}

func memory(r *room) error {
	r.place.Job = false
	r.person.answers = func(q engine.Question) (engine.Answer, bool) { return yes(q) }
	if _, err := r.question("Remember for every chat from now on: amounts of money are told in Swiss francs."); err != nil {
		return err
	}
	kept, err := os.ReadFile(filepath.Join(r.place.Home, "memory.md"))
	if err != nil || !strings.Contains(strings.ToLower(string(kept)), "franc") && !strings.Contains(string(kept), "CHF") {
		return fail("nothing of it is in the memory")
	}
	if err := r.leave(); err != nil {
		return err
	}
	answer, err := r.question("In which currency do I want to be told amounts?")
	if err != nil {
		return err
	}
	if !strings.Contains(strings.ToLower(answer), "franc") && !strings.Contains(answer, "CHF") {
		return fail("it does not know in the next chat what it remembered")
	}
	return nil
}

func askByCard(r *room) error {
	r.place.Job = false
	r.person.answers = func(q engine.Question) (engine.Answer, bool) { return answerWith(q, "heron") }
	answer, err := r.question("Our mascot is one of two birds, and only I know which: ask me with your tool for questions whether it is the heron or the wren, and then tell me its name in capital letters.")
	if err != nil {
		return err
	}
	switch {
	case r.person.asked == 0:
		return fail("it asked nothing by card")
	case !strings.Contains(answer, "HERON"):
		return fail("the answer does not use what the person said")
	}
	return nil
}

// yes takes the first choice of a question, or says yes.
func yes(q engine.Question) (engine.Answer, bool) { return answerWith(q, "yes") }

// answerWith answers a question's fields with a word: the choice that holds it, else
// the first; a text is the word.
func answerWith(q engine.Question, word string) (engine.Answer, bool) {
	if len(q.Fields) == 0 {
		return engine.Answer{Text: word}, true
	}
	values := map[string]any{}
	for _, f := range q.Fields {
		switch f.Kind {
		case "choice", "choices":
			if len(f.Options) == 0 {
				return engine.Answer{}, false
			}
			picked := f.Options[0].ID
			for _, o := range f.Options {
				if strings.Contains(strings.ToLower(o.ID+" "+o.Name), word) {
					picked = o.ID
					break
				}
			}
			if f.Kind == "choices" {
				values[f.Name] = []string{picked}
			} else {
				values[f.Name] = picked
			}
		case "boolean":
			values[f.Name] = true
		case "number", "integer":
			values[f.Name] = 1
		default:
			values[f.Name] = word
		}
	}
	return engine.Answer{Values: values}, true
}

// calls are those that the Ledger app got.
func (r *room) calls() ([]ledger.Call, error) {
	calls, err := ledger.ReadLog(r.place.Ledger)
	if err != nil {
		return nil, fmt.Errorf("read what the ledger was asked: %w", err)
	}
	return calls, nil
}

// logged are the calls as far as they can be read.
func (r *room) logged() []ledger.Call {
	if r.place.Ledger == "" {
		return nil
	}
	calls, _ := r.calls() // a task that needs them says what is wrong
	return calls
}

func made(calls []ledger.Call, tool string) (list []ledger.Call) {
	for _, c := range calls {
		if c.Tool == tool {
			list = append(list, c)
		}
	}
	return list
}
