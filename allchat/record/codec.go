package record

import "bytes"

// kind says how the body of an event of one kind is written and read, and who it
// may be by.
type kind struct {
	by    []Who
	write func(*coder, Body) bool
	read  func(*coder) Body
}

func of[T Body, P interface {
	*T
	fields(*coder)
}](by ...Who) kind {
	return kind{
		by: by,
		write: func(c *coder, b Body) bool {
			v, ok := b.(T)
			if ok {
				P(&v).fields(c)
			}
			return ok
		},
		read: func(c *coder) Body {
			var v T
			P(&v).fields(c)
			return v
		},
	}
}

// kinds is the closed set.
var kinds = map[Kind]kind{
	KindRunStarted:         of[RunStarted](Conch),
	KindSessionReady:       of[SessionReady](Conch),
	KindPersonMessage:      of[PersonMessage](Person),
	KindTaskDelegated:      of[TaskDelegated](Coordinator),
	KindTaskStarted:        of[TaskStarted](Worker1, Worker2),
	KindTaskResult:         of[TaskResult](Worker1, Worker2),
	KindTaskFailed:         of[TaskFailed](Conch),
	KindToolActivity:       of[ToolActivity](Coordinator, Worker1, Worker2),
	KindPermissionDecided:  of[PermissionDecided](Person, Conch),
	KindHandoff:            of[Handoff](Conch),
	KindCoordinatorMessage: of[CoordinatorMessage](Coordinator),
	KindTurnCompleted:      of[TurnCompleted](Conch),
	KindTurnCancelled:      of[TurnCancelled](Conch),
	KindTurnFailed:         of[TurnFailed](Conch),
	KindEvidenceBound:      of[EvidenceBound](Conch),
	KindProposalMade:       of[ProposalMade](Coordinator, Worker1, Worker2),
	KindProposalDecided:    of[ProposalDecided](Person),
	KindProposalApplied:    of[ProposalApplied](Conch),
	KindSynthesis:          of[Synthesis](Coordinator),
	KindRunInterrupted:     of[RunInterrupted](Conch),
	KindRunCompleted:       of[RunCompleted](Coordinator),
	KindRunFailed:          of[RunFailed](Conch),
	KindRunCancelled:       of[RunCancelled](Person),
}

var whoForm = oneOf(string(Coordinator), string(Worker1), string(Worker2), string(Person), string(Conch))

// Encode gives an event as canonical JSON: fields in a fixed order and no spaces.
// One with a field that is not valid has the code EventInvalid.
func Encode(e Event) ([]byte, error) {
	c := &coder{}
	c.object(func() { c.event(&e) })
	if c.err != nil {
		return nil, c.err
	}
	return c.out, nil
}

// Decode reads what Encode wrote, and nothing else: other fields or kinds, another
// order, spaces, double keys, other letter case and bytes behind the end are
// refused with EventInvalid.
func Decode(data []byte) (Event, error) {
	var e Event
	c := &coder{reading: true, in: data}
	c.object(func() { c.event(&e) })
	if len(c.in) > 0 {
		c.fail("", "more follows the end")
	}
	if c.err != nil {
		return Event{}, c.err
	}
	if again, err := Encode(e); err != nil || !bytes.Equal(again, data) {
		return Event{}, refuse(EventInvalid, "not in the form in which it is written")
	}
	return e, nil
}

// event goes over the fields of an event.
func (c *coder) event(e *Event) {
	c.num("v", &e.V, Version, Version)
	c.num("seq", &e.Seq, 1, maxInteger)
	c.num("gen", &e.Gen, 1, maxInteger)
	if e.Gen != e.Seq {
		c.fail("gen", "is not the number of events")
	}
	c.num("at", &e.At, 0, maxInteger)
	c.num("turn", &e.Turn, 0, maxInteger)
	c.num("cause", &e.Cause, 0, maxInteger)
	if e.Cause >= e.Seq {
		c.fail("cause", "does not come before the event")
	}
	c.who("by", &e.By, whoForm)
	name := string(e.Kind())
	c.str("kind", &name, func(s string) string {
		if _, ok := kinds[Kind(s)]; !ok {
			return "not a kind that is known here"
		}
		return ""
	})
	if c.err != nil {
		return
	}
	if k := kinds[Kind(name)]; c.reading {
		e.Body = k.read(c)
	} else if !k.write(c, e.Body) {
		c.fail("kind", "has the body of another kind")
	}
}
