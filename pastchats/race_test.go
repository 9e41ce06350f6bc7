//go:build race

package pastchats

// raceDetector says that the tests run with it: what they cost then is its cost.
const raceDetector = true
