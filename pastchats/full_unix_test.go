//go:build !windows

package pastchats

import "syscall"

const full = syscall.ENOSPC
