//go:build !windows

package tools

import "syscall"

// openNow keeps the opening of what has become a pipe from waiting for a writer.
const openNow = syscall.O_NONBLOCK

// openNoLink refuses what has become a link.
const openNoLink = syscall.O_NOFOLLOW
