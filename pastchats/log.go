package pastchats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"conch/chats"
	"conch/redact"
)

// A chat's log is events as Conch's own chats have them: its title, then what was
// said. encodeLog writes the same lines as chats.Encode, without the way over
// structures: it is on the path of every word that comes in.
func encodeLog(buf []byte, source string, f *finished) []byte {
	seq := int64(0)
	head := func(at int64, kind string) {
		buf = strconv.AppendInt(append(buf, `{"v":1,"seq":`...), seq, 10)
		buf = strconv.AppendInt(append(buf, `,"id":"`...), seq, 10)
		buf = strconv.AppendInt(append(buf, `","at":`...), at, 10)
		buf = append(append(append(buf, `,"turn":"","kind":"`...), kind...), '"')
		seq++
	}
	message := func(n int) {
		buf = append(append(buf, `,"messageId":"`...), source...)
		buf = strconv.AppendInt(append(buf, '.'), int64(n), 10)
		buf = append(buf, '"')
	}
	by := "message"
	if f.ownTitle {
		by = "provider"
	}
	head(f.created, "title")
	buf = appendText(append(buf, `,"title":`...), f.title)
	buf = append(append(append(buf, `,"by":"`...), by...), "\"}\n"...)
	for i := range f.messages {
		m := &f.messages[i]
		if m.role == User {
			head(m.at, "user.message")
			message(f.first + i)
			buf = append(appendText(append(buf, `,"text":`...), m.text), "}\n"...)
			continue
		}
		head(m.at, "assistant.delta")
		message(f.first + i)
		buf = append(appendText(append(buf, `,"channel":"text","delta":`...), m.text), "}\n"...)
		head(m.at, "assistant.done")
		message(f.first + i)
		buf = append(buf, "}\n"...)
	}
	return buf
}

const logEnding = ".jsonl"

func (s *Store) logPath(id string) string { return filepath.Join(s.dir, id+logEnding) }

// writeLog writes a chat's log, when it is not there as it is to be already. It
// is not synced: the run does that for all of its logs, before the list that is
// there at its end.
func (s *Store) writeLog(id string, log []byte) (changed bool, err error) {
	path := s.logPath(id)
	if sameFile(path, log) {
		return false, nil
	}
	return true, plainly("write past chat "+id, replaceFile(path, log, false))
}

// sameFile reports that a file holds exactly these bytes.
func sameFile(path string, data []byte) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false
	}
	old, err := os.ReadFile(path)
	return err == nil && bytes.Equal(old, data)
}

// openLog opens a log for reading. A link or a pipe in its place is none.
func (s *Store) openLog(id string) (*os.File, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	path := s.logPath(id)
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read past chat %s: %w", id, err)
	}
	return f, nil
}

// eachLine gives the lines of a log. They are valid until line returns.
func (s *Store) eachLine(id string, line func([]byte) bool) (err error) {
	f, err := s.openLog(id)
	if err != nil {
		return err
	}
	defer func() {
		if closing := f.Close(); err == nil && closing != nil {
			err = fmt.Errorf("read past chat %s: %w", id, closing)
		}
	}()
	in, _ := s.readers.Get().(*bufio.Reader)
	if in == nil {
		in = bufio.NewReaderSize(nil, 64<<10)
	}
	in.Reset(f)
	defer func() {
		in.Reset(nil)
		s.readers.Put(in)
	}()
	var long []byte
	for {
		piece, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			// A longer line is not one of ours, however it came there.
			if len(long) <= maxLine {
				long = append(long, piece...)
			}
			continue
		case errors.Is(err, io.EOF):
			return nil // what has no line feed is not a line
		case err != nil:
			return fmt.Errorf("read past chat %s: %w", id, err)
		}
		if len(long) > 0 {
			piece = append(long, piece...)
			long = piece[:0]
			if len(piece) > maxLine {
				continue
			}
		}
		if !line(piece[:len(piece)-1]) {
			return nil
		}
	}
}

// said is a line of a log as far as it is needed: its kind and its text.
type said struct {
	at      int64
	kind    []byte
	message []byte // its id, as it stands between the quotes
	text    value
}

var (
	markSeq  = []byte(`{"v":1,"seq":`)
	markNum  = []byte(`,"id":"`)
	markAt   = []byte(`","at":`)
	markKind = []byte(`,"turn":"","kind":"`)
	markID   = []byte(`","messageId":"`)
	markText = []byte(`","text":"`)
	markSaid = []byte(`","channel":"text","delta":"`)
)

// readNumber reads the number that follows mark.
func readNumber(b, mark []byte) (n int64, rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(b, mark)
	digits := 0
	for digits < len(rest) && digits < 18 && rest[digits] >= '0' && rest[digits] <= '9' {
		n = n*10 + int64(rest[digits]-'0')
		digits++
	}
	return n, rest[digits:], ok && digits > 0
}

// readSaid reads a line that encodeLog wrote; ok is false for any other, which
// may still be an event.
func readSaid(line []byte) (l said, ok bool) {
	_, rest, ok := readNumber(line, markSeq)
	if !ok {
		return l, false
	}
	if _, rest, ok = readNumber(rest, markNum); !ok {
		return l, false
	}
	if l.at, rest, ok = readNumber(rest, markAt); !ok {
		return l, false
	}
	rest, ok = bytes.CutPrefix(rest, markKind)
	if !ok {
		return l, false
	}
	i := bytes.IndexByte(rest, '"')
	if i < 0 || i > 20 {
		return l, false
	}
	l.kind, rest = rest[:i], rest[i:]
	if rest, ok = bytes.CutPrefix(rest, markID); !ok {
		return l, false
	}
	if i = bytes.IndexByte(rest, '"'); i < 0 || i > 64 {
		return l, false
	}
	l.message, rest = rest[:i], rest[i:]
	if bytes.IndexByte(l.message, '\\') >= 0 {
		return l, false
	}
	var mark []byte
	switch string(l.kind) {
	case "user.message":
		mark = markText
	case "assistant.delta":
		mark = markSaid
	case "assistant.done":
		return l, string(rest) == `"}`
	default:
		return l, false
	}
	if !bytes.HasPrefix(rest, mark) || len(rest) < len(mark)+2 {
		return l, false
	}
	rest = rest[len(mark)-1:] // with its quote
	end, ok := skipString(rest, 0)
	if !ok || string(rest[end:]) != "}" {
		return l, false
	}
	l.text = value(rest[:end])
	return l, true
}

// Messages reads a chat's messages in order, redacted again. each returns false
// to stop.
func (s *Store) Messages(id string, each func(Message) bool) error {
	return s.messages(id, nil, func(_ int, m Message) bool {
		m.Text, _ = redact.Redact(m.Text)
		return each(m)
	}, func(string, int64) {})
}

// MessagesAt is Messages for those that are wanted, by their place from 0 on.
// What is not wanted costs little more than its bytes.
func (s *Store) MessagesAt(id string, want func(n int) bool, each func(n int, m Message) bool) error {
	return s.messages(id, want, func(n int, m Message) bool {
		m.Text, _ = redact.Redact(m.Text)
		return each(n, m)
	}, func(string, int64) {})
}

// messages reads a log; title is called with each title and its time. With want
// each is called for the messages at those places alone.
func (s *Store) messages(id string, want func(n int) bool, each func(n int, m Message) bool, title func(title string, at int64)) error {
	var now Message // the answer that is put together
	going, n := true, 0
	give := func() bool {
		if now.ID != "" && now.Text != "" {
			if want == nil || want(n) {
				going = each(n, now)
			}
			n++
		}
		now = Message{}
		return going
	}
	// words are a line's, or a sign that it has some where they are not wanted.
	words := func(text value) string {
		if want != nil && len(text) > len(`""`) && !want(n) {
			return "…"
		}
		return text.text()
	}
	part := func(id, text string, at int64) bool {
		if now.ID != id {
			if !give() {
				return false
			}
			now = Message{ID: id, Role: Assistant, At: time.UnixMilli(at)}
		}
		now.Text += text
		return true
	}
	err := s.eachLine(id, func(line []byte) bool {
		if l, ok := readSaid(line); ok {
			switch string(l.kind) {
			case "user.message":
				if !give() {
					return false
				}
				now = Message{ID: string(l.message), Role: User, Text: words(l.text), At: time.UnixMilli(l.at)}
				return give()
			case "assistant.delta":
				id := now.ID
				if string(l.message) != id {
					if !give() {
						return false
					}
					id = string(l.message)
				}
				return part(id, words(l.text), l.at)
			}
			return give()
		}
		e, ok := chats.Decode(line)
		if !ok {
			return true
		}
		switch b := e.Body.(type) {
		case chats.Title:
			title(b.Title, e.At)
		case chats.UserMessage:
			if !give() {
				return false
			}
			now = Message{ID: b.MessageID, Role: User, Text: b.Text, At: time.UnixMilli(e.At)}
			return give()
		case chats.AssistantDelta:
			if b.Channel == chats.ChannelText {
				return part(b.MessageID, b.Delta, e.At)
			}
		case chats.AssistantDone:
			if b.Retracted {
				now = Message{}
			}
			return give()
		}
		return true
	})
	if going {
		give()
	}
	return err
}

// Events reads a chat's log as events (title, user.message, assistant.delta,
// assistant.done), redacted again. each returns false to stop.
func (s *Store) Events(id string, each func(chats.Event) bool) error {
	return s.eachLine(id, func(line []byte) bool {
		e, ok := chats.Decode(line)
		if !ok {
			return true
		}
		switch b := e.Body.(type) {
		case chats.Title:
			b.Title = clean(b.Title)
			e.Body = b
		case chats.UserMessage:
			b.Text = clean(b.Text)
			e.Body = b
		case chats.AssistantDelta:
			b.Delta = clean(b.Delta)
			e.Body = b
		case chats.AssistantDone:
		default:
			return true // nothing else is said in a past chat
		}
		return each(e)
	})
}

// sourceOf is the app that a message's id names.
func sourceOf(messageID string) (string, bool) {
	source, n, ok := strings.Cut(messageID, ".")
	if _, err := strconv.ParseUint(n, 10, 32); err != nil {
		return "", false
	}
	return source, ok && isSource(source)
}
