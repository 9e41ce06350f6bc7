//go:build unix

package cli

import (
	"os"
	"syscall"
)

// brokenPipe is listened to so that writing to a pipe whose reader is gone is an
// error and not the end: the turn is then stopped as it should be. It is not
// ignored, for children would inherit that.
var brokenPipe os.Signal = syscall.SIGPIPE

func endSignals() []os.Signal {
	return []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE}
}
