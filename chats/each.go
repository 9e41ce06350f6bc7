package chats

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// Stamp changes whenever a log does, comes or goes. No log is read.
func (s *Store) Stamp() (string, error) {
	logs, err := s.logs()
	if err != nil || len(logs) == 0 {
		return "", err
	}
	sum := fnv.New64a()
	for _, info := range logs {
		fmt.Fprintf(sum, "%s %d %d\n", info.Name(), info.Size(), info.ModTime().UnixNano())
	}
	return strconv.FormatUint(sum.Sum64(), 36), nil
}

// Stamps gives for each chat what changes whenever its log does. No log is read.
func (s *Store) Stamps() (map[string]string, error) {
	logs, err := s.logs()
	if err != nil {
		return nil, err
	}
	stamps := make(map[string]string, len(logs))
	for _, info := range logs {
		id := strings.TrimSuffix(info.Name(), ".jsonl")
		stamps[id] = strconv.FormatInt(info.Size(), 36) + "." + strconv.FormatInt(info.ModTime().UnixNano(), 36)
	}
	return stamps, nil
}

// Each reads a chat's events from the first on, those of the wanted kinds alone:
// the others are passed over without a look at what they say. do returns false
// to stop. Nothing is locked, repaired or ended; free reports that nobody writes
// the chat, so that what is open in it stays so.
func (s *Store) Each(id string, wanted func(kind string) bool, do func(Event) bool) (free bool, err error) {
	l, err := s.OpenReader(id)
	if err != nil {
		return false, err
	}
	v, err := l.look()
	if err == nil {
		last := int64(-1)
		err = forward(v.r, 0, v.size, func(line []byte, _ int64) bool {
			h, ok := readHeader(line)
			if !ok || h.Seq <= last {
				return true
			}
			last = h.Seq
			if !wanted(h.Kind) {
				return true
			}
			if e, ok := decodeKnown(h, line); ok {
				return do(e)
			}
			return true
		})
	}
	free = l.free()
	if err = errors.Join(err, l.Close()); err != nil {
		return false, fmt.Errorf("read chat %s: %w", l.id, err)
	}
	return free, nil
}
