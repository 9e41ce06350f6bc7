package record

import (
	"strconv"
	"strings"
	"testing"
)

// asked is a run in which the coordinator and both others do something.
func asked(t *testing.T) *Log {
	t.Helper()
	return written(t, lease(t, store(t)), whole()[1:7]...)
}

func bond(log *Log, who Who, request string) Bond {
	n := map[Who]int{Coordinator: 1, Worker1: 2, Worker2: 3}[who]
	return Bond{Run: log.Run(), Participant: who, Session: "s-1", Connection: connection(n), Turn: 1, Request: request}
}

func card(b Bond) Card {
	return Card{Bond: b, Tool: txt("Bash"), Choices: []Choice{{ID: "once", Label: "Allow", Allow: true}, {ID: "always", Label: "Always", Allow: true, Remembered: true}, {ID: "no", Label: "Reject"}}}
}

// R-217-11, R-217-37, R-217-39, checklist 9.
func TestAnAnswerCountsForItsCardAlone(t *testing.T) {
	log := asked(t)
	cards := log.Cards()
	first, second := bond(log, Worker1, "r-1"), bond(log, Coordinator, "r-2")
	for _, b := range []Bond{first, second} {
		if err := cards.Offer(card(b)); err != nil {
			t.Fatal(err)
		}
	}
	if w := cards.Waiting(); len(w) != 2 || w[0].Request != "r-1" || w[1].Request != "r-2" {
		t.Fatalf("%+v", w)
	}
	for name, change := range map[string]func(*Bond){
		"another run": func(b *Bond) { b.Run = theID }, "another participant": func(b *Bond) { b.Participant = Worker2 },
		"another session": func(b *Bond) { b.Session = "s-2" }, "a connection that began anew": func(b *Bond) { b.Connection = connection(9) },
		"another turn": func(b *Bond) { b.Turn = 2 }, "an unknown request": func(b *Bond) { b.Request = "r-9" },
	} {
		b := first
		change(&b)
		if _, err := cards.Choose(b, "once"); CodeOf(err) != TransitionInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, option := range []string{"always", "nothing", ""} {
		if _, err := cards.Choose(first, option); CodeOf(err) != TransitionInvalid {
			t.Errorf("option %q: %v", option, err)
		}
	}
	if len(cards.Waiting()) != 2 {
		t.Fatal("a wrong answer used a card up")
	}
	if _, err := log.Append(log.State().Gen(), by(Person, PermissionDecided{Request: "r-9", Tool: txt("Bash"), Decision: AllowOnce, Option: txt("once")})); CodeOf(err) != TransitionInvalid {
		t.Errorf("a decision of no card was committed: %v", err)
	}
	decided, err := cards.Choose(second, "no")
	if err != nil || decided.Decision != Deny || decided.Option != txt("no") {
		t.Fatalf("%+v %v", decided, err)
	}
	if len(cards.Waiting()) != 2 {
		t.Error("a card went before its answer was on the disk")
	}
	if _, err := log.Append(log.State().Gen(), by(Person, decided)); err != nil {
		t.Fatal(err)
	}
	if w := cards.Waiting(); len(w) != 1 || w[0].Request != "r-1" {
		t.Errorf("%+v", w)
	}
	if _, err := cards.Choose(second, "once"); CodeOf(err) != TransitionInvalid {
		t.Errorf("answered twice: %v", err)
	}
	if err := cards.Offer(card(second)); CodeOf(err) != TransitionInvalid {
		t.Errorf("a request that was decided waits again: %v", err)
	}
	expired, err := cards.Drop(first, DecisionExpired)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(log.State().Gen(), by(Person, expired)); CodeOf(err) != TransitionInvalid {
		t.Errorf("the person let it expire: %v", err)
	}
	if _, err := log.Append(log.State().Gen(), by(Conch, expired)); err != nil || len(cards.Waiting()) != 0 {
		t.Errorf("%v", err)
	}
	if _, err := cards.Drop(first, AllowOnce); CodeOf(err) != TransitionInvalid {
		t.Errorf("Conch allowed it: %v", err)
	}
}

// Section 3: the bounds of permissions.
func TestCardsAreBounded(t *testing.T) {
	log := asked(t)
	cards := log.Cards()
	long := strings.Repeat("x", MaxOptionLabel+1)
	many := card(bond(log, Worker1, "r"))
	for len(many.Choices) <= MaxOptions {
		many.Choices = append(many.Choices, Choice{ID: "o" + string(rune('a'+len(many.Choices)))})
	}
	for name, c := range map[string]struct {
		card Card
		want Code
	}{
		"too many options":     {many, Limit},
		"a long id":            {Card{Bond: bond(log, Worker1, "r"), Tool: txt("Bash"), Choices: []Choice{{ID: long[:257]}}}, Limit},
		"a long label":         {Card{Bond: bond(log, Worker1, "r"), Tool: txt("Bash"), Choices: []Choice{{ID: "a", Label: long}}}, Limit},
		"an option twice":      {Card{Bond: bond(log, Worker1, "r"), Tool: txt("Bash"), Choices: []Choice{{ID: "a"}, {ID: "a"}}}, EventInvalid},
		"a request of no name": {card(bond(log, Worker1, "")), EventInvalid},
		"a turn that is not":   {card(Bond{Run: log.Run(), Participant: Worker1, Session: "s-1", Connection: connection(2), Turn: 2, Request: "r"}), TransitionInvalid},
	} {
		if err := cards.Offer(c.card); CodeOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := cards.Offer(card(bond(log, Worker1, "r-1"))); err != nil {
		t.Fatal(err)
	}
	if err := cards.Offer(card(bond(log, Worker1, "r-2"))); CodeOf(err) != Limit {
		t.Errorf("a second one of the same participant: %v", err)
	}
	if err := cards.Offer(card(bond(log, Worker2, "r-1"))); CodeOf(err) != TransitionInvalid {
		t.Errorf("a request that waits: %v", err)
	}
	for n := range MaxCards {
		b := bond(log, Worker2, "n-"+strconv.Itoa(n))
		if err := cards.Offer(card(b)); err != nil {
			if CodeOf(err) != Limit || n != MaxCards-1 {
				t.Fatalf("card %d: %v", n, err)
			}
			return
		}
		gone, err := cards.Drop(b, DecisionCancelled)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Append(log.State().Gen(), by(Conch, gone)); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("a turn has no bound")
}

// R-217-25: what waited is gone with the connection.
func TestACardGoesWithItsConnection(t *testing.T) {
	log := asked(t)
	if err := log.Cards().Offer(card(bond(log, Worker1, "r-1"))); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(log.State().Gen(), by(Conch, RunInterrupted{})); err != nil {
		t.Fatal(err)
	}
	if w := log.Cards().Waiting(); len(w) != 0 {
		t.Errorf("%+v", w)
	}
	if _, err := log.Append(log.State().Gen(), by(Conch, readyAs(Worker1, "s-1", 20))); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Cards().Choose(bond(log, Worker1, "r-1"), "once"); CodeOf(err) != TransitionInvalid {
		t.Errorf("a late answer counts: %v", err)
	}
}
