//go:build unix

package child

import (
	"context"
	"io"
	"os"
	"testing"
)

func TestAGroupWhoseNumberWasGivenOutAgainIsNotTouched(t *testing.T) {
	if _, ok := processes(); !ok {
		t.Skip("no process table here")
	}
	p := startHelper(t, "echo") // a stranger that has the number now
	start, _ := startOf(p.Pid())
	old := newTree("mark", ident{pid: p.Pid(), start: start - 1})
	if alive, inGroup := old.walk(true); len(alive) > 0 || inGroup {
		t.Errorf("took %v for its own", alive)
	}
	sendTo(ident{pid: p.Pid(), start: start - 1}, os.Kill)
	io.WriteString(p.Stdin, "still here\n")
	b := make([]byte, 11)
	if _, err := io.ReadFull(p.Stdout, b); err != nil {
		t.Errorf("the stranger was hit: %v", err)
	}
}

func TestTheGuardIsToldOfEachDescendantOnce(t *testing.T) {
	guard := NewGuard(helperArgs("guard"), os.Environ())
	defer guard.Close()
	spec := helperSpec("leaver")
	spec.Guard = guard
	p, err := Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(context.Background()) })
	who := meet(t, p.Stdout, "leaver", "deaf")
	p.tree.walk(false)
	if len(p.tree.fresh) != 1 || p.tree.fresh[0] != who["deaf"] {
		t.Errorf("new are %v, not %v", p.tree.fresh, who["deaf"])
	}
	p.Note()
	if p.tree.walk(false); len(p.tree.fresh) != 0 {
		t.Errorf("told again: %v", p.tree.fresh)
	}
	p.End(context.Background())
	gone(t, 0, who)
}
