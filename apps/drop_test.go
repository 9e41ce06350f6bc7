package apps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// dropping plays an app whose first connection drops in the middle of every call.
func dropping() *pretend {
	return &pretend{do: func(c *wire, tool string, _ json.RawMessage) (*mcp.CallToolResult, error) {
		if c.n == 1 {
			c.drop()
			return nil, mcp.ErrConnectionClosed
		}
		return words(fmt.Sprintf("%s by %d", tool, c.n)), nil
	}}
}

// Checklist 11, R-102-28: a drop, and the reading is asked again.
func TestAReadThatWasOnItsWayIsAskedAgain(t *testing.T) {
	p := dropping()
	b := playing(t, p)
	tn := &turn{}
	look := connected(t, b, tn).tool(t, "mcp__ledger__look")
	if got := call(t, look, `{}`); got != "look by 2" {
		t.Errorf("it says %q", got)
	}
	if len(tn.asked) != 1 {
		t.Errorf("the turn was asked %d times, want once", len(tn.asked))
	}
}

// Checklist 11, R-102-27, R-102-28: a change is not made again, and the next call works.
func TestAChangeThatWasOnItsWayIsNotMadeAgain(t *testing.T) {
	p := dropping()
	b := playing(t, p)
	send := connected(t, b, &turn{}).tool(t, "mcp__ledger__send")
	const want = "error: The connection to ledger dropped during this call, so it may or may not have happened. The connection is back: check before you repeat it."
	if got := call(t, send, `{}`); got != want {
		t.Errorf("it says %q", got)
	}
	if got := call(t, send, `{}`); got != "send by 2" {
		t.Errorf("the next call says %q", got)
	}
	if p.tried() != 2 {
		t.Errorf("%d connections, want 2", p.tried())
	}
}

// Checklist 11, R-102-27: the first is closed, once.
func TestTheConnectionThatDroppedIsClosedOnce(t *testing.T) {
	p := dropping()
	b := playing(t, p)
	set := connected(t, b, &turn{})
	call(t, set.tool(t, "mcp__ledger__look"), `{}`)
	set.Close()
	b.Close()
	if len(p.conns) != 2 || p.conns[0].closes != 1 || p.conns[1].closes != 1 {
		t.Errorf("closed %d and %d times", p.conns[0].closes, p.conns[1].closes)
	}
}

// Checklist 11 and 14, R-102-27: all that saw the drop share one reconnect.
func TestCallsThatSawTheDropShareOneReconnect(t *testing.T) {
	for _, n := range []int{2, 50} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var waiting sync.WaitGroup
			waiting.Add(n)
			p := &pretend{}
			p.do = func(c *wire, _ string, _ json.RawMessage) (*mcp.CallToolResult, error) {
				if c.n == 1 {
					waiting.Done()
					waiting.Wait()
					c.drop()
					return nil, mcp.ErrConnectionClosed
				}
				return words("fine"), nil
			}
			b := playing(t, p)
			look := connected(t, b, &turn{}).tool(t, "mcp__ledger__look")
			var fine atomic.Int32
			var all sync.WaitGroup
			for range n {
				all.Go(func() {
					if call(t, look, `{}`) == "fine" {
						fine.Add(1)
					}
				})
			}
			all.Wait()
			if int(fine.Load()) != n || p.tried() != 2 {
				t.Errorf("%d of %d are fine, over %d connections", fine.Load(), n, p.tried())
			}
		})
	}
}

// Checklist 14: fifty calls at once, of which some see drops.
func TestFiftyCallsAtOnceAreEachAnswered(t *testing.T) {
	var calls atomic.Int32
	p := &pretend{}
	p.do = func(c *wire, tool string, args json.RawMessage) (*mcp.CallToolResult, error) {
		if n := calls.Add(1); n%17 == 0 {
			c.drop()
			return nil, mcp.ErrConnectionClosed
		}
		return words(string(args)), nil
	}
	b := playing(t, p)
	tn := &turn{}
	look := connected(t, b, tn).tool(t, "mcp__ledger__look")
	var all sync.WaitGroup
	answers := make([]string, 50)
	for i := range answers {
		all.Go(func() { answers[i] = call(t, look, fmt.Sprintf(`{"n":%d}`, i)) })
	}
	all.Wait()
	for i, got := range answers {
		if want := fmt.Sprintf(`{"n":%d}`, i); got != want && !strings.Contains(got, "dropped twice") {
			t.Errorf("call %d says %q", i, got)
		}
	}
	if len(tn.asked) != 50 {
		t.Errorf("the turn was asked %d times", len(tn.asked))
	}
}

// Checklist 11: reopened without the tool.
func TestAToolThatIsGoneAfterTheDropIsSaid(t *testing.T) {
	for name, want := range map[string]string{
		"look": "error: The connection to ledger dropped during this call, so there is no answer. The connection is back, but ledger no longer has the tool look.",
		"send": "error: The connection to ledger dropped during this call, so it may or may not have happened. The connection is back, but ledger no longer has the tool send.",
	} {
		p := dropping()
		p.tools = func(try int) []*mcp.Tool {
			if try == 1 {
				return []*mcp.Tool{reads("look"), changes("send")}
			}
			return []*mcp.Tool{reads("other")}
		}
		set := connected(t, playing(t, p), &turn{})
		if got := call(t, set.tool(t, "mcp__ledger__"+name), `{}`); got != want {
			t.Errorf("%s: %q", name, got)
		}
		if got := call(t, set.tool(t, "mcp__ledger__"+name), `{}`); got != "error: ledger no longer has the tool "+name+", so the call was not run" {
			t.Errorf("%s, called again: %q", name, got)
		}
	}
}

// R-102-28: it counts only when the app says so before and after.
func TestAToolThatReadOnlyBeforeTheDropIsNotRepeated(t *testing.T) {
	for name, list := range map[string][2]*mcp.Tool{
		"before only": {reads("look"), changes("look")},
		"after only":  {changes("look"), reads("look")},
	} {
		p := dropping()
		p.tools = func(try int) []*mcp.Tool { return []*mcp.Tool{list[try-1]} }
		got := call(t, connected(t, playing(t, p), &turn{}).tool(t, "mcp__ledger__look"), `{}`)
		if !strings.Contains(got, "may or may not have happened. The connection is back: check before you repeat it.") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// R-102-29: a connection that can't be opened again says so, and why.
func TestAConnectionThatCantBeOpenedAgainSaysWhy(t *testing.T) {
	p := dropping()
	p.fail = func(try int) error {
		if try > 1 {
			return &statusError{code: 401}
		}
		return nil
	}
	b := playing(t, p)
	set := connected(t, b, &turn{})
	for name, want := range map[string]string{
		"look": "The connection to ledger dropped during this call, so there is no answer. It can't be opened again: ",
	} {
		if got := call(t, set.tool(t, "mcp__ledger__"+name), `{}`); !strings.HasPrefix(got, "error: "+want) || !strings.Contains(got, "HTTP 401") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := call(t, set.tool(t, "mcp__ledger__send"), `{}`); !strings.HasPrefix(got, "error: ledger could not be connected, so the call was not run: ") || !strings.Contains(got, "HTTP 401") {
		t.Errorf("the next call: %q", got)
	}
}

// A drop that was noticed between two calls costs nothing: nothing was on its way.
func TestADropBetweenCallsIsMendedForTheNext(t *testing.T) {
	p := &pretend{do: func(c *wire, tool string, _ json.RawMessage) (*mcp.CallToolResult, error) {
		return words(fmt.Sprintf("%s by %d", tool, c.n)), nil
	}}
	set := connected(t, playing(t, p), &turn{})
	send := set.tool(t, "mcp__ledger__send")
	if got := call(t, send, `{}`); got != "send by 1" {
		t.Fatal(got)
	}
	p.conns[0].drop()
	if got := call(t, send, `{}`); got != "send by 2" {
		t.Errorf("it says %q", got)
	}
}

// A call that the app never took is made again, whatever it does.
func TestACallThatNeverLeftIsMadeOverTheNewConnection(t *testing.T) {
	for name, err := range map[string]error{
		"refused": fmt.Errorf("sending: %w", syscall.ECONNREFUSED), "a session that is forgotten": fmt.Errorf("sending: %w", mcp.ErrSessionMissing),
	} {
		p := &pretend{do: func(c *wire, tool string, _ json.RawMessage) (*mcp.CallToolResult, error) {
			if c.n == 1 {
				return nil, err
			}
			return words("sent"), nil
		}}
		if got := call(t, connected(t, playing(t, p), &turn{}).tool(t, "mcp__ledger__send"), `{}`); got != "sent" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Checklist 11, R-102-29: a time-out is worded, and nothing is repeated.
func TestACallThatTimesOutMayStillBeUnderWay(t *testing.T) {
	var calls atomic.Int32
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	p := &pretend{do: func(*wire, string, json.RawMessage) (*mcp.CallToolResult, error) {
		calls.Add(1)
		<-never
		return nil, errors.New("too late")
	}}
	b := playing(t, p)
	b.limits.call = 30 * time.Millisecond
	look := connected(t, b, &turn{}).tool(t, "mcp__ledger__look")
	const want = "error: ledger did not answer within 30ms. The call may still be under way there and was not repeated: check before you do."
	if got := call(t, look, `{}`); got != want {
		t.Errorf("it says %q", got)
	}
	if calls.Load() != 1 || p.tried() != 1 {
		t.Errorf("%d calls over %d connections, want one", calls.Load(), p.tried())
	}
}

// A sign of life, and a card that waits for the person, are not the app's silence.
func TestProgressAndCardsDontCountAsSilence(t *testing.T) {
	p := &pretend{}
	asks := make(chan struct{})
	p.do = func(c *wire, tool string, _ json.RawMessage) (*mcp.CallToolResult, error) {
		if tool == "look" { // longer than the limit in all
			for range 7 {
				time.Sleep(100 * time.Millisecond)
				p.wanted[0].alive()
			}
			return words("looked"), nil
		}
		close(asks)
		p.wanted[0].ask(context.Background(), one("Which?"))
		return words("sent"), nil
	}
	b := playing(t, p)
	b.limits.call = 400 * time.Millisecond
	set := connected(t, b, &turn{answer: slowly(700 * time.Millisecond)})
	if got := call(t, set.tool(t, "mcp__ledger__look"), `{}`); got != "looked" {
		t.Errorf("with progress: %q", got)
	}
	if got := call(t, set.tool(t, "mcp__ledger__send"), `{}`); got != "sent" {
		t.Errorf("with a card: %q", got)
	}
	<-asks
}

// Checklist 5 and 11, R-102-14, R-102-30: the app's own error passes as it was, redacted.
func TestTheAppsOwnErrorPasses(t *testing.T) {
	p := &pretend{do: func(_ *wire, tool string, _ json.RawMessage) (*mcp.CallToolResult, error) {
		if tool == "look" {
			return nil, fmt.Errorf("calling %q: %w", "tools/call", &jsonrpc.Error{Code: -32602, Message: "no customer Globexx; token ghp_Zk3vB8qLw0TnXy5RdS1mJc7HfU2aGe9PoQ4i"})
		}
		r := words("the owner must turn on sending\nsecond line")
		r.IsError = true
		return r, nil
	}}
	tn := &turn{}
	set := connected(t, playing(t, p), tn)
	if got := call(t, set.tool(t, "mcp__ledger__look"), `{}`); got != "error: no customer Globexx; token [redacted]" {
		t.Errorf("a protocol error: %q", got)
	}
	if got := call(t, set.tool(t, "mcp__ledger__send"), `{}`); got != "failed: the owner must turn on sending\nsecond line" {
		t.Errorf("a tool's error: %q", got)
	}
	if len(tn.taints) != 2 || p.tried() != 1 {
		t.Errorf("tainted %q over %d connections", tn.taints, p.tried())
	}
}

// After Stop a call says only that.
func TestAfterStopACallOnlySaysThatItWasStopped(t *testing.T) {
	began := make(chan struct{})
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	p := &pretend{do: func(*wire, string, json.RawMessage) (*mcp.CallToolResult, error) {
		close(began)
		<-never
		return nil, errors.New("too late")
	}}
	b := playing(t, p)
	set := connected(t, b, &turn{})
	look := set.tool(t, "mcp__ledger__look")
	go func() {
		<-began
		set.Close()
	}()
	if got := call(t, look, `{}`); got != "error: It was stopped." {
		t.Errorf("it says %q", got)
	}
	if got := call(t, look, `{}`); got != "error: It was stopped." {
		t.Errorf("behind the end of the turn: %q", got)
	}
}
