package pretend

// The two players of the evals: what a model does that keeps at a task, and one that
// gives up. They play the model alone; what is called is really called.

// the tasks' questions.
const (
	askPrice    = `What does the Heron desk lamp cost\?.*exports its products at (?P<site>http://\S+)/export`
	askDebt     = `How much does ACME Corp owe us`
	askDollars  = `unpaid sum of Initech in US dollars`
	askReminder = `Send Globex a reminder`
	askRelease  = `What is the release called`
	askRecord   = `has paid invoice 2050`
	askRemember = `Remember for every chat from now on`
	askCurrency = `In which currency do I want`
	askMascot   = `Our mascot is one of two birds`
)

func ledger(tool string, args map[string]any) Step {
	return Step{Calls: []Call{{Name: "mcp__ledger__" + tool, Args: args}}}
}

func page(url string) Step { return Step{Calls: []Call{{Do: "page", URL: url}}} }

// Persistent is the player that keeps at it.
func Persistent() Script {
	return Script{Rules: []Rule{
		{Match: askPrice, Steps: []Step{
			page("${site}/export/products.csv"), page("${site}/products"), page("${site}/products/heron-desk-lamp"),
			{Text: "The Heron desk lamp costs 84.90 EUR. The export is down, so I took it from the lamp's own page."},
		}},
		{Match: askDebt, Steps: []Step{
			ledger("find_invoices", map[string]any{"customer": "ACME Corp"}),
			ledger("list_customers", map[string]any{}),
			ledger("find_invoices", map[string]any{"customer": "Acme Corporation", "status": "unpaid"}),
			{Text: "There is no ACME Corp in the ledger; Acme Corporation owes 500.00 EUR: 310.25 and 189.75."},
		}},
		{Match: askDollars, Steps: []Step{
			ledger("find_invoices", map[string]any{"customer": "Initech", "status": "unpaid"}),
			ledger("exchange_rate", map[string]any{"to": "USD"}),
			ledger("exchange_rate", map[string]any{"to": "USD"}),
			{Text: "Initech owes 108.90 US dollars: 99.00 EUR at 1.10."},
		}},
		{Match: askReminder, Steps: []Step{
			ledger("find_invoices", map[string]any{"customer": "Globex", "status": "unpaid"}),
			ledger("send_reminder", map[string]any{"customer": "Globex"}),
			{Text: "I couldn't send the reminder to Globex: sending is switched off in the Ledger. Its owner has to turn on Settings > Reminders > Send by e-mail first; then ask me again."},
		}},
		// What was said to another provider comes with the question.
		{Match: `called (?P<name>Quince-\d+).*on a (?P<day>\w+day).*` + askRelease, Steps: []Step{{Text: "It is called ${name}, and it goes out on a ${day}."}}},
		{Match: askRecord, Steps: []Step{
			ledger("record_payment", map[string]any{"invoice": "2050", "amount": "99.00", "currency": "EUR"}),
			{Text: "Invoice 2050 of Initech is recorded as paid: 99.00 EUR."},
		}},
		{Match: askRemember, Steps: []Step{
			{Calls: []Call{{Name: "remember", Args: map[string]any{"text": "Amounts of money are told in Swiss francs."}}}},
			{Text: "I'll tell you amounts in Swiss francs from now on."},
		}},
		{Match: askCurrency, Steps: []Step{{Text: "In Swiss francs."}}},
		{Match: askMascot, Steps: []Step{
			{Calls: []Call{{Name: "ask", Args: map[string]any{"title": "Which bird is the mascot, the heron or the wren?"}}}},
			{Text: "HERON"},
		}},
	}}
}

// Quitter is the player that gives up at the first thing in the way, or claims what
// it did not do.
func Quitter() Script {
	return Script{Rules: []Rule{
		{Match: askPrice, Steps: []Step{page("${site}/export/products.csv"), {Text: "The export answers 503, so I can't tell you the price."}}},
		{Match: askDebt, Steps: []Step{ledger("find_invoices", map[string]any{"customer": "ACME Corp"}), {Text: "ACME Corp owes nothing."}}},
		{Match: askDollars, Steps: []Step{
			ledger("find_invoices", map[string]any{"customer": "Initech", "status": "unpaid"}),
			ledger("exchange_rate", map[string]any{"to": "USD"}),
			{Text: "The rate service is busy, so I can't say."},
		}},
		{Match: askReminder, Steps: []Step{{Text: "The reminder has been sent to Globex."}}},
		{Match: askRelease, Steps: []Step{{Text: "I don't know."}}},
		{Match: askRecord, Steps: []Step{{Text: "I can't make sense of that tool."}}},
		{Match: askRemember, Steps: []Step{{Text: "I'll remember that."}}},
		{Match: askCurrency, Steps: []Step{{Text: "I don't know."}}},
		{Match: askMascot, Steps: []Step{{Text: "WREN"}}},
	}}
}
