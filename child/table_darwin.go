package child

import (
	"os"

	"golang.org/x/sys/unix"
)

const zombie = 5 // SZOMB of <sys/proc.h>

// processes reads this user's part of the process table.
func processes() ([]entry, bool) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	if err != nil {
		return nil, false
	}
	table := make([]entry, 0, len(list))
	for i := range list {
		table = append(table, entryOf(&list[i]))
	}
	return table, len(table) > 0
}

func entryOf(k *unix.KinfoProc) entry {
	return entry{
		ident:  ident{pid: int(k.Proc.P_pid), start: micros(k.Proc.P_starttime)},
		parent: int(k.Eproc.Ppid),
		group:  int(k.Eproc.Pgid),
		dead:   k.Proc.P_stat == zombie,
	}
}

func micros(t unix.Timeval) uint64 { return uint64(t.Sec)*1_000_000 + uint64(t.Usec) }

// startOf is the start of a living process in microseconds since 1970.
func startOf(pid int) (uint64, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return 0, false
	}
	e := entryOf(k)
	return e.start, !e.dead
}

// marked looks for the mark behind the arguments of a process. The system gives
// them for the user's own programs; for its own protected ones it leaves the
// environment out.
func marked(pid int, mark string) bool {
	block, err := unix.SysctlRaw("kern.procargs2", pid)
	return err == nil && hasMark(block, mark)
}
