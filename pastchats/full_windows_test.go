package pastchats

import "golang.org/x/sys/windows"

const full = windows.ERROR_DISK_FULL
