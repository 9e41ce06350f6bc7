package tools

// openNow is nothing here: no path of a file leads to a pipe that waits.
const openNow = 0

// openNoLink is nothing here: links need a right of their own.
const openNoLink = 0
