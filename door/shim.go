package door

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// The variables that a shim is given, and nobody else.
const (
	EnvURL = "CONCH_DOOR_URL"
	EnvKey = "CONCH_DOOR_KEY"
)

const (
	// maxLine is the longest line that the shim takes from the program or the door.
	maxLine = 32 << 20
	// maxAtOnce bounds the requests that are on their way.
	maxAtOnce = 64
	// codeInternal is JSON-RPC's for a request that the door did not answer.
	codeInternal = -32603
)

var doorURL = regexp.MustCompile(`^http://127\.0\.0\.1:[0-9]{1,5}/mcp$`)

// Shim relays the lines of a program that speaks MCP over stdin and stdout to the
// door that the environment names, until its input ends. It opens no file and
// dials no other address. The status is 2 when there is no door to relay to.
func Shim(ctx context.Context, environ []string, stdin io.Reader, stdout, stderr io.Writer) (exit int) {
	var url, key string
	for _, entry := range environ {
		if v, ok := strings.CutPrefix(entry, EnvURL+"="); ok {
			url = v
		}
		if v, ok := strings.CutPrefix(entry, EnvKey+"="); ok {
			key = v
		}
	}
	if !doorURL.MatchString(url) || key == "" || strings.ContainsAny(key, "\r\n") {
		fmt.Fprintln(stderr, "door-shim is started by Conch itself and has nothing to do here")
		return 2
	}
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), path)
	ctx, cancel := context.WithCancel(ctx)
	s := &shim{url: url, key: key, out: stdout, slots: make(chan struct{}, maxAtOnce)}
	transport := &http.Transport{
		Proxy: nil,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp4", address)
		},
		MaxIdleConnsPerHost: 4,
	}
	s.client = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.relay(ctx, stdin)
	cancel()
	s.wait.Wait()
	transport.CloseIdleConnections()
	return 0
}

type shim struct {
	url, key string
	client   *http.Client
	slots    chan struct{}
	wait     sync.WaitGroup

	mu      sync.Mutex
	out     io.Writer
	version string // of the protocol, as the greeting's answer gave it
}

// relay reads the program's lines. Each goes its own way, so that a slow call holds
// up no other; the first, which agrees on the protocol, is waited for.
func (s *shim) relay(ctx context.Context, stdin io.Reader) {
	in := bufio.NewReaderSize(stdin, 64<<10)
	for {
		line, err := readLine(in)
		if line = bytes.TrimSpace(line); len(line) > 0 && json.Valid(line) {
			select {
			case s.slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			send := func() {
				s.send(ctx, line)
				<-s.slots
			}
			if greets(line) {
				send()
			} else {
				s.wait.Go(send)
			}
		}
		if err != nil {
			return
		}
	}
}

// greets reports the first request of a program. Its name may stand in a call's
// arguments too.
func greets(line []byte) bool {
	var m message
	_ = json.Unmarshal(line, &m) // a part of another form leaves the others
	return m.Method == "initialize"
}

// readLine gives a line; one that is too long is skipped and comes as none.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		piece, err := in.ReadSlice('\n')
		if long = long || len(line)+len(piece) > maxLine; long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// message is what the shim must know of one: whether it wants an answer.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result struct {
		ProtocolVersion string `json:"protocolVersion"`
	} `json:"result"`
	Params struct {
		Name string `json:"name"`
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
}

// send posts one line and writes what the door answers, a line for each message.
func (s *shim) send(ctx context.Context, line []byte) {
	if err := s.post(ctx, line); err != nil {
		s.complain(line, err.Error())
	}
}

// post's errors are for the program: they hold neither key nor address.
func (s *shim) post(ctx context.Context, line []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(line))
	if err != nil {
		return errors.New("the door of Conch could not be asked")
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	s.describe(req.Header, line)
	answer, err := s.client.Do(req)
	if err != nil {
		return errors.New("the door of Conch is closed")
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusAccepted:
		return nil
	case answer.StatusCode == http.StatusServiceUnavailable:
		return errors.New("no turn of Conch's runs now, so its tools can't be used")
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("the door of Conch refused it (%d)", answer.StatusCode)
	}
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	if strings.TrimSpace(kind) == "text/event-stream" {
		return s.stream(answer.Body)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxLine+1))
	if err != nil || len(body) > maxLine {
		return errors.New("the door of Conch broke off its answer")
	}
	return s.write(body)
}

// describe sets the headers that newer versions of the protocol want beside the
// message.
func (s *shim) describe(h http.Header, line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		return
	}
	s.mu.Lock()
	version := s.version
	s.mu.Unlock()
	if m.Params.Meta.Version != "" {
		version = m.Params.Meta.Version
		h.Set("Mcp-Method", m.Method)
		if m.Params.Name != "" {
			h.Set("Mcp-Name", m.Params.Name)
		}
	}
	if version != "" && !strings.ContainsAny(version, "\r\n") {
		h.Set("Mcp-Protocol-Version", version)
	}
}

// stream writes the events of an answer as they come. Once the answer itself is
// there it may end as it likes: a request is answered once.
func (s *shim) stream(body io.Reader) error {
	in := bufio.NewReaderSize(body, 64<<10)
	var data []byte
	answered := false
	for {
		line, err := readLine(in)
		line = bytes.TrimRight(line, "\r\n")
		switch piece, isData := bytes.CutPrefix(line, []byte("data:")); {
		case isData && len(data)+len(piece) <= maxLine:
			data = append(data, bytes.TrimPrefix(piece, []byte(" "))...)
		case len(line) == 0 && len(data) > 0:
			if err := s.write(data); err != nil {
				return err
			}
			answered = answered || answers(data)
			data = nil
		}
		if errors.Is(err, io.EOF) || err != nil && answered {
			return nil
		}
		if err != nil {
			return errors.New("the door of Conch broke off its answer")
		}
	}
}

// answers reports that a message answers a request.
func answers(data []byte) bool {
	var m message
	return json.Unmarshal(data, &m) == nil && len(m.ID) > 0 && m.Method == ""
}

// write writes messages as lines, each whole; a batch is one line for each.
func (s *shim) write(body []byte) error {
	list := []json.RawMessage{body}
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '[' {
		if json.Unmarshal(trimmed, &list) != nil {
			return errors.New("the door of Conch gave an answer that can't be read")
		}
	}
	for _, each := range list {
		var flat bytes.Buffer
		if json.Compact(&flat, each) != nil {
			return errors.New("the door of Conch gave an answer that can't be read")
		}
		var m message
		if json.Unmarshal(flat.Bytes(), &m) == nil && m.Result.ProtocolVersion != "" {
			s.mu.Lock()
			s.version = m.Result.ProtocolVersion
			s.mu.Unlock()
		}
		s.line(flat.Bytes())
	}
	return nil
}

func (s *shim) line(message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.out.Write(append(message, '\n')) // a program that is gone ends the input too
}

// complain answers each request of a line; a notification gets nothing.
func (s *shim) complain(line []byte, why string) {
	var list []json.RawMessage
	if json.Unmarshal(line, &list) != nil {
		list = []json.RawMessage{line}
	}
	for _, each := range list {
		var m message
		if json.Unmarshal(each, &m) != nil || m.Method == "" || len(m.ID) == 0 || string(m.ID) == "null" {
			continue
		}
		raw, err := json.Marshal(map[string]any{
			"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": codeInternal, "message": why},
		})
		if err == nil {
			s.line(raw)
		}
	}
}
