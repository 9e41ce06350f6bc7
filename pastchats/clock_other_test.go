//go:build !linux

package pastchats

import "time"

func processor() time.Duration { return time.Duration(time.Now().UnixNano()) }
