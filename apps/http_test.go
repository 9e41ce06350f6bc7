package apps

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"conch/evals/ledger"
)

// served is the Ledger at an address, behind what a test puts before it.
func served(t *testing.T, o *mcp.StreamableHTTPOptions, before func(w http.ResponseWriter, r *http.Request, next http.Handler)) *httptest.Server {
	t.Helper()
	s := ledger.Server(filepath.Join(t.TempDir(), "calls.jsonl"))
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, o)
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before != nil {
			before(w, r, h)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(at.Close)
	return at
}

func noPause(context.Context, time.Duration) error { return nil }

func TestAnAddressIsConnectedAndCalled(t *testing.T) {
	for name, o := range map[string]*mcp.StreamableHTTPOptions{
		"with sessions": nil, "stateless": {Stateless: true}, "answers in JSON": {JSONResponse: true},
	} {
		t.Run(name, func(t *testing.T) {
			at := served(t, o, nil)
			b := real(t, Options{Apps: []App{{ID: "ledger", URL: at.URL + "/mcp"}}})
			set := connected(t, b, &turn{})
			if got := call(t, set.tool(t, "mcp__ledger__find_invoices"), `{"customer":"Initech"}`); !strings.Contains(got, `"99.00"`) {
				t.Errorf("%q, missing %q", got, set.Missing)
			}
		})
	}
}

func TestHeadersComeFromTheEnvironmentAndTheKeyring(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]bool{}
	at := served(t, nil, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		mu.Lock()
		seen[r.Header.Get("Authorization")+" "+r.Header.Get("X-Key")] = true
		mu.Unlock()
		next.ServeHTTP(w, r)
	})
	a := App{ID: "ledger", URL: at.URL, HeadersEnv: map[string]string{"Authorization": "LEDGER_AUTH"}, HeadersKeyring: map[string]string{"X-Key": "ledger"}}
	secret := func(entry string) (string, error) {
		if entry == "ledger" {
			return "from the ring", nil
		}
		return "", fmt.Errorf("no such entry")
	}
	b := real(t, Options{Apps: []App{a}, Environ: []string{"LEDGER_AUTH=Bearer abc"}, Secret: secret})
	call(t, connected(t, b, &turn{}).tool(t, "mcp__ledger__list_customers"), `{}`)
	mu.Lock()
	defer mu.Unlock()
	if d := cmp.Diff(map[string]bool{"Bearer abc from the ring": true}, seen); d != "" {
		t.Error(d)
	}
	for name, each := range map[string]struct {
		o    Options
		want string
	}{
		"no variable": {Options{Secret: secret}, "the environment variable LEDGER_AUTH, for its header Authorization, is not set"},
		"no keyring":  {Options{Environ: []string{"LEDGER_AUTH=x"}}, "there is no keyring here for its header X-Key"},
		"no entry": {Options{Environ: []string{"LEDGER_AUTH=x"}, Secret: func(string) (string, error) { return "", fmt.Errorf("no such entry") }},
			`the entry "ledger" of the keyring, for its header X-Key, can't be read: no such entry`},
	} {
		each.o.Apps = []App{a}
		b := New(each.o)
		set := connected(t, b, &turn{})
		if len(set.Missing) != 1 || set.Missing[0] != "the app ledger is not there: "+each.want {
			t.Errorf("%s: %q", name, set.Missing)
		}
	}
}

// Checklist 11, over HTTP: 503 (2 tries), 401 (1 try), as the app sees them.
func TestAnAddressIsTriedAsOftenAsItsAnswerSays(t *testing.T) {
	for _, each := range []struct {
		code  int
		after string
		tries int32
		slept []time.Duration
		says  string
	}{
		{503, "", 2, []time.Duration{750 * time.Millisecond}, "answered HTTP 503 (Service Unavailable)"},
		{503, "2", 2, []time.Duration{2 * time.Second}, "answered HTTP 503 (Service Unavailable)"},
		{503, "60", 2, []time.Duration{750 * time.Millisecond}, "answered HTTP 503 (Service Unavailable)"},
		{429, "", 2, []time.Duration{750 * time.Millisecond}, "answered HTTP 429 (Too Many Requests)"},
		{500, "", 2, []time.Duration{750 * time.Millisecond}, "answered HTTP 500 (Internal Server Error)"},
		{408, "", 2, []time.Duration{750 * time.Millisecond}, "answered HTTP 408 (Request Timeout)"},
		{401, "", 1, nil, "answered HTTP 401 (Unauthorized)"},
		{403, "", 1, nil, "answered HTTP 403 (Forbidden)"},
		{404, "", 1, nil, "answered HTTP 404 (Not Found): no MCP there"},
	} {
		var tries atomic.Int32
		at := served(t, nil, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			tries.Add(1)
			if each.after != "" {
				w.Header().Set("Retry-After", each.after)
			}
			http.Error(w, "no", each.code)
		})
		c := &clock{now: time.Unix(1_700_000_000, 0)}
		b := real(t, Options{Apps: []App{{ID: "ledger", URL: at.URL}}, Now: c.Now, Sleep: c.Sleep})
		set := connected(t, b, &turn{})
		if d := cmp.Diff(each.slept, c.slept); tries.Load() != each.tries || d != "" {
			t.Errorf("%d: %d tries, want %d; %s", each.code, tries.Load(), each.tries, d)
		}
		if len(set.Missing) != 1 || !strings.HasSuffix(set.Missing[0], each.says) {
			t.Errorf("%d: %q", each.code, set.Missing)
		}
	}
}

func TestAnAddressThatIsBusyOnceIsThere(t *testing.T) {
	var tries atomic.Int32
	at := served(t, nil, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if tries.Add(1) == 1 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
	b := real(t, Options{Apps: []App{{ID: "ledger", URL: at.URL}}, Sleep: noPause})
	if set := connected(t, b, &turn{}); len(set.Tools) != 5 {
		t.Errorf("missing %q", set.Missing)
	}
}

// A server that was started again knows no session of before: the call was not
// taken, so it is made, whatever it does.
func TestASessionThatTheServerForgotIsOpenedAgain(t *testing.T) {
	var mu sync.Mutex
	var h http.Handler
	restart := func() {
		s := ledger.Server("")
		t.Cleanup(func() {
			for each := range s.Sessions() {
				_ = each.Close()
			}
		})
		mu.Lock()
		h = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
		mu.Unlock()
	}
	restart()
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now := h
		mu.Unlock()
		now.ServeHTTP(w, r)
	}))
	t.Cleanup(at.Close)
	b := real(t, Options{Apps: []App{{ID: "ledger", URL: at.URL}}, Sleep: noPause})
	set := connected(t, b, &turn{})
	pay := set.tool(t, "mcp__ledger__record_payment")
	if got := call(t, pay, `{"invoice":"2041","amount":400}`); !strings.Contains(got, "recorded") {
		t.Fatal(got)
	}
	restart()
	if got := call(t, pay, `{"invoice":"2041","amount":400}`); !strings.Contains(got, "recorded") {
		t.Errorf("behind the restart: %q", got)
	}
}

// R-102-28 over HTTP: the answer's stream breaks off in the middle of a call.
func TestAnAnswerThatBreaksOffIsADrop(t *testing.T) {
	var broken atomic.Int32
	at := served(t, nil, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if strings.Contains(string(body), `"tools/call"`) && broken.Add(1) <= 2 {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			fmt.Fprint(w, ": it comes\n\n")
			http.NewResponseController(w).Flush() //nolint:errcheck // it breaks off anyway
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		next.ServeHTTP(w, r)
	})
	b := real(t, Options{Apps: []App{{ID: "ledger", URL: at.URL}}, Sleep: noPause})
	set := connected(t, b, &turn{})
	if got := call(t, set.tool(t, "mcp__ledger__record_payment"), `{"invoice":"2041","amount":400}`); !strings.Contains(got, "may or may not have happened. The connection is back") {
		t.Errorf("a change: %q", got)
	}
	if got := call(t, set.tool(t, "mcp__ledger__list_customers"), `{}`); !strings.Contains(got, "Globex") {
		t.Errorf("a read: %q", got)
	}
}

// R-102-31.
func TestCredentialsDontFollowARedirectToAnotherHost(t *testing.T) {
	var led atomic.Int32
	elsewhere := served(t, nil, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		led.Add(1)
		if r.Header.Get("Authorization") != "" {
			t.Error("the credentials came along")
		}
		next.ServeHTTP(w, r)
	})
	home := served(t, nil, func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
	})
	b := real(t, Options{Apps: []App{{ID: "ledger", URL: home.URL, HeadersEnv: map[string]string{"Authorization": "A"}}}, Environ: []string{"A=Bearer abc"}})
	set := connected(t, b, &turn{})
	if len(set.Missing) != 1 || !strings.Contains(set.Missing[0], "sends on to another host, which must not have your credentials") || led.Load() != 0 {
		t.Errorf("missing %q, %d came there", set.Missing, led.Load())
	}
	b = real(t, Options{Apps: []App{{ID: "ledger", URL: home.URL}}})
	if set := connected(t, b, &turn{}); len(set.Tools) != 5 {
		t.Errorf("without credentials: %q", set.Missing)
	}
}

func TestACredentialThatAnAppGivesBackIsTakenOut(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "echo", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "headers", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return words("you are " + r.Extra.Header.Get("Authorization")), nil
	})
	at := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(at.Close)
	b := real(t, Options{
		Apps:   []App{{ID: "echo", URL: at.URL, HeadersKeyring: map[string]string{"Authorization": "echo"}}},
		Secret: func(string) (string, error) { return "Bearer plain-looking", nil },
	})
	if got := call(t, connected(t, b, &turn{}).tool(t, "mcp__echo__headers"), `{}`); got != "you are [redacted]" && got != "you are Bearer [redacted]" {
		t.Error(got)
	}
}

// R-102-31.
func TestThisMachineIsReachedWithoutAProxy(t *testing.T) {
	b := New(Options{Environ: []string{"HTTP_PROXY=http://proxy.example:3128", "HTTPS_PROXY=proxy.example:3129", "NO_PROXY=inside.example,.deep.example"}})
	for address, want := range map[string]string{
		"http://127.0.0.1:3001/mcp": "", "http://localhost:3001/mcp": "", "http://[::1]:3001/mcp": "", "https://127.8.9.1/mcp": "",
		"http://apps.example/mcp": "http://proxy.example:3128", "https://apps.example/mcp": "http://proxy.example:3129",
		"https://inside.example/mcp": "", "https://a.deep.example/mcp": "", "https://notinside.example": "http://proxy.example:3129",
	} {
		r := httptest.NewRequest(http.MethodPost, address, nil)
		got, err := b.proxy(r)
		said := ""
		if got != nil {
			said = got.String()
		}
		if err != nil || said != want {
			t.Errorf("%s goes by %q, want %q (%v)", address, said, want, err)
		}
	}
}

func TestAnAnswerThatIsTooLargeEnds(t *testing.T) {
	at := served(t, &mcp.StreamableHTTPOptions{JSONResponse: true}, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if strings.Contains(string(body), `"tools/call"`) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"`)
			piece := strings.Repeat("x", 1<<20)
			for range 40 {
				if _, err := io.WriteString(w, piece); err != nil {
					return
				}
			}
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		next.ServeHTTP(w, r)
	})
	b := real(t, Options{Apps: []App{{ID: "ledger", URL: at.URL}}, Sleep: noPause})
	set := connected(t, b, &turn{})
	if got := call(t, set.tool(t, "mcp__ledger__list_customers"), `{}`); !strings.HasPrefix(got, "error: the connection to ledger dropped twice during this call") {
		t.Errorf("%.300q", got)
	}
}

func TestACertificateThatCantBeTrustedIsSaid(t *testing.T) {
	at := httptest.NewUnstartedServer(http.NotFoundHandler())
	at.Config.ErrorLog = log.New(io.Discard, "", 0)
	at.StartTLS()
	t.Cleanup(at.Close)
	b := real(t, Options{Apps: []App{{ID: "ledger", URL: at.URL}}, Environ: os.Environ()})
	set := connected(t, b, &turn{})
	if len(set.Missing) != 1 || !strings.Contains(set.Missing[0], "can't be trusted") {
		t.Errorf("missing %q", set.Missing)
	}
}

// FuzzAnswers: whatever an address answers, connecting ends with a word.
func FuzzAnswers(f *testing.F) {
	f.Add(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`)
	f.Add(200, "text/event-stream", "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n\n")
	f.Add(404, "text/html", "<html>")
	f.Fuzz(func(t *testing.T, code int, kind, body string) {
		if code < 200 || code > 599 {
			code = 200
		}
		trip := trips(func(r *http.Request) (*http.Response, error) {
			h := http.Header{}
			h["Content-Type"] = []string{kind}
			return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})
		b := New(Options{Sleep: noPause})
		b.limits.connect = 5 * time.Second
		s := b.overHTTP(App{ID: "x", URL: "http://127.0.0.1:1/mcp"}, nil)
		s.HTTPClient.Transport = &traveller{trips: trip}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		cs, err := connect(ctx, b.client(App{ID: "x"}, wishes{}), s, versionKnown)
		if err == nil {
			_ = cs.Close()
			return
		}
		if p := b.problem(App{ID: "x", URL: "http://127.0.0.1:1/mcp"}, err); p.Say == "" || strings.ContainsAny(p.Say, "\n\x1b") {
			t.Errorf("it says %q", p.Say)
		}
	})
}

type trips func(*http.Request) (*http.Response, error)

func (f trips) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
