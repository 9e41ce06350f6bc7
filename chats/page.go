package chats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxPage is how far a page grows to hold one turn whole.
const maxPage = 64 << 20

// view is a log as it stands at one moment: whole lines only.
type view struct {
	r    io.ReaderAt
	size int64
	open bool // nobody writes it, so that its last turn may be without an end
}

// look takes a view. The file is only ever added to, so a view stays true.
func (l *Log) look() (view, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return view{}, fmt.Errorf("read chat %s: %w", l.id, os.ErrClosed)
	}
	if l.f == nil {
		return view{r: bytes.NewReader(nil)}, nil
	}
	if !l.readOnly {
		return view{r: l.f, size: l.size}, nil
	}
	info, err := l.f.Stat()
	if err != nil {
		return view{}, fmt.Errorf("read chat %s: %w", l.id, err)
	}
	size, err := wholeLines(l.f, info.Size())
	if err != nil {
		return view{}, fmt.Errorf("read chat %s: %w", l.id, err)
	}
	return view{r: l.f, size: size, open: true}, nil
}

// Tail reads the newest events: at least the last whole turn, and up to about
// maxBytes of the log. more reports that there are older ones. A page begins
// where a turn begins, so that a step's end is never without its start.
func (l *Log) Tail(maxBytes int64) (events []Event, more bool, err error) {
	v, err := l.look()
	if err != nil {
		return nil, false, err
	}
	events, more, err = v.page(v.size, maxBytes)
	if err != nil {
		return nil, false, fmt.Errorf("read chat %s: %w", l.id, err)
	}
	return append(events, l.missingEnd(v)...), more, nil
}

// Peek reads the newest events of a chat as Tail does, and only what stands in the
// file: nothing is locked, repaired or ended. It is for a first look while the
// chat is being opened.
func (s *Store) Peek(id string, maxBytes int64) (events []Event, more bool, err error) {
	l, err := s.OpenReader(id)
	if err != nil {
		return nil, false, err
	}
	v, err := l.look()
	if err == nil {
		events, more, err = v.page(v.size, maxBytes)
	}
	if err = errors.Join(err, l.Close()); err != nil {
		return nil, false, fmt.Errorf("read chat %s: %w", l.id, err)
	}
	return events, more, nil
}

// Before reads up to about maxBytes of events older than seq.
func (l *Log) Before(seq int64, maxBytes int64) (events []Event, more bool, err error) {
	v, err := l.look()
	if err != nil {
		return nil, false, err
	}
	end, err := after(v.r, v.size, seq-1)
	if err == nil {
		events, more, err = v.page(end, maxBytes)
	}
	if err != nil {
		return nil, false, fmt.Errorf("read chat %s: %w", l.id, err)
	}
	// In a log whose order was spoilt the page may not be older: then it is the last.
	n := len(events)
	for n > 0 && events[n-1].Seq >= seq {
		n--
	}
	return events[:n], more && n > 0, nil
}

// Since reads every event after seq (-1: all), oldest first.
func (l *Log) Since(seq int64) ([]Event, error) {
	v, err := l.look()
	if err != nil {
		return nil, err
	}
	from := int64(0)
	if seq >= 0 {
		from, err = after(v.r, v.size, seq)
	}
	var events []Event
	if err == nil {
		err = forward(v.r, from, v.size, func(line []byte, _ int64) bool {
			events = take(events, line)
			return true
		})
	}
	if err != nil {
		return nil, fmt.Errorf("read chat %s: %w", l.id, err)
	}
	return append(events, l.missingEnd(v)...), nil
}

// take adds a line's event, unless there is none or its seq stands still.
func take(events []Event, line []byte) []Event {
	e, ok := decode(line)
	if !ok || len(events) > 0 && e.Seq <= events[len(events)-1].Seq {
		return events
	}
	return append(events, e)
}

// page reads what ends at end.
func (v view) page(end, maxBytes int64) (events []Event, more bool, err error) {
	for window := max(maxBytes, chunk); ; window *= 2 {
		from := max(0, end-window)
		buf := make([]byte, end-from)
		if _, err := v.r.ReadAt(buf, from); err != nil && !errors.Is(err, io.EOF) {
			return nil, false, fmt.Errorf("read the log: %w", err)
		}
		grown := window > max(maxBytes, chunk)
		if from > 0 || grown {
			switch cut := turnStart(buf, from == 0, grown); {
			case cut >= 0:
				buf, from = buf[cut:], from+int64(cut)
			case from > 0 && window < maxPage:
				continue
			}
		}
		for len(buf) > 0 {
			line := buf
			if i := bytes.IndexByte(buf, '\n'); i >= 0 {
				line, buf = buf[:i], buf[i+1:]
			} else {
				buf = nil
			}
			events = take(events, line)
		}
		return events, from > 0, nil
	}
}

// turnStart gives where the first turn in buf begins, or the last one, or -1.
// Unless buf is the log's beginning, half a line stands before its first line
// feed.
func turnStart(buf []byte, whole, last bool) int {
	at, found := 0, -1
	if !whole {
		at = lineEnd(buf, 0) + 1
	}
	for at < len(buf) {
		end := lineEnd(buf, at)
		if h, ok := readHeader(buf[at:end]); ok && h.Kind == "user.message" {
			if found = at; !last {
				break
			}
		}
		at = end + 1
	}
	return found
}

func lineEnd(buf []byte, at int) int {
	if i := bytes.IndexByte(buf[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(buf)
}

// fewLines of a log's end are looked at for its newest event, in case one was put
// there by hand with a seq that is taken.
const fewLines = 8

// lastSeq is the seq of the newest readable line, -1 for none.
func lastSeq(r io.ReaderAt, size int64) int64 {
	b := newBackward(r, size)
	last := int64(-1)
	for few := fewLines; few > 0; {
		line, _, ok := b.next()
		if !ok {
			break
		}
		if h, ok := readHeader(line); ok {
			last = max(last, h.Seq)
			few--
		}
	}
	return last
}
