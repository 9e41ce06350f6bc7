package pretend

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server is a running pretend model.
type Server struct {
	listener net.Listener
	http     *http.Server
	served   chan struct{}
	stop     chan struct{} // closed by Close: answers end where they are

	mu       sync.Mutex
	script   Script
	requests []Request
	faults   map[string]int // how often a step was spoiled
	news     chan struct{}  // closed and made anew with each request
}

// maxBody bounds a request. The largest seen from a program is 1 MB.
const maxBody = 64 << 20

// Start serves a script on a free port of 127.0.0.1 until Close.
func Start(script Script) (*Server, error) {
	if err := script.check(); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for programs: %w", err)
	}
	s := &Server{
		listener: l,
		script:   script,
		faults:   map[string]int{},
		news:     make(chan struct{}),
		served:   make(chan struct{}),
		stop:     make(chan struct{}),
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.served)
		s.http.Serve(l) //nolint:errcheck // it ends with Close
	}()
	return s, nil
}

// URL is the address without a path: http://127.0.0.1:PORT. OpenAI's dialects
// stand under /v1.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close ends the server and every answer that still runs.
func (s *Server) Close() {
	close(s.stop)
	s.http.Close() //nolint:errcheck // connections are cut, as they should be
	<-s.served
}

// SetScript changes what is said from the next request on. Faults count anew.
func (s *Server) SetScript(script Script) error {
	if err := script.check(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.faults = script, map[string]int{}
	return nil
}

// Requests are all that came, in order, those of Other too.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Asked are the requests that a rule answered, in order.
func (s *Server) Asked() []Request {
	var out []Request
	for _, r := range s.Requests() {
		if r.Rule != "" {
			out = append(out, r)
		}
	}
	return out
}

// Wait waits until a request came for which ok says yes, and returns the first.
func (s *Server) Wait(ctx context.Context, ok func(Request) bool) (Request, error) {
	seen := 0
	for {
		s.mu.Lock()
		news, all := s.news, s.requests
		s.mu.Unlock()
		for ; seen < len(all); seen++ {
			if ok(all[seen]) {
				return all[seen], nil
			}
		}
		select {
		case <-news:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("wait for a request: %w", ctx.Err())
		}
	}
}

var geminiPath = regexp.MustCompile(`/models/([^:/]+):(\w+)$`)

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := body(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	req := Request{At: time.Now(), Dialect: Other, Method: r.Method, Path: r.URL.Path, Agent: r.UserAgent(), Body: json.RawMessage("null")}
	if json.Valid(raw) {
		req.Body = raw
	}
	if r.Method != http.MethodPost {
		s.log(&req)
		s.get(w, r)
		return
	}
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/count_tokens"):
		s.log(&req)
		reply(w, http.StatusOK, map[string]any{"input_tokens": len(raw)/4 + 1})
	case strings.HasSuffix(path, "/messages"):
		s.answer(w, r, req, &anthropic{})
	case strings.HasSuffix(path, "/chat/completions"):
		s.answer(w, r, req, &chat{})
	case strings.HasSuffix(path, "/responses"):
		s.answer(w, r, req, &responses{})
	case geminiPath.MatchString(path):
		m := geminiPath.FindStringSubmatch(path)
		req.Model = m[1]
		switch m[2] {
		case "generateContent", "streamGenerateContent":
			s.answer(w, r, req, &gemini{stream: m[2] == "streamGenerateContent"})
		case "countTokens":
			s.log(&req)
			reply(w, http.StatusOK, map[string]any{"totalTokens": len(raw)/4 + 1})
		default:
			s.log(&req)
			reply(w, http.StatusNotFound, map[string]any{"error": map[string]any{"code": 404, "message": "no such method"}})
		}
	default:
		s.log(&req)
		reply(w, http.StatusNotFound, map[string]any{"error": map[string]any{"code": 404, "message": "no such path", "type": "not_found_error"}})
	}
}

// log numbers and keeps a request.
func (s *Server) log(req *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.N = len(s.requests) + 1
	s.requests = append(s.requests, *req)
	close(s.news)
	s.news = make(chan struct{})
}

func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	models := s.script.Models
	s.mu.Unlock()
	if models == nil {
		models = []string{"pretend-1", "pretend-2"}
	}
	switch {
	case r.Method == http.MethodHead:
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		data := make([]any, 0, len(models))
		google := make([]any, 0, len(models))
		for _, id := range models {
			data = append(data, map[string]any{"id": id, "object": "model", "type": "model", "display_name": id, "created": 1, "owned_by": "pretend"})
			google = append(google, map[string]any{"name": "models/" + id, "supportedGenerationMethods": []string{"generateContent"}})
		}
		reply(w, http.StatusOK, map[string]any{"object": "list", "data": data, "models": google, "has_more": false})
	case r.Method == http.MethodGet && r.URL.Path == "/page":
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html><head><title>A page</title></head><body><h1>A page</h1><p>Twelve invoices.</p></body></html>") //nolint:errcheck // the asker has gone
	default:
		reply(w, http.StatusNotFound, map[string]any{"error": map[string]any{"message": "no such path"}})
	}
}

func body(r *http.Request) ([]byte, error) {
	var in io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, fmt.Errorf("unpack body: %w", err)
		}
		in = z
	}
	b, err := io.ReadAll(io.LimitReader(in, maxBody+1))
	if err == nil && len(b) > maxBody {
		err = errors.New("body too large")
	}
	return b, err
}

// spoil says whether the fault of a step is due now.
func (s *Server) spoil(c chosen) *Fault {
	f := c.step.Fault
	if f == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := c.rule + "/" + strconv.Itoa(c.n)
	times := f.Times
	if times == 0 {
		times = 1
	}
	if times > 0 && s.faults[key] >= times {
		return nil
	}
	s.faults[key]++
	return f
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) //nolint:errcheck // the asker has gone
}
