package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// What came of a call.
const (
	OutcomeOK    = "ok"
	OutcomeError = "error"
	OutcomeBusy  = "busy"
)

// Call is one line of the log.
type Call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Outcome   string          `json:"outcome"`
}

// ReadLog gives the calls that a log holds, oldest first. A log that is not there
// holds none; a line that can't be read is skipped.
func ReadLog(path string) ([]Call, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the calls of the ledger: %w", err)
	}
	var list []Call
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c Call
		if json.Unmarshal(lines.Bytes(), &c) == nil && c.Tool != "" {
			list = append(list, c)
		}
	}
	if err := lines.Err(); err != nil {
		return list, fmt.Errorf("read the calls of the ledger: %w", err)
	}
	return list, nil
}

// calls is the log. What was called before is read from the file each time, so that
// an app that was started again knows it.
type calls struct {
	path string

	mu   sync.Mutex
	kept []Call // without a path
}

// during writes the call that do makes, which is given those before.
func (l *calls) during(do func(before []Call) Call) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" {
		l.kept = append(l.kept, do(l.kept))
		return nil
	}
	before, err := ReadLog(l.path)
	if err != nil {
		return err
	}
	line, err := json.Marshal(do(before))
	if err != nil {
		return fmt.Errorf("write the call: %w", err)
	}
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the call: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
