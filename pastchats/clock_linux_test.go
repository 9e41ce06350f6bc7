package pastchats

import (
	"time"

	"golang.org/x/sys/unix"
)

// processor is the processor time of this process, which a busy machine does not
// stretch.
func processor() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
