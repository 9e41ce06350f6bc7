package record

import "bytes"

// reading is what the bytes of a log come to.
type reading struct {
	View
	size int64  // bytes that are committed: where the next line goes
	last string // digest of the last line of those
	line int64  // and its length, with the line feed
}

// read takes a log's bytes for what they are. Nothing is skipped and nothing is
// guessed: behind the first thing that is wrong nothing counts.
func read(run string, data []byte) reading {
	r := reading{View: View{Run: run, State: &State{}}}
	first, rest, ok := bytes.Cut(data, lineFeed)
	if !ok {
		r.Problem = &Error{Code: Damaged, What: "the first line isn't whole"}
		return r
	}
	h, problem := decodeHeader(first)
	r.Project = h.Project
	switch {
	case problem != nil:
		r.Problem = problem
		return r
	case h.Run != run:
		r.Problem = &Error{Code: Damaged, What: "the first line is of another run"}
		return r
	}
	r.last = Digest(first)
	r.events(rest, int64(len(first))+1)
	if len(data) > MaxLog && r.Problem == nil {
		r.Problem, r.Torn = &Error{Code: Damaged, What: "longer than a log may be"}, false
	}
	if r.State.Gen() == 0 && r.Problem == nil {
		r.Problem, r.Torn = &Error{Code: Damaged, What: "the run has no start"}, false
	}
	return r
}

var lineFeed = []byte("\n")

// events takes the lines behind the first, which begin at offset at.
func (r *reading) events(rest []byte, at int64) {
	prev := r.last
	for r.Problem == nil {
		line, more, whole := bytes.Cut(rest, lineFeed)
		if !whole {
			break
		}
		if err := r.event(line, prev); err != nil {
			r.Problem = &Error{Code: Damaged, What: "an event", Err: err}
			break
		}
		prev, rest, at = Digest(line), more, at+int64(len(line))+1
		if r.State.staged == 0 {
			r.size, r.last, r.line = at, prev, int64(len(line))+1
		}
	}
	// A last line that ends in another byte than a line feed was not torn: what is
	// torn is short.
	if n := len(rest); n > 0 && r.Problem == nil {
		if before, _, err := decodeLine(rest[:n-1]); err == nil && before == prev {
			r.Problem = &Error{Code: Damaged, What: "the end of the last line"}
		}
	}
	r.Torn = r.Problem == nil && (len(rest) > 0 || r.State.staged != 0)
	r.State.unstage()
}

func (r *reading) event(line []byte, prev string) error {
	before, e, err := decodeLine(line)
	switch {
	case err != nil:
		return err
	case before != prev:
		return refuse(EventInvalid, "does not follow the line before it")
	}
	return r.State.adopt(e)
}
