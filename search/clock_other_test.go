//go:build !linux

package search

import "time"

func clock() time.Duration { return time.Duration(time.Now().UnixNano()) }

func spent() time.Duration { return clock() }
