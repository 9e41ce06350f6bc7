package pastchats

import (
	"bytes"
	"errors"
	"io"
)

// codexHead is what the first lines of a rollout say about its thread.
type codexHead struct {
	id     string
	cwd    string
	at     int64 // milliseconds
	helper bool  // not the person's thread
	base   codexBase
}

// codexBase is where a fork by reference begins: the lines of another thread
// with a smaller ordinal.
type codexBase struct {
	thread string
	end    int64
}

const (
	codexPeek  = 4 << 10 // bytes: today's lines say who a thread is long before that
	codexFirst = 1 << 20 // bytes of a first line that are looked at
	codexIDs   = 256     // bytes of an id
)

// peek reads as little of a rollout as says whose it is: its first line, which
// from 0.98 on holds the program's own instructions, up to these. What cannot be
// read gives nothing: the file's name says enough to count it.
func (c *codex) peek(p *peeker, f codexFile) codexHead {
	if f.kind == codexPlain {
		if b, err := p.head(f.entry, codexPeek); err == nil {
			if head, sure := codexPeeked(f.kind, b, len(b) < codexPeek); sure {
				return head
			}
		}
	}
	file, err := p.open(f.entry)
	if err != nil {
		return codexHead{}
	}
	r, err := codexText(file, f.kind)
	if err != nil {
		return codexHead{}
	}
	defer r.Close()
	b := make([]byte, 0, 4*codexPeek)
	for {
		n, err := io.ReadFull(r, b[len(b):cap(b)])
		b = b[:len(b)+n]
		head, sure := codexPeeked(f.kind, b, err != nil)
		if sure || err != nil || len(b) >= codexFirst {
			return head
		}
		more := make([]byte, len(b), min(16*len(b), codexFirst))
		copy(more, b)
		b = more
	}
}

// codexPeeked looks for the header in the beginning of a rollout. sure says that
// reading on would not tell more.
func codexPeeked(kind codexKind, b []byte, all bool) (head codexHead, sure bool) {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if kind == codexWhole {
		value(bytes.TrimLeft(b, " \t\r\n\x00")).partial(func(key []byte, val value, whole bool) bool {
			if string(key) == "session" {
				head, _ = codexSession(val)
				sure = whole
				return false
			}
			return true
		})
		return head, sure || head.id != ""
	}
	for len(b) > 0 {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		if line = bytes.Trim(line, "\x00\r \t"); len(line) > 0 {
			head, ok, enough := codexHeader(line)
			if ok && (whole || enough || all) {
				return head, true
			}
			if !whole {
				return head, all
			}
		}
		b = rest
	}
	return codexHead{}, all
}

// codexHeader reads a line that may be a thread's header: a session_meta, or the
// first line of a bare file. The line may be cut off; enough says that all that
// matters stood before the cut.
func codexHeader(line []byte) (head codexHead, ok, enough bool) {
	var (
		meta, bare bool
		named      bool
		payload    value
		top        codexHead
	)
	value(line).partial(func(key []byte, val value, whole bool) bool {
		switch string(key) {
		case "timestamp":
			if whole {
				top.at = when(val)
			}
		case "type":
			named = true
			meta = val.is("session_meta")
			return meta
		case "payload":
			payload = val
		case "id":
			if whole {
				top.id, bare = codexThreadID(val), val.isString()
			}
		case "record_type":
			named = true
		}
		return true
	})
	if meta && payload != nil {
		head, enough = codexSession(payload)
		if head.at == 0 {
			head.at = top.at
		}
		return head, true, enough
	}
	if bare && !named && payload == nil {
		return top, true, top.id != "" && top.at != 0
	}
	return codexHead{}, false, false
}

// codexSession reads a session_meta's payload, or the session of the TypeScript
// program, as far as it is there. sure says that the program's own instructions,
// which stand behind all that matters here, were reached.
func codexSession(v value) (head codexHead, sure bool) {
	v.partial(func(key []byte, val value, whole bool) bool {
		if string(key) == "base_instructions" {
			sure = head.id != ""
		}
		if !whole {
			return false
		}
		switch string(key) {
		case "id":
			head.id = codexThreadID(val)
		case "timestamp":
			head.at = when(val)
		case "cwd":
			head.cwd = val.text()
		case "source":
			head.helper = head.helper || codexHelper(val)
		case "thread_source":
			head.helper = head.helper || len(val) > 0 && string(val) != "null" && !val.is("user")
		case "history_base":
			head.base = codexBase{codexThreadID(val.get("thread_id")), val.get("end_ordinal_exclusive").int()}
		}
		return true
	})
	return head, sure
}

// codexHelper reports that a source names a helper: an object, but for a client
// that gave itself a name.
func codexHelper(v value) bool {
	if !v.isObject() {
		return false
	}
	helper := false
	v.partial(func(key []byte, _ value, _ bool) bool {
		helper = helper || string(key) != "custom"
		return true
	})
	return helper
}

func codexThreadID(v value) string {
	if id := v.text(); len(id) <= codexIDs {
		return id
	}
	return ""
}

// errBase ends a fork's reading at its header: its base has to be read first.
var errBase = errors.New("continues another thread")
