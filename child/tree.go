package child

import "os"

// ident names a process for good: a pid is given out again, a pid with the time
// of its start is not. The unit of start is the system's own.
type ident struct {
	pid   int
	start uint64
}

// entry is a line of the process table.
type entry struct {
	ident
	parent int
	group  int
	dead   bool // a zombie: it has ended and holds nothing
}

// tree is a program and all that it started, so far as it is known.
//
// A process belongs to it when its parent does, when it is in the program's
// group, when it carries the program's mark in its environment, or when it once
// did one of these. Each covers a hole of the others: commands have groups of
// their own, parents die before their children, and environments get emptied.
type tree struct {
	mark  string
	root  ident // pid 0: not told yet
	noted map[ident]struct{}
	fresh []ident // noted since the guard was told
}

func newTree(mark string, root ident) *tree {
	t := &tree{mark: mark, root: root, noted: map[ident]struct{}{}}
	if root.pid > 0 {
		t.noted[root] = struct{}{}
	}
	return t
}

func (t *tree) size() int { return len(t.noted) }

func (t *tree) add(id ident) {
	t.noted[id] = struct{}{}
	t.fresh = append(t.fresh, id)
}

// walk reads the process table, remembers new members, forgets those that are
// gone, and returns the living. deep also looks for the mark, which costs a
// file for each process that is younger than the program. inGroup says that the
// program's own group still has a member.
func (t *tree) walk(deep bool) (alive []ident, inGroup bool) {
	table, ok := processes()
	if !ok {
		return t.walkBlind()
	}
	byPid := make(map[int]entry, len(table))
	children := make(map[int][]entry, len(table))
	for _, e := range table {
		byPid[e.pid] = e
		children[e.parent] = append(children[e.parent], e)
	}
	for id := range t.noted {
		if e, there := byPid[id.pid]; !there || e.start != id.start || e.dead {
			delete(t.noted, id)
		}
	}
	own := os.Getpid()
	// A group's number is given out again only when the group is empty.
	leader, there := byPid[t.root.pid]
	grouped := t.root.pid > 0 && (!there || leader.start == t.root.start)
	for _, e := range table {
		if _, known := t.noted[e.ident]; known || e.dead || e.pid == own || e.start < t.root.start {
			continue
		}
		if grouped && e.group == t.root.pid || deep && marked(e.pid, t.mark) {
			t.add(e.ident)
		}
	}
	todo := make([]ident, 0, len(t.noted))
	for id := range t.noted {
		todo = append(todo, id)
	}
	for len(todo) > 0 {
		parent := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range children[parent.pid] {
			if _, known := t.noted[e.ident]; known || e.dead || e.pid == own {
				continue
			}
			t.add(e.ident)
			todo = append(todo, e.ident)
		}
	}
	for id := range t.noted {
		alive = append(alive, id)
		inGroup = inGroup || grouped && byPid[id.pid].group == t.root.pid
	}
	return alive, inGroup
}

// walkBlind serves systems whose process table can't be read: what is noted is
// asked for one by one.
func (t *tree) walkBlind() (alive []ident, inGroup bool) {
	for id := range t.noted {
		if start, there := startOf(id.pid); there && start == id.start {
			alive = append(alive, id)
			inGroup = inGroup || id.pid == t.root.pid
			continue
		}
		delete(t.noted, id)
	}
	return alive, inGroup
}

// sendTo sends sig to the process that id names and to no other. On Linux and
// Windows the handle is taken first and the start time read after it, so that
// a pid that was given out again in between is not hit.
func sendTo(id ident, sig os.Signal) {
	p, err := os.FindProcess(id.pid)
	if err != nil {
		return
	}
	defer p.Release() //nolint:errcheck // nothing to be done
	if start, there := startOf(id.pid); there && start == id.start {
		p.Signal(sig) //nolint:errcheck // it has just ended, or may not be ended
	}
}
