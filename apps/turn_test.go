package apps

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/engine"
)

func answering(text string) func(*wire, string, json.RawMessage) (*mcp.CallToolResult, error) {
	return func(*wire, string, json.RawMessage) (*mcp.CallToolResult, error) { return words(text), nil }
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came: %s", what)
		}
	}
}

// R-102-24, R-102-32: the turn is asked, and the chat is tainted before the answer.
func TestACallAsksTheTurnAndTaintsTheChat(t *testing.T) {
	p := &pretend{do: answering("two invoices")}
	b := playing(t, p)
	tn := &turn{}
	set := connected(t, b, tn)
	if got := call(t, set.tool(t, "mcp__ledger__look"), `{"customer":"Globex"}`); got != "two invoices" {
		t.Error(got)
	}
	call(t, set.tool(t, "mcp__ledger__send"), `{"to":"Globex"}`)
	want := []engine.Permission{
		{Tool: "mcp__ledger__look", Kind: engine.KindRead, Subject: `{"customer":"Globex"}`, Input: json.RawMessage(`{"customer":"Globex"}`), App: "ledger"},
		{Tool: "mcp__ledger__send", Kind: engine.KindOther, Subject: `{"to":"Globex"}`, Input: json.RawMessage(`{"to":"Globex"}`), App: "ledger"},
	}
	if d := cmp.Diff(want, tn.asked); d != "" {
		t.Error(d)
	}
	if got := strings.Join(tn.happened, " "); got != "ask taint ask taint" {
		t.Errorf("it happened: %s", got)
	}
	if d := cmp.Diff([]string{"row-1: the app ledger", "row-1: the app ledger"}, tn.taints); d != "" {
		t.Error(d)
	}
}

func TestTheWordsOfAnAppOfYourOwnDontTaint(t *testing.T) {
	p := &pretend{do: answering("two invoices")}
	b := playing(t, p)
	b.o.Apps[0].Own = true
	tn := &turn{}
	call(t, connected(t, b, tn).tool(t, "mcp__ledger__look"), `{}`)
	if len(tn.taints) != 0 || len(tn.asked) != 1 || !tn.asked[0].Own {
		t.Errorf("tainted %q, asked %+v", tn.taints, tn.asked)
	}
}

func TestACallThatIsDeclinedIsNotMade(t *testing.T) {
	called := false
	p := &pretend{do: func(*wire, string, json.RawMessage) (*mcp.CallToolResult, error) {
		called = true
		return words("sent"), nil
	}}
	tn := &turn{decide: func(engine.Permission) engine.Decision {
		return engine.Decision{Verdict: engine.Deny, Reason: "you said no"}
	}}
	set := connected(t, playing(t, p), tn)
	if got := call(t, set.tool(t, "mcp__ledger__send"), `{}`); got != "error: it was not run: you said no" || called || len(tn.taints) > 0 {
		t.Errorf("%q, called %v, tainted %q", got, called, tn.taints)
	}
}

// From the second turn on the tools are there at once, whatever the app does.
func TestAnAppThatWasListedKeepsNoTurnWaiting(t *testing.T) {
	p := &pretend{do: answering("fine")}
	b := playing(t, p)
	set := connected(t, b, &turn{})
	set.Close()
	hold := make(chan struct{})
	p.mu.Lock()
	p.slowDial = hold
	p.mu.Unlock()
	second := connected(t, b, &turn{}) // would hang here
	if names(second.Tools) != "mcp__ledger__look mcp__ledger__send" || len(second.Missing) != 0 {
		t.Fatalf("%s, missing %q", names(second.Tools), second.Missing)
	}
	answered := make(chan string, 1)
	go func() { answered <- call(t, second.tool(t, "mcp__ledger__look"), `{}`) }()
	close(hold) // the call waits for the connection, and needs no other
	if got := <-answered; got != "fine" || p.tried() != 2 {
		t.Errorf("%q over %d connections", got, p.tried())
	}
}

// A changed list of tools would cost a provider's session: an app that fails keeps
// its tools, and its calls say why.
func TestAnAppThatFailsInALaterTurnKeepsItsTools(t *testing.T) {
	p := &pretend{do: answering("fine")}
	p.fail = func(try int) error {
		if try > 1 {
			return &statusError{code: 401}
		}
		return nil
	}
	b := playing(t, p)
	connected(t, b, &turn{}).Close()
	second := connected(t, b, &turn{})
	if names(second.Tools) != "mcp__ledger__look mcp__ledger__send" || len(second.Missing) != 0 {
		t.Fatalf("%s, missing %q", names(second.Tools), second.Missing)
	}
	got := call(t, second.tool(t, "mcp__ledger__look"), `{}`)
	if !strings.HasPrefix(got, "error: ledger could not be connected, so the call was not run: ") || !strings.Contains(got, "HTTP 401") {
		t.Error(got)
	}
}

// R-102-26.
func TestAnAppThatIsNotThereLeavesTheOthers(t *testing.T) {
	p := &pretend{do: answering("fine")}
	b := playing(t, p)
	b.o.Apps = []App{{ID: "gone", Command: []string{"gone"}}, {ID: "ledger", Command: []string{"ledger"}}, {ID: "slow", URL: "https://slow.example/mcp"}}
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	b.limits.start = 50 * time.Millisecond
	b.dial = func(ctx context.Context, a App, w wishes) (conn, error) {
		switch a.ID {
		case "gone":
			return nil, syscall.ECONNREFUSED
		case "slow":
			select {
			case <-hang:
			case <-ctx.Done():
			}
			return nil, ctx.Err()
		}
		return p.dial(ctx, a, w)
	}
	tn := &turn{}
	set := connected(t, b, tn)
	want := []string{
		"the app gone is not there: nothing listens at its address",
		"the app slow is not there: it is still starting after 50ms; once it is up, its tools are there in the next turn",
	}
	if d := cmp.Diff(want, set.Missing); d != "" || names(set.Tools) != "mcp__ledger__look mcp__ledger__send" {
		t.Errorf("%s\n%s", d, names(set.Tools))
	}
	if d := cmp.Diff([]engine.Event{engine.Waiting{Text: "your apps start"}, engine.Waiting{}}, tn.events); d != "" {
		t.Error(d)
	}
}

// What is told ahead of the first message starts nothing that is known already.
func TestAheadOfAMessageAKnownAppIsNotStarted(t *testing.T) {
	p := &pretend{do: answering("fine")}
	b := playing(t, p)
	connected(t, b, &turn{early: true}).Close()
	if p.tried() != 1 {
		t.Fatalf("%d connections, want one: it was not known", p.tried())
	}
	set := connected(t, b, &turn{early: true})
	if p.tried() != 1 || len(set.Tools) != 2 {
		t.Errorf("%d connections, %d tools", p.tried(), len(set.Tools))
	}
}

// R-102-24: one connection for each app and turn, however many calls.
func TestATurnHasOneConnectionForEachApp(t *testing.T) {
	p := &pretend{do: answering("fine")}
	b := playing(t, p)
	for turns := 1; turns <= 3; turns++ {
		set := connected(t, b, &turn{})
		for range 3 {
			call(t, set.tool(t, "mcp__ledger__look"), `{}`)
		}
		set.Close()
		if p.tried() != turns {
			t.Fatalf("%d connections in %d turns", p.tried(), turns)
		}
	}
}

// A list that changed holds from the next turn on.
func TestAListThatChangedHoldsFromTheNextTurn(t *testing.T) {
	grown := false
	p := &pretend{do: answering("fine")}
	p.tools = func(int) []*mcp.Tool {
		if grown {
			return []*mcp.Tool{reads("look"), reads("more")}
		}
		return []*mcp.Tool{reads("look")}
	}
	b := playing(t, p)
	first := connected(t, b, &turn{})
	grown = true
	p.wanted[0].changed()
	until(t, "the new list", func() bool { l, _ := b.listing(b.o.Apps[0]); return len(l.Tools) == 2 })
	if names(first.Tools) != "mcp__ledger__look" {
		t.Errorf("the running turn has %s", names(first.Tools))
	}
	if got := names(connected(t, b, &turn{}).Tools); got != "mcp__ledger__look mcp__ledger__more" {
		t.Errorf("the next turn has %s", got)
	}
}

func TestAConfigThatChangedIsListedAnew(t *testing.T) {
	a := App{ID: "ledger", Command: []string{"ledger"}}
	other := a
	other.Env = map[string]string{"A": "b"}
	if a.key() == other.key() {
		t.Error("the environment makes no difference")
	}
}

func TestAStopWhileAppsAreWaitedForEndsTheWait(t *testing.T) {
	p := &pretend{slowDial: make(chan struct{})}
	b := playing(t, p)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		for p.tried() == 0 {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	set := b.Connect(ctx, &turn{})
	set.Close()
	if len(set.Tools) != 0 || len(set.Missing) != 1 {
		t.Errorf("%d tools, missing %q", len(set.Tools), set.Missing)
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Error("it did not wait")
	}
}
