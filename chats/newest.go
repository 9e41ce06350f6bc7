package chats

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Newest gives the chat that went on last of those in a folder that fits, "" when
// there is none. It needs the beginning and the end of a log that the kept list
// does not have as it is, and not the whole.
func (s *Store) Newest(fits func(folder string) bool) (id string, err error) {
	found, err := s.logs()
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	if !s.kept {
		s.rows, s.kept = s.readList(), true
	}
	rows := s.rows
	s.mu.Unlock()

	type chat struct {
		id, folder string
		updated    int64
	}
	var all []chat
	for _, info := range found {
		id := strings.TrimSuffix(info.Name(), ".jsonl")
		r, ok := rows[id]
		if !ok || !r.fits(info) {
			if r, err = s.skim(info); err != nil {
				continue // as in List
			}
		}
		if r.Fold.Seq >= 0 {
			all = append(all, chat{id, r.Fold.Folder, r.Fold.Updated})
		}
	}
	slices.SortFunc(all, func(a, b chat) int {
		return cmp.Or(cmp.Compare(b.updated, a.updated), strings.Compare(b.id, a.id))
	})
	for _, c := range all {
		if fits(c.folder) {
			return c.id, nil
		}
	}
	return "", nil
}

// skim gives a row with the folder and the newest event alone, from a log's first
// line and its last ones. A log that does not begin as logs do is read whole.
func (s *Store) skim(info fs.FileInfo) (row, error) {
	id := strings.TrimSuffix(info.Name(), ".jsonl")
	f, err := os.Open(s.path(id))
	if err != nil {
		return row{}, fmt.Errorf("read chat %s: %w", id, err)
	}
	r := row{ID: id, Fold: fold{Seq: -1}}
	size, err := wholeLines(f, info.Size())
	if err == nil {
		err = forward(f, 0, size, func(line []byte, _ int64) bool {
			if h, ok := readHeader(line); ok && h.Kind == "start" {
				r.Fold.line(line)
			}
			return false
		})
	}
	begun := r.Fold.Seq >= 0
	if lines := newBackward(f, size); begun && err == nil {
		for range fewLines {
			line, _, ok := lines.next()
			if !ok {
				break
			}
			if h, ok := readHeader(line); ok && h.Seq > r.Fold.Seq {
				r.Fold.Seq, r.Fold.Updated = h.Seq, h.At
			}
		}
		err = lines.err
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return row{}, fmt.Errorf("read chat %s: %w", id, err)
	}
	if !begun {
		return s.readRow(info)
	}
	return r, nil
}
