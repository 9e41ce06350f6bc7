package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// maxPrompt bounds what is read from stdin, in bytes.
const maxPrompt = 8 << 20

// message joins the words with what is piped in.
func (a *app) message(words []string) (string, error) {
	message := strings.Join(words, " ")
	if piped(a.host.Stdin) {
		raw, err := readPiped(a.host.Stdin, message != "")
		if err != nil {
			return "", fmt.Errorf("read the message from stdin: %w", err)
		}
		if len(raw) > maxPrompt {
			return "", &failure{say: fmt.Sprintf("what was piped in is larger than %d MB", maxPrompt>>20), next: "give its path instead", status: statusFailed}
		}
		if more := strings.ToValidUTF8(strings.TrimRight(string(raw), "\r\n"), "\uFFFD"); more != "" {
			if message != "" {
				message += "\n\n"
			}
			message += more
		}
	}
	if strings.TrimSpace(message) == "" {
		return "", wrong(`conch -p "what does this do?"`, "there is no message")
	}
	return message, nil
}

// piped reports that something is at the other end of stdin: a pipe or a file,
// not a terminal and not nothing.
func piped(stdin io.Reader) bool {
	f, ok := stdin.(*os.File)
	if !ok {
		return stdin != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// idleLimit is how long a pipe may stay silent when there are words already.
const idleLimit = 2 * time.Second

// readPiped reads a pipe to its end. When it may be left out, one that says
// nothing at all is left: a script often passes on a pipe of its own that never
// ends. The goroutine that waits for it then stays until the program's end.
func readPiped(r io.Reader, optional bool) ([]byte, error) {
	type result struct {
		raw []byte
		err error
	}
	first := make(chan result, 1)
	whole := make(chan result, 1)
	go func() {
		head := make([]byte, 4096)
		n, err := r.Read(head)
		first <- result{head[:n], err}
		if err != nil {
			return
		}
		rest, err := io.ReadAll(io.LimitReader(r, int64(maxPrompt+1-n)))
		whole <- result{append(head[:n:n], rest...), err}
	}()
	var silent <-chan time.Time
	if optional {
		timer := time.NewTimer(idleLimit)
		defer timer.Stop()
		silent = timer.C
	}
	select {
	case got := <-first:
		if errors.Is(got.err, io.EOF) {
			return got.raw, nil
		}
		if got.err != nil {
			return nil, got.err
		}
	case <-silent:
		return nil, nil
	}
	got := <-whole
	return got.raw, got.err
}
