package pastchats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	listName    = "index.json"
	listVersion = 1
	listClean   = 1         // no name in it holds a key; a list without that mark was written before names were cleaned
	maxList     = 256 << 20 // bytes: an entry takes well under a thousand
)

// list is what index.json says. It is never changed once it was handed out.
type list struct {
	version int
	entries []Entry
	byID    map[string]int
	last    *lastRun
	damaged bool // not all of it could be read
	clean   bool // has the mark listClean
}

// lastRun is the figures of the last run that changed something.
type lastRun struct {
	At       int64 `json:"at"` // milliseconds
	Added    int   `json:"added"`
	Updated  int   `json:"updated"`
	Skipped  int   `json:"skipped"`
	Redacted int   `json:"redacted"`
	Read     int   `json:"read"`
	Stopped  bool  `json:"stopped,omitempty"`
	TookMs   int64 `json:"tookMs"`
}

func newList() *list { return &list{version: listVersion, clean: true, byID: map[string]int{}} }

// find gives the entry of an id.
func (l *list) find(id string) (Entry, bool) {
	i, ok := l.byID[id]
	if !ok {
		return Entry{}, false
	}
	return l.entries[i], true
}

// put adds an entry or puts it in the place of the older one.
func (l *list) put(e Entry) {
	if i, ok := l.byID[e.ID]; ok {
		l.entries[i] = e
		return
	}
	l.byID[e.ID] = len(l.entries)
	l.entries = append(l.entries, e)
}

// copy gives a list that may be changed.
func (l *list) copy() *list {
	c := &list{version: l.version, clean: l.clean, last: l.last, entries: append([]Entry(nil), l.entries...), byID: make(map[string]int, len(l.byID))}
	for i, e := range c.entries {
		c.byID[e.ID] = i
	}
	return c
}

// brought is how many chats there are, without the empty ones.
func (l *list) brought() int {
	n := 0
	for _, e := range l.entries {
		if !e.Empty {
			n++
		}
	}
	return n
}

// encode writes the list, an entry a line, so that what is left of a cut one is
// easily found.
func (l *list) encode() ([]byte, error) {
	buf := make([]byte, 0, 512*len(l.entries)+1024)
	buf = append(buf, `{"version":`...)
	buf = strconv.AppendInt(buf, listVersion, 10)
	if l.clean {
		buf = strconv.AppendInt(append(buf, `,"clean":`...), listClean, 10)
	}
	buf = append(buf, `,"chats":[`...)
	for i := range l.entries {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, '\n')
		buf = l.entries[i].encode(buf)
	}
	buf = append(buf, "\n]"...)
	if l.last != nil {
		last, err := json.Marshal(l.last)
		if err != nil {
			return nil, fmt.Errorf("write the list of past chats: %w", err)
		}
		buf = append(append(buf, `,"last":`...), last...)
	}
	return append(buf, "}\n"...), nil
}

func (e *Entry) encode(buf []byte) []byte {
	buf = appendText(append(buf, `{"id":`...), e.ID)
	buf = appendText(append(buf, `,"source":`...), e.Source)
	buf = appendText(append(buf, `,"key":`...), e.Key)
	buf = appendText(append(buf, `,"file":`...), e.File)
	buf = strconv.AppendInt(append(buf, `,"size":`...), e.Size, 10)
	buf = appendMillis(append(buf, `,"mtimeMs":`...), e.MTime)
	if e.Count != 0 {
		buf = strconv.AppendInt(append(buf, `,"count":`...), int64(e.Count), 10)
	}
	buf = appendText(append(buf, `,"title":`...), e.Title)
	if e.Project != "" {
		buf = appendText(append(buf, `,"project":`...), e.Project)
	}
	buf = strconv.AppendInt(append(buf, `,"createdAt":`...), e.Created.UnixMilli(), 10)
	buf = strconv.AppendInt(append(buf, `,"updatedAt":`...), e.Updated.UnixMilli(), 10)
	buf = strconv.AppendInt(append(buf, `,"messages":`...), int64(e.Messages), 10)
	buf = strconv.AppendInt(append(buf, `,"userMessages":`...), int64(e.UserMessages), 10)
	if e.Redacted != 0 {
		buf = strconv.AppendInt(append(buf, `,"redacted":`...), int64(e.Redacted), 10)
	}
	if e.Model != "" {
		buf = appendText(append(buf, `,"model":`...), e.Model)
	}
	if e.Empty {
		buf = append(buf, `,"empty":true`...)
	}
	if e.skipped {
		buf = append(buf, `,"skipped":true`...)
	}
	return append(buf, '}')
}

// appendMillis writes nanoseconds as milliseconds, with a fraction when there is
// one: the time of a file must come back as it was.
func appendMillis(buf []byte, ns int64) []byte {
	if ns < 0 {
		return append(buf, '0')
	}
	buf = strconv.AppendInt(buf, ns/1e6, 10)
	if rest := ns % 1e6; rest != 0 {
		buf = append(buf, '.')
		buf = append(buf, strconv.FormatInt(1e6+rest, 10)[1:]...)
	}
	return buf
}

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

// readListFile reads the list's file. Anything else in its place, a link or a
// pipe, is no list and would be waited for.
func readListFile(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular() || info.Size() > maxList:
		return nil, info, errNoList
	}
	data, err := os.ReadFile(path)
	return data, info, err
}

var errNoList = errors.New("it is no list")

// replaceFile writes a file so that a reader has the old one or the new one.
func replaceFile(path string, data []byte, sync bool) error {
	dir, base := filepath.Split(path)
	temp := filepath.Join(dir, "."+base+".tmp")
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		// Of a run that was killed: only one runs at a time.
		if err = os.RemoveAll(temp); err == nil {
			f, err = os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// asItIs are the bytes that stand in a string of JSON as they are.
var asItIs = func() (plain [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// appendText writes a string of JSON. Bytes that are no UTF-8 become U+FFFD.
func appendText(buf []byte, s string) []byte {
	const digits = "0123456789abcdef"
	buf = append(buf, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				buf = append(append(buf, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += n
			continue
		}
		if asItIs[c] {
			i++
			for i < len(s) && asItIs[s[i]] {
				i++
			}
			continue
		}
		buf = append(buf, s[from:i]...)
		switch c {
		case '"', '\\':
			buf = append(buf, '\\', c)
		case '\n':
			buf = append(buf, '\\', 'n')
		case '\t':
			buf = append(buf, '\\', 't')
		default:
			buf = append(buf, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
		i++
		from = i
	}
	return append(append(buf, s[from:]...), '"')
}
