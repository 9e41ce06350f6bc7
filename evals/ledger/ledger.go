// Package ledger is a small bookkeeping app for evals and tests: an MCP server on
// stdin and stdout with invented invoices. It logs each call as a line of JSON, so
// that a check can see what was really called, and it has what real apps have: a
// tool that is busy the first time, one that always fails and says what the owner
// must change, and one whose schema is untidy.
//
// It keeps nothing but its log, and no call changes the data.
package ledger

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The names of its tools.
const (
	FindInvoices  = "find_invoices"
	ListCustomers = "list_customers"
	ExchangeRate  = "exchange_rate"
	SendReminder  = "send_reminder"
	RecordPayment = "record_payment"
)

// The settings whose names its tools say.
const (
	// Setting is what the owner of the app must change before reminders go out.
	Setting = "Settings > Reminders > Send by e-mail"
	// Busy is what exchange_rate says the first time.
	Busy = "The rate service is busy. Nothing is wrong with the request."
)

// Invoice is one of the invented ones. Amounts are in cents of EUR.
type Invoice struct {
	Number   string `json:"number"`
	Customer string `json:"customer"`
	Cents    int64  `json:"-"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
	Status   string `json:"status"`
}

// Invoices are all there are.
func Invoices() []Invoice {
	list := []Invoice{
		{Number: "2041", Customer: "Globex", Cents: 40000, Status: "unpaid"},
		{Number: "2042", Customer: "Globex", Cents: 83450, Status: "unpaid"},
		{Number: "2017", Customer: "Globex", Cents: 120000, Status: "paid"},
		{Number: "2050", Customer: "Initech", Cents: 9900, Status: "unpaid"},
		{Number: "2061", Customer: "Acme Corporation", Cents: 31025, Status: "unpaid"},
		{Number: "2062", Customer: "Acme Corporation", Cents: 18975, Status: "unpaid"},
		{Number: "2030", Customer: "Acme Corporation", Cents: 7500, Status: "paid"},
	}
	for i := range list {
		list[i].Amount, list[i].Currency = money(list[i].Cents), "EUR"
	}
	return list
}

// Rates are what one EUR is.
func Rates() map[string]string { return map[string]string{"USD": "1.10", "GBP": "0.85"} }

func money(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// Serve answers on in and out until in ends or ctx is done. log is the path of the
// file that each call is written to; "" keeps the calls in memory.
func Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser, log string) error {
	return Server(log).Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}

// Server is the app as an MCP server, for another transport.
func Server(log string) *mcp.Server {
	b := &book{log: &calls{path: log}}
	s := mcp.NewServer(&mcp.Implementation{Name: "ledger", Title: "Ledger", Version: "1"}, nil)
	b.add(s, FindInvoices, true, "Find a customer's invoices by the customer's exact name.", findSchema, b.findInvoices)
	b.add(s, ListCustomers, true, "List all customers by name.", noSchema, b.listCustomers)
	b.add(s, ExchangeRate, true, "Say what one EUR is in another currency.", rateSchema, b.exchangeRate)
	b.add(s, SendReminder, false, "Send a customer a reminder of their unpaid invoices.", reminderSchema, b.sendReminder)
	b.add(s, RecordPayment, false, "Record a payment.", untidySchema, b.recordPayment)
	return s
}

// exact compares a customer's name, letter case ignored.
func exact(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), b) }
