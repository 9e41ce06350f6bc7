package record

import (
	"bytes"
	"errors"
	"maps"
	"slices"
)

// Append gives the state after these events, which follow each other and are
// taken all or not at all. expected is the generation that the caller saw. The
// checks come in this order: the generation (GenerationStale), room (Limit), the
// sequence (SequenceUnexpected), whether the run has ended, then what the kind
// asks for: EventInvalid, TransitionInvalid, TaskUnassigned or Limit. An answer
// of the coordinator and its TurnCompleted go together.
func (s *State) Append(expected int64, events ...Event) (*State, error) {
	return s.grow(expected, len(events), func(_ *State, i int) Event { return events[i] })
}

// grow appends n events, of which each is made when it is its turn.
func (s *State) grow(expected int64, n int, event func(now *State, i int) Event) (*State, error) {
	if s.closed {
		return nil, refuse(Conflict, "another event was seen in the place of one")
	}
	if expected != s.Gen() {
		return nil, refuse(GenerationStale, "the record moved on")
	}
	next := s.copy()
	for i := range n {
		if err := next.take(event(next, i)); err != nil {
			return nil, err
		}
	}
	if next.staged != 0 {
		return nil, refuse(TransitionInvalid, "an answer without the end of its turn")
	}
	return next, nil
}

// Replay takes an event that may be known already. One that is known makes no
// change; another event in its place is a Conflict, and the state that is given
// beside the error takes no event any more.
func (s *State) Replay(e Event) (*State, error) {
	if e.Seq < 1 || e.Seq > s.Gen() {
		return s.Append(s.Gen(), e)
	}
	known, err := Encode(s.Events[e.Seq-1])
	if err != nil {
		return nil, err
	}
	if again, err := Encode(e); err == nil && bytes.Equal(again, known) {
		return s, nil
	}
	next := s.copy()
	next.closed = true
	return next, refuse(Conflict, "another event has this place")
}

// Rebuild gives the state that a whole record comes to: the same as that of the
// run that made it.
func Rebuild(events []Event) (*State, error) {
	s := &State{}
	for _, e := range events {
		if err := s.take(e); err != nil {
			return nil, err
		}
	}
	if s.staged != 0 {
		return nil, refuse(TransitionInvalid, "an answer without the end of its turn")
	}
	return s, nil
}

// copy is a state that can be changed without this one noticing.
func (s *State) copy() *State {
	next := *s
	next.Events = slices.Clip(s.Events)
	next.Participants = slices.Clone(s.Participants)
	next.Tasks = slices.Clone(s.Tasks)
	next.Proposals = slices.Clone(s.Proposals)
	next.decided = maps.Clone(s.decided)
	next.connections = maps.Clone(s.connections)
	return &next
}

// take changes the state by an event from anybody, which it makes its own: the
// caller's lists are not those of the state.
func (s *State) take(e Event) error {
	if err := s.admit(e); err != nil {
		return err
	}
	data, err := Encode(e)
	if err != nil {
		return err
	}
	own, err := Decode(data)
	if err != nil {
		return errors.Join(refuse(EventInvalid, "can't be read again"), err)
	}
	return s.move(own)
}

// adopt is take for an event that was just decoded.
func (s *State) adopt(e Event) error {
	if err := s.admit(e); err != nil {
		return err
	}
	return s.move(e)
}

// unstage takes back an answer whose end never followed.
func (s *State) unstage() {
	if s.staged != 0 {
		s.Events, s.staged = s.Events[:s.staged-1], 0
	}
}

// admit checks what comes before the event's kind.
func (s *State) admit(e Event) error {
	switch {
	case s.Gen() >= room(e.Kind()):
		return refuse(Limit, "the record is full")
	case e.Seq != s.Gen()+1:
		return refuse(SequenceUnexpected, "not the next event")
	case s.End != "":
		return refuse(TransitionInvalid, "the run has ended")
	}
	return nil
}

// room is how many events there may be with one of this kind among them: the last
// ones are kept for ending a turn, an interruption and the end of the run.
func room(k Kind) int64 {
	switch k {
	case KindRunCompleted, KindRunFailed, KindRunCancelled:
		return MaxEvents
	case KindRunInterrupted:
		return MaxEvents - 1
	case KindTurnCancelled, KindTurnFailed:
		return MaxEvents - 2
	}
	return MaxEvents - KeptEvents
}
