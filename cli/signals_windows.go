package cli

import (
	"os"
	"syscall"
)

var brokenPipe os.Signal // there is none

func endSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
