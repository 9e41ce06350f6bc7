package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"conch/plain"
)

// examinePast says how other apps' chats stand; with repair it mends them first.
func (a *app) examinePast(ctx context.Context, repair bool) (jsonPastState, error) {
	var run *jsonRun
	var moved []string
	if repair {
		began := a.host.Now()
		var err error
		if moved, err = a.moveAside(); err != nil {
			return jsonPastState{}, &failure{say: "something stands in the place of a file of Conch's and cannot be moved", next: "see that Conch's home is a folder of yours on a disk that can be written, then try again", status: statusFailed, err: err}
		}
		r, err := a.past.service.Repair(ctx)
		if err != nil {
			return jsonPastState{}, asImportFailure(err)
		}
		if err := a.past.index.CatchUp(ctx); err != nil {
			return jsonPastState{}, fmt.Errorf("bring the search index up: %w", err)
		}
		a.tidyIndex(ctx, 10*time.Second)
		run = runJSON(r, a.host.Now().Sub(began))
	}
	c := a.past.service.Check(ctx)
	s := jsonPastState{Brought: c.Brought, State: "ok", Waiting: map[string]int{}, Problem: plain.Line(c.Problem, 300), Next: plain.Line(c.Next, 300), Notes: []string{}, Repair: run}
	for label, n := range c.Waiting {
		s.Waiting[plain.Line(label, 60)] = n
	}
	for _, note := range append(moved, a.past.notes...) {
		s.Notes = append(s.Notes, plain.Line(note, 300))
	}
	if odd := a.standInTheWay(); len(odd) > 0 && s.Problem == "" {
		s.Problem, s.Next = plain.Line(strings.Join(odd, " "), 300), "Run conch doctor --repair."
	}
	switch {
	case s.Problem != "":
		s.State = "broken"
	case len(s.Waiting) > 0:
		s.State = "waiting"
	case c.Waiting == nil && c.Brought == 0:
		s.State = "off"
	}
	return s, nil
}

func (a *app) printPastState(out *printer, s jsonPastState) {
	out.printf("\nPast chats\n")
	switch {
	case s.State == "off":
		out.printf("  none brought in\n      → conch import says what other apps have\n")
	default:
		out.printf("  %s brought in\n", counted(s.Brought, "chat"))
	}
	if len(s.Waiting) > 0 {
		out.printf("      waiting: %s\n", strings.Join(counts(s.Waiting), ", "))
		if s.Problem == "" {
			out.printf("      → conch doctor --repair brings them in\n")
		}
	}
	if s.Problem != "" {
		out.printf("      %s\n", s.Problem)
		if s.Next != "" {
			out.printf("      → %s\n", s.Next)
		}
	}
	for _, note := range s.Notes {
		out.printf("      %s\n", note)
	}
	if r := s.Repair; r != nil {
		out.printf("      repaired: %s brought in, %s had grown, %s couldn't be read\n", grouped(r.Added), grouped(r.Updated), grouped(r.Skipped))
	}
}
