package ledger

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// opened is a ledger on a log, spoken to over pipes as a program would.
func opened(t *testing.T, log string) func(tool, args string) (text string, failed bool) {
	t.Helper()
	theirs, ours := io.Pipe()
	back, out := io.Pipe()
	over := make(chan error, 1)
	go func() { over <- Serve(context.Background(), theirs, out, log) }()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), &mcp.IOTransport{Reader: back, Writer: ours}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cs.Close()
		_ = ours.Close()
		<-over
	})
	return func(tool, args string) (string, bool) {
		t.Helper()
		r, err := cs.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
		if err != nil {
			t.Error(err)
			return "", true
		}
		return r.Content[0].(*mcp.TextContent).Text, r.IsError
	}
}

// R-102-35.
func TestTheLedgerHasItsInvoices(t *testing.T) {
	call := opened(t, "")
	for _, each := range []struct {
		customer string
		want     []string
	}{
		{"Globex", []string{"400.00 unpaid", "834.50 unpaid", "1200.00 paid"}},
		{"gLOBEX", []string{"400.00 unpaid", "834.50 unpaid", "1200.00 paid"}},
		{"Initech", []string{"99.00 unpaid"}},
		{"Acme Corporation", []string{"310.25 unpaid", "189.75 unpaid", "75.00 paid"}},
		{"ACME Corp", nil},
		{"Glob", nil},
	} {
		text, failed := call(FindInvoices, `{"customer":"`+each.customer+`"}`)
		var got struct{ Invoices []Invoice }
		if err := json.Unmarshal([]byte(text), &got); failed || err != nil {
			t.Fatalf("%s: %q", each.customer, text)
		}
		var list []string
		for _, i := range got.Invoices {
			if i.Currency != "EUR" {
				t.Errorf("%+v", i)
			}
			list = append(list, i.Amount+" "+i.Status)
		}
		if d := cmp.Diff(each.want, list); d != "" {
			t.Errorf("%s: %s", each.customer, d)
		}
	}
	if text, failed := call(ListCustomers, `{}`); failed || text != `{"customers":["Acme Corporation","Globex","Initech"]}` {
		t.Errorf("%v %s", failed, text)
	}
	if text, failed := call(FindInvoices, `{"customer":7}`); !failed || text != "customer: wanted the customer's exact name, got 7" {
		t.Errorf("%v %s", failed, text)
	}
}

// R-102-35: busy the first time in a run, which a reconnect does not begin anew.
func TestTheRateIsBusyTheFirstTimeInARun(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls.jsonl")
	if text, failed := opened(t, log)(ExchangeRate, `{"to":"USD"}`); !failed || text != Busy {
		t.Errorf("the first time: %v %q", failed, text)
	}
	again := opened(t, log)
	for to, want := range map[string]string{"USD": `"rate":"1.10"`, "gbp": `"rate":"0.85"`} {
		if text, failed := again(ExchangeRate, `{"to":"`+to+`"}`); failed || !strings.Contains(text, want) {
			t.Errorf("%s: %v %q", to, failed, text)
		}
	}
	if text, failed := again(ExchangeRate, `{"to":"CHF"}`); !failed || text != `to: wanted USD or GBP, got "CHF"` {
		t.Errorf("%v %q", failed, text)
	}
	calls, err := ReadLog(log)
	if err != nil || len(calls) != 4 || calls[0].Outcome != OutcomeBusy || calls[1].Outcome != OutcomeOK || calls[3].Outcome != OutcomeError {
		t.Errorf("logged %+v, %v", calls, err)
	}
}

func TestAReminderAlwaysFailsAndNamesTheSetting(t *testing.T) {
	call := opened(t, "")
	for range 3 {
		if text, failed := call(SendReminder, `{"customer":"Globex"}`); !failed || !strings.Contains(text, Setting) || !strings.Contains(text, "No reminder was sent") {
			t.Errorf("%v %q", failed, text)
		}
	}
}

func TestAPaymentIsTakenInSeveralSpellings(t *testing.T) {
	call := opened(t, "")
	for args, want := range map[string]string{
		`{"invoice":2041,"amount":400}`:               `"amount":"400.00"`,
		`{"invoice":"2041","amount":"400,00"}`:        `"amount":"400,00"`,
		`{"customer":"Globex","amount":"12.50"}`:      `"recorded":true`,
		`{"invoice":"1","amount":400}`:                `invoice: there is no invoice "1"`,
		`{"amount":"lots"}`:                           `amount: wanted a number such as 400 or "400.00", got "lots"; invoice or customer: wanted one of the two, got neither`,
		`{"invoice":"2041","amount":{"value":"400"}}`: `amount: wanted a number`,
	} {
		if text, _ := call(RecordPayment, args); !strings.Contains(text, want) {
			t.Errorf("%s: %s", args, text)
		}
	}
}

func TestEveryCallIsOneLineOfTheLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls.jsonl")
	call := opened(t, log)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { call(ListCustomers, `{}`) })
	}
	all.Wait()
	raw, err := os.ReadFile(log)
	if err != nil || strings.Count(string(raw), "\n") != 20 {
		t.Errorf("%v\n%s", err, raw)
	}
	if calls, err := ReadLog(filepath.Join(t.TempDir(), "none")); err != nil || len(calls) != 0 {
		t.Errorf("%v %v", calls, err)
	}
	if err := os.WriteFile(log, []byte("torn {\n\n{\"tool\":\"x\",\"outcome\":\"ok\"}\n7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if calls, err := ReadLog(log); err != nil || len(calls) != 1 || calls[0].Tool != "x" {
		t.Errorf("%+v %v", calls, err)
	}
}
