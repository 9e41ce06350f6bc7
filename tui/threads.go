package tui

import "runtime"

// spareThreads is how many threads more than usual may run while the screen is
// there.
//
// Chats that are brought in and indexed keep every processor busy. A key passes
// several goroutines until it is on the screen, and Go takes a processor from a
// busy one after 10 ms at the earliest: with two processors a key took up to a
// quarter of a second. With threads to spare the system lets the one that was
// waiting run at once, and a key takes the one frame that it takes at rest.
const spareThreads = 4

// spare gives the threads; the function that comes back takes them away.
func spare() (back func()) {
	was := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(was + spareThreads)
	return func() { runtime.GOMAXPROCS(was) }
}
