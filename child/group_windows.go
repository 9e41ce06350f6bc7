package child

import (
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object. When its last handle goes, as it does when Conch dies
// in any way, the system ends all that is in it.
type group struct {
	job  windows.Handle
	once sync.Once
}

// startInGroup starts cmd suspended, puts it into a job and lets it go, so that
// it can start nothing outside. It gets no window and no console of ours.
func startInGroup(cmd *exec.Cmd) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("make job object: %w", err)
	}
	g := &group{job: job}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		g.release()
		return nil, fmt.Errorf("set up job object: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP,
	}
	if err := cmd.Start(); err != nil {
		g.release()
		return nil, err
	}
	if err := g.take(cmd.Process.Pid); err != nil {
		cmd.Process.Kill() //nolint:errcheck // it never ran
		cmd.Wait()         //nolint:errcheck // killed
		g.release()
		return nil, err
	}
	return g, nil
}

func (g *group) take(pid int) error {
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE | windows.PROCESS_SUSPEND_RESUME
	h, err := windows.OpenProcess(access, false, uint32(pid))
	if err != nil {
		return fmt.Errorf("open process: %w", err)
	}
	defer windows.CloseHandle(h) //nolint:errcheck // a handle of ours
	if err := windows.AssignProcessToJobObject(g.job, h); err != nil {
		return fmt.Errorf("put into job object: %w", err)
	}
	resume := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
	if err := resume.Find(); err != nil {
		return fmt.Errorf("let process run: %w", err)
	}
	if status, _, _ := resume.Call(uintptr(h)); status != 0 {
		return fmt.Errorf("let process run: status %#x", status)
	}
	return nil
}

func (g *group) release() {
	g.once.Do(func() { windows.CloseHandle(g.job) }) //nolint:errcheck // a handle of ours
}

// killAll ends all that is in the job.
func (g *group) killAll(int) {
	windows.TerminateJobObject(g.job, 1) //nolint:errcheck // gone is what is wanted
}

// terminate does nothing: a program without a console can't be asked to go.
// The end of its input was the asking.
func terminate(*group, *tree, []ident, bool) {}

func kill(g *group, _ *tree, alive []ident, _ bool) {
	if g != nil {
		windows.TerminateJobObject(g.job, 1) //nolint:errcheck // gone is what is wanted
	}
	for _, id := range alive {
		sendTo(id, syscall.SIGKILL)
	}
}

func ignoreSignals() {}
