package search

import (
	"context"
	"hash/crc32"
	"math"
)

const (
	batchBytes = 512 << 10 // of words
	batchMost  = 1000      // messages
	waiting    = 8         // batches between reading and writing; with batchBytes what bounds the memory

	// maxText is how much of one message is searched.
	maxText = 1 << 20
)

// batch is a part of a chat's messages on its way into the index.
type batch struct {
	chat   Chat
	source int
	have   entry // what is in of the chat
	anew   bool  // what is in is to go first
	words  []message
	fresh  []byte // words that the vocabulary does not have
	end    bool   // the chat is complete
	fault  error  // with end: why it is not
	sum    int64
}

// message is one on its way.
type message struct {
	words, parts string // as folded gives them
	mine         bool
	sec          int64
}

// feeder reads one chat.
type feeder struct {
	ctx    context.Context
	out    chan<- batch
	chat   Chat
	have   entry
	source int
	from   Source
	gather *gatherer

	n     int // messages read
	sum   checksum
	next  batch
	bytes int
	w, p  []byte // room
	word  []byte
	wrong bool  // what is in is not how the chat begins
	fault error // the chat could not be read to its end
}

// chatIn sends a chat's new messages, or all of them when it does not begin with
// those that are in. Of a chat that cannot be read to its end comes in what can.
func (f *feeder) chatIn() error {
	if f.have.messages > 0 {
		f.read(f.have.messages)
		if err := f.ctx.Err(); err != nil {
			return err
		}
		if !f.wrong && f.n >= f.have.messages {
			return f.finish()
		}
	}
	f.next = batch{anew: f.have.n != 0}
	f.n, f.bytes, f.sum, f.wrong = 0, 0, checksum{}, false
	f.read(0)
	return f.finish()
}

// read takes the chat's messages from the one at skip on.
func (f *feeder) read(skip int) {
	f.fault = f.from.Words(f.chat.ID, func(w Word) bool {
		if f.ctx.Err() != nil {
			return false
		}
		if f.n == skip && skip > 0 && f.sum.value() != f.have.sum {
			f.wrong = true
			return false
		}
		f.n++
		f.sum.add(w)
		if f.n > skip {
			f.add(w)
		}
		return true
	})
	if f.n == skip && skip > 0 && f.sum.value() != f.have.sum {
		f.wrong = true
	}
}

func (f *feeder) add(w Word) {
	f.w, f.p = f.w[:0], f.p[:0]
	s := splitter{text: bounded(w.Text), word: f.word}
	for s.next() {
		if s.part {
			f.p = append(append(f.p, s.word...), ' ')
		} else {
			f.w = append(append(f.w, s.word...), ' ')
		}
		f.gather.add(s.word)
	}
	f.word = s.word
	sec := f.chat.Updated.Unix()
	if !w.At.IsZero() {
		sec = w.At.Unix()
	}
	sec = min(max(sec, -math.MaxInt32), math.MaxInt64>>30)
	f.next.words = append(f.next.words, message{words: string(f.w), parts: string(f.p), mine: w.Role == "user", sec: sec})
	if f.bytes += len(f.w) + len(f.p); f.bytes >= batchBytes || len(f.next.words) >= batchMost {
		f.send()
	}
}

func (f *feeder) finish() error {
	f.next.end, f.next.fault = true, f.fault
	f.send()
	return f.ctx.Err()
}

// send hands a batch on, and waits while too many are on their way.
func (f *feeder) send() {
	f.next.chat, f.next.source, f.next.have, f.next.sum = f.chat, f.source, f.have, f.sum.value()
	f.next.fresh = f.gather.take()
	select {
	case f.out <- f.next:
	case <-f.ctx.Done():
	}
	f.next, f.bytes = batch{}, 0
}

func bounded(text string) string { return text[:min(len(text), maxText)] }

// checksum is of the words of messages, in order.
type checksum struct {
	crc uint32
	n   int64
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (c *checksum) add(w Word) {
	c.crc = crc32.Update(c.crc, castagnoli, []byte(w.Role))
	c.crc = crc32.Update(c.crc, castagnoli, []byte(w.Text))
	c.n += int64(len(w.Text)) + 1
}

func (c *checksum) value() int64 { return c.n<<32 | int64(c.crc) }
