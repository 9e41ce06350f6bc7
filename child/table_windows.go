package child

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// processes reads the process table by a Toolhelp snapshot. Windows has no
// groups; the job object stands for them.
func processes() ([]entry, bool) {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, false
	}
	defer windows.CloseHandle(snap) //nolint:errcheck // a handle of ours
	var table []entry
	pe := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snap, &pe); err == nil; err = windows.Process32Next(snap, &pe) {
		pid := int(pe.ProcessID)
		start, ok := startOf(pid)
		if !ok {
			continue // another user's, or gone
		}
		table = append(table, entry{ident: ident{pid: pid, start: start}, parent: int(pe.ParentProcessID)})
	}
	return table, len(table) > 0
}

// startOf is the creation time of a living process as a FILETIME.
func startOf(pid int) (uint64, bool) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0, false
	}
	defer windows.CloseHandle(h) //nolint:errcheck // a handle of ours
	const stillActive = 259
	var code uint32
	if err := windows.GetExitCodeProcess(h, &code); err != nil || code != stillActive {
		return 0, false
	}
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return 0, false
	}
	return uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime), true
}

// marked is not asked on Windows: nothing leaves a job object.
func marked(int, string) bool { return false }
