package search

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// clock is the processor time of this thread, which a busy machine does not
// stretch. It holds the goroutine on its thread.
func clock() time.Duration {
	runtime.LockOSThread()
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// spent is the processor time of the process.
func spent() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
