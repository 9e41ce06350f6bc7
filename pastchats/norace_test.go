//go:build !race

package pastchats

const raceDetector = false
