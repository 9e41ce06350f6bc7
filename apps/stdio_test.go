package apps

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"conch/evals/ledger"
)

func TestAProgramIsConnectedAndCalled(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls.jsonl")
	b := real(t, Options{Apps: []App{program(t, "ledger", "ledger", log)}})
	set := connected(t, b, &turn{})
	if want := "mcp__ledger__exchange_rate mcp__ledger__find_invoices mcp__ledger__list_customers mcp__ledger__record_payment mcp__ledger__send_reminder"; names(set.Tools) != want {
		t.Fatalf("offered %s, missing %q", names(set.Tools), set.Missing)
	}
	find := set.tool(t, "mcp__ledger__find_invoices")
	if got := call(t, find, `{"customer":"globex","status":"unpaid"}`); !strings.Contains(got, `"834.50"`) || !strings.Contains(got, `"400.00"`) || strings.Contains(got, "1200") {
		t.Error(got)
	}
	if got := call(t, find, `{}`); got != "failed: customer: wanted the customer's exact name, got nothing" {
		t.Errorf("R-102-15: %q", got)
	}
	if got := call(t, set.tool(t, "mcp__ledger__send_reminder"), `{"customer":"Globex"}`); !strings.Contains(got, ledger.Setting) {
		t.Error(got)
	}
	if got := call(t, set.tool(t, "mcp__ledger__record_payment"), `{"invoice":2041,"amount":"400.00"}`); !strings.Contains(got, `"recorded":true`) {
		t.Errorf("with an untidy schema: %q", got)
	}
	calls, err := ledger.ReadLog(log)
	if err != nil || len(calls) != 4 || calls[0].Tool != "find_invoices" || string(calls[0].Arguments) != `{"customer":"globex","status":"unpaid"}` || calls[2].Outcome != "error" {
		t.Errorf("logged %+v, %v", calls, err)
	}
}

// Killed in the middle, it comes back for the next call; what was read is asked
// again, and what it knew of the run is still so.
func TestAProgramThatIsKilledComesBack(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls.jsonl")
	b := real(t, Options{Apps: []App{program(t, "ledger", "ledger", log)}})
	set := connected(t, b, &turn{})
	rate := set.tool(t, "mcp__ledger__exchange_rate")
	if got := call(t, rate, `{"to":"USD"}`); got != "failed: "+ledger.Busy {
		t.Fatalf("the first time: %q", got)
	}
	kill := func() {
		set.links[0].mu.Lock()
		defer set.links[0].mu.Unlock()
		proc, err := os.FindProcess(set.links[0].held.conn.(*session).over.(*pipes).p.Pid())
		if err != nil || proc.Kill() != nil {
			t.Fatal("it can't be killed")
		}
	}
	kill()
	if got := call(t, rate, `{"to":"USD"}`); !strings.Contains(got, `"rate":"1.10"`) {
		t.Errorf("right behind the kill: %q", got)
	}
	kill()
	if got := call(t, set.tool(t, "mcp__ledger__send_reminder"), `{"customer":"Globex"}`); !strings.Contains(got, ledger.Setting) && !strings.Contains(got, "may or may not have happened") {
		t.Errorf("a change behind the kill: %q", got)
	}
	if got := call(t, set.tool(t, "mcp__ledger__send_reminder"), `{"customer":"Globex"}`); !strings.Contains(got, ledger.Setting) {
		t.Errorf("the next one: %q", got)
	}
}

func TestLinesOfNoiseAreSkipped(t *testing.T) {
	b := real(t, Options{Apps: []App{program(t, "noisy", "noisy")}})
	set := connected(t, b, &turn{})
	if got := call(t, set.tool(t, "mcp__noisy__list_customers"), `{}`); !strings.Contains(got, "Acme Corporation") {
		t.Errorf("%q, missing %q", got, set.Missing)
	}
}

func TestAProgramThatDoesNotComeUpSaysWhy(t *testing.T) {
	for as, want := range map[string]string{
		"dies":    "the app bad is not there: the program ended at once (exit 3)",
		"missing": "the app bad is not there: the program ended at once (exit 127)",
	} {
		b := real(t, Options{Apps: []App{program(t, "bad", as)}, Sleep: func(context.Context, time.Duration) error { return nil }})
		set := connected(t, b, &turn{})
		if len(set.Missing) != 1 || set.Missing[0] != want {
			t.Errorf("%s: %q", as, set.Missing)
		}
	}
	b := real(t, Options{Apps: []App{{ID: "bad", Command: []string{"conch-no-such-program"}}}})
	if set := connected(t, b, &turn{}); len(set.Missing) != 1 || set.Missing[0] != "the app bad is not there: conch-no-such-program is not there, or can't be run" {
		t.Errorf("missing: %q", set.Missing)
	}
}

func TestAProgramThatSaysNothingIsGivenUp(t *testing.T) {
	for _, as := range []string{"silent", "deaf"} {
		b := real(t, Options{Apps: []App{program(t, "bad", as)}, Sleep: func(context.Context, time.Duration) error { return context.Canceled }})
		b.limits.connect = 200 * time.Millisecond
		began := time.Now()
		set := connected(t, b, &turn{})
		if len(set.Missing) != 1 || set.Missing[0] != "the app bad is not there: it did not answer within 200ms" {
			t.Errorf("%s: %q", as, set.Missing)
		}
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("%s: it took %s", as, took)
		}
	}
}

// R-102-31: the listed environment, the chat's folder, and nothing else.
func TestAProgramHasTheListedEnvironmentAndTheChatsFolder(t *testing.T) {
	a := program(t, "env", "environment")
	a.Env["MINE"] = "added"
	b := real(t, Options{Apps: []App{a}, Environ: append(os.Environ(), "SECRET_TOKEN=s3cret", "CONCH_HOME=/home/dev/.conch")})
	folder := t.TempDir()
	got := call(t, connected(t, b, &turn{folder: folder}).tool(t, "mcp__env__show"), `{}`)
	if strings.Contains(got, "SECRET_TOKEN") || strings.Contains(got, "CONCH_HOME=") || !strings.Contains(got, "MINE=added") || !strings.Contains(got, "PATH=") {
		t.Error(got)
	}
	at, err := filepath.EvalSymlinks(folder)
	if err != nil || !strings.HasPrefix(got, at+"\n") && !strings.HasPrefix(got, folder+"\n") {
		t.Errorf("it works in %q, not in %q", strings.SplitN(got, "\n", 2)[0], folder)
	}
}

// R-102-31: it ends with the turn.
func TestAProgramEndsWithTheTurn(t *testing.T) {
	b := real(t, Options{Apps: []App{program(t, "ledger", "ledger")}})
	set := connected(t, b, &turn{})
	call(t, set.tool(t, "mcp__ledger__list_customers"), `{}`)
	over := set.links[0].held.conn.(*session).over.(*pipes)
	set.Close()
	select {
	case <-over.p.Done():
	case <-time.After(5 * time.Second):
		t.Fatal("it is still there")
	}
}

func TestAReportSaysWhatAnAppOffersOrWhatIsMissing(t *testing.T) {
	good, bad := program(t, "ledger", "ledger"), program(t, "bad", "dies")
	b := real(t, Options{Apps: []App{good, bad}, Sleep: func(context.Context, time.Duration) error { return nil }})
	r := b.Test(context.Background(), good, t.TempDir())
	if r.Problem != nil || r.Listing.Name != "ledger" || len(r.Listing.Tools) != 5 || r.Took <= 0 {
		t.Errorf("%+v", r)
	}
	r = b.Test(context.Background(), bad, t.TempDir())
	if r.Problem == nil || r.Problem.Say != "the program ended at once (exit 3)" || !strings.HasPrefix(r.Problem.Next, "run it yourself to see why: ") ||
		r.Problem.Detail != "cannot open the database: token [redacted]" {
		t.Errorf("%+v", r.Problem)
	}
	if p := b.Look(good); p != nil {
		t.Errorf("%+v", p)
	}
	if p := b.Look(App{ID: "x", Command: []string{"conch-no-such-program"}}); p == nil || p.Say != "conch-no-such-program is not there, or can't be run" {
		t.Errorf("%+v", p)
	}
	if p := b.Look(App{ID: "x", URL: "https://x.example", HeadersEnv: map[string]string{"Authorization": "NOT_SET_ANYWHERE"}}); p == nil || !strings.Contains(p.Say, "NOT_SET_ANYWHERE") {
		t.Errorf("%+v", p)
	}
}

// FuzzPipes: whatever a program writes, reading ends and nothing panics.
func FuzzPipes(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"x","inputSchema":{}}]}}` + "\n"))
	f.Add([]byte("noise\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":{},"error":7}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := readPipes(bytes.NewReader(raw))
		for {
			if _, err := r.Read(context.Background()); err != nil {
				return
			}
		}
	})
}
