package child

import (
	"bytes"
	"os"
	"strconv"
)

// processes reads the process table from /proc.
func processes() ([]entry, bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, false
	}
	table := make([]entry, 0, len(names))
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, ok := readStat(pid); ok {
			table = append(table, e)
		}
	}
	return table, len(table) > 0
}

func readStat(pid int) (entry, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return entry{}, false
	}
	return parseStat(pid, data)
}

// parseStat reads a line of /proc/PID/stat (proc_pid_stat(5)). The second field
// is the program's name in brackets and can hold anything, brackets too.
func parseStat(pid int, data []byte) (entry, bool) {
	end := bytes.LastIndexByte(data, ')')
	if end < 0 {
		return entry{}, false
	}
	f := bytes.Fields(data[end+1:])
	const state, parent, group, start = 0, 1, 2, 19 // fields 3, 4, 5 and 22
	if len(f) <= start || len(f[state]) == 0 {
		return entry{}, false
	}
	e := entry{ident: ident{pid: pid}}
	var err error
	if e.parent, err = strconv.Atoi(string(f[parent])); err != nil {
		return entry{}, false
	}
	if e.group, err = strconv.Atoi(string(f[group])); err != nil {
		return entry{}, false
	}
	if e.start, err = strconv.ParseUint(string(f[start]), 10, 64); err != nil {
		return entry{}, false
	}
	switch f[state][0] {
	case 'Z', 'X', 'x':
		e.dead = true
	}
	return e, true
}

// startOf is the start of a living process, in clock ticks since the system's.
func startOf(pid int) (uint64, bool) {
	e, ok := readStat(pid)
	return e.start, ok && !e.dead
}

// marked says whether a process was started with the mark in its environment.
func marked(pid int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false // another user's
	}
	return hasMark(env, mark)
}
