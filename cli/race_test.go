//go:build race

package cli

// raced: the tests run with the race detector.
const raced = true
