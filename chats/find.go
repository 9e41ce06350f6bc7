package chats

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"
)

const (
	maxClose = 5  // chats that are named when none fits
	alikeID  = 12 // characters, from which on a mistyped id is meant: its time and two more
)

// Known gives the id of the one chat that has it or whose id begins so. No log is
// read for it.
func (s *Store) Known(words string) (id string, ok bool) {
	prefix := strings.ToUpper(strings.TrimSpace(words))
	if id, err := ParseID(prefix); err == nil {
		info, err := s.stat(id)
		return id, err == nil && info.Size() > 0
	}
	logs, err := s.logs()
	if err != nil || prefix == "" {
		return "", false
	}
	for _, info := range logs {
		if strings.HasPrefix(info.Name(), prefix) {
			if ok {
				return "", false
			}
			id, ok = strings.TrimSuffix(info.Name(), ".jsonl"), info.Size() > 0
		}
	}
	return id, ok
}

// Find resolves what a person typed after --resume: an id, a unique prefix of
// one, or words of a title. With no single match the error wraps ErrNotFound and
// close holds the chats that come near, the nearest or newest first.
func (s *Store) Find(words string) (found Summary, close []Summary, err error) {
	if id, ok := s.Known(words); ok {
		// The other chats have no say in it and are not read.
		if found, ok := s.summary(id); ok {
			return found, nil, nil
		}
	}
	list, err := s.List()
	if err != nil {
		return Summary{}, nil, err
	}
	words = strings.TrimSpace(words)
	if words == "" {
		return Summary{}, first(list), fmt.Errorf("find a chat: no words: %w", ErrNotFound)
	}
	for _, pick := range []func([]Summary, string) []Summary{byPrefix, byTitle, byWholeWords, byWords} {
		switch hits := pick(list, words); {
		case len(hits) == 1:
			return hits[0], nil, nil
		case len(hits) > 1:
			return Summary{}, first(hits), fmt.Errorf("%s fits %d chats: %w", Quote(words), len(hits), ErrNotFound)
		}
	}
	err = fmt.Errorf("%s: %w", Quote(words), ErrNotFound)
	if looksLikePath(words) {
		err = errors.Join(err, ErrBadID)
	}
	return Summary{}, first(near(list, words)), err
}

// summary is one chat's row of the list.
func (s *Store) summary(id string) (Summary, bool) {
	info, err := s.stat(id)
	if err != nil {
		return Summary{}, false
	}
	r, err := s.readRow(info)
	if err != nil || r.Fold.Seq < 0 {
		return Summary{}, false
	}
	return r.Fold.summary(id, r.Fold.Turn != "" && s.free(id)), true
}

func byPrefix(list []Summary, words string) []Summary {
	prefix := strings.ToUpper(words)
	return slices.DeleteFunc(slices.Clone(list), func(s Summary) bool { return !strings.HasPrefix(s.ID, prefix) })
}

func byTitle(list []Summary, words string) []Summary {
	return slices.DeleteFunc(slices.Clone(list), func(s Summary) bool { return !strings.EqualFold(s.Title, words) })
}

// byWholeWords keeps "edit 7" from fitting "edit 77" where there is an "edit 7".
func byWholeWords(list []Summary, words string) []Summary {
	want := strings.Fields(strings.ToLower(words))
	return slices.DeleteFunc(slices.Clone(list), func(s Summary) bool {
		title := strings.Fields(strings.ToLower(s.Title))
		return slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(title, w) })
	})
}

func byWords(list []Summary, words string) []Summary {
	want := strings.Fields(strings.ToLower(words))
	return slices.DeleteFunc(slices.Clone(list), func(s Summary) bool {
		title := strings.ToLower(s.Title)
		return slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(title, w) })
	})
}

// near gives the chats whose title has some of the words or their letters in
// order, or whose id begins alike, the best first.
func near(list []Summary, words string) []Summary {
	want := strings.Fields(strings.ToLower(words))
	hits := map[int]int{}
	titles := make([]string, len(list))
	for i, s := range list {
		titles[i] = s.Title
		title := strings.ToLower(s.Title)
		for _, w := range want {
			if len(w) > 2 && strings.Contains(title, w) {
				hits[i] += 1000
			}
		}
	}
	for i, s := range list {
		if common(s.ID, strings.ToUpper(words)) >= alikeID {
			hits[i] += 2000
		}
	}
	if len(words) <= 200 {
		for rank, m := range fuzzy.Find(words, titles) {
			hits[m.Index] += max(1, 500-rank)
		}
	}
	order := make([]int, 0, len(hits))
	for i := range hits {
		order = append(order, i)
	}
	slices.SortFunc(order, func(a, b int) int {
		if hits[a] != hits[b] {
			return hits[b] - hits[a]
		}
		return a - b
	})
	var chats []Summary
	for _, i := range order {
		chats = append(chats, list[i])
	}
	return chats
}

// common is how many bytes two words begin with in common.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func first(list []Summary) []Summary { return list[:min(len(list), maxClose)] }

func looksLikePath(words string) bool {
	return strings.ContainsAny(words, `/\`) || strings.HasPrefix(words, ".") || strings.HasPrefix(words, "-")
}
