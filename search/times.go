package search

import (
	"encoding/binary"
	"math"
	"sort"
	"time"
)

// times are the seconds of a piece's messages, as steps from the one before, the
// first from 0. They never go back, so that a span of time is one of messages.
type times struct {
	bytes []byte
	last  int64
	count int
}

func (t *times) add(sec int64) {
	if t.count > 0 {
		sec = max(sec, t.last)
	}
	t.bytes = binary.AppendVarint(t.bytes, sec-t.last)
	t.last = sec
	t.count++
}

// unpack gives the seconds. What is damaged ends them.
func unpack(b []byte) []int64 {
	list := make([]int64, 0, len(b))
	last := int64(0)
	for len(b) > 0 {
		step, n := binary.Varint(b)
		if n <= 0 {
			break
		}
		last += step
		list = append(list, last)
		b = b[n:]
	}
	return list
}

// inside gives the first of the messages at or after since, and of those at or
// after until.
func inside(list []int64, since, until int64) (from, to int) {
	from = sort.Search(len(list), func(i int) bool { return list[i] >= since })
	to = sort.Search(len(list), func(i int) bool { return list[i] >= until })
	return from, to
}

// bounds are the seconds of two times: the zero time is no bound.
func bounds(since, until time.Time) (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if !since.IsZero() {
		from = since.Unix()
	}
	if !until.IsZero() {
		to = until.Unix()
	}
	return from, to
}

// nanos keeps a time within what fits.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return min(max(t.Unix(), -1<<33), 1<<33)*1e9 + int64(t.Nanosecond())
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
