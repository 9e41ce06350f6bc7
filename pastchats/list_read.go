package pastchats

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

func readMillis(v value) int64 {
	whole, part, _ := strings.Cut(string(v), ".")
	ms, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || ms < 0 || ms > (1<<63-1)/1_000_000-1 {
		return int64(max(0, min(float(v), 1<<53))) * 1e6
	}
	ns := int64(0)
	if part != "" {
		ns, err = strconv.ParseInt((part + "000000")[:6], 10, 64)
		if err != nil || ns < 0 {
			ns = 0
		}
	}
	return ms*1e6 + ns
}

func float(v value) float64 {
	f, _ := v.number()
	return f
}

// listReader reads entries. Texts that come again and again are kept once.
type listReader struct {
	labels map[string]string
	seen   map[string]string
}

func newListReader() *listReader {
	return &listReader{labels: Labels(), seen: map[string]string{}}
}

func (lr *listReader) again(v value) string {
	if v.isString() {
		if s, ok := lr.seen[string(v)]; ok {
			return s
		}
	}
	s := v.text()
	if len(lr.seen) < 4096 {
		lr.seen[string(v)] = s
	}
	return s
}

// entry reads one. What is not as an entry must be is none.
func (lr *listReader) entry(v value) (e Entry, ok bool) {
	good := true
	var created, updated int64
	text := func(v value, to *string) {
		good = good && v.isString()
		*to = v.text()
	}
	again := func(v value, to *string) {
		good = good && v.isString()
		*to = lr.again(v)
	}
	whole := func(v value, to *int64) {
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			f, isNumber := v.number()
			good = good && isNumber && !v.isString()
			n = int64(max(-1<<53, min(f, 1<<53)))
		}
		*to = n
	}
	count := func(v value, to *int) {
		var n int64
		whole(v, &n)
		good = good && n >= 0 && n <= 1<<31-1
		*to = int(n)
	}
	read := v.members(func(key []byte, v value) bool {
		switch string(key) {
		case "id":
			text(v, &e.ID)
		case "source":
			again(v, &e.Source)
		case "key":
			text(v, &e.Key)
		case "file":
			text(v, &e.File)
		case "size":
			whole(v, &e.Size)
		case "mtimeMs":
			e.MTime = readMillis(v)
		case "count":
			count(v, &e.Count)
		case "title":
			text(v, &e.Title)
		case "project":
			again(v, &e.Project)
		case "createdAt":
			whole(v, &created)
		case "updatedAt":
			whole(v, &updated)
		case "messages":
			count(v, &e.Messages)
		case "userMessages":
			count(v, &e.UserMessages)
		case "redacted":
			count(v, &e.Redacted)
		case "model":
			again(v, &e.Model)
		case "empty":
			e.Empty = v.bool()
		case "skipped":
			e.skipped = v.bool()
		}
		return true
	})
	if !read || !good || !isPastID(e.ID) || !isSource(e.Source) || created >= endOfTime || updated >= endOfTime {
		return Entry{}, false
	}
	e.Label = lr.labels[e.Source]
	e.Created, e.Updated = time.UnixMilli(created), time.UnixMilli(updated)
	return e, true
}

// isSource reports that a text can be an app's id.
func isSource(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// What encode writes around the entries.
var (
	listHead = []byte(`{"version":` + strconv.Itoa(listVersion) + `,"clean":` + strconv.Itoa(listClean) + `,"chats":[` + "\n")
	listTail = []byte("\n]")
)

// decodeLines reads a list that stands an entry a line, as encode writes it, and
// so need not be looked through for where the entries end. ok is false for any
// other.
func decodeLines(data []byte) (l *list, ok bool) {
	data, ok = bytes.CutPrefix(data, listHead)
	if !ok {
		return nil, false
	}
	end := bytes.LastIndex(data, listTail)
	if end < 0 {
		return nil, false
	}
	lines, rest := data[:end], data[end+len(listTail):]
	l, lr := newList(), newListReader()
	n := bytes.Count(lines, []byte("\n")) + 1
	l.entries, l.byID = make([]Entry, 0, n), make(map[string]int, n)
	for i := range n {
		line, after, _ := bytes.Cut(lines, []byte("\n"))
		lines = after
		if i < n-1 {
			if line, ok = bytes.CutSuffix(line, []byte(",")); !ok {
				return nil, false
			}
		}
		e, ok := lr.entry(line)
		if !ok {
			return nil, false
		}
		l.put(e)
	}
	if string(rest) == "}\n" {
		return l, true
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"last":`)); ok {
		rest, ok = bytes.CutSuffix(rest, []byte("}\n"))
	}
	l.last = new(lastRun)
	return l, ok && json.Unmarshal(rest, l.last) == nil
}

// decodeList reads the list. A damaged one gives the entries that are still
// good.
func decodeList(data []byte) *list {
	if l, ok := decodeLines(data); ok {
		return l
	}
	l := newList()
	l.version, l.clean = 0, false
	lr := newListReader()
	var chats, last value
	v := parse(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	whole := v.members(func(key []byte, v value) bool {
		switch string(key) {
		case "version":
			l.version = int(v.int())
		case "clean":
			l.clean = v.int() >= listClean
		case "chats":
			chats = v
		case "last":
			last = v
		}
		return true
	})
	if !whole || l.version < listVersion || !chats.isArray() {
		return salvage(data, lr)
	}
	l.entries = make([]Entry, 0, bytes.Count(chats, []byte("\n"))+1)
	l.byID = make(map[string]int, cap(l.entries))
	whole = chats.items(func(v value) bool {
		e, ok := lr.entry(v)
		if !ok {
			l.damaged = true
			return true
		}
		l.put(e)
		return true
	})
	l.damaged = l.damaged || !whole
	if last != nil {
		l.last = new(lastRun)
		if json.Unmarshal(last, l.last) != nil {
			l.last = nil
		}
	}
	return l
}

// salvage takes the entries out of what is no list any more.
func salvage(data []byte, lr *listReader) *list {
	l := newList()
	l.damaged, l.clean = true, false
	begin := []byte(`{"id":"` + idPrefix)
	for line := range bytes.Lines(data) {
		for {
			i := bytes.Index(line, begin)
			if i < 0 {
				break
			}
			line = line[i:]
			end, ok := skip(line, 0)
			if !ok {
				break // it is cut off; what follows in its line cannot be told from its texts
			}
			if e, ok := lr.entry(value(line[:end])); ok {
				l.put(e)
			}
			line = line[end:]
		}
	}
	return l
}
