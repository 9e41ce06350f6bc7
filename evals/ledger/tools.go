package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// book answers the calls.
type book struct{ log *calls }

// reply is what a tool says; failed marks an error.
type reply struct {
	text   string
	failed bool
	busy   bool
}

func failing(format string, args ...any) reply {
	return reply{text: fmt.Sprintf(format, args...), failed: true}
}

// add offers a tool whose calls are logged with what came of them.
func (b *book) add(s *mcp.Server, name string, reads bool, what string, schema json.RawMessage, do func(args map[string]any) reply) {
	t := &mcp.Tool{Name: name, Description: what, InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads}}
	s.AddTool(t, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := map[string]any{}
		if len(r.Params.Arguments) > 0 && json.Unmarshal(r.Params.Arguments, &args) != nil {
			args = map[string]any{}
		}
		var said reply
		err := b.log.during(func(before []Call) Call {
			if name == ExchangeRate && !slices.ContainsFunc(before, func(c Call) bool { return c.Tool == ExchangeRate }) {
				said = reply{text: Busy, failed: true, busy: true}
			} else {
				said = do(args)
			}
			return Call{Tool: name, Arguments: r.Params.Arguments, Outcome: outcome(said)}
		})
		if err != nil {
			said = failing("The call could not be logged: %v", err)
		}
		return &mcp.CallToolResult{IsError: said.failed, Content: []mcp.Content{&mcp.TextContent{Text: said.text}}}, nil
	})
}

func outcome(r reply) string {
	switch {
	case r.busy:
		return OutcomeBusy
	case r.failed:
		return OutcomeError
	}
	return OutcomeOK
}

func (b *book) findInvoices(args map[string]any) reply {
	customer, ok := args["customer"].(string)
	if !ok || strings.TrimSpace(customer) == "" {
		return failing("customer: wanted the customer's exact name, got %s", got(args["customer"]))
	}
	status, _ := args["status"].(string)
	found := []Invoice{}
	for _, i := range Invoices() {
		if exact(customer, i.Customer) && (status == "" || status == i.Status) {
			found = append(found, i)
		}
	}
	return said(map[string]any{"customer": customer, "invoices": found})
}

func (b *book) listCustomers(map[string]any) reply {
	names := []string{}
	for _, i := range Invoices() {
		if !slices.Contains(names, i.Customer) {
			names = append(names, i.Customer)
		}
	}
	slices.Sort(names)
	return said(map[string]any{"customers": names})
}

func (b *book) exchangeRate(args map[string]any) reply {
	to, _ := args["to"].(string)
	rate, ok := Rates()[strings.ToUpper(strings.TrimSpace(to))]
	if !ok {
		return failing("to: wanted USD or GBP, got %s", got(args["to"]))
	}
	return said(map[string]any{"from": "EUR", "to": strings.ToUpper(strings.TrimSpace(to)), "rate": rate})
}

func (b *book) sendReminder(args map[string]any) reply {
	customer, _ := args["customer"].(string)
	return failing("No reminder was sent to %q: sending is switched off. The owner of this Ledger must turn on %q first; it can't be done from here.", strings.TrimSpace(customer), Setting)
}

// amounts are how record_payment takes money.
var amounts = regexp.MustCompile(`^([0-9]{1,9})(?:[.,]([0-9]{2}))?$`)

func (b *book) recordPayment(args map[string]any) reply {
	var problems []string
	amount := ""
	switch v := args["amount"].(type) {
	case string:
		amount = strings.TrimSpace(v)
	case float64:
		amount = fmt.Sprintf("%.2f", v)
	}
	if !amounts.MatchString(amount) {
		problems = append(problems, "amount: wanted a number such as 400 or \"400.00\", got "+got(args["amount"]))
	}
	invoice := ""
	switch v := args["invoice"].(type) {
	case string:
		invoice = strings.TrimSpace(v)
	case float64:
		invoice = fmt.Sprintf("%.0f", v)
	}
	if invoice != "" && !slices.ContainsFunc(Invoices(), func(i Invoice) bool { return i.Number == invoice }) {
		problems = append(problems, fmt.Sprintf("invoice: there is no invoice %q", invoice))
	}
	customer, _ := args["customer"].(string)
	if invoice == "" && strings.TrimSpace(customer) == "" {
		problems = append(problems, "invoice or customer: wanted one of the two, got neither")
	}
	if len(problems) > 0 {
		return failing("%s", strings.Join(problems, "; "))
	}
	return said(map[string]any{"recorded": true, "invoice": invoice, "customer": customer, "amount": amount, "currency": "EUR"})
}

func said(v any) reply {
	raw, err := json.Marshal(v)
	if err != nil {
		return failing("the answer can't be written: %v", err)
	}
	return reply{text: string(raw)}
}

// got is a value as it came.
func got(v any) string {
	if v == nil {
		return "nothing"
	}
	raw, err := json.Marshal(v)
	if err != nil || len(raw) > 100 {
		return "something else"
	}
	return string(raw)
}
