package chats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// The kept list is one JSON object with a chat a line, so that one chat's row
// can be found without reading the others.
const (
	listName    = "list.json"
	listVersion = 1
	listHead    = `{"v":1,"chats":[`
	listTail    = `]}`
)

// row is what is kept of a log, and of which state of it.
type row struct {
	ID    string `json:"id"`
	Size  int64  `json:"size"`  // of the file
	MTime int64  `json:"mtime"` // in nanoseconds
	Lines int64  `json:"lines"` // bytes of whole lines: what is in the fold
	Fold  fold   `json:"fold"`

	// An older record has these two, and no fold.
	Engine   string `json:"engine,omitempty"`
	ResumeID string `json:"resumeId,omitempty"`
}

func (r row) fits(info fs.FileInfo) bool {
	return r.Size == info.Size() && r.MTime == info.ModTime().UnixNano()
}

// List gives every chat, newest first. It is derived: logs that changed since
// the list was kept are read again, and a damaged list is made anew.
func (s *Store) List() ([]Summary, error) {
	found, err := s.logs()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if !s.kept {
		s.rows, s.kept = s.readList(), true
	}
	changed := len(found) != len(s.rows)
	rows := make(map[string]row, len(found))
	var stale []fs.FileInfo
	for _, info := range found {
		id := strings.TrimSuffix(info.Name(), ".jsonl")
		if r, ok := s.rows[id]; ok && r.fits(info) {
			rows[id] = r
		} else {
			stale = append(stale, info)
		}
	}
	s.mu.Unlock()

	read := s.readAll(stale)
	for _, r := range read {
		rows[r.ID] = r
	}
	s.mu.Lock()
	s.rows = rows
	s.mu.Unlock()
	if changed || len(stale) > 0 {
		// The list is derived: where it cannot be kept it is made again.
		_ = s.writeList(rows)
	}

	list := make([]Summary, 0, len(rows))
	for id, r := range rows {
		if r.Fold.Seq < 0 {
			continue // not one event
		}
		list = append(list, r.Fold.summary(id, r.Fold.Turn != "" && s.free(id)))
	}
	slices.SortFunc(list, func(a, b Summary) int {
		if c := b.Updated.Compare(a.Updated); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return list, nil
}

// logs gives the files of the folder that are logs. A link is none.
func (s *Store) logs() ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the chats: %w", err)
	}
	var logs []fs.FileInfo
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if parsed, err := ParseID(id); err != nil || parsed != id {
			continue
		}
		if info, err := e.Info(); err == nil { // else gone meanwhile
			logs = append(logs, info)
		}
	}
	return logs, nil
}

// readAll reads logs that the list does not have as they are now. What cannot
// be read is left out.
func (s *Store) readAll(stale []fs.FileInfo) []row {
	const readers = 4
	read := make([]row, len(stale))
	next := make(chan int)
	var wait sync.WaitGroup
	for range min(readers, len(stale)) {
		wait.Go(func() {
			for i := range next {
				read[i], _ = s.readRow(stale[i])
			}
		})
	}
	for i := range stale {
		next <- i
	}
	close(next)
	wait.Wait()
	return slices.DeleteFunc(read, func(r row) bool { return r.ID == "" })
}

func (s *Store) readRow(info fs.FileInfo) (row, error) {
	id := strings.TrimSuffix(info.Name(), ".jsonl")
	f, err := os.Open(s.path(id))
	if err != nil {
		return row{}, fmt.Errorf("read chat %s: %w", id, err)
	}
	r, err := s.refresh(id, f, info)
	return r, errors.Join(err, f.Close())
}

// refresh gives the row of a log as it is now. It starts from what the list has
// and reads only what came since, or all when that does not fit.
func (s *Store) refresh(id string, f io.ReaderAt, info fs.FileInfo) (row, error) {
	r, ok := s.keptRow(id)
	if ok && r.fits(info) {
		return r, nil
	}
	size, err := wholeLines(f, info.Size())
	if err != nil {
		return row{}, fmt.Errorf("read chat %s: %w", id, err)
	}
	if !ok || !goesOn(f, r, size) {
		r = row{ID: id, Fold: fold{Seq: -1}, Engine: r.Engine, ResumeID: r.ResumeID}
	}
	err = forward(f, r.Lines, size, func(line []byte, _ int64) bool {
		r.Fold.line(line)
		return true
	})
	if err != nil {
		return row{}, fmt.Errorf("read chat %s: %w", id, err)
	}
	if r.ResumeID != "" && len(r.Fold.Sessions) == 0 && len(r.Fold.Cleared) == 0 {
		r.Fold.addOlder(r.Engine, r.ResumeID)
	}
	r.Size, r.MTime, r.Lines = info.Size(), info.ModTime().UnixNano(), size
	return r, nil
}

// line takes in a line without reading more of it than is needed.
func (f *fold) line(line []byte) {
	h, ok := readHeader(line)
	if !ok || h.Seq <= f.Seq {
		return
	}
	if folded(h.Kind) {
		if e, ok := decodeKnown(h, line); ok {
			f.add(e)
			return
		}
	}
	f.pass(h)
}

// goesOn reports that the log still has, at the place up to which the row was
// read, a line's end and then the event that follows.
func goesOn(f io.ReaderAt, r row, size int64) bool {
	if r.Lines <= 0 || r.Lines > size {
		return false
	}
	end := make([]byte, 1)
	if _, err := f.ReadAt(end, r.Lines-1); err != nil || end[0] != '\n' {
		return false
	}
	if r.Lines == size {
		return false // touched, and not longer: something else was done to it
	}
	follows := false
	err := forward(f, r.Lines, size, func(line []byte, _ int64) bool {
		h, ok := readHeader(line)
		follows = ok && h.Seq == r.Fold.Seq+1
		return false
	})
	return err == nil && follows
}

// keptRow is the row that is known of a chat, from memory or the kept list.
func (s *Store) keptRow(id string) (row, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.rows[id]; ok || s.kept {
		return r, ok
	}
	data, err := s.readKept()
	if err != nil || !bytes.HasPrefix(data, []byte(listHead)) {
		return row{}, false
	}
	at := bytes.Index(data, []byte("\n{\"id\":\""+id+`"`))
	if at < 0 {
		return row{}, false
	}
	line := data[at+1:]
	line = bytes.TrimSuffix(line[:lineEnd(line, 0)], []byte(","))
	var r row
	if json.Unmarshal(line, &r) != nil || r.ID != id {
		return row{}, false
	}
	return r, true
}

// maxList bounds the kept list, in bytes: a row takes well under a thousand.
const maxList = 64 << 20

// readKept reads the kept list's file. Anything else in its place, a link or a
// pipe, is no list and would be waited for.
func (s *Store) readKept() ([]byte, error) {
	info, err := os.Lstat(s.listPath())
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxList:
		return nil, fs.ErrInvalid
	}
	return os.ReadFile(s.listPath())
}

func (s *Store) listPath() string { return filepath.Join(s.dir, listName) }

// readList reads the kept list. A damaged one, or one of another version, is as
// good as none.
func (s *Store) readList() map[string]row {
	rows := map[string]row{}
	data, err := s.readKept()
	if err != nil {
		return rows
	}
	var list struct {
		V     int   `json:"v"`
		Chats []row `json:"chats"`
	}
	if json.Unmarshal(data, &list) != nil || list.V != listVersion {
		return rows
	}
	for _, r := range list.Chats {
		if id, err := ParseID(r.ID); err == nil && id == r.ID {
			rows[r.ID] = r
		}
	}
	return rows
}

func (s *Store) writeList(rows map[string]row) error {
	ids := make([]string, 0, len(rows))
	for id := range rows {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var b bytes.Buffer
	b.WriteString(listHead)
	for i, id := range ids {
		line, err := marshal(rows[id])
		if err != nil {
			return fmt.Errorf("keep the list of chats: %w", err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(line)
	}
	b.WriteString("\n" + listTail + "\n")
	return replaceFile(s.listPath(), b.Bytes())
}

// replaceFile writes a file so that a reader has the old one or the new one.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // made with mode 0600
	if err != nil {
		return plainly("keep the list of chats", err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return plainly("keep the list of chats", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
